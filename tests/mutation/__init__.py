"""Change one constant of a kernel at a time and see whether a test fails: `make mutation SYSTEM=wfa`.

A mutant adds one to an integer literal of a file in src/repro/SYSTEM/kernels. Literals that only tune (unrolling,
launch bounds, alignment) and those listed in equivalent.toml, each with its reason, are left out.
"""

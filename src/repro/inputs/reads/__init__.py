"""Simulated sequencing reads: models of Mason's Illumina and PBSIM's CLR reads, and the programs themselves."""

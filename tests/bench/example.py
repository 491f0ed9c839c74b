"""A valid row, and a device whose times are known, for the tests of what is built on them."""

from typing import Any

from repro.bench.rows import Row


def example_row(**columns: Any) -> Row:
    """A checked row of the wavefront baseline; `columns` replace its own."""
    row: Row = {
        "system": "wfa",
        "experiment": "baseline",
        "variant": "baseline",
        "section": "4.1.1",
        "parameters": {"workgroup_size": 128},
        "input": {
            "name": "tiny",
            "a": "tiny_a",
            "b": "tiny_b",
            "len_a": 1000,
            "len_b": 2000,
            "sha256_a": "a" * 64,
            "sha256_b": "b" * 64,
        },
        "device": "NVIDIA H200",
        "device_kind": "cuda",
        "repetitions": 3,
        "total_seconds": {"min": 0.001, "median": 0.002, "max": 0.004},
        "kernel_seconds": {"min": 0.0005, "median": 0.0006, "max": 0.0007},
        "compile_seconds": 0.5,
        "work": 12345,
        "work_unit": "cells",
        "gcups": 1.0,
        # 1101 launches of 24 workgroups of 128 threads: enough for 1000 + 2000 + 1 diagonals
        "counters": {"launches": 1101, "threads": 1101 * 24 * 128, "reads": 1101, "writes": 2},
        "result": 1100,
        "digest": "0" * 64,
        "provenance": {
            "commit": "1234567",
            "command": "snakemake",
            "date": "2026-01-01T00:00:00+00:00",
            "python": "3.12.1",
            "packages": {"numpy": "2.4.6"},
            "cpu": "a CPU",
            "device_before": {},
            "device_after": {},
        },
        "check": {"passed": True, "against": {"edlib": 1100}},
    }
    return {**row, **columns}

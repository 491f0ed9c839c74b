"""Rows of similarities for the tests of their report: most of an NVIDIA H200, made from rates."""

from pathlib import Path
from typing import Any

import pandas as pd

from repro.bench.rows import Row, write_rows
from repro.mgemm.model import Run
from repro.mgemm.schedule import Decomposition
from repro.report.mgemm.data import Published, read_measured
from tests.bench.example import example_row

PUBLISHED = Published.read(Path(__file__).parents[2] / "resources" / "published")
EMULATOR = {"device": "emulator (x86_64 CPU)", "device_kind": "emulator"}


def row(measure: str, kind: str, vectors: int, fields: int, trate: float, **columns: Any) -> Row:
    """A checked row of an NVIDIA H200 with so many 10^12 comparisons per second. measure: kernel, 2-way or 3-way."""
    way = 3 if measure == "3-way" else 2
    decomposition = columns.pop("decomposition", (1, 1, 1))
    stages, stage = columns.pop("stages", (1, 0))
    variant = columns.pop("variant", "auto")
    work = int(Run(way, vectors, fields, Decomposition(*decomposition), stages, stage).comparisons)
    work = vectors**2 * fields if measure == "kernel" else work
    seconds = dict.fromkeys(("min", "median", "max"), work / trate / 1e12)
    n_pf, n_pv, n_pr = decomposition
    made = example_row(
        system="mgemm",
        variant=variant,
        parameters={
            "measure": "kernel" if measure == "kernel" else "similarity",
            "way": way,
            "stages": stages,
            "stage": stage,
            **({} if measure == "kernel" else {"n_pf": n_pf, "n_pv": n_pv, "n_pr": n_pr}),
        },
        kernel_seconds=seconds,
        total_seconds=seconds,
        work=work,
        work_unit="comparisons",
        result={
            "checksum": "0-1-2",
            "devices": columns.pop("devices", n_pf * n_pv * n_pr),
            "transport": columns.pop("transport", "mpi" if sum(decomposition) > 3 else None),
            **({"terms": columns.pop("terms")} if "terms" in columns else {}),
        },
        device="NVIDIA H200",
        device_kind="cuda",
    )
    name = f"{kind}-{vectors}x{fields}"
    return {**made, "input": {"name": name, "kind": kind, "vectors": vectors, "fields": fields}, **columns}


def measured(folder: Path, *rows: Row) -> pd.DataFrame:
    write_rows(folder / "rows.jsonl", rows)
    return read_measured([folder / "rows.jsonl"])


def terms(block_vectors: int, fields: int) -> dict[str, float]:
    """Seconds of the terms of a machine with 10 T comparisons/s, 50 GB/s copies and 10 GB/s between ranks."""
    moved = 4 * block_vectors * fields
    return {
        "vectors": block_vectors,
        "product": block_vectors**2 * fields / 10e12,
        "upload": moved / 50e9,
        "download": 4 * block_vectors**2 / 50e9,
        "quotients": 1e-9 * block_vectors,
        "communication": moved / 10e9,
    }


ROWS = [
    row("kernel", "float32", 10240, 12288, 14.0),
    row("kernel", "float32", 10240, 12288, 9.0, variant="ternary"),
    row("kernel", "float32", 10240, 12288, 24.0, variant="gemm"),
    row("kernel", "float64", 10240, 12288, 7.0),
    row("kernel", "float64", 512, 1000, 5.0),
    row("kernel", "bits", 16384, 1048576, 4000.0),
    row("kernel", "float32", 200, 300, 1e-3, **EMULATOR),
    row("kernel", "float64", 200, 300, 1e-3, **EMULATOR),
    row("2-way", "float32", 10240, 12288, 10.0),
    row("2-way", "float32", 10240, 12288, 0.05, variant="cpu"),
    row("3-way", "float32", 2880, 10000, 9.0, stages=(16, 8)),
    row("2-way", "float64", 256, 500, 1e-3, **EMULATOR, transport="threads", terms=terms(256, 500)),
    row("2-way", "float64", 512, 500, 1.9e-3, decomposition=(1, 2, 1), **EMULATOR, terms=terms(256, 500)),
    row("2-way", "float64", 256, 500, 1.2e-3, decomposition=(1, 2, 1), **EMULATOR, terms=terms(128, 500)),
    row("2-way", "float32", 10240, 10000, 9.0, terms=terms(10240, 10000)),
    row("2-way", "float32", 20480, 10000, 16.0, decomposition=(1, 2, 1), terms=terms(10240, 10000)),
    row("2-way", "float64", 20480, 10000, 5.0, terms=terms(20480, 10000)),
    row("2-way", "float64", 20480, 10000, 9.7, decomposition=(1, 2, 1), terms=terms(10240, 10000)),
    row("3-way", "float64", 1544, 20000, 5.0, terms=terms(1544, 20000)),
    row("3-way", "float64", 1544, 20000, 8.0, decomposition=(1, 1, 2), terms=terms(1544, 20000)),
]

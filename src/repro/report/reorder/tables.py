"""The table of all measurements, and that of the memory transactions."""

from dataclasses import asdict
from pathlib import Path

import pandas as pd

from repro.inputs.files import complete_or_absent
from repro.reorder.transactions import count
from repro.reorder.variants import RENUMBERED, ROW_MAJOR
from repro.report.reorder.data import PAPER_VARIANTS

COLUMNS = {
    "variant": "variant",
    "length": "length",
    "parameters.block_size": "block_size",
    "parameters.traceback": "traceback",
    "parameters.match": "match",
    "parameters.mismatch": "mismatch",
    "parameters.gap": "gap",
    "result.score": "score",
    "device": "device",
    "device_kind": "device_kind",
    "kernel_seconds.median": "kernel_seconds",
    "kernel_seconds.min": "kernel_seconds_min",
    "kernel_seconds.max": "kernel_seconds_max",
    "total_seconds.median": "seconds",
    "gcups": "gcups",
    "kernel_gcups": "kernel_gcups",
    "counters.launches": "launches",
    "counters.threads": "threads",
    "counters.allocated_bytes": "allocated_bytes",
}


def traffic_of(rows: pd.DataFrame, block_size: int) -> pd.DataFrame:
    """What the address pattern asks for at the lengths of our rows, one line per variant, length and kind of access."""
    lines = [
        {"variant": layout.kernel, "length": length, "block_size": block_size, "kind": kind, **asdict(traffic)}
        for length in sorted(rows.loc[rows["variant"].isin(PAPER_VARIANTS), "length"].unique().tolist())
        for layout in (ROW_MAJOR, RENUMBERED)
        for kind, traffic in count(layout, length, length, block_size).items()
    ]
    columns = ["variant", "length", "block_size", "kind", "accesses", "sectors", "transactions"]
    return pd.DataFrame(lines, columns=columns)


def write_tables(measurements: str | Path, traffic: str | Path, rows: pd.DataFrame, counted: pd.DataFrame) -> None:
    """Write both tables, tab-separated; times in seconds, GCUPS by total time and by kernel time."""
    tables = {measurements: rows[list(COLUMNS)].rename(columns=COLUMNS), traffic: counted}
    for path, table in tables.items():
        with complete_or_absent(path) as partial:
            table.to_csv(partial, sep="\t", index=False, float_format="%.6g")

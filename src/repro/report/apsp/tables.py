"""The table of all measurements, and the rates beside the hardware's limits."""

from pathlib import Path

import pandas as pd

from repro.inputs.files import complete_or_absent
from repro.report.apsp.data import CPU, RATE, SECONDS, Published, complete, fastest

COLUMNS = {
    "variant": "variant",
    "input.name": "graph",
    "vertices": "vertices",
    "dtype": "dtype",
    "predecessors": "predecessors",
    "tile": "tile",
    "memory_percent": "memory_percent",
    "device": "device",
    "device_kind": "device_kind",
    SECONDS: "seconds",
    RATE: RATE,
    "kernel_seconds.median": "kernel_seconds",
    "kernel_seconds.min": "kernel_seconds_min",
    "kernel_seconds.max": "kernel_seconds_max",
    "total_seconds.median": "total_seconds",
    "counters.launches": "launches",
    "counters.reads": "reads",
    "counters.writes": "writes",
}


def limits_of(rows: pd.DataFrame, published: Published) -> pd.DataFrame:
    """The fastest rate of each variant, type and size beside the limit of its device, where that is known."""
    own = complete(rows[rows["variant"] != CPU])
    best = fastest(own, ["device", "variant", "dtype", "predecessors", "vertices"])
    limits = published.limits.rename(columns={RATE: "limit"})
    joined = best.merge(limits, on=["device", "dtype", "predecessors"])
    joined["share_of_limit"] = joined[RATE] / joined["limit"]
    columns = ["device", "variant", "dtype", "predecessors", "vertices", RATE, "limit", "share_of_limit", "bound_by"]
    return joined[columns]


def write_tables(measurements: str | Path, limits: str | Path, rows: pd.DataFrame, limited: pd.DataFrame) -> None:
    """Write both tables, tab-separated; rates in 10^12 relaxations per second."""
    tables = {measurements: rows[list(COLUMNS)].rename(columns=COLUMNS), limits: limited}
    for path, table in tables.items():
        with complete_or_absent(path) as partial:
            table.to_csv(partial, sep="\t", index=False, float_format="%.6g")

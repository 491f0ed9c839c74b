"""Our rows, other programs' times, the goals and the hardware's limits, side by side."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from repro.report.frames import read_checked

CPU = "scipy"
RATE = "trelaxations_per_second"
SECONDS = "seconds"


@dataclass(frozen=True)
class Published:
    """peers: peer, device, predecessors, vertices, seconds. goals: variant, dtype, predecessors, vertices, rate.

    limits: device, dtype, predecessors, rate, bound_by. Rates in 10^12 relaxations per second.
    """

    peers: pd.DataFrame
    goals: pd.DataFrame
    limits: pd.DataFrame

    @classmethod
    def read(cls, folder: str | Path) -> "Published":
        """From resources/published."""
        return cls(*(pd.read_csv(Path(folder) / f"apsp_{name}.csv") for name in ("peers", "goals", "limits")))


def read_measured(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Checked rows of several files, with vertices, dtype, predecessors, tile, memory_percent, seconds and rate.

    seconds: of the kernels; of the rounds with their copies where blocks are streamed; of the whole call on the CPU.
    """
    rows = read_checked(paths, "apsp")
    for column in ("parameters.tile", "parameters.memory_percent", "result.rounds_seconds"):
        if column not in rows:
            rows[column] = float("nan")
    names = {
        "input.vertices": "vertices",
        "input.dtype": "dtype",
        "parameters.predecessors": "predecessors",
        "parameters.tile": "tile",
        "parameters.memory_percent": "memory_percent",
    }
    rows = rows.rename(columns=names)
    kernels = rows["kernel_seconds.median"].where(rows["variant"] != CPU, rows["total_seconds.median"])
    rows[SECONDS] = rows["result.rounds_seconds"].astype(float).fillna(kernels)
    rows[RATE] = rows["work"] / rows[SECONDS] / 1e12
    return rows


def complete(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows on complete random graphs, whose sizes make a line."""
    return rows[rows["input.name"].str.startswith("complete-")]


def fastest(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """The row with the least seconds for each value of `by`, in their order."""
    return rows.sort_values(SECONDS).drop_duplicates(by).sort_values(by)

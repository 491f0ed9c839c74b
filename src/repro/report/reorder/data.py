"""Our rows and the values the paper states, side by side."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from repro.report.frames import read_checked

GTX_460 = "NVIDIA GeForce GTX 460"  # where the paper measured
BLOCK_SIZE = "parameters.block_size"
KERNEL = "kernel_seconds.median"
PAPER_VARIANTS = ("unoptimised", "optimised")


@dataclass(frozen=True)
class Published:
    """What the paper states, and what other programs reach.

    sections: where each value stands, by its name. peers: columns peer, device, length, seconds, gcups.
    """

    best_block_size: int
    saturating_block_size: int
    speed_up: float
    speed_up_length: int
    memory_ratio: float
    transactions_ratio: float
    sections: dict[str, str]
    peers: pd.DataFrame

    @classmethod
    def read(cls, folder: str | Path) -> "Published":
        """From resources/published."""
        stated = pd.read_csv(Path(folder) / "reorder_stated.csv", index_col="name")
        values = stated["value"].to_dict()
        return cls(
            best_block_size=int(values["best_block_size"]),
            saturating_block_size=int(values["saturating_block_size"]),
            speed_up=values["speed_up"],
            speed_up_length=int(values["speed_up_length"]),
            memory_ratio=values["memory_ratio"],
            transactions_ratio=values["transactions_ratio"],
            sections=stated["section"].to_dict(),
            peers=pd.read_csv(Path(folder) / "reorder_peers.csv"),
        )


def read_measured(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Checked rows of several files, with `length` (letters of a sequence) and `kernel_gcups`."""
    rows = read_checked(paths, "reorder")
    rows["length"] = rows["input.len_a"]
    rows["kernel_gcups"] = rows["work"] / rows[KERNEL] / 1e9
    if BLOCK_SIZE not in rows:
        rows[BLOCK_SIZE] = float("nan")
    return rows


def read_hardware_counters(paths: Iterable[str | Path]) -> pd.DataFrame:
    """What the hardware's counters read (Nsight Compute), one line per variant, length, block size and operation."""
    columns = ["device", "variant", "length", "block_size", "operation", "requests", "sectors", "transactions"]
    return pd.concat([pd.DataFrame(columns=columns), *(pd.read_csv(path, sep="\t") for path in paths)])


def scores_alone(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows without traceback: what the paper's kernel times are."""
    return rows[rows["parameters.traceback"] == 0]


def side_by_side(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """`column` of the paper's two variants in one line per device, length and block size; the fastest row of each."""
    kept = rows[rows["variant"].isin(PAPER_VARIANTS)]
    table = kept.pivot_table(column, ["device", "device_kind", "length", BLOCK_SIZE], "variant", aggfunc="min")
    return table.reindex(columns=list(PAPER_VARIANTS)).dropna().reset_index()

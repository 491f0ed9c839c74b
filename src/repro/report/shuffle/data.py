"""Our rows, the paper's values and other programs' speeds, side by side."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from repro.report.frames import read_checked
from repro.shuffle.peers import PEERS

KERNEL, TOTAL = "kernel_seconds.median", "total_seconds.median"
PROBLEM = ["mode", "gap", "result"]
SPEED, TOTAL_SPEED = "kernel_gcups", "gcups"
PACBIO = "PacBio"
PAPER_VARIANTS = ("fp32", "half2")
ENGINES = ("s16x2", "auto")  # what goes beyond the paper
FILLS_A_CARD = 10**10  # cells; of fewer, a card's time is that of launches and of its first and last waves
RELATED = "related pairs"  # how the note of a peer begins whose work depends on how similar the sequences are


@dataclass(frozen=True)
class Published:
    """What the paper and other programs reach, and what is to be reached here.

    table1, table2, bars, scaling: the paper's, in GCUPS (table2 in TCUPS). stated: values by name; sections: where they
    stand. peers: other programs on one NVIDIA H200 and its host, with GCUPS by kernel and by total time. goals: TCUPS
    by kernel time. ceilings: TCUPS that a device allows, by the paper's model and by its instruction rates.
    """

    table1: pd.DataFrame
    table2: pd.DataFrame
    bars: pd.DataFrame
    scaling: pd.DataFrame
    stated: dict[str, float]
    sections: dict[str, str]
    peers: pd.DataFrame
    goals: pd.DataFrame
    ceilings: pd.DataFrame

    @classmethod
    def read(cls, folder: str | Path) -> "Published":
        """From resources/published."""

        def table(name: str) -> pd.DataFrame:
            return pd.read_csv(Path(folder) / f"shuffle_{name}.csv")

        stated = table("stated").set_index("name")
        bars = table("bars_125bp")
        peers = table("peers")
        peers["program"] = peers["peer"].str.replace(r"\(.*|-.*thr$", "", regex=True)
        peers["speed"] = peers["kernel_gcups"].fillna(peers["total_gcups"])
        peers["note"] = peers["note"].fillna("")
        return cls(
            table("table1_global_linear"),
            table("table2_efficiency_global_affine"),
            bars.assign(platform=bars["platform"].str.replace(r" \(.*", "", regex=True)),
            table("read_length_scaling"),
            stated["value"].to_dict(),
            stated["section"].to_dict(),
            peers,
            table("goals"),
            table("ceilings"),
        )

    def comparable_peers(self) -> pd.DataFrame:
        """Of each program the fastest run of a problem on a device, where its work is that of all cells."""
        every = self.peers[~self.peers["note"].str.startswith(RELATED) & self.peers["read_length"].notna()]
        return every.sort_values("speed").drop_duplicates(["program", "device", *PROBLEM, "read_length"], keep="last")


def read_measured(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Checked rows of several files, with mode, gap, result, read_length, reads, seconds and kernel_gcups.

    result: `score` or `traceback`. read_length: letters where all queries have as many, else NaN. reads: what tables
    call the set: `125bp`, or `PacBio` for reads of many lengths. seconds: of the kernels; on the CPU of the whole call.
    """
    rows = read_checked(paths, "shuffle").rename(columns={"parameters.mode": "mode", "parameters.gap": "gap"})
    rows["result"] = np.where(rows["parameters.traceback"] == 1, "traceback", "score")
    equal = rows["input.query_letters"] == rows["input.queries"] * rows["input.longest_query"]
    several = rows["input.against"] == "reads"
    rows["read_length"] = rows["input.longest_query"].where(equal & several)
    lengths = rows["read_length"].fillna(0).astype(int).astype(str) + "bp"
    rows["reads"] = lengths.where(rows["read_length"].notna(), PACBIO)
    rows["seconds"] = rows[KERNEL].where(~rows["variant"].isin(PEERS), rows[TOTAL])
    rows[SPEED] = rows["input.cells"] / rows["seconds"] / 1e9
    if "parameters.gap_open" not in rows:  # where all gaps are linear
        rows["parameters.gap_open"] = np.nan
    return rows


def papers_scores(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the paper's scores: match 2, mismatch -1, gap open 2, extend 1."""
    same = (rows["parameters.match"] == 2) & (rows["parameters.mismatch"] == -1) & (rows["parameters.gap_extend"] == 1)
    return rows[same & rows["parameters.gap_open"].isin([2, np.nan])]


def with_enough_to_do(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows but those of GPUs that had too little to do for their time to tell a speed. PEERS are the host's."""
    host = (rows["device_kind"] != "cuda") | rows["variant"].isin(PEERS)
    return rows[host | (rows["input.cells"] >= FILLS_A_CARD)]


def in_half(rows: pd.DataFrame) -> pd.Series:
    """Whether all alignments of a row were computed in half precision: bool, for each row."""
    return rows.get("result.types.half2", pd.Series(0, index=rows.index)).fillna(0) == rows["input.pairs"]


def of_their_own(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows but those of half2 that wider types computed, which is as fp32 does."""
    return rows[(rows["variant"] != "half2") | in_half(rows)]


def fastest(rows: pd.DataFrame, by: Iterable[str]) -> pd.DataFrame:
    """The row with the highest speed for each value of `by`, in their order."""
    keys = list(by)
    return rows.sort_values(SPEED, ascending=False).drop_duplicates(keys).sort_values(keys)


def engine(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of what goes beyond the paper."""
    return rows[rows["variant"].isin(ENGINES)]

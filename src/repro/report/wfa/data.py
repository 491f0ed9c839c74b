"""Our rows and the paper's values, side by side."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pandas as pd

from repro.report.frames import read_checked

RTX_3090 = "NVIDIA RTX 3090"  # where the paper measured
PEERS_DEVICE = "NVIDIA H200"  # where the peers were measured
SIZE, TILE, INTERVAL = "parameters.workgroup_size", "parameters.tile_length", "parameters.read_interval"
INPUT, KERNEL, TOTAL = "input.name", "kernel_seconds.median", "total_seconds.median"
PATH = "path.total_seconds.median"
GCUPS = "GCUPS (len_a · len_b / seconds / 10⁹)"


@dataclass(frozen=True)
class Case:
    """The pair of sections 4.1 to 4.3, which is experiment 4 of Table 3."""

    a: str
    b: str
    len_a: int
    len_b: int
    distance: int

    def rows(self, rows: pd.DataFrame) -> pd.Series:
        """Which of our rows were measured on this pair: booleans."""
        return (rows["input.a"] == self.a) & (rows["input.b"] == self.b)


@dataclass(frozen=True)
class Baseline:
    """The paper's baseline on its test case (Fig. 12, section 4.1.1)."""

    gcups: float
    seconds: float
    workgroup_size: float


@dataclass(frozen=True)
class Published:
    """The paper's values, and what other programs reach.

    table2, pairs, table4: Tables 2, 3 and 4; `pairs` has the columns a, b and distance among others. best: Fig. 12, by
    our name of the variant, with gcups, workgroup_size and tile_length; NaN where the paper gives none. peers: columns
    peer, n, similarity_percent, distance, seconds, gcups, check. goals: what `hybrid` is to reach, by input.
    """

    table2: pd.DataFrame
    pairs: pd.DataFrame
    table4: pd.DataFrame
    best: pd.DataFrame
    peers: pd.DataFrame
    goals: pd.DataFrame
    case: Case
    baseline: Baseline

    @classmethod
    def read(cls, folder: str | Path) -> "Published":
        """From resources/published."""

        def table(name: str, **how: Any) -> pd.DataFrame:
            return pd.read_csv(Path(folder) / f"wfa_{name}.csv", **how)

        pairs = table("table3_vs_cudalign", dtype={"experiment": str}, index_col=0)
        best = table("figure12_best_per_variant", index_col=0).rename(index=_slug)
        case, baseline = pairs.to_dict("index")["4"], best.to_dict("index")["baseline"]
        return cls(
            table("table2_vs_cluster"),
            pairs,
            table("table4_literature"),
            best,
            table("peers"),
            table("goals", index_col=0),
            Case(**{field.name: case[field.name] for field in fields(Case)}),
            Baseline(**{field.name: baseline[field.name] for field in fields(Baseline)}),
        )

    @property
    def variants(self) -> dict[str, float]:
        """GCUPS of each variant of Fig. 12 on the test case; NaN where the paper gives none."""
        return dict(self.best["gcups"])


def _slug(name: str) -> str:
    """Our name of a variant, by the paper's: "tiling, global store" is tiling-global."""
    return name.removesuffix(" store").replace(",", "").replace(" ", "-")


def read_measured(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Checked rows of several files, with a column `similarity`: 1 - distance / length of the longer sequence.

    Settings, traces and paths that no row has are columns without values.
    """
    rows = read_checked(paths, "wfa")
    rows["similarity"] = 1 - rows["result"] / rows[["input.len_a", "input.len_b"]].max(axis="columns")
    for column in (SIZE, TILE, INTERVAL, "trace.launch", PATH):
        if column not in rows:
            rows[column] = float("nan")
    return rows


def best_settings(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each device, variant and pair the row with the smallest median of total time."""
    best = rows.groupby(["device", "variant", INPUT], sort=False)[TOTAL].idxmin()
    return rows.loc[best]


def most_measured(rows: pd.DataFrame, column: str) -> str:
    """The input with the most different values in a column; among equals, the largest."""
    inputs = rows.assign(size=rows["input.len_a"] * rows["input.len_b"]).groupby(INPUT)
    found = inputs.agg(values=(column, "nunique"), size=("size", "max")).sort_values(["values", "size"])
    return str(found.index[-1])


def compared(row: pd.Series) -> str:
    """What a legend calls an input: its name, its letters and how similar its sequences are."""
    longer = max(row["input.len_a"], row["input.len_b"])
    return f"{row[INPUT]} ({longer:,} letters, {100 * row['similarity']:.4g} % similar)"


def peers_by_kind(published: Published) -> pd.DataFrame:
    """The peers' exact runs of one pair at a time, with a column `kind`; the fastest of each kind, size and similarity.

    A Smith-Waterman score (MASA-CUDAlign) costs what a distance costs; batches of many pairs are left out.
    """
    kinds = {"WavefrontVariants": "the paper's program", "CPU-wfa2": "WFA2, CPU", "CPU-edlib": "edlib, CPU"}
    kinds["MASA-cudalign"] = "MASA-CUDAlign"
    peers = published.peers[published.peers["check"].isin(["ok", "SWscore"])]
    kind = peers["peer"].map(lambda peer: next((name for start, name in kinds.items() if peer.startswith(start)), None))
    peers = peers.assign(kind=kind).dropna(subset="kind")
    fastest: pd.DataFrame = peers.loc[peers.groupby(["kind", "n", "similarity_percent"])["gcups"].idxmax()]
    return fastest

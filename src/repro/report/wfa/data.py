"""Our rows and the paper's values, side by side."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

import pandas as pd

from repro.report.frames import read_checked

RTX_3090 = "NVIDIA RTX 3090"  # where the paper measured


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
    """The paper's values.

    pairs: Table 3, with columns a, b and distance among others. variants: GCUPS of each variant of Fig. 12 on the test
    case, by our name of the variant; NaN where the paper gives none.
    """

    pairs: pd.DataFrame
    variants: dict[str, float]
    case: Case
    baseline: Baseline

    @classmethod
    def read(cls, folder: str | Path) -> "Published":
        """From resources/published."""
        pairs = pd.read_csv(Path(folder) / "wfa_table3_vs_cudalign.csv", dtype={"experiment": str}, index_col=0)
        variants = pd.read_csv(Path(folder) / "wfa_figure12_best_per_variant.csv", index_col=0)
        case, baseline = pairs.to_dict("index")["4"], variants.to_dict("index")["baseline"]
        return cls(
            pairs,
            {_slug(name): float(value) for name, value in variants["gcups"].items()},
            Case(**{field.name: case[field.name] for field in fields(Case)}),
            Baseline(**{field.name: baseline[field.name] for field in fields(Baseline)}),
        )


def _slug(name: str) -> str:
    """Our name of a variant, by the paper's: "tiling, global store" is tiling-global."""
    return name.removesuffix(" store").replace(",", "").replace(" ", "-")


def read_measured(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Checked rows of several files, with a column `similarity`: 1 - distance / length of the longer sequence."""
    rows = read_checked(paths)
    rows["similarity"] = 1 - rows["result"] / rows[["input.len_a", "input.len_b"]].max(axis="columns")
    return rows


def best_settings(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each device, variant and pair the row with the smallest median of total time."""
    best = rows.groupby(["device", "variant", "input.name"], sort=False)["total_seconds.median"].idxmin()
    return rows.loc[best]

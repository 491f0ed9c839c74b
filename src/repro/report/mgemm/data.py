"""Our rows, the paper's values, other programs' rates, the goals and the hardware's limits, side by side."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from repro.mgemm import model
from repro.report.frames import read_checked

TITAN = "Titan (NVIDIA K20X)"  # where the paper measured
PEERS_DEVICE = "NVIDIA H200"  # where the peers were measured, and what the goals and limits are for
CPU = "cpu"
BEST = "auto"
RATE = "tcomparisons_per_second"
SECONDS = "seconds"
SHORT_FIELDS = 385  # of the vectors in table 5
CODE = "provenance.commit"
SAME = [CODE, "vectors", "fields", "stages", "stage"]  # what two runs share whose ratio is that of what differs
TERMS = [f"result.terms.{name}" for name in ("vectors", "pivots", *model.TERMS)]
TEXTS = ("result.checksum", "result.transport", "input.set", "parameters.values")
VALUE_BYTES = {"float64": 8.0}  # of a similarity; float32 for all other kinds, one where it is a byte
KINDS = {"single": "float32", "double": "float64"}  # ours by the paper's word


@dataclass(frozen=True)
class Published:
    """stated: values of single statements by name. sections: where they stand.

    runs: the paper's largest runs, columns way, precision, kind, nodes, vector_blocks, row_ranks, fields,
    block_vectors, load, stages, comparisons_per_second, loss_percent, figure, table. peers: peer, measure, kind,
    vectors, fields, seconds, rate. goals: measure, kind, vectors, fields, rate. limits: kind, rate, bound_by. Rates in
    10^12 comparisons per second.
    """

    stated: dict[str, float]
    sections: dict[str, str]
    runs: pd.DataFrame
    peers: pd.DataFrame
    goals: pd.DataFrame
    limits: pd.DataFrame

    @classmethod
    def read(cls, folder: str | Path) -> "Published":
        """From resources/published."""
        names = ("stated", "runs", "peers", "goals", "limits")
        stated, runs, peers, goals, limits = (pd.read_csv(Path(folder) / f"mgemm_{name}.csv") for name in names)
        by_name = stated.set_index("name")
        runs["kind"] = runs["precision"].map(KINDS)
        for table in (runs, peers):
            table[RATE] = table["comparisons_per_second"] / 1e12
        return cls(by_name["value"].to_dict(), by_name["section"].to_dict(), runs, peers, goals, limits)

    def kernel_rate(self, precision: str) -> float:
        """10^12 comparisons per second of the paper's kernel: a comparison is two operations."""
        return self.stated[f"kernel_{precision}"] / 2e3


def read_measured(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Checked rows of several files, one line each, with these columns beside the rows' own.

    measure: "kernel", "2-way" or "3-way". kind, vectors, fields, way, stages, stage. n_pf, n_pv, n_pr; ranks: their
    product. devices: how many the ranks had. block_vectors: vectors of a block. value_bytes: of a similarity. seconds:
    of the kernels for measure "kernel", else of the whole. rate: 10^12 comparisons in a second. cpu: the host's.
    """
    rows = read_checked(paths, "mgemm")
    rows = rows.rename(columns={f"input.{name}": name for name in ("kind", "vectors", "fields")})
    names = ("measure", "way", "stages", "stage", "n_pf", "n_pv", "n_pr")
    rows = rows.rename(columns={f"parameters.{name}": name for name in names})
    for column, default in {"n_pf": 1, "n_pv": 1, "n_pr": 1, "stages": 1, "stage": 0}.items():
        rows[column] = rows[column].fillna(default).astype(int) if column in rows else default
    rows["ranks"] = rows["n_pf"] * rows["n_pv"] * rows["n_pr"]
    rows["devices"] = rows["result.devices"].fillna(1).astype(int) if "result.devices" in rows else 1
    for column, missing in {**dict.fromkeys(TEXTS), **dict.fromkeys(TERMS, float("nan"))}.items():
        if column not in rows:
            rows[column] = missing
    rows["block_vectors"] = rows["vectors"] / rows["n_pv"]
    rows["value_bytes"] = rows["kind"].map(VALUE_BYTES).fillna(4.0).where(rows["parameters.values"] != "byte", 1.0)
    kernels = rows["measure"] == "kernel"
    rows.loc[~kernels, "measure"] = rows["way"].astype(str) + "-way"
    rows[SECONDS] = rows["kernel_seconds.median"].where(
        kernels & (rows["variant"] != CPU), rows["total_seconds.median"]
    )
    rows[RATE] = rows["work"] / rows[SECONDS] / 1e12
    return rows.rename(columns={"provenance.cpu": "cpu"})


def fastest(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """The row with the highest rate for each value of `by`, in their order."""
    return rows.sort_values(RATE, ascending=False).drop_duplicates(by).sort_values(by)


def side_by_side(above: pd.DataFrame, below: pd.DataFrame, same: list[str]) -> pd.DataFrame:
    """The fastest row of `above` and that of `below` for each device, and each value of `same`, that both have.

    The columns of the second end in "_below". ratio: of the first one's rate to the second one's.
    """
    keys = ["device", *same]
    both = fastest(above, keys).merge(fastest(below, keys), on=keys, suffixes=("", "_below"))
    both = both.assign(**{f"{key}_below": both[key] for key in keys})
    return both.assign(ratio=both[RATE] / both[f"{RATE}_below"])

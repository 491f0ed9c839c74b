"""The paper's claims about the variants that are implemented."""

import pandas as pd

from repro.report.claims import FAILS, HOLDS, NOT_MEASURED, Claim, judged
from repro.report.wfa.data import RTX_3090, Published

SYSTEM = "wfa"


def claims(rows: pd.DataFrame, published: Published) -> list[Claim]:
    """Every claim with its verdict. rows: checked rows of this run and of resources/measured."""
    return [*_counted(rows[rows["variant"] == "baseline"]), _distances(rows, published), _speed(rows, published)]


def _counted(rows: pd.DataFrame) -> list[Claim]:
    """Claims that do not depend on the machine: they must hold exactly, on the emulator too."""
    launches, size = rows["counters.launches"], rows["parameters.workgroup_size"]
    workgroups = -(-(rows["input.len_a"] + rows["input.len_b"] + 1) // size)
    counted = {
        "one kernel invocation per column of the pyramid": ("d + 1 launches", launches == rows["result"] + 1),
        "the host reads the result after every invocation": ("1 read per launch", rows["counters.reads"] == launches),
        "every invocation has the worst-case number of workitems": (
            "m + n + 1 threads per launch, in whole workgroups",
            rows["counters.threads"] == launches * workgroups * size,
        ),
    }
    return [
        Claim(SYSTEM, "4.1.1", f"baseline: {claim}", paper, *judged(int(holds.sum()), len(holds)))
        for claim, (paper, holds) in counted.items()
    ]


def _distances(rows: pd.DataFrame, published: Published) -> Claim:
    """Distances of Table 3, for those of its pairs that were measured."""
    table = published.pairs.drop_duplicates(["a", "b"])
    ours = rows.merge(table, left_on=["input.a", "input.b"], right_on=["a", "b"])
    equal = int((ours["result"] == ours["distance"]).sum())
    return Claim(SYSTEM, "Table 3", "edit distances of the pairs", f"{len(table)} pairs", *judged(equal, len(ours)))


def _speed(rows: pd.DataFrame, published: Published) -> Claim:
    """Speed of the baseline on the paper's test case, on the fastest GPU it was measured on."""
    case, paper = published.case, published.baseline
    measured = rows[(rows["variant"] == "baseline") & (rows["device_kind"] == "cuda") & case.rows(rows)]
    ours, verdict = "-", NOT_MEASURED
    if len(measured):
        best = measured.loc[measured["gcups"].idxmax()]
        ours = f"{best['gcups']:.0f} GCUPS, {best['total_seconds.median']:.4g} s ({best['device']})"
        verdict = HOLDS if best["gcups"] >= paper.gcups else FAILS
    return Claim(
        SYSTEM,
        "4.1.1",
        f"baseline: speed on {case.a} / {case.b}",
        f"{paper.gcups:.0f} GCUPS, {paper.seconds:.4g} s ({RTX_3090})",
        ours,
        verdict,
    )

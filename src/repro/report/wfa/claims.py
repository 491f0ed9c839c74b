"""The paper's claims: counts are judged on every device, times on GPUs alone."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from repro.report.claims import FAILS, HOLDS, NOT_MEASURED, Claim, judged
from repro.report.wfa.data import INPUT, INTERVAL, PATH, RTX_3090, SIZE, TILE, TOTAL, Published
from repro.report.wfa.speed import speed_claims
from repro.report.wfa.tables import goals_table, peers_table

SYSTEM = "wfa"
ENOUGH_READS = 20  # of the bound, for the diamond to follow it
MANY_WORKGROUPS = 25  # in the last column, for the threads that fill the last workgroup not to count
NEAR = 0.05  # of the expected threads
MOST_OF_PATH = 4  # times the time of the distance
LEAST_OF_EXPECTED = 0.5  # tiles at the edge of the diamond are computed whole


def claims(rows: pd.DataFrame, published: Published) -> list[Claim]:
    """Every claim with its verdict. rows: checked rows of this run and of resources/measured."""
    gpu = rows[rows["device_kind"] == "cuda"]
    return [
        *_counted(rows),
        _threads_saved(rows, published),
        _diamond(rows),
        _distances(rows, published),
        _speed(rows, published),
        *speed_claims(gpu, published),
        _peers(rows, published),
        _goals(rows, published),
        _paths(gpu),
    ]


def _claim(section: str, claim: str, paper: str, ours: str, verdict: str) -> Claim:
    return Claim(SYSTEM, section, claim, paper, ours, verdict)


def _counted(rows: pd.DataFrame) -> list[Claim]:
    """Launches, reads and threads: they must be exactly what the design says."""
    baseline, dynamic, minimised = (
        rows[rows["variant"] == name] for name in ("baseline", "dynamic-work-items", "minimised-reads")
    )
    launches = baseline["counters.launches"]
    workgroups = -(-(baseline["input.len_a"] + baseline["input.len_b"] + 1) // baseline[SIZE])
    least = dynamic.apply(_threads_of_columns, axis="columns") if len(dynamic) else pd.Series(dtype=float)
    reads = minimised["counters.reads"]
    counted = [
        ("4.1.1", "baseline: one kernel invocation per column of the pyramid", "d + 1 launches",
         launches == baseline["result"] + 1),
        ("4.1.1", "baseline: the host reads the result after every invocation", "1 read per launch",
         baseline["counters.reads"] == launches),
        ("4.1.1", "baseline: every invocation has the worst-case number of workitems",
         "m + n + 1 threads per launch, in whole workgroups",
         baseline["counters.threads"] == launches * workgroups * baseline[SIZE]),
        ("4.1.2", "dynamic-work-items: an invocation has the workitems of its column",
         "1, 3, 5, .. threads, in whole workgroups", dynamic["counters.threads"] == least),
        ("4.1.3", "minimised-reads: a constant number of invocations more, fewer reads",
         "ceil((d + 1) / interval) reads",
         (reads == -(-(minimised["result"] + 1) // minimised[INTERVAL]))
         & (minimised["counters.launches"] < minimised["result"] + 1 + minimised[INTERVAL])),
    ]  # fmt: skip
    return [
        _claim(section, claim, paper, *judged(int(holds.sum()), len(holds))) for section, claim, paper, holds in counted
    ]


def _threads_of_columns(row: pd.Series) -> int:
    """Threads of one launch per column of just its cells, in whole workgroups."""
    r = np.arange(row["counters.launches"])
    cells = np.minimum(r, row["input.len_a"]) + np.minimum(r, row["input.len_b"]) + 1
    return int((-(-cells // int(row[SIZE])) * int(row[SIZE])).sum())


def _threads_saved(rows: pd.DataFrame, published: Published) -> Claim:
    """What the paper expects of dynamic work-items if time were proportional to threads, against threads counted."""
    case = published.case
    expected = case.distance * (case.len_a + case.len_b + 1) / (case.distance + 1) ** 2
    names = ["baseline", "dynamic-work-items"]
    large = rows[rows["variant"].isin(names) & (rows["result"] >= MANY_WORKGROUPS * rows[SIZE])]
    counted = large.pivot_table("counters.threads", INPUT, "variant", aggfunc="min")
    shapes = rows.groupby(INPUT)[["result", "input.len_a", "input.len_b"]].first()
    both = counted.reindex(columns=names).dropna().join(shapes)
    ratio = both["baseline"] / both["dynamic-work-items"]
    predicted = both["result"] * (both["input.len_a"] + both["input.len_b"] + 1) / (both["result"] + 1) ** 2
    near = int((abs(ratio / predicted - 1) < NEAR).sum())
    ours, verdict = judged(near, len(both))
    if len(both):
        found = "; ".join(f"{name}: {ratio[name]:.2f} ({predicted[name]:.2f})" for name in both.index)
        ours = f"threads counted (expected): {found}"
    claim = f"dynamic-work-items: threads saved, d (m + n + 1) / (d + 1)^2 to within {NEAR:.0%}"
    return _claim("4.1.2", claim, f"{expected:.1f} times on the test case", ours, verdict)


def _diamond(rows: pd.DataFrame) -> Claim:
    """Cells of the parallel workgroup over those of the diamond with the same tiles, where the bound is read often."""
    keys = ["device", INPUT, TILE, INTERVAL]
    rows = rows[rows["counters.reads"] >= ENOUGH_READS]
    whole, diamond = (
        rows[rows["variant"] == name].drop_duplicates(keys) for name in ("parallel-workgroup", "dynamic-diamond")
    )
    both = whole.merge(diamond[[*keys, "work"]], on=keys, suffixes=("", "_diamond"))
    saved = both["work"] / both["work_diamond"]
    expected = 1 + both["result"] / both[["input.len_a", "input.len_b"]].max(axis="columns")
    a_tile = both[TILE] / both["result"]  # of the tiles of a band: what is left out are whole ones
    holds = (saved - 1 >= LEAST_OF_EXPECTED * (expected - 1) - a_tile) & (saved <= 2)
    ours, verdict = judged(int(holds.sum()), len(both))
    if len(both):
        found = zip(both[INPUT], both[TILE], saved, expected, strict=True)
        ours = "; ".join(dict.fromkeys(f"{name}, tile {tile:.0f}: {s:.2f} ({e:.2f})" for name, tile, s, e in found))
        ours = f"cells saved (1 + d / n): {ours}"
    claim = (
        "dynamic-diamond: saves 1 to 2 times the cells, more for more distance "
        f"({LEAST_OF_EXPECTED:g} d / n at least, less a tile)"
    )
    return _claim("3.1", claim, "1 to 2 times", ours, verdict)


def _distances(rows: pd.DataFrame, published: Published) -> Claim:
    """Distances of Table 3, for those of its pairs that were measured."""
    table = published.pairs.drop_duplicates(["a", "b"])
    ours = rows.merge(table, left_on=["input.a", "input.b"], right_on=["a", "b"])
    equal = int((ours["result"] == ours["distance"]).sum())
    return _claim("Table 3", "edit distances of the pairs", f"{len(table)} pairs", *judged(equal, len(ours)))


def _speed(rows: pd.DataFrame, published: Published) -> Claim:
    """Speed of the baseline on the paper's test case, on the fastest GPU it was measured on."""
    case, paper = published.case, published.baseline
    measured = rows[(rows["variant"] == "baseline") & (rows["device_kind"] == "cuda") & case.rows(rows)]
    ours, verdict = "-", NOT_MEASURED
    if len(measured):
        best = measured.loc[measured["gcups"].idxmax()]
        ours = f"{best['gcups']:.0f} GCUPS, {best[TOTAL]:.4g} s ({best['device']})"
        verdict = HOLDS if best["gcups"] >= paper.gcups else FAILS
    return _claim(
        "4.1.1",
        f"baseline: speed on {case.a} / {case.b}",
        f"{paper.gcups:.0f} GCUPS, {paper.seconds:.4g} s ({RTX_3090})",
        ours,
        verdict,
    )


def _listed(table: pd.DataFrame, holds: Iterable[bool], text: pd.Series) -> tuple[str, str]:
    """`ours` and `verdict` of a claim about every line of a table; only lines for which it does not hold are named."""
    kept = list(holds)
    ours, verdict = judged(sum(kept), len(kept))
    missed = [line for line, held in zip(text, kept, strict=True) if not held]
    return (ours.replace("runs", "sizes") + "".join(f"; {line}" for line in missed)), verdict


def _peers(rows: pd.DataFrame, published: Published) -> Claim:
    """The paper's variants here against the paper's program, translated, on the same GPU."""
    table = peers_table(rows, published)
    faster = table["times_faster"] >= 1
    text = table.apply(
        lambda line: f"{line['variant']}, {line['n']:,} letters, {line['similarity_percent']} %: "
        f"{line['times_faster']:.2f} times",
        axis="columns",
    ) if len(table) else pd.Series(dtype=str)  # fmt: skip
    claim = "every variant is no slower than the paper's program on the same GPU"
    return _claim("beyond the paper", claim, "1 times or more", *_listed(table, faster, text))


def _goals(rows: pd.DataFrame, published: Published) -> Claim:
    table = goals_table(rows, published).dropna(subset="tcups")
    text = table.apply(
        lambda line: f"{line.input}: {float(f'{line.tcups:.3g}'):,g} of {line.reach_tcups:,g} TCUPS", axis="columns"
    ) if len(table) else pd.Series(dtype=str)  # fmt: skip
    reached = table["tcups"] >= table["reach_tcups"]
    return _claim("beyond the paper", "hybrid: reaches its goal at every size", f"{len(published.goals)} sizes",
                  *_listed(table, reached, text))  # fmt: skip


def _paths(gpu: pd.DataFrame) -> Claim:
    """An optimal path, which is the paper's future work, against the distance of the same row."""
    times = (gpu[PATH] / gpu[TOTAL]).dropna()
    ours, verdict = judged(int((times <= MOST_OF_PATH).sum()), len(times))
    if len(times):
        found = zip(gpu.loc[times.index, INPUT], times, strict=True)
        ours = "; ".join(f"{name}: {ratio:.2f} times" for name, ratio in found)
    claim = f"hybrid: an optimal path takes at most {MOST_OF_PATH} times the time of the distance"
    return _claim("beyond the paper", claim, "-", ours, verdict)

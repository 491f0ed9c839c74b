"""What the text claims, and what is promised beyond it."""

import pandas as pd

from repro.report.apsp.data import RATE, Published, complete, fastest
from repro.report.claims import NOT_MEASURED, Claim, judged, reached

SYSTEM = "apsp"
BEYOND = "beyond the paper"
OUT_OF_CORE_VERTICES, OUT_OF_CORE_PERCENT, OUT_OF_CORE_SHARE = 65_536, 25, 0.75


def claims(rows: pd.DataFrame, published: Published) -> list[Claim]:
    """Every claim with its verdict. rows: checked rows of this run and of resources/measured."""
    gpu = complete(rows[rows["device_kind"] == "cuda"])
    return [
        _launches(rows),
        _faster_than_naive(gpu),
        *_goals(gpu, published),
        _peers(gpu, published),
        _out_of_core(gpu),
    ]


def _launches(rows: pd.DataFrame) -> Claim:
    """Counts that do not depend on the machine: |V| / 16 rounds of three launches, one where there is a single tile."""
    tiled = rows[rows["variant"] == "katz-kider"]
    rounds = -(-tiled["vertices"] // tiled["tile"])
    expected = (3 * rounds).where(rounds > 1, 1)
    ours, verdict = judged(int((tiled["counters.launches"] == expected).sum()), len(tiled))
    return Claim(SYSTEM, "4.6", "katz-kider: three launches in every round", "|V| / 16 rounds", ours, verdict)


def _faster_than_naive(gpu: pd.DataFrame) -> Claim:
    times = gpu[(gpu["dtype"] == "float32") & (gpu["predecessors"] == 0)].pivot_table(
        "seconds", ["device", "vertices"], "variant", aggfunc="min"
    )
    times = times.reindex(columns=["naive", "katz-kider"]).dropna()
    ours, verdict = judged(int((times["katz-kider"] < times["naive"]).sum()), len(times))
    if len(times):
        ratio = times["naive"] / times["katz-kider"]
        ours += f" ({ratio.min():.1f} to {ratio.max():.1f} times)"
    return Claim(SYSTEM, "4.6", "katz-kider is faster than one launch per vertex", "very good results", ours, verdict)


def _goals(gpu: pd.DataFrame, published: Published) -> list[Claim]:
    found = []
    for goal in published.goals.itertuples():
        same = (
            (gpu["variant"] == goal.variant)
            & (gpu["dtype"] == goal.dtype)
            & (gpu["predecessors"] == goal.predecessors)
            & (gpu["vertices"] == goal.vertices)
        )
        ours, verdict = "-", NOT_MEASURED
        if same.any():
            best = gpu[same].sort_values(RATE).iloc[-1]
            rate, verdict = reached(best[RATE], goal.trelaxations_per_second)
            ours = f"{rate} T relaxations/s ({best['device']})"
        what = (
            f"{goal.variant}, {goal.dtype}{', predecessors' if goal.predecessors else ''}, {goal.vertices:,} vertices"
        )
        wanted = f"at least {goal.trelaxations_per_second:g} T relaxations/s"
        found.append(Claim(SYSTEM, BEYOND, what, wanted, ours, verdict))
    return found


def _peers(gpu: pd.DataFrame, published: Published) -> Claim:
    """Against the fastest other program of each size, on its GPU."""
    keys = ["device", "predecessors", "vertices"]
    peers = (published.peers.groupby(keys)["grelaxations_per_second"].max() / 1e3).rename("peer").reset_index()
    own = gpu[(gpu["variant"] == "staged") & (gpu["dtype"] == "float32")]
    both = fastest(own, keys).merge(peers, on=keys)
    ours, verdict = judged(int((both[RATE] > both["peer"]).sum()), len(both))
    if len(both):
        ratio = both[RATE] / both["peer"]
        ours += f" ({ratio.min():.2f} to {ratio.max():.2f} times)"
    return Claim(SYSTEM, BEYOND, "staged is faster than every other program measured", "-", ours, verdict)


def _out_of_core(gpu: pd.DataFrame) -> Claim:
    """The rate of the rounds, copies included, against the fastest in core."""
    own = gpu[(gpu["dtype"] == "float32") & (gpu["predecessors"] == 0)]
    large = own[(own["vertices"] == OUT_OF_CORE_VERTICES) & (own["memory_percent"] <= OUT_OF_CORE_PERCENT)][RATE]
    within = own[own["variant"] == "staged"][RATE]
    ours, verdict = "-", NOT_MEASURED
    if len(large) and len(within):
        share = large.max() / within.max()
        percent, verdict = reached(100 * share, 100 * OUT_OF_CORE_SHARE)
        ours = f"{percent} %: {large.max():.3g} of {within.max():.3g} T relaxations/s"
    what = f"out-of-core, {OUT_OF_CORE_VERTICES:,} vertices in {OUT_OF_CORE_PERCENT} % of the matrix's memory"
    return Claim(SYSTEM, BEYOND, what, f"at least {100 * OUT_OF_CORE_SHARE:g} % of the rate in core", ours, verdict)

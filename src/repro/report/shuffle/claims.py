"""The paper's claims, judged by its own tables and by our rows, and what is promised beyond it."""

import numpy as np
import pandas as pd

from repro.report.claims import FAILS, HOLDS, NOT_MEASURED, Claim, judged
from repro.report.shuffle import merged
from repro.report.shuffle.data import (
    KERNEL,
    PAPER_VARIANTS,
    PROBLEM,
    SPEED,
    TOTAL,
    Published,
    engine,
    fastest,
    in_half,
    of_their_own,
    papers_scores,
    with_enough_to_do,
)
from repro.report.shuffle.stated import GPU_PROGRAMS, SYSTEM, by_its_own_tables, claim_of, loss_of, ratios_of
from repro.report.shuffle.tables import goals_table, peers_table, table2
from repro.shuffle.peers import PEERS
from repro.shuffle.ranges import fits
from repro.shuffle.scheme import Scheme

BEYOND = "beyond the paper"
TRACEBACK_SHARE, LENGTH_SHARE, TOTAL_OVER_KERNEL = 0.4, 0.8, 1.15
MOST_CELLS = 2.0  # computed by Hirschberg's method for each element of the matrix


def claims(rows: pd.DataFrame, published: Published) -> list[Claim]:
    """Every claim with its verdict. rows: checked rows of this run and of resources/measured."""
    own = papers_scores(rows[~rows["variant"].isin(PEERS)])
    gpu = with_enough_to_do(own[own["device_kind"] == "cuda"])
    return [
        *by_its_own_tables(published),
        _peak(gpu, published),
        _half(gpu),
        _scenarios(gpu),
        *_read_lengths(gpu, published),
        _transfers(gpu, published),
        _same_hardware(gpu, published),
        _range(own, published),
        _cells(own),
        *_merged(),
        *_goals(gpu, published),
        *_beyond(gpu, published),
    ]


def _peak(gpu: pd.DataFrame, published: Published) -> Claim:
    own = table2(gpu, published)
    own = own[(own["source"] == "here") & own["library"].isin(PAPER_VARIANTS) & own["peak_tcups"].notna()]
    goal = published.stated["peak_share"]
    ours, verdict = "-", NOT_MEASURED
    if len(own):
        ours = "; ".join(
            f"{row.library}: {row.efficiency_percent:.0f} %, of what the instruction rates allow "
            f"{row.ceiling_percent:.0f} % ({row.platform})"
            for row in own.itertuples()
        )
        verdict = HOLDS if (own["efficiency_percent"] > 100 * goal).all() else FAILS
    claim = "fp32 and half2: share of the theoretical peak, global, affine"
    return claim_of(published, "peak_share", claim, f"over {goal:.0%} on every GPU", ours, verdict)


def _half(gpu: pd.DataFrame) -> Claim:
    """Two alignments in a register against one, where half precision holds them."""
    keys = ["device", *PROBLEM, "input.name"]
    speeds = (
        of_their_own(gpu)
        .pivot_table(SPEED, keys, "variant", aggfunc="max")
        .reindex(columns=list(PAPER_VARIANTS))
        .dropna()
    )
    ours, verdict = judged(int((speeds["half2"] > speeds["fp32"]).sum()), len(speeds))
    if len(speeds):
        ratio = speeds["half2"] / speeds["fp32"]
        ours += f" ({ratio.min():.2f} to {ratio.max():.2f} times)"
    return Claim(SYSTEM, "3.2", "half2 is faster than fp32", "twice the cells per thread", ours, verdict)


def _scenarios(gpu: pd.DataFrame) -> Claim:
    """Which problem is the fastest and which the slowest, where all twelve were measured."""
    several = gpu[gpu["read_length"].notna()]
    speeds = several.pivot_table(SPEED, ["device", "variant", "read_length"], PROBLEM, aggfunc="max")
    speeds = speeds.dropna() if len(speeds.columns) == 12 else speeds.iloc[:0]
    fast, slow = ("global", "linear", "score"), ("local", "affine", "traceback")
    right = [(line.idxmax(), line.idxmin()) == (fast, slow) for _, line in speeds.iterrows()]
    claim = "scores of global, linear are the fastest, tracebacks of local, affine the slowest"
    return Claim(SYSTEM, "4.3", claim, "in every setup", *judged(sum(right), len(right)))


def _read_lengths(gpu: pd.DataFrame, published: Published) -> list[Claim]:
    """Speed over the read length, of the paper's variants."""
    best = int(published.stated["best_length"])
    scores = gpu[(gpu["result"] == "score") & gpu["read_length"].notna() & gpu["variant"].isin(PAPER_VARIANTS)]
    lines = {key: fastest(line, ["read_length"]) for key, line in scores.groupby(["device", "variant", "mode", "gap"])}
    rising = [line.loc[line["read_length"] <= best, SPEED].is_monotonic_increasing for line in lines.values()
              if line["read_length"].le(best).sum() > 1 and best in set(line["read_length"])]  # fmt: skip
    longest = published.scaling["read_length"].max()
    losses = {key: loss_of(line, SPEED) for key, line in lines.items()
              if line["read_length"].between(250, 512).any() and line["read_length"].max() >= longest}  # fmt: skip
    least = published.stated["long_loss"]
    ours, verdict = judged(sum(loss <= least for loss in losses.values()), len(losses))
    if losses:
        worst = max(losses, key=lambda key: losses[key])
        ours += f" (up to {losses[worst]:.0%}: {', '.join(worst[1:])})"
    return [
        claim_of(
            published,
            "best_length",
            "fp32 and half2: scores become faster with the reads",
            f"up to {best} letters",
            *judged(sum(rising), len(rising)),
        ),
        claim_of(
            published,
            "long_loss",
            "fp32 and half2: loss of reads of up to 4,096 letters",
            f"no more than {least:.0%}",
            ours,
            verdict,
        ),
    ]


def _transfers(gpu: pd.DataFrame, published: Published) -> Claim:
    seconds, kernels = published.stated["transfer_seconds"], published.stated["kernel_seconds"]
    own = gpu[(gpu["read_length"] == 512) & (gpu["mode"] == "global") & (gpu["gap"] == "linear")]
    own = own[(own["result"] == "score") & (own["input.queries"] == published.stated["reads"])]
    own = fastest(own, ["device", "variant"])
    ours, verdict = "-", NOT_MEASURED
    if len(own):
        shares = (1 - own[KERNEL] / own[TOTAL]).clip(lower=0)
        ours = "; ".join(
            f"{variant}: {share:.1%} of {1e3 * total:.0f} ms ({device})"
            for variant, share, total, device in zip(own["variant"], shares, own[TOTAL], own["device"], strict=True)
        )
        verdict = HOLDS if shares.max() < 0.05 else FAILS
    paper = f"{1e3 * seconds:g} of {1e3 * (seconds + kernels):.0f} ms ({seconds / (seconds + kernels):.2%})"
    claim = "transfers are negligible (here: all that is outside kernels, less than 5 %; 512 letters, global, linear)"
    return claim_of(published, "transfer_seconds", claim, paper, ours, verdict)


def _same_hardware(gpu: pd.DataFrame, published: Published) -> Claim:
    """The paper's variants against its competitors on one GPU."""
    peers = published.comparable_peers()
    peers = peers[peers["program"].isin(GPU_PROGRAMS)].rename(columns={"kernel_gcups": "gcups"})
    keys = ["device", *PROBLEM, "read_length"]
    own = fastest(gpu[gpu["variant"].isin(PAPER_VARIANTS)], keys).drop(columns="gcups").rename(columns={SPEED: "gcups"})
    ratios = ratios_of(own[[*keys, "gcups"]], peers[[*keys, "gcups"]], keys)
    least = published.stated["minimum_speed_up"]
    ours, verdict = judged(int((ratios >= least).sum()), len(ratios))
    if len(ratios):
        ours += f" ({ratios.min():.1f} to {ratios.max():.1f} times, median {ratios.median():.1f})"
    claim = "fp32 or half2 against GASAL2 and ADEPT on the same GPU"
    return claim_of(published, "minimum_speed_up", claim, f"at least {least:g} times", ours, verdict)


def _range(own: pd.DataFrame, published: Published) -> Claim:
    """Whether half precision holds all values, by its bounds for every read length of the paper, and in our rows."""
    half = own[(own["variant"] == "half2") & own["read_length"].notna()]
    ours, verdict = judged(int(in_half(half).sum()), len(half))
    found = [f"{ours}, reads of up to {half['read_length'].max():,.0f} letters"] if len(half) else []
    lengths = np.unique(published.scaling["read_length"])
    wide = lengths[~fits("half2", Scheme(), lengths, lengths)]
    if wide.size:
        found.append(f"wider types from {wide[0]:,} letters on")
        verdict = FAILS
    claim = "the limited range of half precision is not an issue"
    return Claim(SYSTEM, "3.2", claim, "no other type", "; ".join(found), verdict)


def _cells(own: pd.DataFrame) -> Claim:
    """Counted, so on every device: elements computed with traceback for each of the matrix."""
    traced = own[(own["result"] == "traceback") & own["variant"].isin(PAPER_VARIANTS)]
    ratio = traced["work"] / traced["input.cells"]
    ours, verdict = judged(int((ratio <= MOST_CELLS).sum()), len(traced))
    if len(traced):
        ours += f" ({ratio.min():.2f} to {ratio.max():.2f} times)"
    claim = "Hirschberg's method in linear space: elements computed"
    return Claim(SYSTEM, "2.1", claim, "doubles them in the worst case", ours, verdict)


def _merged() -> list[Claim]:
    """Computed here and now, for the paper's scheme and for another."""
    found = []
    for scheme, paper in ((merged.EXACT, "7 operations"), (merged.WRONG, "-")):
        scores = f"{scheme.match}/{scheme.mismatch}/{scheme.gap_open}/{scheme.gap_extend}"
        wrong = merged.wrong_scores(scheme)
        claim = f"one maximum for both kinds of gaps gives right scores ({scores}, global)"
        ours = f"{merged.PAIRS - wrong} of {merged.PAIRS} random pairs"
        found.append(Claim(SYSTEM, "4.2", claim, paper, ours, FAILS if wrong else HOLDS))
    return found


def _goals(gpu: pd.DataFrame, published: Published) -> list[Claim]:
    found = []
    for goal in goals_table(gpu, published).itertuples():
        ours, verdict = "-", NOT_MEASURED
        if np.isfinite(goal.score_tcups):
            ours = f"{goal.score_tcups:.3g} T cells/s ({goal.device})"
            verdict = HOLDS if goal.score_tcups >= goal.must_tcups else FAILS
        what = f"scores, {goal.mode}, {goal.gap}, {goal.read_length} letters"
        found.append(Claim(SYSTEM, BEYOND, what, f"{goal.must_tcups:g} T cells/s", ours, verdict))
    return found


def _beyond(gpu: pd.DataFrame, published: Published) -> list[Claim]:
    table = goals_table(gpu, published)
    shares = table["traceback_share"].dropna()
    totals = table.loc[table["read_length"] == 512, "total_over_kernel"].dropna()
    own = fastest(engine(gpu[gpu["result"] == "score"]), ["device", "mode", "gap", "input.name"])
    at_512 = own[own["read_length"] == 512][["device", "mode", "gap", SPEED]]
    longer = own[own["read_length"].gt(512) | (own["input.against"] == "window")]
    both = longer.merge(at_512, on=["device", "mode", "gap"], suffixes=("", "_512"))
    kept = both[SPEED] / both[f"{SPEED}_512"]
    peers = peers_table(gpu, published)["times_faster"]
    return [
        _ranged("traceback, 125 and 512 letters", f"{TRACEBACK_SHARE:.0%} of the speed of the scores", shares,
                shares >= TRACEBACK_SHARE),
        _ranged("total over kernel time of the scores, 512 letters", f"at most {TOTAL_OVER_KERNEL:g}", totals,
                totals <= TOTAL_OVER_KERNEL),
        _ranged("scores of reads of 1,024 letters and more, and of PacBio-like ones",
                f"{LENGTH_SHARE:.0%} of the speed at 512 letters", kept, kept >= LENGTH_SHARE),
        _ranged("faster than every other program measured on the same GPU or its host", "-", peers, peers > 1),
    ]  # fmt: skip


def _ranged(claim: str, wanted: str, values: pd.Series, passed: pd.Series) -> Claim:
    """A claim that must hold for all of several values, which are shown from the least to the largest."""
    ours, verdict = judged(int(passed.sum()), len(values))
    if len(values):
        ours += f" ({values.min():.3g} to {values.max():.3g})"
    return Claim(SYSTEM, BEYOND, claim, wanted, ours, verdict)

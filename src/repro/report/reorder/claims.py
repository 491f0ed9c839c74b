"""The paper's claims, and what is promised beyond it."""

import pandas as pd

from repro.reorder.transactions import count
from repro.reorder.variants import RENUMBERED, ROW_MAJOR
from repro.report.claims import FAILS, HOLDS, NOT_MEASURED, Claim, judged, reached
from repro.report.reorder.data import BLOCK_SIZE, KERNEL, Published, scores_alone, side_by_side

SYSTEM = "reorder"
NO_GAIN = 0.05  # a kernel time within this of another is no gain


def claims(rows: pd.DataFrame, traffic: pd.DataFrame, hardware: pd.DataFrame, published: Published) -> list[Claim]:
    """Every claim with its verdict.

    rows: checked rows of this run and of resources/measured. traffic: what `tables.traffic_of` counted. hardware: what
    `data.read_hardware_counters` gives.
    """
    filled = scores_alone(rows)
    gpu = filled[filled["device_kind"] == "cuda"]
    return [
        *_block_sizes(gpu, published),
        *_speed(gpu, published),
        *_memory(filled, published),
        *_transactions(traffic, published),
        _hardware(hardware, published),
        _peers(gpu, published),
    ]


def _claim(published: Published, name: str, claim: str, paper: str, ours: str, verdict: str) -> Claim:
    return Claim(SYSTEM, published.sections[name], claim, paper, ours, verdict)


def _block_sizes(gpu: pd.DataFrame, published: Published) -> list[Claim]:
    """Times over the block size at the length of Fig. 8; only where several sizes were measured."""
    at_length = gpu[gpu["length"] == published.speed_up_length]
    times = {
        variant: at_length[at_length["variant"] == variant].groupby(BLOCK_SIZE)[KERNEL].min()
        for variant in ("unoptimised", "optimised")
    }
    best, saturating = published.best_block_size, published.saturating_block_size
    ours, verdict = "-", NOT_MEASURED
    if len(seconds := times["unoptimised"]) > 1:
        ours = f"{seconds.idxmin():.0f} threads: {1e3 * seconds.min():.4g} ms; " + _milliseconds(seconds, best)
        verdict = HOLDS if seconds.idxmin() == best else FAILS
    first = _claim(
        published, "best_block_size", "unoptimised: best block size", f"{best} threads per block", ours, verdict
    )
    ours, verdict = "-", NOT_MEASURED
    if len(seconds := times["optimised"]) > 1 and saturating in seconds.index and seconds.index.max() > saturating:
        larger, smaller = seconds[seconds.index > saturating], seconds[seconds.index < saturating]
        ours = "; ".join(_milliseconds(seconds, size) for size in seconds.index)
        gains_above = (larger < (1 - NO_GAIN) * seconds[saturating]).any()
        gains_below = (smaller > seconds[saturating]).all()
        verdict = HOLDS if gains_below and not gains_above else FAILS
    claim = "optimised: faster with every larger block, but not above"
    limit = f"{saturating} threads per block; a gain above is more than {NO_GAIN:.0%}"
    return [
        first,
        _claim(published, "saturating_block_size", claim, limit, ours, verdict),
    ]


def _milliseconds(seconds: pd.Series, size: float) -> str:
    return f"{size:.0f}: {1e3 * seconds[size]:.4g} ms" if size in seconds.index else f"{size:.0f}: not measured"


def _speed(gpu: pd.DataFrame, published: Published) -> list[Claim]:
    times = side_by_side(gpu, KERNEL)
    times = times[times[BLOCK_SIZE] == published.best_block_size]
    faster = int((times["optimised"] < times["unoptimised"]).sum())
    at = f"{published.speed_up_length:,} letters, {published.best_block_size} threads"
    ours, verdict = "-", NOT_MEASURED
    for line in times[times["length"] == published.speed_up_length].itertuples():
        ratio = line.unoptimised / line.optimised
        shown, verdict = reached(ratio, published.speed_up)
        ours = f"{shown} times: {1e3 * line.unoptimised:.3g} ms / {1e3 * line.optimised:.3g} ms ({line.device})"
    return [
        _claim(
            published,
            "speed_up",
            "the optimised kernel is faster at every length",
            f"{published.best_block_size} threads per block",
            *judged(faster, len(times)),
        ),
        _claim(published, "speed_up", f"speed-up at {at}", f"at least {published.speed_up:g} times", ours, verdict),
    ]


def _memory(filled: pd.DataFrame, published: Published) -> list[Claim]:
    """Counts that do not depend on the machine: on the emulator too."""
    allocated = side_by_side(filled, "counters.allocated_bytes")
    length = allocated["length"]
    formula = (allocated["optimised"] - allocated["unoptimised"] == 4 * length * (length - 1)).sum()
    ratio = allocated["optimised"] / allocated["unoptimised"]
    launches = side_by_side(filled, "counters.launches")
    launches = launches[launches["length"] > launches[BLOCK_SIZE]]
    more = (launches["optimised"] > launches["unoptimised"]).sum()
    twice = ratio.round().eq(published.memory_ratio).sum()
    found = f" ({ratio.min():.2f} to {ratio.max():.2f} times)" if len(ratio) else ""
    ours, verdict = judged(int(twice), len(ratio))
    return [
        _claim(
            published,
            "memory_ratio",
            "memory of the renumbered matrix",
            f"{published.memory_ratio:g} times, to the nearest whole number",
            ours + found,
            verdict,
        ),
        _claim(
            published,
            "memory_ratio",
            "extra memory as allocated",
            "n (n - 1) words",
            *judged(int(formula), len(allocated)),
        ),
        _claim(
            published,
            "saturating_block_size",
            "the renumbered matrix needs more launches, if more than one",
            "more",
            *judged(int(more), len(launches)),
        ),
    ]


def _transactions(traffic: pd.DataFrame, published: Published) -> list[Claim]:
    """Stores of scores, which are all but a few per cent of the accesses."""
    found = []
    for kind, what in (
        ("score stores of full warps", "a store of a full warp, rows of a multiple of 32 words"),
        ("score stores", "all stores, rows of a multiple of 32 words"),
    ):
        kept = traffic[(traffic["kind"] == kind) & (traffic["length"] % 32 == 0)]
        ours, verdict = "-", NOT_MEASURED
        if len(kept):
            largest = kept[kept["length"] == kept["length"].max()].set_index("variant")
            per = largest[["sectors", "transactions"]].div(largest["accesses"], axis="index")
            before, after = per.loc["unoptimised"], per.loc["optimised"]
            ratio = before["transactions"] / after["transactions"]
            ours = (
                f"{before['transactions']:.1f} to {after['transactions']:.2f} transactions of 128 bytes ({ratio:.1f} "
                f"times), {before['sectors']:.1f} to {after['sectors']:.2f} sectors of 32 bytes, "
                f"at {int(kept['length'].max()):,} letters"
            )
            verdict = HOLDS if round(ratio) >= published.transactions_ratio else FAILS
        paper = f"{published.transactions_ratio:g} times fewer, to the nearest whole number"
        found.append(_claim(published, "transactions_ratio", f"transactions of {what}", paper, ours, verdict))
    return found


def _hardware(hardware: pd.DataFrame, published: Published) -> Claim:
    """Warp requests, sectors and transactions counted from the addresses against those that the hardware counted."""
    equal = 0
    for line in hardware.itertuples():
        layout = {layout.kernel: layout for layout in (ROW_MAJOR, RENUMBERED)}[line.variant]
        counted = count(layout, line.length, line.length, line.block_size)
        kinds = {"store": ["score stores"], "load": ["score loads", "letter loads"]}[line.operation]
        read = {"accesses": line.requests, "sectors": line.sectors, "transactions": line.transactions}
        equal += sum(sum(getattr(counted[kind], part) for kind in kinds) == value for part, value in read.items())
    ours, verdict = judged(equal, 3 * len(hardware))
    if len(hardware):
        ours = ours.replace("runs", "counters of Nsight Compute") + f" ({', '.join(hardware['device'].unique())})"
    claim = "requests, sectors and transactions as counted here are those of the hardware"
    return _claim(published, "transactions_ratio", claim, "-", ours, verdict)


def _peers(gpu: pd.DataFrame, published: Published) -> Claim:
    """`compact` against the fastest peer of each length, on the peers' GPU."""
    peers = published.peers.groupby(["device", "length"])["gcups"].max().rename("peer").reset_index()
    compact = gpu[gpu["variant"] == "compact"].merge(peers, on=["device", "length"])
    best = compact.groupby("length")[["kernel_gcups", "peer"]].max()
    ours, verdict = judged(int((best["kernel_gcups"] > best["peer"]).sum()), len(best))
    if len(best):
        ours = "; ".join(f"{length:,}: {row.kernel_gcups:.3g}" for length, row in best.iterrows()) + " GCUPS"
    return Claim(
        SYSTEM,
        "beyond the paper",
        "compact: faster than Rodinia's kernels on an NVIDIA H200",
        "; ".join(f"{line.length:,}: {line.peer:.3g}" for line in peers.itertuples()) + " GCUPS",
        ours,
        verdict,
    )

"""Claims about speed, judged on the rows of GPUs."""

import pandas as pd

from repro.report.claims import FAILS, HOLDS, NOT_MEASURED, Claim
from repro.report.wfa.data import INPUT, INTERVAL, RTX_3090, TILE, Published, best_settings
from repro.report.wfa.sweeps import THREADS, swept, with_threads

SYSTEM = "wfa"
NO_GAIN = 0.05  # a speed within this of another is no gain
TILINGS = ("tiling-global", "tiling-register", "tiling-shared")


def speed_claims(gpu: pd.DataFrame, published: Published) -> list[Claim]:
    """Best settings, speed-ups from design to design, and their order. gpu: rows of GPUs."""
    fastest = _side_by_side(gpu)
    best, case = published.best, f"{published.case.a} / {published.case.b}"
    paper = dict(best["gcups"])
    return [
        *(_best_workgroup(gpu, published, variant) for variant in best.index[best["workgroup_size"].notna()]),
        _faster(fastest, "4.1.2", "dynamic-work-items", "baseline", 1.21, "1.21 times (65.85 to 54.24 s)"),
        _faster(fastest, "4.1.3", "minimised-reads", "dynamic-work-items", 1.49, "1.49 times (55.53 to 37.18 s)"),
        _enough_reads(gpu),
        _no_gain(fastest, "4.2.1", "shared-memory-prefetch", "minimised-reads"),
        _order(fastest, "4.2.2", TILINGS, "global 256, register 267.2, shared 289.6 GCUPS"),
        _tile_lengths(gpu),
        _order(
            fastest, "4.2.3", ("tiling-shared", "parallel-workgroup", "dynamic-diamond"), "289.6, 372 and 516 GCUPS"
        ),
        _faster(
            fastest, "4.3", "dynamic-diamond", "parallel-workgroup",
            paper["dynamic-diamond"] / paper["parallel-workgroup"], "1.39 times (372 to 516 GCUPS)",
        ),
        _faster(fastest, "4.4", "dynamic-diamond", "baseline", 3.3, f"3.4 times; 516 / 156 GCUPS are 3.3, on {case}"),
    ]  # fmt: skip


def _side_by_side(gpu: pd.DataFrame) -> pd.DataFrame:
    """GCUPS of every variant at its best setting, one line per device and input with more than one variant."""
    table = best_settings(gpu).pivot_table("gcups", ["device", INPUT], "variant", aggfunc="max")
    sizes = gpu.assign(size=gpu["input.len_a"] * gpu["input.len_b"]).groupby(["device", INPUT])["size"].max()
    return table.loc[sizes.loc[table.index].sort_values(ascending=False).index]


def _claim(section: str, claim: str, paper: str, ours: str, verdict: str) -> Claim:
    return Claim(SYSTEM, section, claim, paper, ours, verdict)


def _best_workgroup(gpu: pd.DataFrame, published: Published, variant: str) -> Claim:
    """The paper's best setting is within NO_GAIN of the best one here."""
    paper = published.best.loc[variant]
    size, tile = paper["workgroup_size"], paper["tile_length"]
    wanted = f"{size:.0f} threads" + (f", tile length {tile:.0f}" if tile > 0 else "")
    ours, verdict = "-", NOT_MEASURED
    for device in gpu["device"].unique():
        own = swept(with_threads(gpu), variant, device)
        papers = own[(own[THREADS] == size) & (own[TILE].isna() if not tile > 0 else own[TILE] == tile)]
        if own[THREADS].nunique() > 1 and len(papers):
            best, at = own.loc[own["gcups"].idxmax()], papers["gcups"].max()
            setting = f"{best[THREADS]:.0f} threads" + (f", tile length {best[TILE]:.0f}" if best[TILE] > 0 else "")
            ours = f"{setting}: {best['gcups']:.4g} GCUPS; {wanted}: {at:.4g} ({best[INPUT]}, {device})"
            verdict = HOLDS if at >= (1 - NO_GAIN) * best["gcups"] else FAILS
    stated = f"{wanted}: {paper['gcups']:g} GCUPS ({RTX_3090})"
    return _claim(paper["section"], f"{variant}: best workgroup size, to within {NO_GAIN:.0%}", stated, ours, verdict)


def _ratios(fastest: pd.DataFrame, variant: str, other: str) -> pd.Series:
    columns = fastest.reindex(columns=[variant, other]).dropna()
    return columns[variant] / columns[other]


def _named(ratios: pd.Series) -> str:
    return "; ".join(f"{name}: {ratio:.2f} times" for (_, name), ratio in ratios.items())


def _faster(fastest: pd.DataFrame, section: str, variant: str, other: str, times: float, paper: str) -> Claim:
    """Judged on the largest input that both were measured on; the others are named."""
    ratios = _ratios(fastest, variant, other)
    verdict = NOT_MEASURED if ratios.empty else HOLDS if ratios.iloc[0] >= times else FAILS
    return _claim(section, f"{variant}: faster than {other}", paper, _named(ratios) or "-", verdict)


def _no_gain(fastest: pd.DataFrame, section: str, variant: str, other: str) -> Claim:
    ratios = _ratios(fastest, variant, other)
    verdict = NOT_MEASURED if ratios.empty else HOLDS if ratios.iloc[0] <= 1 + NO_GAIN else FAILS
    return _claim(
        section,
        f"{variant}: no significant gain over {other}, {NO_GAIN:.0%} at most",
        "none",
        _named(ratios) or "-",
        verdict,
    )


def _order(fastest: pd.DataFrame, section: str, variants: tuple[str, ...], paper: str) -> Claim:
    """From slowest to fastest, on the largest input that all were measured on."""
    both = fastest.reindex(columns=list(variants)).dropna()
    ours, verdict = "-", NOT_MEASURED
    if len(both):
        values = both.iloc[0]
        ours = ", ".join(f"{name} {values[name]:.4g}" for name in variants) + f" GCUPS ({both.index[0][1]})"
        verdict = HOLDS if values.is_monotonic_increasing else FAILS
    return _claim(section, f"each faster than the one before: {', '.join(variants)}", paper, ours, verdict)


def _enough_reads(gpu: pd.DataFrame) -> Claim:
    """No interval above 100 is faster than 100 by more than NO_GAIN."""
    rows = gpu[gpu["variant"] == "minimised-reads"]
    table = rows.pivot_table("gcups", ["device", INPUT], INTERVAL, aggfunc="max")
    longer = table.loc[:, table.columns > 100].max(axis="columns").div(table.reindex(columns=[100.0])[100.0]).dropna()
    verdict = NOT_MEASURED if longer.empty else HOLDS if (longer <= 1 + NO_GAIN).all() else FAILS
    claim = f"minimised-reads: no gain from fewer reads than 1 per 100 launches, {NO_GAIN:.0%} at most"
    return _claim("4.1.3", claim, "none at any length", _named(longer) or "-", verdict)


def _tile_lengths(gpu: pd.DataFrame) -> Claim:
    """Of a tiling with one thread per tile, none longer than 3 is the fastest."""
    rows = gpu[gpu["variant"].isin(TILINGS)]
    table = rows.groupby(["variant", TILE])["gcups"].max()
    lengths = table.groupby("variant").size()
    measured = [name for name in lengths.index if table[name].index.max() > 3]
    best = {name: table[name].idxmax() for name in measured}
    ours = ", ".join(f"{name}: tile length {tile:.0f}" for name, tile in best.items()) or "-"
    verdict = NOT_MEASURED if not best else HOLDS if all(tile <= 3 for tile in best.values()) else FAILS
    return _claim("4.2.2", "tilings: tiles longer than 3 are slower", "thread divergence", ours, verdict)

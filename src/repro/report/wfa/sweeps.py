"""Figs. 4 and 10: GCUPS by workgroup size; Fig. 7: by reads per launch."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import LogFormatter

from repro.report.style import COLOURS, MARKERS, PAPER_COLOUR, PAPER_MARKER, RC, device_label, devices_of, save
from repro.report.wfa.data import GCUPS, INPUT, INTERVAL, RTX_3090, SIZE, TILE, Published, compared, most_measured

FIGURE_4 = ("baseline", "dynamic-work-items", "minimised-reads")
FIGURE_10 = (
    "shared-memory-prefetch",
    "tiling-global",
    "tiling-register",
    "tiling-shared",
    "parallel-workgroup",
    "dynamic-diamond",
)
COLLABORATING = FIGURE_10[4:]  # their workgroup has 2 tile_length + 1 threads
THREADS = "threads per workgroup"


def with_threads(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with a column `threads per workgroup`, which is a setting of some variants and follows for others."""
    return rows.assign(**{THREADS: rows[SIZE].where(rows[SIZE].notna(), 2 * rows[TILE] + 1)})


def swept(rows: pd.DataFrame, variant: str, device: str) -> pd.DataFrame:
    """The rows of a variant on a device and the input with most workgroup sizes; the fastest of equal settings."""
    own = rows[(rows["variant"] == variant) & (rows["device"] == device)]
    if not len(own):
        return own
    own = own[own[INPUT] == most_measured(own, THREADS)]
    return own.loc[own.groupby([THREADS, TILE], dropna=False)["gcups"].idxmax()].sort_values(THREADS)


def draw_nothing(what: str, paths: Iterable[str | Path]) -> None:
    """A figure for which this run and resources/measured have no rows: it says so."""
    with plt.rc_context({**RC, "axes.grid": False}):
        figure, axes = plt.subplots(figsize=(5, 2))
        axes.axis("off")
        axes.text(0.5, 0.5, "not measured here", ha="center", va="center", color="#777777")
        figure.suptitle(what)
        save(figure, paths)


def draw_figure_4(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """The three strategies of section 4.1."""
    _draw(rows, published, FIGURE_4, "Kernel invocation strategies by workgroup size (Fig. 4)", paths)


def draw_figure_10(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """The strategies of sections 4.2 and 4.3; a line for each tile length of a tiling."""
    _draw(
        rows, published, FIGURE_10, "Strategies to reduce access to global memory, by workgroup size (Fig. 10)", paths
    )


def _draw(
    rows: pd.DataFrame, published: Published, variants: Sequence[str], what: str, paths: Iterable[str | Path]
) -> None:
    """Three panels a line, for each device; the paper's best value in each panel."""
    rows = with_threads(rows[rows["variant"].isin(variants)])
    if rows.empty:
        return draw_nothing(what, paths)
    devices = devices_of(rows)
    lines = len(variants) // 3
    with plt.rc_context(RC):
        figure = plt.figure(figsize=(11, 0.8 + (0.4 + 3.1 * lines) * len(devices)))
        parts = figure.subfigures(len(devices), 1, squeeze=False)
        for part, (device, kind) in zip(parts[:, 0], devices, strict=True):
            panels = part.subplots(lines, 3).flat
            inputs = []
            for axes, variant, letter in zip(panels, variants, "abcdef", strict=False):
                own = swept(rows, variant, device)
                inputs += [compared(row) for _, row in own.head(1).iterrows()]
                _panel(axes, own, published, variant, letter)
            on = "; ".join(dict.fromkeys(inputs))
            part.suptitle(f"{device_label(device, kind)}: {on}", fontsize=9, fontweight="bold")
        case = published.case
        figure.suptitle(f"{what}\npaper: best value, on {case.a} / {case.b}, {RTX_3090}")
        save(figure, paths)


def _panel(axes: Axes, own: pd.DataFrame, published: Published, variant: str, letter: str) -> None:
    tiles = own[TILE].notna().any() and variant not in COLLABORATING
    groups = own.groupby(TILE) if tiles else [(None, own)] if len(own) else []
    for k, (tile, line) in enumerate(groups):
        look: dict[str, Any] = {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)]}
        label = f"tile length {tile:.0f}" if tiles else "measured here"
        axes.plot(line[THREADS], line["gcups"], label=label, **look)
    best = published.best.loc[variant]
    if pd.notna(best["gcups"]):
        label = f"paper: {best['gcups']:g}" + (f", tile {best['tile_length']:.0f}" if best["tile_length"] > 0 else "")
        if pd.notna(best["workgroup_size"]):
            axes.plot(
                best["workgroup_size"],
                best["gcups"],
                color=PAPER_COLOUR,
                marker=PAPER_MARKER,
                fillstyle="none",
                linestyle="none",
                label=label,
            )
        else:
            axes.axhline(best["gcups"], color=PAPER_COLOUR, linestyle=":", label=label)
    axes.set_xscale("log", base=2)
    if own[THREADS].nunique() == 2:  # of two sizes a power of two may be near one only
        axes.set_xticks(own[THREADS].unique())
    axes.set(yscale="log", xlabel=THREADS, ylabel="GCUPS")
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.set_title(f"({letter}) {variant}", fontsize=9)
    if axes.lines:
        low, high = axes.get_ylim()
        axes.set_ylim(low / 2, high * (2 * high / low) ** 0.6)  # room for the legend: three eighths of the height
        axes.legend(fontsize=7)
        _plain(axes)


def _plain(axes: Axes) -> None:
    """Ticks of a logarithmic axis as numbers without exponents, between the decades too where there is room."""
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(LogFormatter(minor_thresholds=(1.2, 0.5)))


def draw_figure_7(rows: pd.DataFrame, paths: Iterable[str | Path]) -> None:
    """Minimised reads: GCUPS over reads per launch, a line for each input; a panel per device."""
    what = "Minimised reads: effect of the reads per launch (Fig. 7)"
    rows = rows[rows["variant"] == "minimised-reads"]
    rows = rows.loc[rows.groupby(["device", INPUT, INTERVAL])["gcups"].idxmax()]
    rows = rows[rows.groupby(["device", INPUT])[INTERVAL].transform("nunique") > 1]
    if rows.empty:
        return draw_nothing(what, paths)
    devices = devices_of(rows)
    with plt.rc_context(RC):
        figure, grid = plt.subplots(1, len(devices), figsize=(1 + 5 * len(devices), 4.4), squeeze=False)
        for axes, (device, kind) in zip(grid[0], devices, strict=True):
            own = rows[rows["device"] == device].assign(size=lambda r: r["input.len_a"])
            for k, (_, line) in enumerate(own.sort_values(["size", INPUT, INTERVAL]).groupby([INPUT], sort=False)):
                look: dict[str, Any] = {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)]}
                axes.plot(1 / line[INTERVAL], line["gcups"], label=compared(line.iloc[0]), **look)
            axes.axvline(1 / 100, color=PAPER_COLOUR, linestyle=":", label="paper: no gain to the left of 1 / 100")
            axes.set(xscale="log", yscale="log", xlabel="reads per launch", ylabel=GCUPS)
            _plain(axes)
            axes.set_title(device_label(device, kind), fontsize=9)
            axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.16))
        figure.suptitle(what)
        save(figure, paths)

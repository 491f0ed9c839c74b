"""Figs. 6 to 9 and the number of launches from our measurements, and `compact` beside other programs."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from repro.reorder.variants import VARIANTS
from repro.report.reorder.data import BLOCK_SIZE, GTX_460, KERNEL, PAPER_VARIANTS, Published, scores_alone
from repro.report.style import MARKERS, PAPER_COLOUR, PAPER_MARKER, RC, looks, panels_by_device, save

LOOK = looks(VARIANTS)
MEGABYTE = 1e6
ABOVE: dict[str, Any] = {"xytext": (-2, 4), "textcoords": "offset points", "ha": "right", "fontsize": 7}
APART = 1.5  # lengths nearer than this would have their ratios overlap


def draw_block_sizes(rows: pd.DataFrame, variant: str, paths: Iterable[str | Path]) -> None:
    """Figs. 6 and 7: kernel time over the length, a line per block size, a panel per device."""
    rows = scores_alone(rows[rows["variant"] == variant])
    with plt.rc_context(RC):
        figure, panels = panels_by_device(rows)
        for axes, (_, own) in panels:
            for k, (size, line) in enumerate(own.groupby(BLOCK_SIZE)):
                colour = plt.get_cmap("viridis")(k / max(1, own[BLOCK_SIZE].nunique() - 1) * 0.9)
                _times(axes, line, label=f"{size:.0f} threads", color=colour, marker=MARKERS[k % len(MARKERS)])
            axes.legend()
        figure.suptitle(f"Kernel time, {variant}, by block size (Fig. {6 + PAPER_VARIANTS.index(variant)})")
        save(figure, paths)


def draw_comparison(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """Fig. 8: kernel time of both variants at the paper's block size, and `compact`; the ratio at each length."""
    rows = _at_block_size(scores_alone(rows), published)
    with plt.rc_context(RC):
        figure, panels = panels_by_device(rows)
        for axes, (_, own) in panels:
            for name, line in own.groupby("variant"):
                _times(axes, line, label=str(name), **LOOK[str(name)])
            both = own.pivot_table(KERNEL, "length", "variant", aggfunc="min").reindex(columns=list(PAPER_VARIANTS))
            highest = 1e3 * own.groupby("length")["kernel_seconds.max"].max()
            ratios = (both["unoptimised"] / both["optimised"]).dropna()
            written: list[float] = []
            for length in sorted(ratios.index, key=lambda length: (length != published.speed_up_length, -length)):
                if all(max(length, other) >= APART * min(length, other) for other in written):
                    written.append(length)
                    axes.annotate(f"{ratios[length]:.1f}×", (length, highest[length]), **ABOVE)
            axes.margins(x=0.1)  # room for the first ratio
            axes.legend()
        stated = f"paper: {published.speed_up:g}× at {published.speed_up_length:,}\non an {GTX_460}"
        figure.suptitle(
            f"Kernel time at {published.best_block_size} threads per block (Fig. 8)\n"
            f"×: unoptimised / optimised; {stated}",
            fontsize=9,
        )
        save(figure, paths)


def draw_memory(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """Fig. 9: device memory as allocated, and the formulas of both matrices; the same on every device."""
    rows = scores_alone(rows)
    with plt.rc_context(RC):
        figure, axes = plt.subplots(figsize=(5.5, 4.2))
        for name, own in rows.groupby("variant"):
            line = own.groupby("length")["counters.allocated_bytes"].max() / MEGABYTE
            axes.plot(line.index, line, linestyle="none", label=f"{name}, allocated", **LOOK[str(name)])
        lengths = pd.Series(sorted(rows["length"].unique()))
        for label, words in (("n²", lengths**2), ("(2n - 1) n", (2 * lengths - 1) * lengths)):
            style = ":" if label == "n²" else "--"
            axes.plot(lengths, 4 * words / MEGABYTE, color=PAPER_COLOUR, linestyle=style, label=f"4 bytes × {label}")
        _over_length(axes, yscale="log", ylabel="megabytes")
        axes.legend()
        figure.suptitle(
            "Device memory (Fig. 9), the same on every device\n"
            f"paper: {published.memory_ratio:g} times as much for the optimised"
        )
        save(figure, paths)


def draw_launches(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """Kernel launches over the length at the paper's block size: counted, the same on every device."""
    rows = _at_block_size(scores_alone(rows), published)
    with plt.rc_context(RC):
        figure, axes = plt.subplots(figsize=(5.5, 4.2))
        for name, own in rows.groupby("variant"):
            line = own.groupby("length")["counters.launches"].max()
            axes.plot(line.index, line, label=str(name), **LOOK[str(name)])
        _over_length(axes, yscale="log", ylabel="kernel launches")
        axes.legend()
        figure.suptitle(f"Kernel launches at {published.best_block_size} threads per block,\nthe same on every device")
        save(figure, paths)


def draw_rates(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """Kernel GCUPS over the length: the fastest row of each variant; on the peers' GPU, the peers too."""
    rows = scores_alone(rows)
    with plt.rc_context(RC):
        figure, panels = panels_by_device(rows)
        for axes, ((device, _), own) in panels:
            for name, line in own.groupby("variant"):
                rate = line.groupby("length")["kernel_gcups"].max()
                axes.plot(rate.index, rate, label=str(name), **LOOK[str(name)])
            peers = published.peers[published.peers["device"] == device]
            for k, (peer, line) in enumerate(peers.groupby("peer")):
                look: dict[str, Any] = {"color": PAPER_COLOUR, "marker": PAPER_MARKER, "fillstyle": "none"}
                axes.plot(line["length"], line["gcups"], label=str(peer), linestyle=("-", ":")[k % 2], **look)
            _over_length(axes, yscale="log", ylabel="GCUPS (kernel time)")
            axes.legend()
        figure.suptitle("Elements per second, the best block size of each variant")
        save(figure, paths)


def draw_transactions(counted: pd.DataFrame, hardware: pd.DataFrame, paths: Iterable[str | Path]) -> None:
    """32-byte sectors and 128-byte transactions per store instruction of a warp.

    Lines: counted from the addresses. Rings: read from the hardware's counters.
    """
    stores, read = counted[counted["kind"] == "score stores"], hardware[hardware["operation"] == "store"]
    with plt.rc_context(RC):
        figure, panels = plt.subplots(1, 2, figsize=(8, 3.6), sharey=True)
        for axes, unit in zip(panels, ("sectors", "transactions"), strict=True):
            for name, own in stores.groupby("variant", sort=False):
                line = own.sort_values("length")
                axes.plot(line["length"], line[unit] / line["accesses"], label=str(name), **LOOK[str(name)])
            for device, own in read.groupby("device"):
                rings: dict[str, Any] = {"color": PAPER_COLOUR, "marker": "o", "fillstyle": "none", "markersize": 11}
                label = f"counters of an {device}"
                axes.plot(own["length"], own[unit] / own["requests"], label=label, linestyle="none", **rings)
            size = {"sectors": 32, "transactions": 128}[unit]
            _over_length(axes, ylabel=f"{unit} of {size} bytes per warp store", ylim=(0, 33))
        panels[0].legend()
        figure.suptitle("Memory transactions of a warp's stores, counted from its lanes' addresses")
        save(figure, paths)


def _at_block_size(rows: pd.DataFrame, published: Published) -> pd.DataFrame:
    """The rows with the paper's block size, and those of `compact`, which has none."""
    return rows[rows[BLOCK_SIZE].isna() | (rows[BLOCK_SIZE] == published.best_block_size)]


def _times(axes: Axes, rows: pd.DataFrame, **look: Any) -> None:
    """Median milliseconds over the length, with bars from the smallest to the largest repetition."""
    line = rows.sort_values(KERNEL).drop_duplicates("length").sort_values("length")
    median, low, high = (1e3 * line[f"kernel_seconds.{name}"] for name in ("median", "min", "max"))
    axes.errorbar(line["length"], median, yerr=[median - low, high - median], capsize=2, **look)
    _over_length(axes, yscale="log", ylabel="kernel time, milliseconds")


def _over_length(axes: Axes, **look: Any) -> None:
    """A horizontal axis of lengths."""
    axes.set(xscale="log", xlabel="letters of each sequence", **look)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.xaxis.set_minor_formatter("")
    axes.tick_params(axis="x", labelsize=7)

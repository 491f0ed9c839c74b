"""The twelve bar charts of 125 letters, the three charts over read length, efficiency, goals and transfers."""

from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import NullLocator

from repro.report.shuffle.data import (
    KERNEL,
    PROBLEM,
    SPEED,
    TOTAL,
    Published,
    engine,
    fastest,
    of_their_own,
    papers_scores,
)
from repro.report.shuffle.tables import HERE
from repro.report.style import COLOURS, MARKERS, PAPER_COLOUR, PAPER_MARKER, RC, device_label, devices_of, looks, save
from repro.shuffle.peers import PEERS
from repro.shuffle.variants import VARIANTS

MODES, GAPS, RESULTS = ("global", "semi-global", "local"), ("linear", "affine"), ("score", "traceback")
LINE = looks((*VARIANTS, *PEERS))
LOOK: dict[str, dict[str, Any]] = {name: {"facecolor": LINE[name]["color"]} for name in (*VARIANTS, *PEERS)}
# The paper's bars and other programs' are grey, told apart by hatching.
PAPER_LOOK: dict[str, dict[str, Any]] = {
    "AnySeq/GPU": {"facecolor": "#555555"},
    "GASAL2": {"facecolor": "#dddddd", "hatch": "////"},
    "NVBIO": {"facecolor": "#dddddd", "hatch": "...."},
    "ADEPT": {"facecolor": "#dddddd", "hatch": "xxxx"},
    "AnySeq1": {"facecolor": "#dddddd", "hatch": "----"},
    "SeqAn": {"facecolor": "white"},
    "gpu_api": {"facecolor": "#dddddd", "hatch": "||||"},
    "CUDASW4": {"facecolor": "#dddddd", "hatch": "oo"},
}
PAPER_LINE = {"color": PAPER_COLOUR, "marker": PAPER_MARKER, "markersize": 4, "fillstyle": "none", "linewidth": 0.8}
HOLLOW: dict[str, Any] = {"fillstyle": "none", "markeredgewidth": 1.5}  # shows what lies below
PAPER_PLATFORMS = ("AVX512", "GV100", "RTX3090", "A100", "MI100")
BAR_LENGTH = 125
SCALINGS = (("global", "linear"), ("global", "affine"), ("local", "affine"))


def draw_bars(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """The twelve bar charts: reads of 125 letters by platform; ours, and other programs on our GPU, to the right."""
    own = papers_scores(rows[rows["read_length"] == BAR_LENGTH])
    devices = devices_of(own)
    peers = published.comparable_peers()
    peers = peers[(peers["read_length"] == BAR_LENGTH) & peers["device"].isin([name for name, _ in devices])]
    best = fastest(own, ["device", "variant", *PROBLEM])
    bars = pd.concat(
        [
            _bars(published.bars, "library", "platform", "gcups"),
            _bars(peers, "program", "device", "speed"),
            _bars(best, "variant", "device", SPEED),
        ]
    )
    platforms = [*PAPER_PLATFORMS, *(name for name, _ in devices)]
    counts = bars.groupby([*PROBLEM, "platform"]).size().groupby("platform").max()
    slots = {platform: int(counts.get(platform, 1)) for platform in platforms}
    bar_looks = {**PAPER_LOOK, **LOOK}
    with plt.rc_context(RC):
        figure, grid = plt.subplots(4, 3, figsize=(13, 13), sharex=True)
        for (gap, result), line in zip(product(GAPS, RESULTS), grid, strict=True):
            for mode, axes in zip(MODES, line, strict=True):
                here = bars[(bars["mode"] == mode) & (bars["gap"] == gap) & (bars["result"] == result)]
                _grouped(axes, here, slots, bar_looks)
                axes.set_title(f"{mode}, {gap}, {'scores only' if result == 'score' else result}", fontsize=9)
        for axes in grid[:, 0]:
            axes.set_ylabel("GCUPS (kernel time, else total)")
        shown = [name for name in bar_looks if name in set(bars["library"])]
        figure.legend(
            [Patch(edgecolor="black", linewidth=0.5, **bar_looks[name]) for name in shown],
            [f"{name} (host)" if name in PEERS else name for name in shown],
            loc="outside lower center",
            ncols=(len(shown) + 1) // 2,
            fontsize=8,
        )
        figure.suptitle(
            f"Reads of {BAR_LENGTH} letters, each with all of its set. Grey: the paper, and other programs measured on "
            "our GPU. Colours: here\n" + _measured_on(devices)
        )
        save(figure, paths)


def _bars(table: pd.DataFrame, library: str, platform: str, speed: str) -> pd.DataFrame:
    """The columns library, platform and speed of a table under these names, and what was computed."""
    named = {library: "library", platform: "platform", speed: SPEED}
    return table[[*PROBLEM, *named]].rename(columns=named)


def _grouped(axes: Axes, bars: pd.DataFrame, slots: dict[str, int], bar_looks: dict[str, dict[str, Any]]) -> None:
    """Bars in a group per platform, the value above each; a logarithmic axis. slots: bars that a group has room for."""
    order = {name: k for k, name in enumerate(bar_looks)}
    left, ticks = 0.0, []
    for platform, width in slots.items():
        group = bars[bars["platform"] == platform].sort_values("library", key=lambda names: names.map(order))
        begin = left + (width - len(group)) / 2
        for k, (library, speed) in enumerate(zip(group["library"], group[SPEED], strict=True)):
            axes.bar(begin + k, speed, width=0.9, edgecolor="black", linewidth=0.4, **bar_looks[library])
            text = f"{speed:,.0f}" if speed >= 10 else f"{speed:.2g}"
            look: dict[str, Any] = {"rotation": 90, "ha": "center", "fontsize": 6}
            axes.annotate(text, (begin + k, speed), (0, 2), textcoords="offset points", **look)
        ticks.append(left + (width - 1) / 2)
        left += width + 1
    axes.set(yscale="log", ylim=(bars[SPEED].min() / 3, 100_000))
    axes.set_xticks(ticks, [platform.removeprefix("NVIDIA ").partition(" (")[0] for platform in slots], fontsize=7)
    axes.grid(axis="x", visible=False)


def draw_read_lengths(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """Speed of scores over the read length in the paper's three charts; a line of panels per device.

    half2 only where half precision holds the scores.
    """
    own = papers_scores(rows[rows["read_length"].notna() & (rows["result"] == "score") & ~rows["variant"].isin(PEERS)])
    own = of_their_own(own)
    devices = devices_of(own)
    if all(kind != "cuda" for _, kind in devices):
        devices = [("the paper", "cuda"), *devices]
    with plt.rc_context(RC):
        figure, grid = plt.subplots(len(devices), 3, figsize=(13, 0.6 + 3.6 * len(devices)), squeeze=False)
        for (device, kind), panels in zip(devices, grid, strict=True):
            for (mode, gap), axes in zip(SCALINGS, panels, strict=True):
                paper = published.scaling[(published.scaling["mode"] == mode) & (published.scaling["gap"] == gap)]
                if kind == "cuda":
                    for style, (platform, line) in zip(("-", "--", "-.", ":"), paper.groupby("platform"), strict=True):
                        look: dict[str, Any] = {**PAPER_LINE, "linestyle": style, "label": f"paper: {platform}"}
                        axes.plot(line["read_length"], line["gcups"], **look)
                here = own[(own["device"] == device) & (own["mode"] == mode) & (own["gap"] == gap)]
                for name in VARIANTS:
                    line = fastest(here[here["variant"] == name], ["read_length"])
                    if len(line):
                        axes.plot(line["read_length"], line[SPEED], label=name, **LINE[name], **HOLLOW)
                ticks = sorted({*here["read_length"], *(paper["read_length"] if kind == "cuda" else ())})
                axes.set(xscale="log", yscale="log", xlabel="letters of a read", ylabel="GCUPS (kernel time)")
                axes.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks])
                axes.xaxis.set_minor_locator(NullLocator())
                axes.set_title(f"{mode}, {gap}: {device_label(device, kind)}", fontsize=8)
        shown = {str(line.get_label()): line for axes in figure.axes for line in axes.lines}
        figure.legend(list(shown.values()), list(shown), loc="outside lower center", ncols=len(shown), fontsize=8)
        figure.suptitle("Speed of scores by read length, each read with all of its set")
        save(figure, paths)


def draw_efficiency(table: pd.DataFrame, paths: Iterable[str | Path]) -> None:
    """Table 2: achieved over peak, by the paper's model and by the instruction rates as measured.

    table: what `tables.table2` makes.
    """
    with plt.rc_context(RC):
        figure, axes = plt.subplots(figsize=(7, 4.2))
        names = [
            f"{platform}\n{library}" for platform, library in zip(table["platform"], table["library"], strict=True)
        ]
        both = np.isfinite(table["efficiency_percent"]) & np.isfinite(table["ceiling_percent"])
        aside = np.where(both, 0.2, 0)  # a bar alone stands in the middle
        at = np.arange(len(table))
        colours = [LOOK[name]["facecolor"] if name in LOOK else "#555555" for name in table["library"]]
        axes.bar(at - aside, table["efficiency_percent"], width=0.38, color=colours)
        measured = table["ceiling_percent"]
        axes.bar(at + aside, measured, width=0.38, color=colours, alpha=0.5, hatch="///", edgecolor="white")
        for places, column in ((at - aside, "efficiency_percent"), (at + aside, "ceiling_percent")):
            for x, value in zip(places, table[column], strict=True):
                if np.isfinite(value):
                    axes.annotate(f"{value:.0f}", (x, value), (0, 2), textcoords="offset points", ha="center",
                                  fontsize=7)  # fmt: skip
        axes.set_xticks(at, names, fontsize=7)
        axes.set(ylabel="achieved, % of the peak", ylim=(0, 125), yticks=range(0, 101, 20))  # a legend above
        axes.grid(axis="x", visible=False)
        axes.legend(
            [Patch(color="#555555"), Patch(facecolor="#555555", alpha=0.5, hatch="///", edgecolor="white")],
            ["of the paper's model (every operation at full rate)", "of the instruction rates, maxima at half rate"],
            loc="upper right",
            fontsize=7,
        )
        here = "colours: here" if (table["source"] == HERE).any() else "nothing measured here"
        figure.suptitle(f"Efficiency of scores, global, affine, fastest read length (Table 2)\ngrey: the paper; {here}")
        save(figure, paths)


def draw_goals(table: pd.DataFrame, paths: Iterable[str | Path]) -> None:
    """What scores and tracebacks reach on a GPU, the goals, the fastest other program and the limit, by problem.

    table: what `tables.goals_table` makes.
    """
    markers: dict[str, dict[str, Any]] = {
        "limit_tcups": {"marker": "v", "color": PAPER_COLOUR, "fillstyle": "none", "label": "recurrence in registers"},
        "reach_tcups": {"marker": "^", "color": PAPER_COLOUR, "label": "goal, if it can be reached"},
        "must_tcups": {"marker": "_", "markeredgewidth": 2, "color": PAPER_COLOUR, "label": "goal"},
        "peer_tcups": {"marker": "x", "color": COLOURS[1], "label": "fastest other program (kernel time, else total)"},
    }
    with plt.rc_context(RC):
        lengths = sorted(table["read_length"].unique())
        figure, grid = plt.subplots(1, len(lengths), figsize=(13, 4.6), sharey=True, squeeze=False)
        for axes, length in zip(grid[0], lengths, strict=True):
            lines = table[table["read_length"] == length]
            at = np.arange(len(lines))
            axes.bar(at - 0.2, lines["score_tcups"], width=0.38, color=COLOURS[0], label="here: scores")
            axes.bar(at + 0.2, lines["traceback_tcups"], width=0.38, color=COLOURS[5], label="here: traceback")
            for place, (column, look) in enumerate(markers.items()):  # side by side: values may be as good as equal
                axes.plot(at - 0.35 + 0.1 * place, lines[column], linestyle="none", markersize=6, **look)
            names = [f"{mode}\n{gap}" for mode, gap in zip(lines["mode"], lines["gap"], strict=True)]
            axes.set_xticks(at, names, fontsize=7)
            axes.set_title(f"{length} letters", fontsize=9)
            axes.grid(axis="x", visible=False)
        grid[0][0].set_ylabel("10¹² cells per second (kernel time)")
        grid[0][0].set_ylim(0, None)
        grid[0][-1].legend(fontsize=7)
        measured = ", ".join(f"on {device}" for device in table["device"].dropna().unique())
        figure.suptitle(f"Speeds, goals and limits\n{measured or 'nothing measured here'}")
        save(figure, paths)


def draw_transfers(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """On GPUs, the share of the total time that is outside kernels, by read length; the paper's on an MI100."""
    own = papers_scores(engine(rows[(rows["result"] == "score") & (rows["device_kind"] == "cuda")]))
    own = own.assign(outside=100 * (1 - own[KERNEL] / own[TOTAL]).clip(lower=1e-5))
    own = own[own["read_length"].notna()]
    transfers, kernels = published.stated["transfer_seconds"], published.stated["kernel_seconds"]
    with plt.rc_context(RC):
        figure, axes = plt.subplots(figsize=(6.5, 4.2))
        for (device, mode, gap), line in own.groupby(["device", "mode", "gap"]):
            best = fastest(line, ["read_length"])
            look: dict[str, Any] = {"color": COLOURS[MODES.index(mode)], "marker": MARKERS[MODES.index(mode)]}
            style = "-" if gap == "linear" else "--"
            label = f"{mode}, {gap}: {device}"
            axes.plot(best["read_length"], best["outside"], linestyle=style, label=label, **look, **HOLLOW)
        share = 100 * transfers / (transfers + kernels)
        look = {"color": PAPER_COLOUR, "linestyle": "none", "label": f"paper, MI100: {share:.2g} %, global, linear"}
        axes.plot(published.stated["best_length"], share, marker=PAPER_MARKER, **look)
        axes.set(xscale="log", yscale="log", xlabel="letters of a read", ylabel="time outside kernels, % of the total")
        ticks = sorted({published.stated["best_length"], *own["read_length"]})
        axes.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks])
        axes.minorticks_off()
        axes.legend(fontsize=6, handlelength=4)  # long enough to tell dashed lines
        figure.suptitle(f"Share of transfers and of the host's work\n{_measured_on(devices_of(own))}")
        save(figure, paths)


def _measured_on(devices: list[tuple[str, str]]) -> str:
    return "; ".join(f"on {device_label(*device)}" for device in devices) or "nothing measured here"

"""The paper's figures next to our own measurements."""

from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator

from repro.report.style import COLOURS, MARKERS, PAPER_COLOUR, PAPER_MARKER, RC, device_label, devices_of, save, title
from repro.report.wfa.data import (
    GCUPS,
    INPUT,
    PEERS_DEVICE,
    RTX_3090,
    Published,
    best_settings,
    compared,
    most_measured,
    peers_by_kind,
)
from repro.report.wfa.sweeps import draw_nothing
from repro.wfa.runs import Runs


def draw_pairs(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """Seconds and GCUPS of the baseline, pair by pair, at the best workgroup size; the paper's value on its pair.

    Bars reach from the smallest to the largest of the repetitions.
    """
    rows = rows[rows["variant"] == "baseline"]
    if rows.empty:
        return draw_nothing("Edit distance by the wavefront baseline (section 4.1.1)", paths)
    rows = best_settings(rows)
    case, paper = published.case, published.baseline
    labels = dict(zip(rows["input.name"], rows.apply(_pair_label, axis="columns"), strict=True))
    sizes = dict(zip(rows["input.name"], rows["input.len_a"] * rows["input.len_b"], strict=True))
    case_name = next(iter(rows.loc[case.rows(rows), "input.name"]), "the paper's test case")
    labels.setdefault(case_name, _label(f"{case.a} / {case.b}", case.len_a, case.len_b, case.distance))
    sizes.setdefault(case_name, case.len_a * case.len_b)
    order = sorted(labels, key=sizes.__getitem__, reverse=True)
    height = {name: position for position, name in enumerate(order)}
    with plt.rc_context(RC):
        figure, (left, right) = plt.subplots(1, 2, sharey=True, figsize=(8.5, 2.1 + 0.45 * len(order)))
        devices = devices_of(rows)
        offset = [0.18 * (index - len(devices) / 2) for index in range(len(devices) + 1)]
        for index, device in enumerate(devices):
            own = rows[rows["device"] == device[0]]
            at = own["input.name"].map(height) + offset[index]
            look: dict[str, Any] = {
                "color": COLOURS[index],
                "marker": MARKERS[index],
                "linestyle": "none",
                "capsize": 2,
            }
            seconds = own["total_seconds.median"]
            low, high = own["total_seconds.min"], own["total_seconds.max"]
            left.errorbar(seconds, at, xerr=[seconds - low, high - seconds], label=device_label(*device), **look)
            gcups = own["gcups"]
            spread = [gcups * (1 - seconds / high), gcups * (seconds / low - 1)]  # rounding leaves no bar below 0
            right.errorbar(gcups, at, xerr=spread, **look)
        at = height[case_name] + offset[-1]
        _draw_paper(left, [paper.seconds], [at], f"{paper.seconds:.4g} s, {paper.gcups:.0f} GCUPS")
        _draw_paper(right, [paper.gcups], [at], "")
        left.set(xscale="log", xlabel="total time, seconds (transfers included)", yticks=range(len(order)))
        left.set_yticklabels([labels[name] for name in order])
        left.set_ylim(-0.6, len(order) - 0.4)
        right.set(xscale="log", xlabel=GCUPS)
        figure.suptitle(title("Edit distance by the wavefront baseline (section 4.1.1)", rows))
        handles, names = left.get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center")
        save(figure, paths)


def draw_variants(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """GCUPS of every variant at its best settings (Fig. 12): for each device on the input with most of the variants.

    Among inputs with equally many, the largest; and on the paper's test case, if it was measured too.
    """
    rows = best_settings(rows)
    names = [*published.variants, *(name for name in rows["variant"].unique() if name not in published.variants)]
    height = {name: position for position, name in enumerate(reversed(names))}
    series = []
    for device in devices_of(rows):
        own = rows[rows["device"] == device[0]]
        case = own[published.case.rows(own)]
        paper_variants = own[own["variant"].isin(published.variants)]
        pair = most_measured(paper_variants if len(paper_variants) else own, "variant")
        series += [(device, own[own[INPUT] == pair])]
        series += [(device, case)] if len(case) and case[INPUT].iloc[0] != pair else []
    with plt.rc_context(RC):
        figure, axes = plt.subplots(figsize=(7.0, 2.4 + 0.42 * len(names)))
        for index, (device, own) in enumerate(series):
            axes.plot(
                own["gcups"],
                own["variant"].map(height) + 0.2 * (index - len(series) / 2),
                color=COLOURS[index],
                marker=MARKERS[index],
                linestyle="none",
                label=f"{compared(own.iloc[0])} on {device_label(*device)}",
            )
        at = [height[name] + 0.2 * len(series) / 2 for name in published.variants]
        _draw_paper(axes, published.variants.values(), at, f"{published.case.a} / {published.case.b}")
        axes.set(xscale="log", xlabel=GCUPS, yticks=list(height.values()))
        axes.set_yticklabels(list(height))
        axes.set_ylim(-0.6, len(names) - 0.4)
        figure.suptitle(title("Wavefront variants at their best settings (Fig. 12)", rows))
        figure.legend(loc="outside lower center", fontsize=7)
        save(figure, paths)


def draw_similarity(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """GCUPS over the similarity of the sequences (Fig. 13): the paper's Table 3, ours, and the peers on their GPU.

    Of ours the paper's best design and `hybrid`, the best setting of each; of the peers the fastest exact of a kind.
    """
    rows = rows[rows["variant"].isin(["dynamic-diamond", "hybrid"])]
    if rows.empty:
        return draw_nothing("Speed by similarity (Fig. 13)", paths)
    rows = best_settings(rows)
    devices = devices_of(rows)
    with plt.rc_context(RC):
        figure, axes = plt.subplots(figsize=(7.5, 5.6))
        for k, ((device, kind), variant) in enumerate(product(devices, ["dynamic-diamond", "hybrid"])):
            own = rows[(rows["device"] == device) & (rows["variant"] == variant)]
            look: dict[str, Any] = {
                "color": COLOURS[k % len(COLOURS)],
                "marker": MARKERS[k % len(MARKERS)],
                "zorder": 3,
            }
            label = f"{variant}, {device_label(device, kind)}"
            if len(own):
                axes.plot(1 - own["similarity"], own["gcups"], linestyle="none", label=label, **look)
        for k, (kind_of, peers) in enumerate(peers_by_kind(published).groupby("kind")):
            look = {"marker": ("x", "+", "1", "2")[k], "color": "#777777", "linestyle": "none"}
            label = f"peer: {kind_of}" + ("" if str(kind_of).endswith("CPU") else f", {PEERS_DEVICE}")
            axes.plot(1 - peers["similarity_percent"] / 100, peers["gcups"], label=label, **look)
        table = published.pairs
        distance = table["distance"] / table[["len_a", "len_b"]].max(axis="columns")
        _draw_paper(axes, distance, table["gcups"], "Table 3")
        axes.set(
            xscale="log", yscale="log", xlabel="similarity, per cent: 100 (1 - distance / longer length)", ylabel=GCUPS
        )
        axes.set_xlim(1, 1e-5)
        axes.set_xticks([10.0**-k for k in range(6)], ["0", "90", "99", "99.9", "99.99", "99.999"])
        axes.xaxis.set_minor_locator(FixedLocator([0.5, 0.3, 0.2]))
        axes.xaxis.set_minor_formatter(lambda x, _: f"{100 * (1 - x):.0f}")
        axes.tick_params(axis="x", which="minor", labelsize=7)
        figure.suptitle(title("Speed by similarity (Fig. 13)", rows))
        figure.legend(loc="outside lower center", ncols=2, fontsize=7)
        save(figure, paths)


def draw_runs(runs: Runs, paths: Iterable[str | Path]) -> None:
    """How many cells are extended by runs of u or more letters, beside Eq. (10)."""
    measured = runs.at_least()
    with plt.rc_context(RC):
        figure, axes = plt.subplots(figsize=(5.5, 4.2))
        look: dict[str, Any] = {"color": COLOURS[0], "marker": MARKERS[0], "linestyle": "none"}
        axes.plot(range(len(measured)), measured, label=f"counted, {sum(runs.cells):,} cells", **look)
        expected = [runs.symbols**-u for u in range(len(measured))]
        axes.plot(range(len(measured)), expected, color=PAPER_COLOUR, label=f"Eq. (10): (1 / {runs.symbols})$^u$")
        axes.set(yscale="log", xlabel="u, equal letters in a row", ylabel="fraction of cells with u or more")
        axes.set_ylim(0.2 / sum(runs.cells), 2)
        axes.legend()
        figure.suptitle(f"Runs of equal letters (Eq. 10)\n{runs.a} / {runs.b}, distance {runs.distance:,}")
        save(figure, paths)


def _draw_paper(axes: Axes, x: Iterable[float], y: Iterable[float], value: str) -> None:
    look: dict[str, Any] = {"color": PAPER_COLOUR, "marker": PAPER_MARKER, "fillstyle": "none", "linestyle": "none"}
    axes.plot(list(x), list(y), label=f"paper: {value} ({RTX_3090})", **look)


def _pair_label(row: pd.Series) -> str:
    return _label(row["input.name"], row["input.len_a"], row["input.len_b"], row["result"])


def _label(name: str, len_a: int, len_b: int, distance: int) -> str:
    similar = 100 * (1 - distance / max(len_a, len_b))
    return f"{name}\n{len_a:,} × {len_b:,}, {similar:.1f} % similar"

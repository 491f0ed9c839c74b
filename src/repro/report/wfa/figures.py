"""The paper's figures next to our own measurements."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from repro.report.style import COLOURS, MARKERS, PAPER_COLOUR, PAPER_MARKER, RC, device_label, devices_of, save, title
from repro.report.wfa.data import RTX_3090, Published, best_settings


def draw_pairs(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """Seconds and GCUPS of the baseline, pair by pair, at the best workgroup size; the paper's value on its pair.

    Bars reach from the smallest to the largest of the repetitions.
    """
    rows = best_settings(rows[rows["variant"] == "baseline"])
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
            spread = [gcups - gcups * seconds / high, gcups * seconds / low - gcups]
            right.errorbar(gcups, at, xerr=spread, **look)
        at = height[case_name] + offset[-1]
        _draw_paper(left, [paper.seconds], [at], f"{paper.seconds:.4g} s, {paper.gcups:.0f} GCUPS")
        _draw_paper(right, [paper.gcups], [at], "")
        left.set(xscale="log", xlabel="total time, seconds (transfers included)", yticks=range(len(order)))
        left.set_yticklabels([labels[name] for name in order])
        left.set_ylim(-0.6, len(order) - 0.4)
        right.set(xscale="log", xlabel="GCUPS (len_a · len_b / seconds / 10⁹)")
        figure.suptitle(title("Edit distance by the wavefront baseline (section 4.1.1)", rows))
        handles, names = left.get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center")
        save(figure, paths)


def draw_variants(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """GCUPS of every variant at its best settings (Fig. 12): for each device on the pair with most variants measured.

    Among pairs with equally many, the largest. The paper's values are those of its test case.
    """
    rows = best_settings(rows)
    names = [*published.variants, *(name for name in rows["variant"].unique() if name not in published.variants)]
    height = {name: position for position, name in enumerate(reversed(names))}
    with plt.rc_context(RC):
        figure, axes = plt.subplots(figsize=(7.0, 2.2 + 0.32 * len(names)))
        devices = devices_of(rows)
        shown = []
        for index, (device, kind) in enumerate(devices):
            own = rows[rows["device"] == device]
            pairs = own.assign(size=own["input.len_a"] * own["input.len_b"]).groupby("input.name")
            pair = (
                pairs.agg(variants=("variant", "size"), size=("size", "max"))
                .sort_values(["variants", "size"])
                .index[-1]
            )
            own = own[own["input.name"] == pair]
            shown.append(own)
            axes.plot(
                own["gcups"],
                own["variant"].map(height) + 0.2 * (index - len(devices) / 2),
                color=COLOURS[index],
                marker=MARKERS[index],
                linestyle="none",
                label=f"{pair} on {device_label(device, kind)}",
            )
        at = [height[name] + 0.2 * len(devices) / 2 for name in published.variants]
        _draw_paper(axes, published.variants.values(), at, f"{published.case.a} / {published.case.b}")
        axes.set(xscale="log", xlabel="GCUPS (len_a · len_b / seconds / 10⁹)", yticks=list(height.values()))
        axes.set_yticklabels(list(height))
        axes.set_ylim(-0.6, len(names) - 0.4)
        figure.suptitle(title("Wavefront variants at their best settings (Fig. 12)", pd.concat(shown)))
        figure.legend(loc="outside lower center")
        save(figure, paths)


def draw_workgroup_sizes(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """GCUPS of the baseline over the workgroup size (Fig. 4a); a line per device and pair with several sizes."""
    rows = rows[rows["variant"] == "baseline"]
    size = "parameters.workgroup_size"
    rows = rows.loc[rows.groupby(["device", "input.name", size], sort=False)["gcups"].idxmax()]
    rows = rows[rows.groupby(["device", "input.name"])[size].transform("nunique") > 1]
    paper = published.baseline
    with plt.rc_context(RC):
        figure, axes = plt.subplots(figsize=(6.5, 4.2))
        lines = rows.sort_values(size).groupby(["device", "device_kind", "input.name"], sort=False)
        for index, ((device, kind, pair), own) in enumerate(lines):
            axes.plot(
                own[size],
                own["gcups"],
                color=COLOURS[index % len(COLOURS)],
                marker=MARKERS[index % len(MARKERS)],
                label=f"{pair}, {device_label(device, kind)}",
            )
        case = published.case
        _draw_paper(axes, [paper.workgroup_size], [paper.gcups], f"{paper.gcups:.0f} GCUPS on {case.a} / {case.b}")
        axes.set(xscale="log", yscale="log", xlabel="workgroup size, threads", ylabel="GCUPS")
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:.0f}")
        figure.suptitle(title("Wavefront baseline by workgroup size (Fig. 4a)", rows))
        figure.legend(loc="outside lower center")
        save(figure, paths)


def _draw_paper(axes: Axes, x: Iterable[float], y: Iterable[float], value: str) -> None:
    look: dict[str, Any] = {"color": PAPER_COLOUR, "marker": PAPER_MARKER, "fillstyle": "none", "linestyle": "none"}
    axes.plot(list(x), list(y), label=f"paper: {value} ({RTX_3090})", **look)


def _pair_label(row: pd.Series) -> str:
    return _label(row["input.name"], row["input.len_a"], row["input.len_b"], row["result"])


def _label(name: str, len_a: int, len_b: int, distance: int) -> str:
    similar = 100 * (1 - distance / max(len_a, len_b))
    return f"{name}\n{len_a:,} × {len_b:,}, {similar:.1f} % similar"

"""Rates of the kernels (table 1) and of whole similarities beside other programs, goals and limits."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from repro.report.mgemm.data import BEST, CPU, PEERS_DEVICE, RATE, Published
from repro.report.style import PAPER_COLOUR, PAPER_MARKER, RC, device_label, devices_of, looks, save

KINDS = ("float32", "float64", "bytes", "alleles", "bits")
VARIANTS = ("naive", "ternary", "fmin", BEST, "gemm", CPU)
LOOK = looks(VARIANTS)
MEASURES = ("2-way", "3-way")
PEER: dict[str, Any] = {"color": "#666666", "marker": "x", "markersize": 7, "linestyle": "none"}
PAPER: dict[str, Any] = {
    "color": PAPER_COLOUR,
    "marker": PAPER_MARKER,
    "fillstyle": "none",
    "linestyle": "none",
    "clip_on": False,  # a marker just below the end of an axis is whole
}
GOAL: dict[str, Any] = {"color": PAPER_COLOUR, "linewidth": 1.5}
BAR, GROUP = 0.15, 0.9  # widths at most; a group is 1 apart from the next
BESIDE = 0.31  # from the middle of a group to where goals begin: four bars are not that wide
BELOW: dict[str, Any] = {
    "xytext": (0, -3),
    "textcoords": "offset points",
    "ha": "center",
    "va": "top",
    "fontsize": 6,
    "bbox": {"boxstyle": "round,pad=0.1", "color": "white", "alpha": 0.85},
}
UNIT = "10¹² element comparisons per second"


def draw_kernels(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """Table 1: one mGEMM by every variant and type of elements; `gemm` multiplies and adds in the same tiling."""
    rows = rows[rows["measure"] == "kernel"]
    _bars(rows, published, ["kernel"], "One mGEMM by variant (table 1), kernel time", paths)


def draw_rates(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """Whole similarities from host to host, over the unique pairs or triples."""
    rows = rows[(rows["measure"] != "kernel") & (rows["devices"] == 1)]
    what = "Similarities from host to host over unique pairs and triples"
    _bars(rows, published, list(MEASURES), what, paths)


def _bars(
    rows: pd.DataFrame,
    published: Published,
    measures: list[str],
    what: str,
    paths: Iterable[str | Path],
) -> None:
    """A panel per device; a group of bars per measure and kind, a bar per variant."""
    devices = devices_of(rows)
    count = max(1, len(devices))
    with plt.rc_context(RC):
        figure, grid = plt.subplots(count, 1, figsize=(8.4, 1 + 3.3 * count), squeeze=False)
        for axes, (device, kind) in zip(grid[:, 0], devices, strict=False):
            own = _drawn(rows[rows["device"] == device], published)
            groups = [(m, k) for m in measures for k in KINDS if ((own["measure"] == m) & (own["kind"] == k)).any()]
            labels = []
            for place, (measure, elements) in enumerate(groups):
                group = own[(own["measure"] == measure) & (own["kind"] == elements)].set_index("variant")
                group = group.loc[_in_order(group.index)]
                width = min(BAR, GROUP / len(group))
                for number, (name, rate) in enumerate(group[RATE].items()):
                    left = place + (number - (len(group) - 1) / 2) * width
                    axes.bar(left, rate, width, color=LOOK[str(name)]["color"])
                    axes.annotate(_number(rate), (left, rate), rotation=90, **BELOW)
                if device == PEERS_DEVICE:
                    _beside(axes, place, measure, elements, published)
                labels.append("\n".join([elements if measure == "kernel" else f"{measure} {elements}", *_sizes(group)]))
            axes.set_xticks(range(len(groups)), labels, fontsize=7)
            axes.set(yscale="log", ylabel=UNIT, xlim=(-0.6, max(1, len(groups)) - 0.4))
            axes.set_ylim(bottom=own[RATE].min() / 10)  # a decade is the height of a number
            axes.set_title(device_label(device, kind), fontsize=9)
            axes.grid(visible=False, axis="x")
        shown = _in_order(rows["variant"])
        handles: list[Any] = [Patch(color=LOOK[name]["color"], label=_label(name)) for name in shown]
        if PEERS_DEVICE in {device for device, _ in devices}:
            handles += [
                Line2D([], [], label=label, **look) for label, look in (("other programs", PEER), ("goal", GOAL))
            ]
            handles.append(Line2D([], [], color=PAPER_COLOUR, linestyle="--", label="limit of the hardware for minima"))
        figure.legend(handles=handles, loc="outside lower center", ncols=5, fontsize=7)
        figure.suptitle(what)
        save(figure, paths)


def _drawn(rows: pd.DataFrame, published: Published) -> pd.DataFrame:
    """The row of every bar of a device: the fastest of the goal's size where there is one, else the fastest."""
    goals = published.goals[["measure", "kind", "vectors", "fields"]].assign(device=PEERS_DEVICE, of_goal=1)
    ordered = rows.merge(goals, how="left").sort_values(["of_goal", RATE], ascending=False)
    return ordered.drop_duplicates(["measure", "kind", "variant"])


def _in_order(variants: Iterable[str]) -> list[str]:
    """As VARIANTS has them; behind them those that it has not."""
    return sorted(set(variants), key=lambda name: (VARIANTS.index(name) if name in VARIANTS else len(VARIANTS), name))


def _sizes(group: pd.DataFrame) -> list[str]:
    """Vectors and elements of most bars of a group, and whose the other sizes are."""
    sizes = group["vectors"].map("{:,}".format) + " × " + group["fields"].map("{:,}".format)
    most = sizes.value_counts(sort=False).idxmax()
    others = sizes[sizes != most]
    return [most, *(f"{', '.join(names)}: {size}" for size, names in others.groupby(others).groups.items())]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}" if value >= 0.1 else f"{value:.2g}"


def _label(variant: str) -> str:
    return {"gemm": "gemm: multiply and add", CPU: "CPU of the host"}.get(variant, variant)


def _beside(axes: Axes, place: float, measure: str, kind: str, published: Published) -> None:
    """Other programs' rates, with their size where it is not the goal's, the goal and the limit of a group."""
    peers = published.peers[(published.peers["measure"] == measure) & (published.peers["kind"] == kind)]
    axes.plot([place - GROUP / 2] * len(peers), peers[RATE], **PEER)
    goals = published.goals[(published.goals["measure"] == measure) & (published.goals["kind"] == kind)]
    axes.hlines(goals[RATE], place + BESIDE, place + GROUP / 2, **GOAL)
    for _, other in peers[~peers["fields"].isin(goals["fields"])].iterrows():
        size = f"{other['vectors']:,} × {other['fields']:,}"
        axes.annotate(size, (place - GROUP / 2, other[RATE]), **{**BELOW, "xytext": (0, -8)})
    limit = published.limits[published.limits["kind"] == kind][RATE]
    axes.hlines(limit, place - GROUP / 2, place + GROUP / 2, color=PAPER_COLOUR, linestyle="--", linewidth=1)

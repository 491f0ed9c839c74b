"""Figs. 6 to 10: strong and weak scaling as measured, as the model has it, and as the paper states it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from repro.mgemm.model import predict
from repro.report.mgemm.data import KINDS, RATE, SECONDS, TITAN, Published, fastest
from repro.report.mgemm.figures import PAPER
from repro.report.mgemm.predictions import Fitted, best_strong, compare, gpus, modelled, titan, weak_runs
from repro.report.style import COLOURS, MARKERS, RC, device_label, devices_of, save

Machines = dict[tuple[str, str], Fitted]
PREDICTED: dict[str, Any] = {"linestyle": "--", "fillstyle": "none", "linewidth": 0.9}
STRONG_NODES = (2, 4, 8, 16, 32, 64)


def draw_strong(rows: pd.DataFrame, machines: Machines, published: Published, paths: Iterable[str | Path]) -> None:
    """Fig. 6: a fixed problem on more and more devices: time, and efficiency relative to the fewest."""
    series = _series(rows[rows["kind"] == "float64"], "vectors")
    with plt.rc_context(RC):
        figure, panels = _panels(series)
        for (time, efficiency), kind in panels:
            own = series[series["device_kind"] == kind]
            for k, ((device, way, vectors, fields), line) in enumerate(
                own.groupby(["device", "way", "vectors", "fields"])
            ):
                look: dict[str, Any] = {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)]}
                label = f"{way}-way, {vectors:,} × {fields:,}, {device}"
                line = fastest(line, ["devices"])
                _efficiency(time, efficiency, line["devices"], line[SECONDS], label=label, **look)
            if kind == "cuda":
                for way in (2, 3):
                    stated = published.stated[f"strong_efficiency_{way}way"]
                    look = {**PAPER, "marker": MARKERS[way]}
                    efficiency.plot(64, stated, label=f"paper, {way}-way, 64 nodes of Titan", **look)
                for k, (device, fitted) in enumerate(gpus(machines, "float64").items()):
                    for way in (2, 3):
                        seconds = [best_strong(fitted.machine, way, nodes).seconds for nodes in STRONG_NODES]
                        look = {
                            "color": COLOURS[(2 * k + way) % len(COLOURS)],
                            "marker": MARKERS[way],
                            **PREDICTED,
                        }
                        nodes = pd.Series(STRONG_NODES)
                        label = f"{way}-way at the paper's size, {device}, predicted"
                        _efficiency(time, efficiency, nodes, pd.Series(seconds), label=label, **look)
            time.set(yscale="log", ylabel="seconds")
            _whole_decades(time)
            if kind == "cuda":
                for axes in (time, efficiency):
                    axes.xaxis.set_major_locator(FixedLocator((1, *STRONG_NODES)))
            top = max((np.max(line.get_ydata()) for line in efficiency.lines), default=100)
            efficiency.set(ylabel="efficiency relative to the fewest, %", ylim=(0, 1.08 * max(106, top)))
        _legend(figure)
        figure.suptitle("Strong scaling, double precision (Fig. 6)")
        save(figure, paths)


def draw_weak(
    rows: pd.DataFrame,
    machines: Machines,
    published: Published,
    way: int,
    precision: str,
    paths: Iterable[str | Path],
) -> None:
    """Figs. 7 to 10: the same number of vectors on every device: time, and rate of a device."""
    run = published.runs[(published.runs["way"] == way) & (published.runs["precision"] == precision)].iloc[0]
    whole = rows[(rows["kind"] == KINDS[precision]) & (rows["way"] == way) & (rows["n_pf"] == 1)]
    series = _series(whole, "block_vectors")
    compared = compare(series, machines)
    with plt.rc_context(RC):
        figure, panels = _panels(series)
        for (time, rate), kind in panels:
            own = series[series["device_kind"] == kind]
            for k, ((device, vectors, fields), line) in enumerate(own.groupby(["device", "block_vectors", "fields"])):
                look: dict[str, Any] = {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)]}
                line = fastest(line, ["devices"])
                label = f"{vectors:,.0f} × {fields:,} a rank, {device}"
                time.plot(line["devices"], line[SECONDS], label=label, **look)
                rate.plot(line["devices"], 1e3 * line[RATE] / line["devices"], label=label, **look)
                predicted = compared.loc[line.index.intersection(compared.index)]
                hollow = {**look, **PREDICTED, "markersize": 10}  # a ring around the run, where it is as long
                time.plot(predicted["devices"], predicted["predicted"], label="the same by the model", **hollow)
            if kind == "cuda":
                _paper_scale(time, rate, run, machines, published)
            time.set(yscale="log", ylabel="seconds")
            rate.set(yscale="log", ylabel="10⁹ comparisons per second and device")
            _whole_decades(time, rate)
        _legend(figure)
        what = f"Weak scaling, {way}-way, {precision} precision (Fig. {run['figure']})"
        setting = f"paper: {run['block_vectors']:,} vectors of {run['fields']:,} elements a node, load {run['load']}"
        figure.suptitle(f"{what}\n{setting}", fontsize=10)
        save(figure, paths)


def _paper_scale(time: Axes, rate: Axes, run: pd.Series, machines: Machines, published: Published) -> None:
    """The paper's largest run as stated, and the model's lines to it on the paper's machine and on ours."""
    lines = {f"{TITAN}, kernel's rate alone": titan(published, run["precision"]), **gpus(machines, run["kind"])}
    for k, (device, fitted) in enumerate(lines.items()):
        runs = weak_runs(run)
        found = [predict(fitted.machine, each) for each in runs]
        nodes = [each.decomposition.ranks for each in runs]
        look: dict[str, Any] = {"color": "#666666" if k == 0 else COLOURS[k], "marker": MARKERS[k], **PREDICTED}
        hidden = "" if fitted.complete else ", communication hidden"
        label = f"predicted: {device}{hidden}"
        time.plot(nodes, [each.seconds for each in found], label=label, **look)
        per_node = [each.comparisons_per_second / count / 1e9 for each, count in zip(found, nodes, strict=True)]
        rate.plot(nodes, per_node, label=label, **look)
    stated = run["comparisons_per_second"]
    label = f"paper, {run['nodes']:,} nodes of Titan; the time is from the rate"
    rate.plot(run["nodes"], stated / run["nodes"] / 1e9, label=label, **PAPER)
    time.plot(run["nodes"], weak_runs(run)[-1].comparisons / stated, label=label, **PAPER)


def draw_model(rows: pd.DataFrame, machines: Machines, paths: Iterable[str | Path]) -> None:
    """Measured over predicted seconds of every run of whole similarities that the model was fitted for."""
    compared = compare(rows, machines)
    with plt.rc_context(RC):
        figure, axes = plt.subplots(figsize=(7.2, 5.4))
        lines = compared.groupby(["device", "device_kind", "way", "kind"]) if len(compared) else []
        for k, ((device, device_kind, way, kind), line) in enumerate(lines):
            look: dict[str, Any] = {
                "color": COLOURS[k % len(COLOURS)],
                "marker": MARKERS[(k + k // len(COLOURS)) % len(MARKERS)],  # there are more lines than colours
                "linestyle": "none",
            }
            label = f"{way}-way {kind}, {device_label(device, device_kind)}"
            axes.plot(line["predicted"], line[SECONDS], label=label, **look)
        if len(compared):
            ends = [compared[["predicted", SECONDS]].min().min(), compared[["predicted", SECONDS]].max().max()]
            axes.plot(ends, ends, color="#666666", linestyle="--", label="equal")
            axes.set(xscale="log", yscale="log")
            _legend(figure)
        axes.set(xlabel="predicted by our model, seconds", ylabel="measured, seconds")
        figure.suptitle("Our performance model, fitted to single terms, and whole runs")
        save(figure, paths)


def _series(rows: pd.DataFrame, constant: str) -> pd.DataFrame:
    """Whole similarities on several numbers of devices with the same `constant`, fields and stages.

    constant: "vectors", or "block_vectors" while the vectors grow.
    """
    own = modelled(rows)
    whole = own[own["measure"] != "kernel"]
    series = whole.groupby(["device", "way", constant, "fields", "stages", "stage"])
    several = series["devices"].transform("nunique") > 1
    grows = series["vectors"].transform("nunique") > 1
    return whole[several & grows if constant == "block_vectors" else several]


def _panels(series: pd.DataFrame) -> tuple[Figure, list[tuple[tuple[Axes, Axes], str]]]:
    """Two panels side by side for GPUs and, where there are rows of the emulator, two below for them."""
    kinds = ["cuda", *(["emulator"] if (series["device_kind"] == "emulator").any() else [])]
    figure, grid = plt.subplots(len(kinds), 2, figsize=(9.4, 1.2 + 3.4 * len(kinds)), squeeze=False)
    for (left, right), kind in zip(grid, kinds, strict=True):
        own = series[series["device_kind"] == kind]
        for axes in (left, right):
            axes.set(xscale="log", xlabel="devices" if kind == "cuda" else "ranks, each an emulated device")
            if kind == "emulator":
                axes.xaxis.set_major_locator(FixedLocator(sorted(own["devices"].unique().tolist())))
            axes.xaxis.set_major_formatter("{x:,.0f}")
            axes.xaxis.set_minor_formatter("")
        left.set_title("\n".join(device_label(*device) for device in devices_of(own)) or "NVIDIA GPUs", fontsize=9)
    return figure, [((row[0], row[1]), kind) for row, kind in zip(grid, kinds, strict=True)]


def _whole_decades(*panels: Axes) -> None:
    """Let logarithmic axes end at powers of ten, so that they have labels."""
    for axes in panels:
        if axes.has_data():
            low, high = np.log10(axes.dataLim.intervaly)
            axes.set_ylim(10 ** np.floor(low - 0.1), 10 ** np.ceil(high + 0.1))


def _legend(figure: Figure) -> None:
    """One legend for all panels."""
    found: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    figure.legend(list(found.values()), list(found), loc="outside lower center", ncols=2, fontsize=7)


def _efficiency(time: Axes, efficiency: Axes, devices: pd.Series, seconds: pd.Series, **look: Any) -> None:
    time.plot(devices, seconds, **look)
    least = devices.idxmin()
    efficiency.plot(devices, 100 * seconds[least] * devices[least] / (seconds * devices), **look)

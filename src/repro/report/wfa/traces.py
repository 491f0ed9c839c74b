"""Figs. 5 and 6: kernel time by the column's radius, and a time line of host and device."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from repro.report.style import COLOURS, RC, device_label, devices_of, save
from repro.report.wfa.data import INPUT, INTERVAL, compared, most_measured
from repro.report.wfa.sweeps import FIGURE_4, draw_nothing

LANES = {"launching": (2, "host: launches", COLOURS[0]), "reading": (2, "host: reads", COLOURS[1])}
RUNNING = (1, "device: kernels", COLOURS[2])


def _traced(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["trace.launch"].notna() & rows["variant"].isin(FIGURE_4)]


def draw_figure_5(rows: pd.DataFrame, paths: Iterable[str | Path]) -> None:
    """Device time of a launch over the radius of its column, for the three strategies; a panel per device."""
    what = "Kernel time by column (Fig. 5)"
    rows = _traced(rows)
    if rows.empty:
        return draw_nothing(what, paths)
    devices = devices_of(rows)
    with plt.rc_context(RC):
        figure, grid = plt.subplots(1, len(devices), figsize=(1 + 4.8 * len(devices), 4.8), squeeze=False)
        for axes, (device, kind) in zip(grid[0], devices, strict=True):
            own = rows[rows["device"] == device]
            own = (
                own[own[INPUT] == most_measured(own, "variant")]
                .sort_values(INTERVAL)
                .drop_duplicates("variant", keep="last")
            )
            for k, variant in enumerate(FIGURE_4):
                for _, row in own[own["variant"] == variant].iterrows():
                    microseconds = [1e6 * seconds for seconds in row["trace.seconds"]]
                    every = f", a read every {row[INTERVAL]:.0f}" if row[INTERVAL] > 0 else ""
                    axes.plot(row["trace.launch"], microseconds, color=COLOURS[k], linewidth=1, label=variant + every)
            axes.set(xlabel="radius of the column", ylabel="kernel time, microseconds", ylim=(0, None))
            axes.xaxis.set_major_formatter("{x:,.0f}")
            axes.set_title(f"{device_label(device, kind)}\n{compared(own.iloc[0])}", fontsize=8)
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16))  # no curve runs there
        figure.suptitle(what)
        save(figure, paths)


def draw_figure_6(rows: pd.DataFrame, paths: Iterable[str | Path]) -> None:
    """What host and device do over some launches of minimised reads: a read after each, and after every ten."""
    rows = _traced(rows)
    what = "Time line of launches and reads, minimised reads (Fig. 6)"
    rows = rows[(rows["variant"] == "minimised-reads") & rows[INTERVAL].isin([1, 10])]
    if rows.empty:
        return draw_nothing(what, paths)
    devices = devices_of(rows)
    with plt.rc_context(RC):
        figure, grid = plt.subplots(2, len(devices), figsize=(1 + 5.4 * len(devices), 4.6), squeeze=False, sharex="col")
        for column, (device, kind) in enumerate(devices):
            own = rows[rows["device"] == device]
            own = own[own[INPUT] == most_measured(own, INTERVAL)].sort_values(INTERVAL)
            for line, (_, row) in enumerate(own.iterrows()):
                axes = grid[line][column]
                _lanes(axes, row)
                every = "every launch" if row[INTERVAL] == 1 else f"every {row[INTERVAL]:.0f} launches"
                axes.set_title(
                    f"({'ab'[line]}) a read after {every}, from launch {row['trace.first']:,.0f}", fontsize=9
                )
            grid[0][column].annotate(
                f"{device_label(device, kind)}\n{compared(own.iloc[0])}",
                (0, 1.18),
                xycoords="axes fraction",
                fontsize=8,
            )
            grid[-1][column].set_xlabel("microseconds")
        handles, labels = grid[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
        figure.suptitle(what)
        save(figure, paths)


def _lanes(axes: Axes, row: pd.Series) -> None:
    least = 1e6 * row["trace.running"][-1][1] / 250  # so that a read of the emulator, which takes no time, is seen
    for kind, (height, label, colour) in {**LANES, "running": RUNNING}.items():
        spans = [(1e6 * began, max(1e6 * (ended - began), least)) for began, ended in row[f"trace.{kind}"]]
        axes.broken_barh(spans, (height - 0.35, 0.7), facecolors=colour, edgecolor="white", linewidth=0.3, label=label)
    axes.set(ylim=(0.4, 2.6), yticks=[1, 2])
    axes.set_yticklabels(["device", "host"])
    axes.grid(axis="y", visible=False)

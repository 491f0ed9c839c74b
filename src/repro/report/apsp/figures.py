"""Times and rates by size, shares of the phases, effect of the tile, and rate out of core by budget."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

from repro.apsp.variants import VARIANTS
from repro.report.apsp.data import CPU, RATE, SECONDS, Published, complete, fastest
from repro.report.style import COLOURS, MARKERS, PAPER_COLOUR, RC, looks, panels_by_device, save

LOOK = looks((*VARIANTS, CPU))
LABEL = {CPU: "SciPy, one core of the host"}
PEER: dict[str, Any] = {"color": "#888888", "linewidth": 0.8, "marker": ".", "markersize": 4}


def draw_times(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """Seconds over the vertices for every variant in float32, with other programs on their GPU."""
    _by_size(rows, published, "seconds", SECONDS, "Time by size, float32 distances", paths)


def draw_rates(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """Relaxations per second over the vertices, with other programs, the goals and the limit."""
    _by_size(rows, published, "10¹² relaxations per second", RATE, "Rate by size, float32 distances", paths)


def _by_size(
    rows: pd.DataFrame, published: Published, label: str, column: str, what: str, paths: Iterable[str | Path]
) -> None:
    rows = complete(rows[(rows["dtype"] == "float32") & (rows["predecessors"] == 0)])
    with plt.rc_context(RC):
        figure, panels = panels_by_device(rows)
        for axes, ((device, _), own) in panels:
            peers = published.peers[(published.peers["device"] == device) & (published.peers["predecessors"] == 0)]
            for k, (_, line) in enumerate(peers.groupby("peer")):
                values = line["seconds"] if column == SECONDS else line["grelaxations_per_second"] / 1e3
                axes.plot(line["vertices"], values, label="other programs" if k == 0 else None, **PEER)
            for name, line in own.groupby("variant"):
                _line_of_each_experiment(axes, line, column, LABEL.get(name, name), LOOK[name])
            if column == RATE and len(peers):
                goals = published.goals[
                    (published.goals["dtype"] == "float32") & (published.goals["predecessors"] == 0)
                ]
                axes.plot(goals["vertices"], goals[RATE], "_", color=PAPER_COLOUR, markersize=14, label="goal")
                limit = published.limits[
                    (published.limits["dtype"] == "float32") & (published.limits["predecessors"] == 0)
                ]
                axes.axhline(limit[RATE].iloc[0], color=PAPER_COLOUR, linestyle="--", label="limit of the issue rate")
            axes.set(xscale="log", yscale="log", xlabel="vertices", ylabel=label)
            axes.xaxis.set_major_locator(LogLocator(base=2))
            axes.xaxis.set_major_formatter("{x:,.0f}")
            axes.xaxis.set_minor_locator(NullLocator())
            axes.tick_params(axis="x", labelsize=7)
            _legend_below(axes)
        figure.suptitle(what)
        save(figure, paths)


def _line_of_each_experiment(axes: Axes, rows: pd.DataFrame, column: str, label: str, look: dict[str, Any]) -> None:
    """The fastest row of each size; a line joins sizes of one experiment, for others were run with other settings."""
    for k, (_, own) in enumerate(rows.groupby("experiment")):
        line = fastest(own, ["vertices"])
        axes.plot(line["vertices"], line[column], label=label if k == 0 else None, **look)


def draw_phases(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """The share of each phase in the kernel time, where each is a launch of its own; tiles of the default size."""
    rows = complete(rows[rows["result.phase_seconds"].notna() & (rows["dtype"] == "float32")])
    tiles = {name: variant.settings["tile"].default for name, variant in VARIANTS.items() if "tile" in variant.settings}
    rows = rows[rows["tile"] == rows["variant"].map(tiles)]
    with plt.rc_context(RC):
        figure, panels = panels_by_device(rows)
        for axes, (_, own) in panels:
            lines = fastest(own, ["variant", "predecessors", "vertices"])
            labels = [
                f"{line.variant}{', predecessors' if line.predecessors else ''}\n{line.vertices:,} vertices"
                for line in lines.itertuples()
            ]
            seconds = pd.DataFrame(lines["result.phase_seconds"].tolist(), index=labels).astype(float)
            shares = 100 * seconds.div(seconds.sum(axis="columns"), axis="index")
            left = pd.Series(0.0, index=shares.index)
            positions = range(len(shares))
            for phase, share in enumerate(shares.columns):
                axes.barh(positions, shares[share], left=left, color=COLOURS[phase], label=f"phase {phase + 1}")
                left += shares[share]
            axes.set_yticks(positions, labels, fontsize=7)
            axes.set(xlabel="share of kernel time, %", xlim=(0, 100))
            _legend_below(axes)
        figure.suptitle("Share of the phases in the kernel time")
        save(figure, paths)


def draw_tiles(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """Rate over the edge of the tile, a line per variant and size."""
    rows = complete(rows[(rows["dtype"] == "float32") & (rows["predecessors"] == 0) & rows["tile"].notna()])
    rows = rows[rows.groupby(["device", "variant", "vertices"])["tile"].transform("nunique") > 1]
    with plt.rc_context(RC):
        figure, panels = panels_by_device(rows)
        for axes, (_, own) in panels:
            for k, ((name, vertices), line) in enumerate(own.groupby(["variant", "vertices"])):
                best = fastest(line, ["tile"])
                look = {**LOOK[str(name)], "linestyle": ("-", "--", ":", "-.")[k % 4]}
                axes.plot(best["tile"], best[RATE], label=f"{name}, {vertices:,} vertices", **look)
            axes.set(xscale="log", yscale="log", xlabel="edge of a tile", ylabel="10¹² relaxations per second")
            _ticks_at(axes, own["tile"])
            axes.legend(fontsize=7)
        figure.suptitle("Effect of the tile, float32 distances")
        save(figure, paths)


def draw_out_of_core(rows: pd.DataFrame, published: Published, paths: Iterable[str | Path]) -> None:
    """Rate of the rounds, copies included, over the memory budget; dashed: the same size in core."""
    rows = complete(rows[rows["dtype"] == "float32"])
    streamed = rows[rows["memory_percent"].notna() & (rows["predecessors"] == 0)]
    with plt.rc_context(RC):
        figure, panels = panels_by_device(streamed)
        for axes, ((device, _), own) in panels:
            for k, (vertices, line) in enumerate(own.groupby("vertices")):
                best = fastest(line, ["memory_percent"])
                colour = COLOURS[k % len(COLOURS)]
                axes.plot(
                    best["memory_percent"], best[RATE], color=colour, marker=MARKERS[k], label=f"{vertices:,} vertices"
                )
                same = (rows["device"] == device) & (rows["variant"] == "staged") & (rows["vertices"] == vertices)
                within = rows[same & (rows["predecessors"] == 0)][RATE]
                if len(within):
                    axes.axhline(within.max(), color=colour, linestyle="--", label=f"{vertices:,}, staged in core")
            axes.set(xscale="log", xlabel="memory budget, % of the matrix", ylabel="10¹² relaxations per second")
            axes.set_ylim(0, 1.1 * axes.dataLim.ymax)
            _ticks_at(axes, own["memory_percent"])
            axes.legend(fontsize=7)
        figure.suptitle("Out of core: rate by memory budget")
        save(figure, paths)


def _ticks_at(axes: Axes, values: pd.Series) -> None:
    """A horizontal axis with a tick at each of the values, and no other."""
    ticks = sorted(values.unique())
    axes.set_xticks(ticks, [f"{tick:.0f}" for tick in ticks])
    axes.xaxis.set_minor_locator(NullLocator())


def _legend_below(axes: Axes) -> None:
    """Where it hides nothing: lines and bars reach every corner."""
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3, fontsize=7)

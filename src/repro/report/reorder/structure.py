"""Figs. 1 to 5: dependences, signal flow and block schedule, drawn from a toy run on the emulator."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from repro.reorder.numbering import Numbering
from repro.reorder.toy import Toy
from repro.report.style import COLOURS, RC, save

ARROW: dict[str, Any] = {"arrowstyle": "-|>", "color": "#888888", "shrinkA": 9, "shrinkB": 9, "linewidth": 0.8}
NODE: dict[str, Any] = {"boxstyle": "circle,pad=0.25", "facecolor": "white", "edgecolor": COLOURS[0]}
ON_PATH: dict[str, Any] = {**NODE, "facecolor": "#cfe6f5", "linewidth": 1.6}
FRONT: dict[str, Any] = {"color": COLOURS[1], "linestyle": "--", "linewidth": 0.9}
UNUSED = "#e6e6e6"
PLAIN_RC = {**RC, "axes.grid": False}


def draw_dependence_graph(toy: Toy, paths: Iterable[str | Path]) -> None:
    """Fig. 1: the elements with their scores, what they depend on, and the fronts computed at a time."""
    scores, path = _original(toy), set(_path(toy))
    m, n = scores.shape
    with plt.rc_context(PLAIN_RC):
        figure, axes = plt.subplots(figsize=(0.8 * n + 1.4, 0.8 * m + 1.2))
        for i, j in np.ndindex(m, n):
            _node(axes, (j, i), int(scores[i, j]), (i, j) in path)
            for di, dj in ((1, 1), (1, 0), (0, 1)):
                if i >= di and j >= dj:
                    axes.annotate("", (j, i), (j - dj, i - di), arrowprops=ARROW)
        for front in range(m + n - 1):
            first, last = max(0, front - m + 1), min(front, n - 1)
            axes.plot([first - 0.35, last + 0.35], [front - first + 0.35, front - last - 0.35], **FRONT)
            axes.annotate(str(front), (last + 0.42, front - last - 0.45), color=COLOURS[1], ha="center", va="center")
        vector = {**ARROW, "arrowstyle": "<|-", "color": COLOURS[1], "shrinkA": 2, "shrinkB": 2}
        axes.annotate("s", (n - 0.75, m - 0.75), (n - 0.1, m - 0.1), arrowprops=vector, color=COLOURS[1])
        _letters(axes, toy, m, n)
        figure.suptitle("Dependence graph (Fig. 1)\nscores of a toy run; fronts of equal i + j; shaded: the alignment")
        save(figure, paths)


def draw_renumbered(toy: Toy, paths: Iterable[str | Path]) -> None:
    """Fig. 3: the renumbered matrix as it lies in memory, the fronts being its rows."""
    memory = toy.memory["optimised"]
    numbering = Numbering(len(toy.a), len(toy.b))
    path = {numbering.number(i, j) for i, j in _path(toy)}
    with plt.rc_context(PLAIN_RC):
        figure, axes = plt.subplots(figsize=(0.8 * numbering.columns + 1.4, 0.6 * numbering.new_rows + 1.2))
        for row, column in np.ndindex(numbering.new_rows, numbering.columns):
            word = memory[row][column]
            if word is None:
                axes.add_patch(Rectangle((column - 0.4, row - 0.4), 0.8, 0.8, color=UNUSED))
                continue
            _node(axes, (column, row), word, (row, column) in path)
            for near_row, near_column in numbering.neighbours(row, column).values():
                if near_row >= 0 and near_column >= 0 and memory[near_row][near_column] is not None:
                    axes.annotate("", (column, row), (near_column, near_row), arrowprops=ARROW)
        for row in range(numbering.new_rows):
            axes.axhline(row, zorder=0, **FRONT)
        axes.set(
            xticks=range(numbering.columns),
            yticks=range(numbering.new_rows),
            xlabel="column j",
            ylabel="row i + j: the iteration that computes it",
            xlim=(-0.6, numbering.columns - 0.4),
            ylim=(numbering.new_rows - 0.4, -0.6),
        )
        figure.suptitle("Renumbered matrix (Fig. 3)\nwords of a toy run; grey: allocated, never written")
        save(figure, paths)


def draw_signal_flow(toy: Toy, variant: str, paths: Iterable[str | Path]) -> None:
    """Figs. 2 and 4: one processing element per column, what it passes on, and where an iteration's words lie."""
    m, n = len(toy.a), len(toy.b)
    front = min(m, n)
    numbering = Numbering(m, n)
    renumbered = variant == "optimised"
    words = [numbering.number(i, j) if renumbered else (i, j) for j in range(n) for i in [front - j] if 0 <= i < m]
    places = [row * n + column for row, column in words]
    length = len(toy.memory[variant]) * n
    with plt.rc_context(PLAIN_RC):
        figure, (flow, memory) = plt.subplots(2, 1, figsize=(7, 3.4), height_ratios=[1.4, 1])
        for j in range(n):
            flow.annotate(f"column {j}", (j, 0), ha="center", va="center", bbox={**NODE, "boxstyle": "round,pad=0.5"})
            if j:
                flow.annotate("", (j, 0), (j - 1, 0), arrowprops={**ARROW, "shrinkA": 24, "shrinkB": 24})
                flow.annotate("F", (j - 0.5, 0.12), ha="center", color="#888888")
            loop = {**ARROW, "connectionstyle": "arc3,rad=-1.6", "shrinkA": 12, "shrinkB": 12}
            flow.annotate("", (j + 0.13, 0.12), (j - 0.13, 0.12), arrowprops=loop)
        flow.set(xlim=(-0.6, n - 0.4), ylim=(-0.6, 1))
        flow.axis("off")
        for word in range(length):
            colour = COLOURS[1] if word in places else UNUSED
            memory.add_patch(Rectangle((word, 0), 0.9, 1, color=colour))
        memory.set(xlim=(0, length), ylim=(0, 1), yticks=[], xlabel="word in memory")
        apart = f"{abs(places[1] - places[0])} word{'s' if abs(places[1] - places[0]) > 1 else ''} apart"
        memory.set_title(f"written in iteration {front}: {len(places)} words, {apart}", fontsize=9)
        number = 4 if renumbered else 2
        figure.suptitle(f"Signal flow graph, {variant} (Fig. {number})")
        save(figure, paths)


def draw_block_schedule(toy: Toy, paths: Iterable[str | Path]) -> None:
    """Fig. 5: which launch wrote each element, for both variants, as observed launch by launch."""
    numbering = Numbering(len(toy.a), len(toy.b))
    original = np.array(toy.launch["unoptimised"])
    renumbered = numbering.renumber(np.array(toy.launch["optimised"]), 0)
    with plt.rc_context(PLAIN_RC):
        figure, panels = plt.subplots(1, 2, figsize=(8, 0.34 * numbering.new_rows + 1.6))
        for axes, launch, name in zip(panels, (original, renumbered), ("unoptimised", "optimised"), strict=True):
            _schedule(axes, launch, toy.size)
            axes.set_title(f"{name}: {launch.max()} launches", fontsize=9)
        what = "equal numbers: computed in one launch; grey: never written"
        figure.suptitle(f"Schedule of blocks of {toy.size} threads (Fig. 5)\n{what}")
        save(figure, paths)


def _schedule(axes: Axes, launch: NDArray[np.int64], size: int) -> None:
    shades = plt.get_cmap("viridis")(np.linspace(0.35, 1, launch.max()))
    axes.imshow(launch, cmap=ListedColormap([UNUSED, *shades]), vmin=0, vmax=launch.max())
    for (row, column), number in np.ndenumerate(launch):
        if number:
            axes.annotate(str(number), (column, row), ha="center", va="center", fontsize=7)
    rows, columns = launch.shape
    for edge in range(0, rows + 1, size):
        axes.axhline(edge - 0.5, color="white", linewidth=1.5)
    for edge in range(0, columns + 1, size):
        axes.axvline(edge - 0.5, color="white", linewidth=1.5)
    axes.set(xlabel="column", ylabel="row")


def _original(toy: Toy) -> NDArray[np.int64]:
    return np.array(toy.memory["unoptimised"])


def _path(toy: Toy) -> list[tuple[int, int]]:
    """The elements that the alignment goes through."""
    i = j = -1
    elements = []
    for column in toy.alignment:
        i, j = i + (column != "D"), j + (column != "I")
        elements.append((i, j))
    return [(i, j) for i, j in elements if i >= 0 and j >= 0]


def _node(axes: Axes, at: tuple[int, int], score: int, on_path: bool) -> None:
    box = ON_PATH if on_path else NODE
    axes.annotate(f"{score:d}", at, ha="center", va="center", fontsize=7, bbox=box)


def _letters(axes: Axes, toy: Toy, m: int, n: int) -> None:
    axes.set(xlim=(-0.7, n + 0.1), ylim=(m + 0.1, -0.9), xlabel="j", ylabel="i")
    axes.set_xticks(range(n), [f"{letter}\n{j}" for j, letter in enumerate(toy.b)])
    axes.set_yticks(range(m), [f"{letter} {i}" for i, letter in enumerate(toy.a)])

"""Fig. 2: the matrix and the pyramids of the worked example, from a run of the reference."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from repro.report.style import COLOURS, RC, save
from repro.wfa.reference import Letters, Pyramid, wagner_fischer, wavefront

P, T = "CACCTGACTTA", "ACCATGGACTG"
CELL = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": COLOURS[0], "linewidth": 0.8}
SOLUTION = {**CELL, "facecolor": "#fbe3d3", "edgecolor": COLOURS[1], "linewidth": 1.4}
NOT_COMPUTED = {**CELL, "edgecolor": "#cccccc", "linestyle": ":"}


def draw_pyramid(paths: Iterable[str | Path]) -> None:
    """(a) the matrix by Eq. (1); (b) the same by diagonal and radius; (c) the classic pyramid; (d) the diamond."""
    a, b = (np.frombuffer(letters.encode(), np.uint8) for letters in (P, T))
    classic, diamond = wavefront(a, b), wavefront(a, b, diamond=True)
    with plt.rc_context({**RC, "axes.grid": False}):
        figure, (matrix, diagonals, left, right) = plt.subplots(1, 4, figsize=(15.5, 4.8), width_ratios=[1.25, 1, 1, 1])
        _matrices(matrix, diagonals, a, b)
        _pyramid(left, classic, classic, "(c) classic")
        _pyramid(right, classic, diamond, "(d) dynamic diamond")
        figure.suptitle(
            f"The worked example (Fig. 2): P = {P}, T = {T}, distance {classic.distance}\n"
            "blue: cells of D that the pyramid keeps; orange: diagonal of the solution, and cells per column; "
            "dotted: not computed",
            fontsize=9,
        )
        save(figure, paths)


def _matrices(matrix: Axes, diagonals: Axes, a: Letters, b: Letters) -> None:
    """D by Eq. (1), prefix by prefix, and its pyramidal form: by diagonal and radius min(i, j).

    The furthest cells of the pyramid, which are all that WFA keeps, are shaded.
    """
    kept = {
        (radius + max(0, -k), radius + max(0, k)) for column in wavefront(a, b).columns for k, radius in column.items()
    }
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            for axes, x, y in ((matrix, j, i), (diagonals, min(i, j), j - i)):
                if (i, j) in kept:
                    axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, color="#cfe6f5", linewidth=0))
                axes.text(x, y, str(wagner_fischer(a[:i], b[:j])), ha="center", va="center", fontsize=7)
    matrix.set(xlim=(-0.5, len(b) + 0.5), ylim=(len(a) + 0.5, -0.5), xlabel="T", ylabel="P", aspect="equal")
    matrix.set_xticks(range(len(b) + 1), ["", *T])
    matrix.set_yticks(range(len(a) + 1), ["", *P])
    matrix.set_title("(a) matrix D", fontsize=9)
    diagonals.set(xlim=(-0.5, min(len(a), len(b)) + 0.5), ylim=(-len(a) - 0.7, len(b) + 0.7))
    diagonals.set(xlabel="radius min(i, j)", ylabel="diagonal k = j - i")
    diagonals.set_title("(b) D by diagonal and radius", fontsize=9)


def _pyramid(axes: Axes, whole: Pyramid, computed: Pyramid, name: str) -> None:
    solution = len(T) - len(P)
    for r, column in enumerate(whole.columns):
        for k in column:
            own = computed.columns[r].get(k)
            box = NOT_COMPUTED if own is None else SOLUTION if k == solution else CELL
            text = " " if own is None else str(own)
            axes.annotate(text, (r, k), ha="center", va="center", fontsize=8, bbox=box)
    cells = computed.cells_per_column
    for r, count in enumerate(cells):
        axes.annotate(str(count), (r, -computed.distance - 1.2), ha="center", color=COLOURS[1], fontsize=8)
    reach = computed.distance + 0.7
    axes.set(xlim=(-0.7, computed.distance + 0.6), ylim=(-reach - 0.8, reach), xlabel="column r (edits)")
    axes.set(ylabel="diagonal k = j - i", yticks=range(-computed.distance, computed.distance + 1))
    axes.set_title(f"{name}: {sum(cells)} cells", fontsize=9)

"""Figs. 2, 3 and 5: which rank computes which values, drawn from the schedules that the ranks follow."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch
from numpy.typing import NDArray

from repro.mgemm.schedule import Decomposition, Step, Work, blocks_of, steps_of_row, work_of
from repro.report.style import COLOURS, RC, save

UNUSED = "#e6e6e6"
PLAIN_RC = {**RC, "axes.grid": False}
BLOCKS, BLOCK_VECTORS = 5, 4  # of Fig. 2
CUBE_BLOCKS, CUBE_VECTORS = 4, 3  # of Fig. 3
SECTION_VECTORS = {"edge": 12, "face": 6, "volume": 6}  # of a block in Fig. 5: so that every slice shows
VIEW = {"elev": 22, "azim": -60}

Indices = tuple[int, ...]


def cells(step: Step, block: int, blocks: int, work: Work) -> Iterator[Indices]:
    """The places of a step's results: (i, j) in the square, or (i, j, k) in the cube, i being the row's own vector."""
    axis = 1
    if work.kind == "volume":
        order = blocks_of(step, block, blocks)
        axis = order.index(min(order))
    for tile in work.tiles:
        for row in tile.rows:
            for column in tile.columns:
                if tile.triangle and column <= row:
                    continue
                place = [row, column]
                if tile.pivot is not None:
                    place.insert(axis, tile.pivot)
                yield tuple(place)


def owners(way: int, blocks: int, block_vectors: int) -> NDArray[np.int64]:
    """Which block row computes each place of the square or cube: its number, -1 where no one does."""
    vectors = blocks * block_vectors
    found = np.full((vectors,) * way, -1)
    for block in range(blocks):
        for step in steps_of_row(way, Decomposition(1, blocks, 1)):
            for place in cells(step, block, blocks, work_of(step, block, vectors, blocks)):
                found[place] = block
    return found


def draw_matrix(paths: Iterable[str | Path]) -> None:
    """Fig. 2: the upper triangle, whose block rows have unequal work, and the block-circulant part that is computed."""
    circulant = owners(2, BLOCKS, BLOCK_VECTORS)
    vectors = BLOCKS * BLOCK_VECTORS
    row = np.arange(vectors)
    upper = np.where(row[:, None] < row[None, :], row[:, None] // BLOCK_VECTORS, -1)
    with plt.rc_context(PLAIN_RC):
        figure, panels = plt.subplots(1, 2, figsize=(8.6, 4.4))
        for axes, matrix, name in (
            (panels[0], upper, "(b) upper triangle"),
            (panels[1], circulant, "(c) block circulant"),
        ):
            axes.imshow(matrix, cmap=ListedColormap([UNUSED, *COLOURS[:BLOCKS]]), vmin=-1, vmax=BLOCKS - 1)
            for edge in range(0, vectors + 1, BLOCK_VECTORS):
                axes.axhline(edge - 0.5, color="white", linewidth=1.2)
                axes.axvline(edge - 0.5, color="white", linewidth=1.2)
            middles = np.arange(BLOCKS) * BLOCK_VECTORS + (BLOCK_VECTORS - 1) / 2
            counts = [int((matrix == block).sum()) for block in range(BLOCKS)]
            axes.set_yticks(middles, range(BLOCKS))
            axes.set_xticks(middles, range(BLOCKS))
            for middle, count in zip(middles, counts, strict=True):
                axes.annotate(f"{count}", (vectors, middle), va="center", annotation_clip=False)
            axes.set(xlabel="block of vectors j", ylabel="block row i")
            axes.set_title(f"{name}: {_from_to(counts)} values", fontsize=9)
        what = f"{BLOCKS} blocks of {BLOCK_VECTORS} vectors; a colour for each block row, with its number of values"
        figure.suptitle(f"Pairs by who computes them, from the real schedule (Fig. 2)\n{what}")
        save(figure, paths)


def draw_cube(paths: Iterable[str | Path]) -> None:
    """Fig. 3: the tetrahedron of unique triples, and the slices of blocks that are computed in its stead."""
    computed = owners(3, CUBE_BLOCKS, CUBE_VECTORS)
    i, j, k = np.indices(computed.shape)
    tetrahedron = np.where((i < j) & (j < k), i // CUBE_VECTORS, -1)
    with plt.rc_context(PLAIN_RC):
        figure = plt.figure(figsize=(9, 4.8))
        for number, (cube, name) in enumerate(((tetrahedron, "(a) i < j < k"), (computed, "(c) as scheduled"))):
            axes = figure.add_subplot(1, 2, number + 1, projection="3d")
            counts = [int((cube == block).sum()) for block in range(CUBE_BLOCKS)]
            _voxels(axes, cube)
            axes.set_title(f"{name}: {_from_to(counts)} values a slab", fontsize=9)
        _legend(figure, [f"slab {block}" for block in range(CUBE_BLOCKS)])
        what = f"{CUBE_BLOCKS} blocks of {CUBE_VECTORS} vectors; a colour for the slab of each block row"
        figure.suptitle(f"Triples by who computes them, from the real schedule (Fig. 3)\n{what}")
        save(figure, paths)


def draw_blocks(paths: Iterable[str | Path]) -> None:
    """Fig. 5: the part of a block that is computed, for the three kinds of blocks, by the slice it belongs to."""
    blocks, decomposition = 3, Decomposition(1, 3, 2)
    names = {"edge": "(a) diagonal edge block", "face": "(b) face block", "volume": "(c) volume block"}
    with plt.rc_context(PLAIN_RC):
        figure = plt.figure(figsize=(11, 5.2))
        for number, (kind, name) in enumerate(names.items()):
            steps = [step for step in steps_of_row(3, decomposition) if step.kind == kind]
            same = [step for step in steps if step.offsets == steps[0].offsets]
            order = blocks_of(same[0], 0, blocks)
            order += order[-1:] * (3 - len(order))
            size = SECTION_VECTORS[kind]
            slices = np.full((size,) * 3, -1)
            for step in same:
                work = work_of(step, 0, blocks * size, blocks)
                assert work.pivots is not None
                section = work.pivots.start % size * 6 // size
                for place in cells(step, 0, blocks, work):
                    inside = tuple(p - size * b for p, b in zip(place, order, strict=True))
                    slices[inside] = section
            axes = figure.add_subplot(1, 3, number + 1, projection="3d")
            _voxels(axes, slices)
            share = (slices >= 0).mean()
            axes.set_title(f"{name} {order}\n{len(same)} slice{'s' * (len(same) > 1)}, {share:.3f} of it", fontsize=9)
        _legend(figure, [f"slice {section}" for section in range(6)])
        what = "blocks (i, j, k), the vectors counted; a slice is a step of its own"
        figure.suptitle(f"What is computed of a block (Fig. 5)\n{what}")
        save(figure, paths)


def _from_to(counts: list[int]) -> str:
    least, most = min(counts), max(counts)
    return f"{least}" if least == most else f"{least} to {most}"


def _voxels(axes: Any, cube: NDArray[np.int64]) -> None:
    colours = np.full(cube.shape, "", dtype="<U9")
    for number in range(cube.max() + 1):
        colours[cube == number] = COLOURS[number]
    axes.voxels(cube >= 0, facecolors=colours, edgecolor="#00000040", linewidth=0.3)
    axes.view_init(**VIEW)
    size = len(cube)
    axes.set(xlim=(0, size), ylim=(0, size), zlim=(0, size), xlabel="i", ylabel="j", zlabel="k")
    axes.set_box_aspect((1, 1, 1), zoom=0.86)  # room for the name of the third axis


def _legend(figure: Any, names: list[str]) -> None:
    handles = [Patch(color=COLOURS[k], label=name) for k, name in enumerate(names)]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(names))

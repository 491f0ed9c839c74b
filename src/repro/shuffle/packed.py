"""The launches of the packed kernels: two alignments in the halves of a word, several such pairs in a warp."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.device import Array, Device
from repro.device.source import Constant
from repro.shuffle import paper
from repro.shuffle.batch import Group
from repro.shuffle.engine import Method, OnDevice
from repro.shuffle.letters import Letters
from repro.shuffle.paper import KERNELS, PROFILE_ROWS, even, within_memory
from repro.shuffle.ranges import fits, fits_as_integers, fits_if_small
from repro.shuffle.scheme import Scheme


@dataclass(frozen=True)
class Shape:
    """Threads per two alignments, columns per thread, those of them looked up by permutation, warps per multiprocessor,
    rows computed together, whether scores are bytes in shared memory, and steps in a row without a branch."""

    lanes: int
    columns: int
    permuted: int
    warps: int
    together: int = 2
    as_bytes: bool = False
    unrolled: int = 1

    @property
    def width(self) -> int:
        """Columns of a stage."""
        return self.lanes * self.columns


LARGEST_BYTE = 127
MOST_QUERIES, ITEMS_PER_WARP = 64, 32  # of an item of work; items of a launch
# Columns of a thread: what registers hold, or what a C++ compiler is done with in two seconds.
COLUMNS = {"cuda": 32, "emulator": 8}
FEWEST_LANES, MOST_LANES = 4, 32


def widths(device: Device, subjects: Letters) -> NDArray[np.int64]:
    """Classes of subjects: the kernels' widths, and beyond them each up to twice as long as the one before."""
    narrowest = FEWEST_LANES * COLUMNS[device.kind]
    return narrowest << np.arange(1 + int(subjects.lengths.max(initial=0) // narrowest).bit_length())


def shape_of(device: Device, scheme: Scheme, columns: int, every: bool) -> Shape:
    """The fastest kernel for subjects of up to `columns` letters, as measured on an NVIDIA H200."""
    per_thread = COLUMNS[device.kind]
    lanes = FEWEST_LANES
    while lanes * per_thread < columns and lanes < MOST_LANES:
        lanes *= 2
    staged = columns > lanes * per_thread
    if scheme.mode == "local":
        return _shape_of_local(scheme, Shape(lanes, per_thread, 0, 12), staged, every)
    as_bytes = every and _gains_are_bytes(scheme)
    if scheme.gap == "affine":
        return Shape(lanes, per_thread, 0, 12, 1, as_bytes, 4 if as_bytes else 1)
    if as_bytes and staged and columns <= 2 * lanes * per_thread:  # one stage of twice as many columns in place of two
        return Shape(lanes, 2 * per_thread, 0, 12, 1, as_bytes, 4)
    warps = 20 if scheme.mode == "global" and not staged else 16 if every or scheme.mode == "global" else 12
    return Shape(lanes, per_thread, 0, warps, 1, as_bytes, 1 if not as_bytes else 4 if staged else 8)


def _shape_of_local(scheme: Scheme, shape: Shape, staged: bool, every: bool) -> Shape:
    """`shape` with what is best for local alignments."""
    as_bytes = every and _gains_are_bytes(scheme)
    longer = as_bytes and staged and scheme.gap == "linear"
    permuted = max(4, shape.columns // (8 if longer else 4)) if as_bytes else 0
    warps = 16 if scheme.gap == "linear" and not longer else 12
    return replace(shape, permuted=permuted, warps=warps, unrolled=2 if as_bytes else 1)


def _gains_are_bytes(scheme: Scheme) -> bool:
    """Whether all that packed.cu adds to a cell lies in 0 to 127, so that a byte holds it."""
    table, first = scheme.table(), scheme.first
    if scheme.mode == "local":
        return bool(table.min() + first >= 0 and max(0, table.max()) + first <= LARGEST_BYTE)
    least = max(table.min() + 2 * scheme.gap_extend, -2 * (first - scheme.gap_extend))
    return bool(least >= 0 and max(0, table.max()) + 2 * scheme.gap_extend <= LARGEST_BYTE)


def _gaps_open_anywhere(scheme: Scheme, every: bool) -> bool:
    """Whether a gap has to open from the best of a cell; else what a pair of letters leads to is enough.

    every: as for `constants_of`; otherwise what fills up a query scores less than the gaps beside it.
    """
    return not every or scheme.gap == "linear" or scheme.gaps_may_meet()


def methods(scheme: Scheme, shape: Shape | None = None) -> list[Method]:
    """The packed kernel where it is exact.

    Local scores are halves where these are exact, then where the kernel says so when they are not, then integers.
    shape: for all subjects, in place of `shape_of`.
    """
    launch = partial(_launch, scheme, shape, False)
    found = [Method("s16x2", partial(fits, "s16x2", scheme), launch)]
    if scheme.mode == "local":
        found.append(Method("s16x2", partial(fits_if_small, scheme), launch, may_refuse=True))
        found.append(Method("s16x2", partial(fits_as_integers, scheme), partial(_launch, scheme, shape, True)))
    return found


def constants_of(
    scheme: Scheme,
    shape: Shape,
    letters: int,
    staged: bool,
    every: bool,
    wide: bool = False,
    score: type[np.generic] = np.int32,
) -> dict[str, Constant]:
    """What specialises the kernel.

    staged: whether a subject is wider than the shape. every: all against all. wide: local scores as integers.
    """
    anywhere = _gaps_open_anywhere(scheme, every)
    signed = scheme.mode == "local" and not anywhere  # gains, which permutations of bytes are not
    return {
        **paper.constants_of(scheme),
        "ADJACENT_GAPS": anywhere,
        "LANES": shape.lanes,
        "COLUMNS": shape.columns,
        "PERMUTED": shape.permuted if every and not signed else 0,
        "BYTES": shape.as_bytes and every,
        "LETTERS": letters if every else PROFILE_ROWS,
        "STAGED": staged,
        "WARPS": shape.warps,
        "TOGETHER": shape.together,
        "UNROLLED": shape.unrolled,
        "ALL": every,
        "WIDE": wide,
        "Score": score,
    }


def _shared_bytes(constants: dict[str, Any], warp_size: int) -> int:
    """Of a block: gains of all columns with every letter, and the tables that they are permuted from."""
    profile = constants["LETTERS"] * (constants["COLUMNS"] - constants["PERMUTED"]) * warp_size
    words = profile // 2 + 24 if constants["BYTES"] else profile + 16 * (constants["PERMUTED"] > 0)
    return 4 * int(words)


def _launch(
    scheme: Scheme,
    given: Shape | None,
    wide: bool,
    device: Device,
    queries: OnDevice,
    subjects: OnDevice,
    group: Group,
    scores: Array,
    pitch: int,
) -> None:
    every = group.places is None
    shape = given or shape_of(device, scheme, group.columns, every)
    staged = group.columns > shape.width
    constants = constants_of(scheme, shape, group.letters, staged, every, wide, scores.dtype.type)
    kernel = device.compile(KERNELS / "packed.cu", constants)["shuffle_packed"]
    p = device.warp_size
    shared = _shared_bytes(constants, p)
    side_by_side = 2 * (p // shape.lanes)
    lists = [group.queries if every else even(group.queries, side_by_side), even(group.subjects, side_by_side)]
    lists.append(np.zeros(1, np.int32) if group.places is None else even(group.places, side_by_side))
    blocks = len(lists[1]) // side_by_side
    resident = kernel.most_resident_blocks(p, shared)
    chunk = max(1, min(MOST_QUERIES, blocks * len(group.queries) // (ITEMS_PER_WARP * resident)))
    items = blocks * -(-len(group.queries) // chunk) if every else blocks
    # A block takes one item, whose borders need no memory, or as many as come to it, in memory of its own.
    grid, rows = (min(items, resident), group.rows) if staged else (items, 0)
    words = 2 * rows * (p // shape.lanes) * (1 + (scheme.gap == "affine"))
    grid = within_memory(device, grid, 4 * words)
    kernel(
        grid,
        p,
        *(queries.codes, queries.offsets, subjects.codes, subjects.offsets),
        *map(device.upload, lists),
        device.upload(scheme.table()),
        *(
            device.empty(max(1, grid * words), np.uint32),
            scores,
            items,
            blocks,
            chunk,
            len(group.queries),
            pitch,
            rows,
        ),
        shared_bytes=shared,
    )

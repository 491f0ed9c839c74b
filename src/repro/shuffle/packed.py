"""The launches of the packed kernels: two alignments in the halves of a word, several such pairs in a warp."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.device import Array, Device
from repro.device.source import Constant
from repro.shuffle.batch import Group
from repro.shuffle.engine import Method, OnDevice
from repro.shuffle.paper import KERNELS, even
from repro.shuffle.ranges import fits
from repro.shuffle.reference import MODES
from repro.shuffle.scheme import OTHER, Scheme


@dataclass(frozen=True)
class Shape:
    """Threads per two alignments, columns per thread, those of them looked up by permutation, warps per multiprocessor."""

    lanes: int
    columns: int
    permuted: int
    warps: int
    unroll: int = 1

    @property
    def width(self) -> int:
        """Columns of a stage."""
        return self.lanes * self.columns


def shape_of(scheme: Scheme, width: int, every: bool) -> Shape:
    """The kernel for subjects of up to `width` columns."""
    lanes, columns = 4, 32
    while lanes * columns < width and lanes < 32:
        lanes *= 2
    permuted = 0
    return Shape(lanes, columns, permuted, 12)


def method(scheme: Scheme, letters: int, shape: Shape) -> Method:
    """The packed kernel. letters: codes that occur in queries, 4 or 5."""
    return Method("s16x2", partial(fits, "s16x2", scheme), partial(_launch, scheme, letters, shape))


def _launch(
    scheme: Scheme,
    letters: int,
    shape: Shape,
    device: Device,
    queries: OnDevice,
    subjects: OnDevice,
    group: Group,
    scores: Array,
    pitch: int,
) -> None:
    every = group.places is None
    staged = group.columns > shape.width
    constants: dict[str, Constant] = {
        "MODE": MODES[scheme.mode],
        "AFFINE": scheme.gap == "affine",
        "FIRST": scheme.first,
        "FURTHER": scheme.gap_extend,
        "LANES": shape.lanes,
        "COLUMNS": shape.columns,
        "PERMUTED": shape.permuted,
        "LETTERS": letters if every else 6,
        "STAGED": staged,
        "WARPS": shape.warps,
        "UNROLL": shape.unroll,
        "ALL": every,
    }
    kernel = device.compile(KERNELS / "packed.cu", constants)["shuffle_packed"]
    p = device.warp_size
    shared = (16 * (shape.permuted > 0) + int(constants["LETTERS"]) * (shape.columns - shape.permuted) * p) * 4
    side_by_side = 2 * (p // shape.lanes)
    lists = [group.queries if every else even(group.queries, side_by_side), even(group.subjects, side_by_side)]
    lists.append(np.zeros(1, np.int32) if group.places is None else even(group.places, side_by_side))
    blocks = len(lists[1]) // side_by_side
    resident = kernel.most_resident_blocks(p, shared)
    chunk = max(1, min(64, blocks * len(group.queries) // (8 * resident)))
    items = blocks * -(-len(group.queries) // chunk) if every else blocks
    grid = min(items, resident)
    rows = group.rows if staged else 0
    words = grid * rows * (p // shape.lanes) * (1 + (scheme.gap == "affine"))
    kernel(
        grid,
        p,
        *(queries.codes, queries.offsets, subjects.codes, subjects.offsets),
        *map(device.upload, lists),
        device.upload(scheme.table()),
        *(device.empty(max(1, words), np.uint32), scores, items, blocks, chunk, len(group.queries), pitch, rows),
        shared_bytes=shared,
    )

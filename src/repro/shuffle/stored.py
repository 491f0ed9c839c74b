"""The traceback of `auto` for sequences that are not long: where every cell comes from is stored, and then followed.

Launches stream through the device's memory: while one is computed, the results of the one before are copied out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from repro.device import Array, Device, Event
from repro.device.source import Constant
from repro.shuffle.batch import Group
from repro.shuffle.engine import OnDevice
from repro.shuffle.letters import Letters
from repro.shuffle.paper import KERNELS, PROFILE_ROWS, even
from repro.shuffle.reference import MODES
from repro.shuffle.scheme import Scheme
from repro.shuffle.traced import PER_WORD, Traced

LANES = np.array([4, 8, 16, 32])
BLOCK, SCALE, LARGEST_TAG = 8, 16, 15  # as in stored.cuh and stored.cu
THREADS = 128  # of a block of follow.cu
FOLLOWED_SHARE = 2  # of the threads that a device takes, one in so many
MEMORY_SHARE = 0.4  # of the device's memory, for what a launch stores, and no more than
MOST_BYTES, MOST_UNITS = 2**33, 2**17  # which keep a device busy for long enough
END_FIELDS = 8  # of End in stored.cuh
MOST_ROWS = 2**15  # which 16 bits number


def _columns(device: Device, scheme: Scheme) -> int:
    """Columns of a thread: what registers hold, or what a C++ compiler is done with soon."""
    return 8 if device.kind == "emulator" and scheme.gap == "affine" else 16


def widths(device: Device, scheme: Scheme) -> NDArray[np.int64]:
    """Classes of subjects: the widest that each kernel takes."""
    return LANES * _columns(device, scheme)


def fits(device: Device, scheme: Scheme, m: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether 16 bits hold every value with its tag for sequences of m and n letters, and the kernel a subject."""
    table, further, local = scheme.table(), scheme.gap_extend, scheme.mode == "local"
    largest, opening = max(0, int(table.max())), scheme.first - further
    bias = max(scheme.first + further, -int(table.min())) if local else 4 * opening + 1
    reached = bias + (np.minimum(m, n) + 1).astype(np.float64) * largest + 2 * further
    if not local:
        reached += (m + n) * float(further)
    found: NDArray[np.bool_] = reached * SCALE + LARGEST_TAG < 2**16
    found &= (n <= widths(device, scheme)[-1]) & (m <= MOST_ROWS)
    return found


@dataclass(frozen=True)
class _Buffers:
    """What a launch gives, on the device and on its way to page-locked memory."""

    ends: Array
    paths: Array
    copied_ends: NDArray[np.int32]
    copied_paths: NDArray[np.uint32]

    @classmethod
    def of(cls, device: Device, alignments: int, stride: int) -> "_Buffers":
        """Room for so many alignments with paths of `stride` words."""
        ends, words = alignments * END_FIELDS, alignments * stride
        return cls(
            device.empty(ends, np.int32),
            device.empty(words, np.uint32),
            device.host_array(ends, np.int32),
            device.host_array(words, np.uint32),
        )


class _Shape:
    """What the launches of a group have in common."""

    def __init__(self, device: Device, scheme: Scheme, group: Group, pitch: int) -> None:
        self.device, self.scheme, self.group, self.pitch = device, scheme, group, pitch
        self.every = group.places is None
        self.columns = _columns(device, scheme)
        self.lanes = int(LANES[np.searchsorted(widths(device, scheme), group.columns)])
        self.subjects = even(group.subjects, 2)
        self.queries = group.queries if self.every else even(group.queries, 2)
        self.subject_units = len(self.subjects) // 2
        self.units = self.subject_units * (len(self.queries) if self.every else 1)
        self.blocks = -(-(group.rows + self.lanes - 1) // BLOCK)
        self.stride = -(-(group.rows + group.columns) // PER_WORD)
        self.side_by_side = device.warp_size // self.lanes
        cells = self.columns // (4 if scheme.gap == "affine" else 8)
        block_words = device.warp_size * (BLOCK * cells + (scheme.gap == "affine") * (BLOCK + cells))
        self.warp_words = self.blocks * block_words

    def places(self, first: int, units: int) -> NDArray[np.int64]:
        """Positions of the alignments of some units; -1 for what stands in for a missing second one."""
        if self.group.places is not None:
            found = even(self.group.places, 2).astype(np.int64)
            found[len(self.group.places) :] = -1
            return found[2 * first : 2 * (first + units)]
        query, skipped = divmod(first, self.subject_units)
        queries = self.queries[query : (first + units - 1) // self.subject_units + 1].astype(np.int64)
        every = queries[:, np.newaxis] * self.pitch + self.subjects
        every[:, len(self.group.subjects) :] = -1
        return every.reshape(-1)[2 * skipped : 2 * (skipped + units)]

    def launch(
        self, inputs: Sequence[Array], lists: Sequence[Array], words: Array, buffers: _Buffers, first: int, units: int
    ) -> Event:
        """Queue both kernels for some units. inputs: letters with offsets, of queries and of subjects."""
        scheme, device = self.scheme, self.device
        constants: dict[str, Constant] = {
            "MODE": MODES[scheme.mode],
            "AFFINE": scheme.gap == "affine",
            "FIRST": scheme.first,
            "FURTHER": scheme.gap_extend,
            "LANES": self.lanes,
            "COLUMNS": self.columns,
            "ALL": self.every,
        }
        letters = self.group.letters if self.every else PROFILE_ROWS
        profile: dict[str, Constant] = {"LEAST": int(scheme.table().min()), "LETTERS": letters}
        arguments: list[Array | int] = [*inputs, *lists, words, buffers.ends]
        where = first, units, self.subject_units, self.blocks
        device.compile(KERNELS / "stored.cu", constants | profile)["shuffle_stored"](
            -(-units // self.side_by_side),
            device.warp_size,
            *arguments,
            *where,
            shared_bytes=4 * letters * self.columns * device.warp_size,
        )
        arguments += [buffers.paths, self.stride, *where, scheme.match, scheme.mismatch]
        follow = device.compile(KERNELS / "follow.cu", constants)["shuffle_follow"]
        # So few threads that their words stay in the first-level caches from one step to the next.
        grid = min(-(-2 * units // THREADS), max(1, follow.most_resident_blocks(THREADS, 0) // FOLLOWED_SHARE))
        follow(grid, THREADS, *arguments, int(scheme.matrix is not None))
        return device.record()


def trace(device: Device, queries: Letters, subjects: Letters, groups: list[Group], scheme: Scheme) -> Iterator[Traced]:
    """What the launches give, each while the next one is computed; valid until the one after it is asked for.

    groups: of alignments that `fits`. An alignment's position is that of `places`, or query x subjects + subject.
    """
    if not groups:
        return
    letters = [OnDevice.upload(device, batch) for batch in (queries, subjects)]
    inputs = [array for batch in letters for array in (batch.codes, batch.offsets)]
    table = device.upload(scheme.table())
    shapes = [_Shape(device, scheme, group, len(subjects)) for group in groups]
    free = int(min(MOST_BYTES, device.memory_bytes * MEMORY_SHARE, device.memory_bytes - device.memory_used))
    most = [max(1, min(free // (4 * s.warp_words), MOST_UNITS // s.side_by_side)) * s.side_by_side for s in shapes]
    units = [min(s.units, fitting) for s, fitting in zip(shapes, most, strict=True)]
    words = device.empty(
        max(-(-u // s.side_by_side) * s.warp_words for s, u in zip(shapes, units, strict=True)), np.uint32
    )
    size = max(2 * u for u in units), max(s.stride for s in shapes)
    buffers = [_Buffers.of(device, *size) for _ in range(2)]
    waiting: tuple[_Shape, _Buffers, int, int, Event] | None = None
    number = 0
    for shape, at_once in zip(shapes, units, strict=True):
        lists = [device.upload(shape.queries), device.upload(shape.subjects), table]
        for first in range(0, shape.units, at_once):
            found, count = buffers[number % 2], min(at_once, shape.units - first)
            computed = shape.launch(inputs, lists, words, found, first, count)
            sizes = 2 * count * END_FIELDS, 2 * count * shape.stride
            device.copy_out(found.ends[: sizes[0]], found.copied_ends[: sizes[0]], [computed])
            done = device.copy_out(found.paths[: sizes[1]], found.copied_paths[: sizes[1]], [computed])
            if waiting:
                yield _traced(*waiting)
            waiting = shape, found, first, count, done
            number += 1
    if waiting:
        yield _traced(*waiting)


def _traced(shape: _Shape, buffers: _Buffers, first: int, units: int, done: Event) -> Traced:
    shape.device.finish(done)
    ends = buffers.copied_ends[: 2 * units * END_FIELDS].reshape(-1, END_FIELDS)
    columns = buffers.copied_paths[: 2 * units * shape.stride]
    return Traced(
        shape.places(first, units), ends[:, 0], ends[:, 1:5], ends[:, 5], ends[:, 6],
        np.arange(2 * units) * shape.stride, columns,
    )  # fmt: skip

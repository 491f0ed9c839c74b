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
from repro.shuffle.paper import KERNELS, PROFILE_ROWS, constants_of, even
from repro.shuffle.scheme import Scheme
from repro.shuffle.traced import PER_WORD, Traced

LANES = np.array([4, 8, 16, 32])
BLOCK, SCALE, LARGEST_TAG = 8, 16, 15  # as in stored.cuh and tagged.cuh
LARGEST_BYTE = 127
THREADS = 64  # of a block of follow.cu
MEMORY_SHARE = 0.4  # of the device's memory, for what a launch stores, and no more than
MOST_BYTES, MOST_UNITS = 2**34, 2**18  # which keep a device busy for long enough
MOST_PATH_WORDS = 2**23  # of a launch: what page-locked memory is made for in no time
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
    further, largest = scheme.gap_extend, max(0, int(scheme.table().max()))
    bias = _local_bias(scheme) or 4 * (scheme.first - further) + 1
    reached = bias + (np.minimum(m, n) + 1).astype(np.float64) * largest + 2 * further
    if scheme.mode != "local":
        reached += (m + n) * float(further)
    found: NDArray[np.bool_] = reached * SCALE + LARGEST_TAG < 2**16
    found &= (n <= widths(device, scheme)[-1]) & (m <= MOST_ROWS)
    return found


def _gains_are_bytes(scheme: Scheme) -> bool:
    """Whether all that stored.cu adds to a cell where there is one query lies in 0 to 127, tags included.

    Affine gaps are no faster for it, as measured on an NVIDIA H200.
    """
    if scheme.mode == "local" or scheme.gap == "affine":
        return False
    gains = scheme.table() + 2 * scheme.gap_extend
    largest = int(max(gains.max(), scheme.gap_extend))
    return bool(gains.min() >= 0) and largest * SCALE + LARGEST_TAG <= LARGEST_BYTE


def _local_bias(scheme: Scheme) -> int:
    """What local values are kept larger by, so that no sum is negative: a power of two, for few kernels; else 0."""
    if scheme.mode != "local":
        return 0
    return 1 << max(1, scheme.first + scheme.gap_extend, -int(scheme.table().min())).bit_length()


@dataclass(frozen=True)
class _Launch:
    """Some units of a group: the first, how many, blocks of each warp, words of each path, and words stored in all."""

    first: int
    units: int
    blocks: int
    stride: int
    words: int


@dataclass(frozen=True)
class _Buffers:
    """What a launch gives, on the device and on its way to page-locked memory."""

    ends: Array
    paths: Array
    copied_ends: NDArray[np.int32]
    copied_paths: NDArray[np.uint32]

    @classmethod
    def of(cls, device: Device, launches: Sequence[_Launch]) -> "_Buffers":
        """Room for what any of the launches gives."""
        ends = max(2 * launch.units * END_FIELDS for launch in launches)
        words = max(2 * launch.units * launch.stride for launch in launches)
        return cls(
            device.empty(ends, np.int32),
            device.empty(words, np.uint32),
            device.host_array(ends, np.int32),
            device.host_array(words, np.uint32),
        )


class _Launches:
    """A group in launches, of which each has what its longest query needs: queries stand longest first."""

    def __init__(
        self, device: Device, scheme: Scheme, group: Group, pitch: int, lengths: NDArray[np.int64], most_words: int
    ) -> None:
        self.device, self.scheme, self.group, self.pitch = device, scheme, group, pitch
        self.every = group.places is None
        self.columns = _columns(device, scheme)
        self.lanes = int(LANES[np.searchsorted(widths(device, scheme), group.columns)])
        self.subjects = even(group.subjects, 2)
        self.queries = group.queries if self.every else even(group.queries, 2)
        self.subject_units = len(self.subjects) // 2
        self.side_by_side = device.warp_size // self.lanes
        cells = self.columns // (4 if scheme.gap == "affine" else 8)
        block_words = device.warp_size * (BLOCK * cells + (scheme.gap == "affine") * (BLOCK + cells))
        self.launches: list[_Launch] = []
        all_units = self.subject_units * (len(self.queries) if self.every else 1)
        first = 0
        while first < all_units:
            rows = int(lengths[self.queries[first // self.subject_units if self.every else 2 * first]])
            blocks, stride = -(-(rows + self.lanes - 1) // BLOCK), max(1, -(-(rows + group.columns) // PER_WORD))
            most_units = min(MOST_UNITS, MOST_PATH_WORDS // (2 * stride))
            warps = max(1, min(most_words // (blocks * block_words), most_units // self.side_by_side))
            units = min(all_units - first, warps * self.side_by_side)
            words = -(-units // self.side_by_side) * blocks * block_words
            self.launches.append(_Launch(first, units, blocks, stride, words))
            first += units

    def places(self, launch: _Launch) -> NDArray[np.int64]:
        """Positions of the alignments of a launch; -1 for what stands in for a missing second one."""
        first, units = launch.first, launch.units
        if self.group.places is not None:
            found = even(self.group.places, 2).astype(np.int64)
            found[len(self.group.places) :] = -1
            return found[2 * first : 2 * (first + units)]
        query, skipped = divmod(first, self.subject_units)
        queries = self.queries[query : (first + units - 1) // self.subject_units + 1].astype(np.int64)
        every = queries[:, np.newaxis] * self.pitch + self.subjects
        every[:, len(self.group.subjects) :] = -1
        return every.reshape(-1)[2 * skipped : 2 * (skipped + units)]

    def queue(
        self, launch: _Launch, inputs: Sequence[Array], lists: Sequence[Array], words: Array, buffers: _Buffers
    ) -> Event:
        """Queue both kernels of a launch. inputs: letters with offsets, of queries and of subjects."""
        scheme, device = self.scheme, self.device
        constants: dict[str, Constant] = {
            **constants_of(scheme),
            "LANES": self.lanes,
            "COLUMNS": self.columns,
            "ALL": self.every,
        }
        letters = self.group.letters if self.every else PROFILE_ROWS
        as_bytes = self.every and _gains_are_bytes(scheme)
        profile: dict[str, Constant] = {"LOCAL_BIAS": _local_bias(scheme), "LETTERS": letters, "BYTES": as_bytes}
        arguments: list[Array | int] = [*inputs, *lists, words, buffers.ends]
        where = launch.first, launch.units, self.subject_units, launch.blocks
        device.compile(KERNELS / "stored.cu", constants | profile)["shuffle_stored"](
            -(-launch.units // self.side_by_side),
            device.warp_size,
            *arguments,
            *where,
            shared_bytes=(2 if as_bytes else 4) * letters * self.columns * device.warp_size,
        )
        arguments += [buffers.paths, launch.stride, *where, scheme.match, scheme.mismatch]
        device.compile(KERNELS / "follow.cu", constants)["shuffle_follow"](
            -(-2 * launch.units // THREADS), THREADS, *arguments, int(scheme.matrix is not None)
        )
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
    free = int(min(MOST_BYTES, device.memory_bytes * MEMORY_SHARE, device.memory_bytes - device.memory_used))
    parts = [_Launches(device, scheme, group, len(subjects), queries.lengths, free // 4) for group in groups]
    all_launches = [launch for part in parts for launch in part.launches]
    words = device.empty(max(launch.words for launch in all_launches), np.uint32)
    buffers = [_Buffers.of(device, all_launches) for _ in range(2)]
    waiting: tuple[_Launches, _Launch, _Buffers, Event] | None = None
    number = 0
    for part in parts:
        lists = [device.upload(part.queries), device.upload(part.subjects), table]
        for launch in part.launches:
            found = buffers[number % 2]
            computed = part.queue(launch, inputs, lists, words, found)
            sizes = 2 * launch.units * END_FIELDS, 2 * launch.units * launch.stride
            device.copy_out(found.ends[: sizes[0]], found.copied_ends[: sizes[0]], [computed])
            done = device.copy_out(found.paths[: sizes[1]], found.copied_paths[: sizes[1]], [computed])
            if waiting:
                yield _traced(*waiting)
            waiting = part, launch, found, done
            number += 1
    if waiting:
        yield _traced(*waiting)


def _traced(part: _Launches, launch: _Launch, buffers: _Buffers, done: Event) -> Traced:
    part.device.finish(done)
    alignments = 2 * launch.units
    ends = buffers.copied_ends[: alignments * END_FIELDS].reshape(-1, END_FIELDS)
    columns = buffers.copied_paths[: alignments * launch.stride]
    return Traced(
        part.places(launch), ends[:, 0], ends[:, 1:5], ends[:, 5], ends[:, 6],
        np.arange(alignments) * launch.stride, columns,
    )  # fmt: skip

"""The traceback of `auto` for sequences that are not long: edges of blocks are stored, and those on the path followed.

Launches stream through the device's memory: while one is computed, the results of the one before are copied out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.device import Array, Device, Event
from repro.shuffle import packed, ranges
from repro.shuffle.batch import Group
from repro.shuffle.letters import Letters
from repro.shuffle.paper import KERNELS, even
from repro.shuffle.scheme import Scheme
from repro.shuffle.traced import PER_WORD, Traced

LANES = np.array([4, 8, 16, 32])
BLOCK, STRIP = 8, 16  # as in stored.cuh
LARGEST_BYTE, LARGEST_VALUE = 127, 511  # of a gain in follow.cu; of a value there
GAIN_SCALE = 4
FEW_GAINS = {"linear": 7, "affine": 3}  # of follow.cu: from 0, or from the least one, up to so much
FOLLOWED_CONSTANTS = "MODE", "AFFINE", "FIRST", "FURTHER", "LANES", "COLUMNS", "ALL", "WIDE", "ADJACENT_GAPS"
THREADS = 64  # of a block of follow.cu
MEMORY_SHARE = 0.4  # of the device's memory, for what a launch stores, and no more than
MOST_BYTES, MOST_UNITS = 2**34, 2**19  # which keep a device busy for long enough
MOST_PATH_WORDS = 2**24  # of a launch: what page-locked memory is made for in no time
MOST_QUERIES, WAVES = 8, 8  # of a block of stored.cu; blocks of a launch for each that the device takes at once
END_FIELDS = 8  # of End in stored.cuh
MOST_ROWS = 2**15  # which 16 bits number
# Columns of a thread: what registers hold, or what a C++ compiler is done with soon.
COLUMNS = {"cuda": 32, "emulator": 16}


def widths(device: Device) -> NDArray[np.int64]:
    """Classes of subjects: the widest that each kernel takes."""
    return LANES * COLUMNS[device.kind]


def fits(device: Device, scheme: Scheme, m: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the kernels are exact for sequences of m and n letters, and memory takes such sequences."""
    found: NDArray[np.bool_] = (n <= widths(device)[-1]) & (m <= MOST_ROWS) & ranges.fits("s16x2", scheme, m, n)
    found &= 4 * _blocks(m, int(LANES[-1])) * _block_words(device, scheme) <= _most_bytes(device)
    return found & _edges_are_bytes(scheme)


def _blocks(rows: NDArray[np.int64], lanes: int) -> NDArray[np.int64]:
    """Of a warp, for queries of so many letters."""
    return -(-(rows + lanes - 1) // BLOCK)


def _block_words(device: Device, scheme: Scheme) -> int:
    strips = device.warp_size * COLUMNS[device.kind] // STRIP
    return 2 * strips * (STRIP + BLOCK) // 4 * (1 + (scheme.gap == "affine"))


def _most_bytes(device: Device) -> int:
    """For what a launch stores."""
    return int(min(MOST_BYTES, device.memory_bytes * MEMORY_SHARE))


def _most_below(scheme: Scheme) -> int:
    """How far a cell of a block's edges may lie below the one that follow.cu knows, in folded coordinates.

    Letters that are removed from the end of an alignment are its last columns, of which no more have two letters than
    the block has rows or columns; what is left over of the other sequence is a gap. E and F lie an opening below a
    neighbour.
    """
    gain, opening = _largest_gain(scheme), scheme.first - scheme.gap_extend
    return (STRIP + 1) * gain * (scheme.mode == "local") + gain + 4 * opening + 2


def _edges_are_bytes(scheme: Scheme) -> bool:
    """Whether bytes tell a block's edges, and 16 bits hold what follow.cu computes from them."""
    gain, opening = _largest_gain(scheme), scheme.first - scheme.gap_extend
    above, further = STRIP * gain + 3 * opening, gain
    if scheme.mode == "local":
        distance = (STRIP + BLOCK) * scheme.gap_extend
        above, further = gain + 4 * opening + distance, (STRIP + 1) * gain + distance
    return (
        _most_below(scheme) + above <= 255
        and 255 + 4 * opening + 2 + further <= LARGEST_VALUE
        and (gain + 2 * opening + 1) * GAIN_SCALE + 2 <= LARGEST_BYTE
    )


def _largest_gain(scheme: Scheme) -> int:
    return max(0, int(scheme.table().max())) + 2 * scheme.gap_extend


def _followed_gains(scheme: Scheme, every: bool) -> dict[str, int | bool]:
    """What follow.cu adds to gains, so that none is negative, and whether a dot product adds those to cells."""
    opening = scheme.first - scheme.gap_extend
    gains = np.maximum(scheme.table() + 2 * scheme.gap_extend, -2 * opening - 1)
    # Of what fills up a subject in front; it may be any that is no gain where alignments are local.
    filling = {"global": 0 if every else -2 * opening, "semi-global": scheme.gap_extend, "local": 2 * scheme.gap_extend}
    gains = np.append(gains, min(filling[scheme.mode], gains.min()) if scheme.mode == "local" else filling[scheme.mode])
    few = FEW_GAINS[scheme.gap]
    if scheme.gap == "affine" and gains.max() - gains.min() <= few:
        return {"GAIN_BIAS": -int(gains.min()), "FEW_GAINS": True}
    bias = 2 * opening + 1 if not every or gains.min() < 0 else 0
    return {"GAIN_BIAS": bias, "FEW_GAINS": scheme.gap == "linear" and int(gains.max()) + bias <= few}


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


def _profile_bytes(constants: dict[str, Any], warp_size: int) -> int:
    """Shared memory that packed_profile.cuh takes."""
    words = constants["LETTERS"] * (constants["COLUMNS"] - constants["PERMUTED"]) * warp_size
    return int(4 * (words // 2 + 24 if constants["BYTES"] else words + 16 * (constants["PERMUTED"] > 0)))


class _Launches:
    """A group in launches, of which each has what its longest query needs: queries stand longest first."""

    def __init__(
        self, device: Device, scheme: Scheme, group: Group, pitch: int, lengths: NDArray[np.int64], most_words: int
    ) -> None:
        self.device, self.scheme, self.group, self.pitch = device, scheme, group, pitch
        self.every = group.places is None
        lanes = int(LANES[np.searchsorted(widths(device), group.columns)])
        shape = packed.shape_of(device, scheme, group.columns, self.every)
        warps = 16 if scheme.gap == "linear" and scheme.mode != "local" else 12
        self.shape = replace(shape, lanes=lanes, columns=COLUMNS[device.kind], warps=warps)
        self.lanes = lanes
        self.constants = packed.constants_of(scheme, self.shape, group.letters, False, self.every)
        if scheme.table().min() <= -2 * scheme.gap_extend:
            # Of equal paths each counts: gaps open from whatever is best, and gains are what packed.cu has for that.
            self.constants |= {"ADJACENT_GAPS": True, "PERMUTED": shape.permuted * self.every}
        self.kernels = device.compile(KERNELS / "stored.cu", self.constants)
        given = {name: self.constants[name] for name in FOLLOWED_CONSTANTS} | _followed_gains(scheme, self.every)
        self.follow = device.compile(KERNELS / "follow.cu", given)["shuffle_follow"]
        self.side_by_side = device.warp_size // self.lanes
        self.subjects = even(group.subjects, 2 * self.side_by_side if self.every else 2)
        self.queries = group.queries if self.every else even(group.queries, 2)
        self.subject_units = len(self.subjects) // 2
        block_words = _block_words(device, scheme)
        self.launches: list[_Launch] = []
        all_units = self.subject_units * (len(self.queries) if self.every else 1)
        first = 0
        while first < all_units:
            rows = lengths[self.queries[first // self.subject_units if self.every else 2 * first]]
            blocks, stride = int(_blocks(rows, self.lanes)), max(1, -(-int(rows + group.columns) // PER_WORD))
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

    def selectors(self, inputs: Sequence[Array], subjects: Array) -> Array:
        """Which gains the columns of each subject take."""
        count = len(self.subjects)
        eights = count * self.lanes * self.shape.columns // 8
        found = self.device.empty(eights, np.uint32)
        self.kernels["shuffle_selectors"](-(-eights // THREADS), THREADS, *inputs[2:], subjects, count, found)
        return found

    def queue(
        self,
        launch: _Launch,
        inputs: Sequence[Array],
        lists: Sequence[Array],
        selectors: Array,
        words: Array,
        buffers: _Buffers,
    ) -> Event:
        """Queue both kernels of a launch. inputs: letters with offsets, of queries and of subjects."""
        arguments: list[Array | int] = [*inputs, *lists, words, buffers.ends]
        where = launch.first, launch.units, self.subject_units, launch.blocks
        kernel, shared = self.kernels["shuffle_stored"], _profile_bytes(self.constants, self.device.warp_size)
        warps = -(-launch.units // self.side_by_side)
        across = self.subject_units // self.side_by_side if self.every else warps
        most = warps // (WAVES * kernel.most_resident_blocks(self.device.warp_size, shared))
        chunk = max(1, min(MOST_QUERIES, most)) if self.every else 1
        grid = min(warps, -(-warps // (across * chunk)) * across)
        kernel(grid, self.device.warp_size, *arguments, *where, across, chunk, shared_bytes=shared)
        scheme, subjects = self.scheme, len(self.group.subjects if self.every else self.subjects)
        self.follow(
            -(-2 * launch.units // THREADS),
            THREADS,
            *arguments,
            *(selectors, buffers.paths, launch.stride),
            *where,
            *(subjects, _most_below(scheme), scheme.match, scheme.mismatch, int(scheme.matrix is not None)),
        )
        return self.device.record()


def trace(device: Device, queries: Letters, subjects: Letters, groups: list[Group], scheme: Scheme) -> Iterator[Traced]:
    """What the launches give, each while the next one is computed; valid until the one after it is asked for.

    groups: of alignments that `fits`. An alignment's position is that of `places`, or query x subjects + subject.
    """
    if not groups:
        return
    # follow.cu reads a letter beyond the query's last, whatever it is.
    letters = [(np.append(batch.codes, np.uint8(0)), batch.offsets) for batch in (queries, subjects)]
    inputs = [device.upload(array) for batch in letters for array in batch]
    table = device.upload(scheme.table())
    free = min(_most_bytes(device), device.memory_bytes - device.memory_used)
    groups = _together(device, scheme, groups, queries.lengths)
    parts = [_Launches(device, scheme, group, len(subjects), queries.lengths, free // 4) for group in groups]
    all_launches = [launch for part in parts for launch in part.launches]
    words = device.empty(max(launch.words for launch in all_launches), np.uint32)
    buffers = [_Buffers.of(device, launches) for launches in (all_launches[::2], all_launches[1::2]) if launches]
    waiting: tuple[_Launches, _Launch, _Buffers, Event] | None = None
    number = 0
    for part in parts:
        lists = [device.upload(part.queries), device.upload(part.subjects), table]
        selectors = part.selectors(inputs, lists[1])
        for launch in part.launches:
            found = buffers[number % 2]
            computed = part.queue(launch, inputs, lists, selectors, words, found)
            sizes = 2 * launch.units * END_FIELDS, 2 * launch.units * launch.stride
            device.copy_out(found.ends[: sizes[0]], found.copied_ends[: sizes[0]], [computed])
            done = device.copy_out(found.paths[: sizes[1]], found.copied_paths[: sizes[1]], [computed])
            if waiting:
                yield _traced(*waiting)
            waiting = part, launch, found, done
            number += 1
    if waiting:
        yield _traced(*waiting)


def _together(device: Device, scheme: Scheme, groups: list[Group], lengths: NDArray[np.int64]) -> list[Group]:
    """Groups of all with all whose queries have letters apart, as one where gains are bytes: few fill no device.

    Where they are words, as many warps with the gains of one more letter take more memory than is shared.
    """
    found: list[Group] = []
    for group in groups:
        last = found[-1] if found else None
        as_bytes = group.places is None and packed.shape_of(device, scheme, group.columns, True).as_bytes
        if last and as_bytes and last.subjects is group.subjects:
            queries = np.concatenate([last.queries, group.queries])
            queries = queries[np.argsort(-lengths[queries], kind="stable")]
            letters = max(last.letters, group.letters)
            found[-1] = replace(group, queries=queries, rows=int(lengths[queries[0]]), letters=letters)
        else:
            found.append(group)
    return found


def _traced(part: _Launches, launch: _Launch, buffers: _Buffers, done: Event) -> Traced:
    part.device.finish(done)
    alignments = 2 * launch.units
    ends = buffers.copied_ends[: alignments * END_FIELDS].reshape(-1, END_FIELDS)
    columns = buffers.copied_paths[: alignments * launch.stride]
    return Traced(
        part.places(launch), ends[:, 0], ends[:, 1:5], ends[:, 5], ends[:, 6],
        np.arange(alignments) * launch.stride, columns,
    )  # fmt: skip

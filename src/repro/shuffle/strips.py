"""The launches of strips.cu: each matrix on as many warps as it has strips, whatever its scores."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from repro.device import Array, Device
from repro.device.source import Constant
from repro.shuffle.batch import Group, Indices
from repro.shuffle.engine import Method, OnDevice
from repro.shuffle.paper import KERNELS, constants_of
from repro.shuffle.ranges import LARGEST, fits
from repro.shuffle.scheme import CODES, Scheme

NAME = "s16x2-strips"  # of the type in results: 16 bits, relative to the strip
# Columns of a thread in either half of its words: the more the better, where 16 bits hold what so wide a strip has.
COLUMNS = {"cuda": (16, 32), "emulator": (4, 8)}
# Per multiprocessor: of more the hardware prefers some, and strips beside the others wait for them.
WARPS = 8
ROWS = 2  # that a lane computes together
UNROLLED = {"linear": 8, "affine": 2}  # steps of so many rows: what the cache of instructions holds
PERIOD = 128  # rows from one rebasing to the next; a multiple of those of a chunk of steps
STEP_BYTES = 32  # of shared memory: what enters a strip and what leaves it in a step
RESERVED_BYTES = 1024  # of shared memory, for each block
# Of the work, in the list that preferred warps begin with: less than they do, since the others end late with long ones.
LONG = {"linear": 1.0, "affine": 0.65}
# Columns whose gains an instruction looks up, 16 bytes on a card: a first strip has as many parts as it needs.
PART = {"cuda": {"linear": 16, "affine": 8}, "emulator": {"linear": 4, "affine": 4}}
EARLIER = 0.7  # of its rows, by which an alignment's last strips may stand behind others'
LARGEST_BYTE, LARGEST_WORD = 127, 2**15 - 1
FEWEST_ROWS = 512  # below, filling the lanes of a strip costs more than a few wide alignments gain
BEGIN_THREADS, MOST_BEGIN_BLOCKS = 256, 2**16
MEMORY_SHARE = 4  # of the free memory, for the borders of strips


def _width(device: Device, columns: int) -> int:
    """Columns of a strip."""
    return 2 * device.warp_size * columns


def _shift(scheme: Scheme) -> int:
    """What is kept of H is so much smaller, so that what a cell gains is not negative."""
    local = scheme.mode == "local"
    opening = scheme.first - (0 if local else scheme.gap_extend)
    least = max(int(scheme.table().min()) + (0 if local else 2 * scheme.gap_extend), -2 * opening)
    return max(opening if local else 0, -least)


def _middle(device: Device, scheme: Scheme, columns: int) -> int:
    """Where a strip's reference is set: as far as values can move away from it in either direction, and a step more.

    A cell differs from the one beside it by at most a letter's best score and the first letter of a gap; rows are
    PERIOD and those of the lanes in front, columns those of half a strip.
    """
    best = max(0, int(scheme.table().max()))
    step = best + scheme.first + scheme.gap_extend
    margin = 4 * scheme.first + 2 * scheme.gap_extend + best + 2 * _shift(scheme)
    return step * (PERIOD + ROWS * device.warp_size + _width(device, columns) // 2) + margin


def _columns(device: Device, scheme: Scheme) -> int:
    """Of a thread: the most with which values relative to a strip have 15 bits, else 0."""
    fitting = [n for n in COLUMNS[device.kind] if 2 * _middle(device, scheme, n) <= LARGEST_WORD]
    return max(fitting, default=0)


def _exact(device: Device, scheme: Scheme, m: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether strips.cu is exact for sequences of m and n letters: bool, one per pair.

    Gains have to be bytes, values relative to a strip 15 bits, and values relative to nothing int32, columns too.
    """
    gain = _shift(scheme) + max(scheme.gap_extend, int(scheme.table().max()) + 2 * scheme.gap_extend)
    small = gain <= LARGEST_BYTE and _columns(device, scheme) > 0
    folded = (m + n).astype(np.float64) * max(1, scheme.gap_extend) <= LARGEST["int32"]
    return small & (m > 0) & (n > 0) & folded & fits("int32", scheme, m, n)


def _worthwhile(device: Device, scheme: Scheme, m: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether a matrix is large enough for several warps."""
    return _exact(device, scheme, m, n) & (n > _width(device, _columns(device, scheme))) & (m >= FEWEST_ROWS)


def method(device: Device, scheme: Scheme, preferred: bool) -> Method:
    """strips.cu where it is exact. preferred: only where a matrix is worth more than one warp."""
    fitting = _worthwhile if preferred else _exact
    return Method(NAME, partial(fitting, device, scheme), partial(_launch, scheme), together=True)


def _items(m: NDArray[np.int64], counts: NDArray[np.int64], first: int, share: float) -> tuple[Indices, Indices, int]:
    """The alignment and the strip of each item, in the order in which they are begun, and how many the first list has.

    m: rows of each alignment. counts: its strips, from `first` on. The longest alignments are the first list, with no
    more than `share` of the work unless there is but one. In either, long alignments come first, but their later strips
    together with the first ones of shorter alignments: neighbours at work at the same time wait for each other, and
    often nobody else is there.
    """
    alignments = np.repeat(np.arange(len(m), dtype=np.int32), counts)
    strips = (np.arange(len(alignments)) - np.repeat(np.cumsum(counts) - counts, counts)).astype(np.int32)
    longest_first = np.argsort(-m, kind="stable")
    done = np.cumsum((m * counts)[longest_first])
    short = np.zeros(len(m), np.bool_)
    short[longest_first[1:]] = done[1:] > share * done[-1]
    rows = m[alignments] * (1 - EARLIER * strips / counts[alignments])
    order = np.lexsort((-rows, short[alignments]))
    return alignments[order], strips[order] + np.int32(first), int(counts[~short].sum())


def _launch(
    scheme: Scheme, device: Device, queries: OnDevice, subjects: OnDevice, group: Group, scores: Array, pitch: int
) -> None:
    """As many alignments at a time, the longest first, as there is memory for the edges of their strips."""
    assert group.places is not None
    m, n = queries.letters.lengths[group.queries], subjects.letters.lengths[group.subjects]
    columns = _columns(device, scheme)
    strips = -(-n // _width(device, columns))
    order = np.argsort(-m * strips, kind="stable")
    batch = _Batch(device, scheme, queries, subjects, scores, columns)
    most = max(1, (device.memory_bytes - device.memory_used) // MEMORY_SHARE // np.dtype(np.int32).itemsize)
    words = np.cumsum((m * strips * batch.planes)[order])
    first = 0
    while first < len(order):
        before = int(words[first - 1]) if first else 0
        end = max(first + 1, int(np.searchsorted(words, before + most, side="right")))
        part = order[first:end]
        launches = -(-(int(words[end - 1]) - before) // most)  # more than one only for one alignment
        lists = group.queries[part], group.subjects[part], group.places[part]
        batch.run(*lists, m[part], strips[part], launches)
        first = end


@dataclass(frozen=True)
class _Batch:
    """What all launches have in common. columns: of a thread."""

    device: Device
    scheme: Scheme
    queries: OnDevice
    subjects: OnDevice
    scores: Array
    columns: int

    @property
    def planes(self) -> int:
        """Words for each row of an edge."""
        return 2 if self.scheme.gap == "affine" else 1

    @property
    def spaced(self) -> bool:
        """Whether gains have two bytes each, so that a sum brings them together where the maxima's pipe is busy."""
        return self.scheme.gap == "affine"

    def run(
        self,
        queries: Indices,
        subjects: Indices,
        places: NDArray[np.integer],
        m: NDArray[np.int64],
        strips: NDArray[np.int64],
        launches: int,
    ) -> None:
        """Alignments with their numbers of rows and strips, so many of the strips at a time from left to right."""
        device = self.device
        kernels = device.compile(KERNELS / "strips.cu", self._constants())
        lists = [device.upload(indices) for indices in (queries, subjects, places.astype(np.int64))]
        state = device.empty(2, np.int32)
        entering = None
        most = -(-int(strips.max()) // launches)
        for first in range(0, int(strips.max()), most):
            counts = np.minimum(strips - first, most)
            ends = np.cumsum(counts)
            words = m * self.planes * counts
            edges = device.empty(int(words.sum()), np.int32)
            kernels["shuffle_strips_begin"](
                min(-(-edges.shape[0] // BEGIN_THREADS), MOST_BEGIN_BLOCKS),
                BEGIN_THREADS,
                *(edges, edges.shape[0], state, self.scores, lists[2], 0 if first else len(m)),
            )
            kernel, warp = kernels["shuffle_strips"], device.warp_size
            needed = CODES * _width(device, self.columns) * (1 + self.spaced) + STEP_BYTES * warp
            shared = max(needed, (device.limits.shared_bytes + RESERVED_BYTES) // WARPS - RESERVED_BYTES)
            alignments, numbers, long_items = _items(m, counts, first, LONG[self.scheme.gap])
            kernel(
                min(int(ends[-1]), kernel.most_resident_blocks(warp, shared)),
                warp,
                *(self.queries.codes, self.queries.offsets, self.subjects.codes, self.subjects.offsets, *lists),
                device.upload(self.scheme.table()),
                *map(device.upload, (alignments, numbers)),
                device.upload(np.cumsum(words) - words),
                *(edges, edges if entering is None else entering, state, self.scores, long_items, int(ends[-1]), first),
                _middle(device, self.scheme, self.columns),
                shared_bytes=shared,
            )
            entering = edges[int(words.sum() - m[-1] * self.planes) :]

    def _constants(self) -> dict[str, Constant]:
        return {
            **constants_of(self.scheme),
            "SHIFT": _shift(self.scheme),
            "ADJACENT_GAPS": self.scheme.gaps_may_meet(),
            "PERIOD": PERIOD,
            "COLUMNS": self.columns,
            "PART": min(self.columns, PART[self.device.kind][self.scheme.gap]),
            "WARPS": WARPS,
            "ROWS": ROWS,
            "UNROLLED": UNROLLED[self.scheme.gap],
            "SPACED": self.spaced,
            "Score": self.scores.dtype.type,
        }

"""Edit distances by banded bit-parallel strips, from both ends of the matrix to its middle row, many at a time."""

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.wfa.columns import KERNELS
from repro.wfa.packing import PackedPair

SOURCE = KERNELS / "bit_parallel.cu"
MIDDLE_ROW = KERNELS / "middle_row.cu"
CHUNK = 16  # rows of the word that one strip hands to the next
MOST_ROWS_OF_TABLE = 256  # of 128 bytes: words of columns times different letters, a byte being their number
RESIDENT_BLOCKS = 4  # on a multiprocessor: a warp for each of its schedulers
MOST_NARROW_STRIPS = 660  # at once; with more, strips of two words a lane are faster on an NVIDIA H200

Integers = NDArray[np.int64]
Numbers = Any  # Integers, or a Python integer, which takes a small part of the time


def _least(x: Numbers, y: Numbers) -> Numbers:
    return min(x, y) if isinstance(x, int) else np.minimum(x, y)


def _at_least_one(x: Numbers) -> Numbers:
    return max(1, x) if isinstance(x, int) else np.maximum(1, x)


@dataclass(frozen=True)
class Problems:
    """Substrings of a packed pair to be compared; fields have the shape (problems,), or are integers of one problem.

    row, rows: start and length in a. column, columns: in b. bound: the band holds every path of this cost or less; at
    least the difference of the lengths.
    """

    row: Numbers
    rows: Numbers
    column: Numbers
    columns: Numbers
    bound: Numbers

    @classmethod
    def whole(cls, pair: PackedPair, bound: int) -> "Problems":
        """The one problem of comparing both strings."""
        return cls(0, pair.m, 0, pair.n, bound)

    @property
    def places(self) -> tuple[Numbers, ...]:
        """Starts and lengths as the kernels read them."""
        return self.row, self.rows, self.column, self.columns

    @cached_property
    def high(self) -> Numbers:
        """The highest diagonal that a path of cost `bound` can reach."""
        return (self.bound + self.columns - self.rows) // 2

    @cached_property
    def low(self) -> Numbers:
        """The lowest diagonal that a path of cost `bound` can reach."""
        return self.columns - self.rows - self.high

    @cached_property
    def reach(self) -> Numbers:
        """Columns that the band has in the upper half of the rows; the lower half has as many or one less."""
        return _least(self.columns, self.rows - self.rows // 2 + self.high)

    @property
    def chunks(self) -> Numbers:
        """Chunks of rows in each direction."""
        return -(-(self.rows - self.rows // 2) // CHUNK)

    def strips(self, words: int) -> Numbers:
        """Strips of 1,024 `words` columns in each direction."""
        return _at_least_one(-(-self.reach // (1024 * words)))

    def strips_at_once(self, words: int) -> int:
        """Strips of both directions that the band crosses in a row."""
        columns = _least(self.bound, self.reach)
        return 2 * int(np.sum(_at_least_one(-(-columns // (1024 * words)))))

    def cells(self, words: int) -> int:
        """Cells of the matrices that the strips of both directions compute."""
        strip, total = 1024 * words, 0
        each = np.atleast_1d(self.rows, self.low, self.high, self.strips(words))
        for both, low, high, strips in zip(*each, strict=True):
            for rows in (both - both // 2, both // 2):
                left = np.arange(strips) * strip
                first = np.minimum(rows, np.maximum(0, left - high)) // CHUNK
                last = -(-np.minimum(rows, left + strip - low) // CHUNK)
                total += int((last - first).sum()) * CHUNK * strip
        return total


@dataclass(frozen=True)
class Crossings:
    """Where the cheapest paths found cross the middle rows, rows - rows // 2; fields have the shape (problems,).

    cost: of the whole path; the edit distance if it is at most the problem's bound, else an upper bound of it.
    column: columns left of the crossing. above: the cost of the part above the middle row.
    """

    cost: Integers
    column: Integers
    above: Integers


def best_words(pair: PackedPair, problems: Problems) -> int:
    """Words of columns per lane: one makes the chain of rows shorter, two make better use of a card that is full.

    With more than 64 letters a strip's table has room for one only.
    """
    if pair.symbols > 64 or (narrow := problems.strips_at_once(1)) <= MOST_NARROW_STRIPS:
        return 1
    return 1 if narrow == problems.strips_at_once(2) else 2


def _in_turn(strips: Integers) -> NDArray[np.int32]:
    """The first strips of all problems, then the second ones, and so on."""
    numbers = np.arange(strips.sum()) - np.repeat(np.cumsum(strips) - strips, strips)
    return np.argsort(numbers, kind="stable").astype(np.int32)


def solve(pair: PackedPair, problems: Problems, words: int) -> Crossings:
    """The cheapest path in the band of each problem.

    words: 32-bit words of columns per lane, 1, 2 or 4; at most MOST_ROWS_OF_TABLE for the pair's different letters.
    """
    if words not in (1, 2, 4) or words * pair.symbols > MOST_ROWS_OF_TABLE:
        raise ValueError(f"{words} words of columns for {pair.symbols} letters do not fit the table of equal columns")
    device, count = pair.device, np.size(problems.rows)
    kernels = device.compile(SOURCE, {"PLANES": pair.planes, "WORDS": words, "CHUNK": CHUNK})
    # Strips that only wait take issue slots from those that compute: no more blocks fit than can compute at once.
    table = 128 * words * pair.symbols
    shared_bytes = max(table, device.limits.shared_bytes // RESIDENT_BLOCKS - 1024)
    slots = kernels["bit_parallel"].most_resident_blocks(32, shared_bytes) + 1

    strips, chunks = problems.strips(words), problems.chunks
    of_each = strips, chunks, 2 * _least(strips, slots) * chunks
    before, totals = (0, 0, 0), of_each
    if not isinstance(strips, int):
        before, totals = np.cumsum(of_each, axis=1) - of_each, np.sum(of_each, axis=1).tolist()
    fields = *problems.places, problems.low, problems.high, strips, before[0], chunks, before[1], before[2]
    batch = device.upload(np.ascontiguousarray(np.array(fields).T))
    all_strips, all_chunks, all_borders = 2 * totals[0], 2 * totals[1], totals[2]

    # A few large arrays: a small problem takes less time than a dozen allocations. What a launch does not need is asked
    # for behind it, and the device does not wait for it.
    all_words = all_strips * 32 * words
    sizes = all_words * pair.planes, all_chunks * CHUNK // 4, 2 * all_words, all_borders + 1
    unsigned = device.empty(sum(sizes), np.uint32)
    columns, rows, ends, unwritten = (
        unsigned[end - size : end] for size, end in zip(sizes, accumulate(sizes), strict=True)
    )
    grid = -(-max(all_words * 32, all_chunks * CHUNK) // 256), 3
    kernels["prepare"](
        grid, 256, batch, count, pair.a, pair.b, pair.code_of, columns, rows, unwritten, all_strips, all_chunks,
        all_borders + 1,
    )  # fmt: skip
    signed = device.empty(all_strips + all_words + 2 * count, np.int32)
    passed, values = signed, signed[all_strips:]
    order = passed if isinstance(strips, int) else device.upload(_in_turn(strips))
    kernels["bit_parallel"](
        all_strips, 32, batch, count, columns, rows, order, unwritten, ends, passed, pair.symbols, slots,
        shared_bytes=shared_bytes,
    )  # fmt: skip

    middle_row = device.compile(MIDDLE_ROW, {"WORDS": words, "CHUNK": CHUNK})
    found = device.full(2 * count, ~np.uint64(0))
    best, above = found[:count], found[count:]
    threads = 1024 if count == 1 else 128
    middle_row["middle_values"](2 * count, threads, batch, ends, passed, values, shared_bytes=4 * threads)
    widest = min(-(-(int(np.max(problems.columns)) + 1) // 256), device.limits.grid[1])
    middle_row["best_crossing"]((count, widest), 256, batch, ends, values, best)
    middle_row["cost_above"](-(-count // 256), 256, batch, count, ends, values, best, above)
    crossings = found.get().reshape(2, count)
    cost, column = crossings[0] >> np.uint64(32), crossings[0] & np.uint64(0xFFFFFFFF)
    return Crossings(*(each.astype(np.int64) for each in (cost, column, crossings[1])))

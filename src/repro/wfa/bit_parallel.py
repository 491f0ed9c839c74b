"""Edit distance by banded bit-parallel strips, from both ends of the matrix to its middle row."""

import numpy as np

from repro.wfa.columns import KERNELS, NOT_REACHED
from repro.wfa.packing import PackedPair

CHUNK = 16  # as in kernels/bit_parallel.cu
RESIDENT_BLOCKS = 4  # on a multiprocessor: a warp for each of its schedulers
MOST_PROCESSORS = 264


class BitParallel:
    """A packed pair prepared for the bit-parallel kernel, to be compared within any band.

    words: 32-bit words of rows per lane, 1, 2 or 4: a strip has 1,024 rows per word.
    """

    def __init__(self, pair: PackedPair, words: int) -> None:
        self.pair, self.words = pair, words
        self.half = -(-pair.m // 2), pair.m // 2  # rows of each direction
        strip = 1024 * words
        self.strips = max(1, -(-self.half[0] // strip))
        self.chunks = -(-pair.n // CHUNK)
        self.padding = self.strips * strip - self.half[0], self.strips * strip - self.half[1]
        self._rows = pair.bit_planes(self.strips * strip // 32, self.padding)
        self._columns = pair.byte_codes(self.chunks * CHUNK)

    def cells(self, bound: int) -> int:
        """Cells of the matrix that the strips of both directions compute in the band of `bound`."""
        low, high = self._band(bound)
        strip = 1024 * self.words
        total = 0
        for padding in self.padding:
            top = np.arange(self.strips) * strip - padding
            first = np.maximum(0, np.maximum(0, top) + low) // CHUNK
            last = -(-np.minimum(self.pair.n, top + strip + high) // CHUNK)
            total += int((last - first).sum()) * CHUNK * strip
        return total

    def _band(self, bound: int) -> tuple[int, int]:
        """The lowest and the highest diagonal that a path of cost `bound` can reach."""
        shift = self.pair.n - self.pair.m
        return -((bound - shift) // 2), (bound + shift) // 2

    def distance_within(self, bound: int) -> int:
        """The cost of the cheapest path found in the band that holds every path of cost `bound` or less.

        It is the edit distance if it is at most `bound`; else an upper bound of it.
        bound: at least the difference of the lengths.
        """
        device, n = self.pair.device, self.pair.n
        kernels = device.compile(KERNELS / "bit_parallel.cu", {"PLANES": self.pair.planes, "WORDS": self.words})
        slots = min(self.strips, RESIDENT_BLOCKS * MOST_PROCESSORS + 1)
        bottoms = device.full(2 * slots * self.chunks, ~np.uint32(0))
        middle = device.empty(2 * self.chunks, np.uint32)
        passed = device.empty(2 * self.strips, np.int32)
        values = device.empty(2 * (self.chunks + 1), np.int32)
        tickets = device.zeros(1, np.uint32)
        distance = device.full(1, np.int32(NOT_REACHED))
        band = self.chunks, n, *self._band(bound)
        table = 128 * self.words * self.pair.symbols
        # Strips that only wait take issue slots from those that compute: no more blocks fit than can compute at once.
        shared_bytes = max(table, device.limits.shared_bytes // RESIDENT_BLOCKS - 1024)
        kernels["bit_parallel"](
            2 * self.strips, 32, self._rows, self._columns, bottoms, middle, passed, tickets, self.strips, slots,
            self.pair.symbols, *band, *self.padding, shared_bytes=shared_bytes,
        )  # fmt: skip
        kernels["middle_values"](2, 1024, middle, passed, values, self.strips, *band, *self.half, shared_bytes=4096)
        kernels["best_crossing"](-(-(n + 1) // 256), 256, middle, values, distance, self.strips, *band, *self.half)
        return int(distance.get()[0])

"""Edit distance by wavefronts from both ends that meet: for strings that differ little."""

import numpy as np

from repro.device import Array, BoundKernel, Kernel
from repro.wfa.columns import KERNELS, NOT_REACHED
from repro.wfa.packing import PackedPair
from repro.wfa.pyramid import column_cells

SOURCE = KERNELS / "bidirectional.cu"
EXCHANGE = 4  # columns between two barriers
COLUMNS = 64  # of a launch
NARROW, WIDE = 8, 16  # warps of a block: with fewer a column takes less time, with more fewer diagonals are lost
MOST_NARROW_DIAGONALS = 9500  # a block on each multiprocessor of an NVIDIA H200
LOOKS = 16  # the columns grow by a sixteenth from one look to the next


def kept_diagonals(warps: int) -> int:
    """Diagonals that a block of so many warps brings forward by COLUMNS columns."""
    return warps * (32 - 2 * EXCHANGE) + 2 * EXCHANGE - 2 * COLUMNS


class Bidirectional:
    """Both wavefronts of a packed pair, advanced as far as is asked for.

    most_edits: the largest number of columns either wavefront may ever have. windows: places from which wavefronts
    start at first, the ends of the strings and others at equal distances from them. near: diagonals on either side of
    the main one on which those others may start; even.
    """

    def __init__(self, pair: PackedPair, most_edits: int, windows: int = 1, near: int = 0) -> None:
        self.pair, self.windows, self.near, device = pair, windows, near, pair.device
        kernels = self._kernels(NARROW)
        self.columns, shift = 0, pair.n - pair.m
        self.lowest = min(0, shift) - most_edits - COLUMNS - near
        self.width = max(0, shift) + most_edits + COLUMNS + near - self.lowest + 1
        self._stride = min(pair.m, pair.n) // windows
        rows = device.empty((2, 2, windows * self.width), np.int32)
        self._all_rows = [[rows[turn, way] for way in range(2)] for turn in range(2)]
        self._results = device.empty(1 + 2 * windows, np.int32)  # the distance, and the progress in each window
        self._distance, self._progress = self._results[:1], self._results[1:]
        self._seen = device.host_array(1, np.int32)
        numbers = pair.m, pair.n, self.lowest, self.width
        kernels["bidirectional_start"](
            (-(-self.width // 256), windows), 256, *pair.codes, *self._all_rows[0], *self._all_rows[1], self._distance,
            self._progress, *numbers, self._stride, near,
        )  # fmt: skip
        self._bound: dict[int, list[BoundKernel]] = {}

    def _kernels(self, warps: int) -> dict[str, Kernel]:
        constants = {"BITS": self.pair.bits, "WARPS": warps, "EXCHANGE": EXCHANGE, "COLUMNS": COLUMNS}
        return self.pair.device.compile(SOURCE, constants)

    def advance(self, columns: int, expected: int = 0) -> int | None:
        """Advance until the wavefronts meet or have `columns` columns; the distance, or None if they have not met.

        expected: columns before which they are not likely to meet.
        """
        device, look, look_at = self.pair.device, None, expected
        while self.columns < columns:
            self._advance()
            if self.columns >= look_at:
                # The look before this one, so that the device always has launches to go on with.
                if look is not None:
                    device.finish(look)
                    if self._seen[0] != NOT_REACHED:
                        break
                look = device.copy_out(self._distance, self._seen, after=(device.record(),))
                device.wait(look)
                look_at = self.columns + max(4 * COLUMNS, self.columns // LOOKS)
        distance = int(self._distance.get()[0])
        return distance if distance != NOT_REACHED else None

    def _advance(self) -> None:
        pair, shift, reached = self.pair, self.pair.n - self.pair.m, self.columns + COLUMNS
        reach = reached + self.near
        diagonals = abs(shift) + 2 * reach + 1
        warps = NARROW if self.windows * diagonals <= MOST_NARROW_DIAGONALS else WIDE
        if warps not in self._bound:
            kernel, numbers = self._kernels(warps)["bidirectional"], (pair.m, pair.n, self.lowest, self.width)
            even, odd = self._all_rows
            self._bound[warps] = [
                kernel.bind(32 * warps, *pair.codes, *source, *target, self._distance, *numbers)
                for source, target in ((even, odd), (odd, even))
            ]
        grid = -(-diagonals // kept_diagonals(warps)), self.windows
        turn = self.columns // COLUMNS % 2
        self._bound[warps][turn](grid, min(0, shift) - reach - self.lowest, self.columns)
        self.columns = reached

    @property
    def rows(self) -> list[Array]:
        """The furthest rows of the forward and of the backward wavefront by diagonal, windows one after the other.

        The first diagonal is `lowest`, and they are in the order of the matrix.
        """
        return self._all_rows[self.columns // COLUMNS % 2]

    @property
    def cells(self) -> int:
        """Cells of both pyramids within the columns so far."""
        return 2 * sum(column_cells(r, self.pair.m, self.pair.n) for r in range(self.columns + 1))

    def edits_per_letter(self) -> float:
        """How many edits a letter costs: the mean over both directions of all windows that have not come to the end."""
        pair = self.pair
        numbers = pair.m, pair.n, self.lowest, self.width, self._stride, self.near
        grid = -(-self.width // 256), self.windows
        self._kernels(NARROW)["bidirectional_progress"](grid, 256, *self.rows, self._progress, *numbers)
        progress = np.maximum(1, self._progress.get().reshape(self.windows, 2))
        ends = min(pair.m, pair.n) - self._stride * np.arange(self.windows) - self.near
        inside = progress < ends[:, np.newaxis]
        inside[0] = True
        return float(np.mean(self.columns / progress[inside]))

"""Edit distance by wavefronts from both ends that meet: for strings that differ little."""

import numpy as np

from repro.wfa.columns import KERNELS, NOT_REACHED
from repro.wfa.packing import PackedPair
from repro.wfa.pyramid import column_cells

WARPS = 16  # of a block
EXCHANGE = 4  # columns between two barriers
COLUMNS = 64  # of a launch
DIAGONALS = WARPS * (32 - 2 * EXCHANGE) + 2 * EXCHANGE - 2 * COLUMNS  # that a block brings forward
LOOKS = 8  # the columns grow by an eighth from one look to the next


class Bidirectional:
    """Both wavefronts of a packed pair, advanced as far as is asked for.

    most_edits: the largest number of columns either wavefront may ever have. windows: places from which wavefronts
    start at first, the ends of the strings and others at equal distances from them. near: diagonals on either side of
    the main one on which those others may start; even. rows: the furthest rows of the forward and of the backward
    wavefront by diagonal, and the arrays for the next ones; the first diagonal is `lowest`, in the order of the matrix.
    """

    def __init__(self, pair: PackedPair, most_edits: int, windows: int = 1, near: int = 0) -> None:
        self.pair, self.windows, self.near, device = pair, windows, near, pair.device
        constants = {"BITS": pair.bits, "WARPS": WARPS, "EXCHANGE": EXCHANGE, "COLUMNS": COLUMNS}
        self._kernels = device.compile(KERNELS / "bidirectional.cu", constants)
        self.columns, shift = 0, pair.n - pair.m
        self.lowest = min(0, shift) - most_edits - COLUMNS - near
        self.width = max(0, shift) + most_edits + COLUMNS + near - self.lowest + 1
        self._stride = min(pair.m, pair.n) // windows
        rows = device.empty((2, 2, windows * self.width), np.int32)
        self.rows = [[rows[turn, way] for way in range(2)] for turn in range(2)]
        self._results = device.empty(1 + 2 * windows, np.int32)  # the distance, and the progress in each window
        self._distance, self._progress = self._results[:1], self._results[1:]
        self._seen = device.host_array(1, np.int32)
        numbers = pair.m, pair.n, self.lowest, self.width
        self._kernels["bidirectional_start"](
            (-(-self.width // 256), windows), 256, *pair.codes, *self.rows[0], *self.rows[1], self._distance,
            self._progress, *numbers, self._stride, near,
        )  # fmt: skip
        self._launches = [
            self._kernels["bidirectional"].bind(32 * WARPS, *pair.codes, *source, *target, self._distance, *numbers)
            for source, target in (self.rows, self.rows[::-1])
        ]

    def advance(self, columns: int) -> int | None:
        """Advance until the wavefronts meet or have `columns` columns; the distance, or None if they have not met."""
        device, look, look_at = self.pair.device, None, self.columns
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
                look_at = self.columns + self.columns // LOOKS
        distance = int(self._distance.get()[0])
        return distance if distance != NOT_REACHED else None

    def _advance(self) -> None:
        shift, reached = self.pair.n - self.pair.m, self.columns + COLUMNS
        reach = reached + (self.near if self.windows > 1 else 0)
        blocks = -(-(abs(shift) + 2 * reach + 1) // DIAGONALS)
        self._launches[0]((blocks, self.windows), min(0, shift) - reach - self.lowest, self.columns)
        self._launches.reverse()
        self.rows.reverse()
        self.columns = reached

    @property
    def cells(self) -> int:
        """Cells of both pyramids within the columns so far."""
        return 2 * sum(column_cells(r, self.pair.m, self.pair.n) for r in range(self.columns + 1))

    def edits_per_letter(self) -> float:
        """How many edits a letter costs, the mean over all windows and both directions; from now on only the first."""
        numbers = self.pair.m, self.pair.n, self.lowest, self.width, self._stride, self.near
        grid = -(-self.width // 256), self.windows
        self._kernels["bidirectional_progress"](grid, 256, *self.rows[0], self._progress, *numbers)
        self.windows = 1
        return float(np.mean(self.columns / np.maximum(1, self._progress.get())))

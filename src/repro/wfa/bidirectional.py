"""Edit distance by wavefronts from both ends that meet: for strings that differ little."""

import numpy as np

from repro.wfa.columns import KERNELS, NOT_REACHED
from repro.wfa.packing import PackedPair
from repro.wfa.pyramid import column_cells

DIAGONALS, COLUMNS = 256, 64  # of a block, in one launch
UNREACHED = -(1 << 30)  # as in kernels/bidirectional.cu


class Bidirectional:
    """Both wavefronts of a packed pair, advanced as far as is asked for.

    most_edits: the largest number of columns either wavefront may ever have.
    """

    def __init__(self, pair: PackedPair, most_edits: int) -> None:
        self.pair, device = pair, pair.device
        constants = {"BITS": pair.bits, "DIAGONALS": DIAGONALS, "COLUMNS": COLUMNS}
        kernels = device.compile(KERNELS / "bidirectional.cu", constants)
        self._advance = kernels["bidirectional"]
        self.columns, shift = 0, pair.n - pair.m
        self.lowest = min(0, shift) - most_edits - COLUMNS
        self.width = max(0, shift) + most_edits + COLUMNS - self.lowest + 1
        self._rows = [[device.full(self.width, np.int32(UNREACHED)) for _ in range(2)] for _ in range(2)]
        self._distance = device.full(1, np.int32(NOT_REACHED))
        kernels["bidirectional_start"](1, 32, *pair.codes, *self._rows[0], self._distance, pair.m, pair.n, self.lowest)

    def advance(self, columns: int) -> int | None:
        """Advance until the wavefronts meet or have `columns` columns; the distance, or None if they have not met."""
        m, n = self.pair.m, self.pair.n
        shift, keep = n - m, DIAGONALS - 2 * COLUMNS
        read_at = self.columns
        while True:
            if self.columns >= min(read_at, columns):
                distance = int(self._distance.get()[0])
                if distance != NOT_REACHED:
                    return distance
                if self.columns >= columns:
                    return None
                # A launch after they met costs little, a read makes the device wait.
                read_at = self.columns + max(COLUMNS, self.columns // 4)
            reached = self.columns + COLUMNS
            first = min(0, shift) - reached - self.lowest
            grid = -(-(abs(shift) + 2 * reached + 1) // keep)
            source, target = self._rows
            numbers = m, n, self.lowest, first, self.width, self.columns
            self._advance(grid, 2 * DIAGONALS, *self.pair.codes, *source, *target, self._distance, *numbers)
            self._rows.reverse()
            self.columns = reached

    @property
    def cells(self) -> int:
        """Cells of both pyramids within the columns so far."""
        return 2 * sum(column_cells(r, self.pair.m, self.pair.n) for r in range(self.columns + 1))

    def furthest(self) -> int:
        """The furthest row that the forward wavefront has reached."""
        return int(self._rows[0][0].get().max())

"""Edit distance by wavefronts from both ends that meet: for strings that differ little."""

import numpy as np

from repro.device import Array
from repro.wfa.columns import KERNELS, NOT_REACHED
from repro.wfa.packing import PackedPair
from repro.wfa.pyramid import column_cells

DIAGONALS, COLUMNS, EACH = 512, 64, 4  # of a block, in one launch; neighbouring diagonals of a thread
UNREACHED = -(1 << 30)  # as in kernels/bidirectional.cu


class Bidirectional:
    """Both wavefronts of a packed pair, advanced as far as is asked for.

    most_edits: the largest number of columns either wavefront may ever have.
    """

    def __init__(self, pair: PackedPair, most_edits: int) -> None:
        self.pair, device = pair, pair.device
        constants = {"BITS": pair.bits, "DIAGONALS": DIAGONALS, "COLUMNS": COLUMNS, "EACH": EACH}
        self._kernels = device.compile(KERNELS / "bidirectional.cu", constants)
        self.columns, shift = 0, pair.n - pair.m
        self.lowest = min(0, shift) - most_edits - COLUMNS
        self.width = max(0, shift) + most_edits + COLUMNS - self.lowest + 1
        self._rows = [[device.full(self.width, np.int32(UNREACHED)) for _ in range(2)] for _ in range(2)]
        self._results = device.full(2, np.int32(NOT_REACHED))  # where the launch began that met; the distance
        start, m, n = self._kernels["bidirectional_start"], pair.m, pair.n
        start(1, 32, *pair.codes, *self._rows[0], self._results[1:], m, n, self.lowest)

    def advance(self, columns: int) -> int | None:
        """Advance until the wavefronts meet or have `columns` columns; the distance, or None if they have not met."""
        kernel, read_at = self._kernels["bidirectional"], 0
        while True:
            if self.columns >= min(read_at, columns):
                met, distance = map(int, self._results.get())
                if met != NOT_REACHED:
                    self._end(met)
                    distance = int(self._results[1:].get()[0])
                if distance != NOT_REACHED:
                    return distance
                if self.columns >= columns:
                    return None
                # A launch after they met costs little, a read makes the device wait.
                read_at = self.columns + max(COLUMNS, self.columns // 4)
            grid, numbers = self._launch(self.columns)
            source, target = self._at(self.columns), self._at(self.columns + COLUMNS)
            kernel(grid, 2 * DIAGONALS // EACH, *self.pair.codes, *source, *target, self._results[:1], *numbers)
            self.columns += COLUMNS

    def _at(self, column: int) -> list[Array]:
        """Where the rows of a column lie, forward and backward."""
        return self._rows[column // COLUMNS % 2]

    def _launch(self, column: int) -> tuple[int, tuple[int, ...]]:
        """Blocks and numbers of the launch that begins at a column."""
        m, n, reached = self.pair.m, self.pair.n, column + COLUMNS
        first = min(0, n - m) - reached - self.lowest
        grid = -(-(abs(n - m) + 2 * reached + 1) // (DIAGONALS - 2 * COLUMNS))
        return grid, (m, n, self.lowest, first, self.width, column)

    def _end(self, column: int) -> None:
        """Find the distance: the wavefronts met in the launch that began at `column`."""
        grid, numbers = self._launch(column)
        end, threads = self._kernels["bidirectional_end"], 2 * DIAGONALS // EACH
        end(grid, threads, *self.pair.codes, *self._at(column), self._results[1:], *numbers)

    @property
    def cells(self) -> int:
        """Cells of both pyramids within the columns so far."""
        return 2 * sum(column_cells(r, self.pair.m, self.pair.n) for r in range(self.columns + 1))

    def furthest(self) -> int:
        """The furthest row that the forward wavefront has reached."""
        return int(self._at(self.columns)[0].get().max())

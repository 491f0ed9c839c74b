"""Edit distance by wavefronts from both ends that meet: for strings that differ little."""

import numpy as np

from repro.device import Array, BoundKernel, Kernel
from repro.wfa.columns import KERNELS, NOT_REACHED
from repro.wfa.packing import FURTHER, PackedPair
from repro.wfa.pyramid import column_cells

SOURCE = KERNELS / "bidirectional.cu"
EXCHANGE = 4  # columns between two barriers
WARPS = 16  # of a block
LONG, SHORT = 128, 64  # columns of a launch: of longer ones there are fewer, of shorter ones fewer diagonals are lost
MOST_OF_LONG = 17_900  # diagonals of both directions: a block on each multiprocessor of an NVIDIA H200
LOOKS = 32  # the columns grow by so much of them from one look to the next
APART = 0.9  # of the columns expected


def kept_diagonals(columns: int) -> int:
    """Diagonals that a block brings forward by so many columns."""
    return WARPS * (32 - 2 * EXCHANGE) + 2 * EXCHANGE - 2 * columns


class Bidirectional:
    """Both wavefronts of a packed pair, advanced as far as is asked for.

    most_edits: the largest number of columns either wavefront may ever have. windows: places from which wavefronts
    start, the ends of the strings and others at equal distances from them, which `advance` leaves behind. near:
    diagonals on either side of the main one on which those others may start; even.
    """

    def __init__(self, pair: PackedPair, most_edits: int, windows: int = 1, near: int = 0) -> None:
        self.pair, self.windows, self.near, device = pair, windows, near, pair.device
        self._probing = windows > 1
        shift = pair.n - pair.m
        self.lowest = min(0, shift) - most_edits - LONG - near
        self.width = max(0, shift) + most_edits + LONG + near - self.lowest + 1
        self._stride = min(pair.m, pair.n) // windows
        size = 2 * windows * self.width
        memory = device.empty(2 * size + 1 + 2 * windows, np.int32)
        self._all_rows = memory[:size], memory[size : 2 * size]
        self._results = memory[2 * size :]  # the distance, and the progress in each window
        self._compiled: dict[int, dict[str, Kernel]] = {}
        self._bound: dict[tuple[int, bool, int], BoundKernel] = {}
        self._start()

    def _start(self) -> None:
        pair = self.pair
        numbers = pair.m, pair.n, self.lowest, self.width
        self.columns = self._turn = 0
        self._kernels(LONG)["bidirectional_start"](
            (-(-self.width // 256), self.windows), 256, pair.codes, *self._all_rows, self._results, *numbers,
            self._stride, self.near,
        )  # fmt: skip

    def _kernels(self, columns: int) -> dict[str, Kernel]:
        if columns not in self._compiled:
            widths = {"BITS": self.pair.bits, "WARPS": WARPS, "FURTHER": FURTHER}
            constants = widths | {"EXCHANGE": EXCHANGE, "COLUMNS": columns}
            self._compiled[columns] = self.pair.device.compile(SOURCE, constants)
        return self._compiled[columns]

    def advance(self, columns: int, expected: int = 0) -> int | None:
        """Advance until the wavefronts meet or have `columns` columns; the distance, or None if they have not met.

        expected: columns at which they are likely to meet; to have met long before costs time, as all is done again.
        """
        began, self._probing = self.columns, False
        while self.columns + LONG <= min(APART * expected, columns - 1):
            self._advance(apart=True)
        apart, look_at, found = self.columns, expected, NOT_REACHED
        while self.columns < columns and found == NOT_REACHED:
            self._advance()
            if look_at <= self.columns:
                found = int(self._results.get()[0])
                look_at = self.columns + max(LONG, self.columns // LOOKS)
        if found == NOT_REACHED:
            found = int(self._results.get()[0])
        if began < apart and found <= 2 * apart:
            self._start()
            return self.advance(columns)
        return _distance_or_none(found)

    def probe(self, columns: int, apart: bool = False) -> tuple[int | None, float, float]:
        """Advance to `columns` columns; the distance, or None, and edits per letter, at the ends and anywhere.

        Both are means over the directions, the second one of all windows that have not come to the end. apart: whether
        the wavefronts meet is not looked at.
        """
        while self.columns < columns:
            self._advance(apart)
        pair, near = self.pair, self.near
        numbers = pair.m, pair.n, self.lowest, self.width, self._stride, near
        grid = -(-self.width // 256), self.windows
        self._kernels(LONG)["bidirectional_progress"](grid, 256, self._all_rows[self._turn], self._results, *numbers)
        distance, *progress = self._results.get().tolist()
        ends = [min(pair.m, pair.n) - window * self._stride - near for window in range(self.windows)]
        edits = [
            self.columns / max(1, letters)
            for x, letters in enumerate(progress)
            if x < 2 or max(1, letters) < ends[x // 2]
        ]
        return _distance_or_none(distance), (edits[0] + edits[1]) / 2, sum(edits) / len(edits)

    def _advance(self, apart: bool = False) -> None:
        pair, windows = self.pair, self.windows if self._probing else 1
        for columns in (LONG, SHORT):
            reach = self.columns + columns + (self.near if self._probing else 0)
            # Apart, each wavefront has blocks of its own, on its own diagonals; together, they share theirs.
            lowest, shift = (-reach, 0) if apart else (min(0, pair.n - pair.m) - reach, abs(pair.n - pair.m))
            diagonals = shift + 2 * reach + 1
            if windows * diagonals * (2 if apart else 1) <= MOST_OF_LONG:
                break
        launch = self._bound.get((columns, apart, self._turn))
        if launch is None:
            kernel = self._kernels(columns)["wavefronts_apart" if apart else "bidirectional"]
            met, numbers = [] if apart else [self._results], (pair.m, pair.n, self.lowest, self.width)
            rows = self._all_rows[self._turn], self._all_rows[1 - self._turn]
            launch = kernel.bind(32 * WARPS, pair.codes, *rows, *met, *numbers)
            self._bound[columns, apart, self._turn] = launch
        blocks = -(-diagonals // kept_diagonals(columns))
        if apart:
            launch((blocks, windows, 2), lowest)
        else:
            launch((blocks, windows), lowest - self.lowest, self.columns)
        self.columns += columns
        self._turn = 1 - self._turn

    @property
    def rows(self) -> list[Array]:
        """The furthest rows of the forward and of the backward wavefront from the ends of the strings.

        The first diagonal is `lowest`, and they are in the order of the matrix.
        """
        rows, width = self._all_rows[self._turn], self.width
        return [rows[:width], rows[width : 2 * width]]

    @property
    def cells(self) -> int:
        """Cells of both pyramids within the columns so far."""
        return 2 * int(column_cells(np.arange(self.columns + 1), self.pair.m, self.pair.n).sum())


def _distance_or_none(found: int) -> int | None:
    return found if found != NOT_REACHED else None

"""The geometry of the wavefront pyramid: how many cells its columns and tiles have."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Letters = NDArray[np.uint8]


@dataclass(frozen=True)
class Outcome:
    """What a variant returns: the edit distance, and on demand how many cells of the pyramid it computed."""

    distance: int
    count_cells: Callable[[], int] = field(repr=False, compare=False)

    @cached_property
    def cells(self) -> int:
        """Cells computed, those of columns after the last needed one included."""
        return self.count_cells()


def column_cells(r: NDArray[np.integer], m: int, n: int) -> NDArray[np.int64]:
    """Cells of columns r: diagonals -min(r, m) to min(r, n) of each."""
    cells: NDArray[np.int64] = np.minimum(r, m).astype(np.int64) + np.minimum(r, n) + 1
    return cells


@dataclass(frozen=True)
class Tile:
    """The diamonds of side `length` into which a pyramid of diagonals -m to n is cut (sections 4.2.2, 4.2.3).

    Band b starts at column b length; its centres are -b length, (2 - b) length, .. b length. A tile has 2 length - 2 a
    cells on the diagonal a away from its centre.
    """

    length: int
    m: int
    n: int

    def band(self, b: int, lowest: int, highest: int) -> tuple[int, int]:
        """First centre and number of the tiles of band b that hold a diagonal and have their centres in a range.

        lowest, highest: the range. At least one tile, so that every band is a launch.
        """
        reach = self.length - 1
        low = max(lowest, -b * self.length, -self.m - reach)
        high = min(highest, b * self.length, self.n + reach)
        first = -(-(low + b * self.length) // (2 * self.length))
        last = (high + b * self.length) // (2 * self.length)
        return (2 * first - b) * self.length, max(1, last - first + 1)

    def cells(self, launched: Sequence[tuple[int, int]]) -> int:
        """Cells within diagonals -m to n of all tiles launched, given as (first centre, number of tiles)."""
        return sum(
            sum(map(self._tile_cells, {first, last}))
            + 2 * self.length**2 * max(0, tiles - 2)  # between the two outermost, every tile lies inside
            for first, tiles in launched
            for last in [first + 2 * self.length * (tiles - 1)]
        )

    def _tile_cells(self, centre: int) -> int:
        low, high = max(1 - self.length, -self.m - centre), min(self.length - 1, self.n - centre)
        return sum(2 * (self.length - abs(offset)) for offset in range(low, high + 1))

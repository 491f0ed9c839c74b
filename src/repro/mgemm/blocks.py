"""Vectors on a device in the layout of the kernels, and which of their combinations are to be computed."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from repro.device import Array


@dataclass(frozen=True)
class Block:
    """Consecutive vectors on a device, in the layout of the kernels (words.cuh); `Engine.upload` makes one.

    A slice, block[a:b], is a view of the same memory. data: (words / group, pitch, group). all_totals: the sum of every
    vector that lies in `data`. start, count: which of them the block is.
    """

    data: Array
    all_totals: Array
    start: int
    count: int

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, part: slice) -> "Block":
        first, last, step = part.indices(self.count)
        assert step == 1
        return Block(self.data, self.all_totals, self.start + first, max(0, last - first))

    @property
    def words(self) -> int:
        """Words of every vector, with those of zeros behind its end."""
        return self.data.shape[0] * self.data.shape[2]

    @property
    def pitch(self) -> int:
        """Vectors that lie side by side in memory."""
        return self.data.shape[1]

    @property
    def totals(self) -> Array:
        """The sum of each vector's fields, (vectors,) on the device: float64 of floats, int64 of integers."""
        return self.all_totals[self.start : self.start + self.count]

    @property
    def sums(self) -> NDArray[Any]:
        """`totals` on the host."""
        return self.totals.get()


@dataclass(frozen=True)
class Triples:
    """Which triples (i, j, k) to compute: rows i, pivots j, columns k; every combination of them, or in order only.

    rows_before: rows and pivots are views of one upload, and only rows before the pivot count. columns_behind: pivots
    and columns are, and only columns behind the pivot count. The results of a pivot are a rectangle of rows x columns;
    those of all pivots lie one after another.
    """

    rows: Block
    pivots: Block
    columns: Block
    rows_before: bool = False
    columns_behind: bool = False

    @cached_property
    def shapes(self) -> list[tuple[int, int]]:
        """Rows and columns of each pivot's rectangle: the first rows, and the last columns."""
        before, row_step, skipped, column_step = self.steps
        return [
            (
                min(max(before + z * row_step, 0), len(self.rows)),
                len(self.columns) - min(max(skipped + z * column_step, 0), len(self.columns)),
            )
            for z in range(len(self.pivots))
        ]

    @property
    def count(self) -> int:
        """Number of results."""
        return sum(rows * columns for rows, columns in self.shapes)

    @property
    def steps(self) -> tuple[int, int, int, int]:
        """Rows before pivot 0 and by how many they grow from pivot to pivot; the same of columns not behind it."""
        first = self.pivots.start
        return (
            *((first - self.rows.start, 1) if self.rows_before else (len(self.rows), 0)),
            *((first + 1 - self.columns.start, 1) if self.columns_behind else (0, 0)),
        )

    def parts(self, pivots: int) -> "Iterator[Triples]":
        """The same triples, at most `pivots` pivots at a time."""
        for first in range(0, len(self.pivots), pivots):
            yield replace(self, pivots=self.pivots[first : first + pivots])

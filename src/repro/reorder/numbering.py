"""The numbering of matrix elements: anti-diagonals become rows, so that what is computed together lies together.

Section "Numbering of matrix elements". The element (i, j) of a matrix gets the place (i + j, j) of a new one. Its four
properties: (1) the new row is the iteration of the loop that computes the element, (2) the column stays, (3) there are
rows + columns - 1 new rows, (4) as many columns as before. Indices count from 0.
"""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Index = TypeVar("Index", int, NDArray[np.int64])


@dataclass(frozen=True)
class Numbering:
    """The numbering of a matrix of `rows` x `columns` elements, both at least 1.

    The fewer columns, the fewer words are added: of two sequences the longer one belongs to the rows.
    """

    rows: int
    columns: int

    @property
    def new_rows(self) -> int:
        """Rows of the renumbered matrix (property 3)."""
        return self.rows + self.columns - 1

    @property
    def words(self) -> int:
        """Elements of the renumbered matrix, those that are never used included."""
        return self.new_rows * self.columns

    @property
    def extra_words(self) -> int:
        """Elements that the renumbered matrix has more than the original: n (n - 1) for n columns."""
        return self.columns * (self.columns - 1)

    def number(self, i: Index, j: Index) -> tuple[Index, Index]:
        """Row and column of element (i, j) in the renumbered matrix."""
        return i + j, j

    def original(self, row: Index, column: Index) -> tuple[Index, Index]:
        """The reverse numbering: which element stands at (row, column) of the renumbered matrix."""
        return row - column, column

    def neighbours(self, row: int, column: int) -> dict[str, tuple[int, int]]:
        """Where the three elements stand that the one at (row, column) of the renumbered matrix is computed from."""
        return {"diagonal": (row - 2, column - 1), "up": (row - 1, column), "left": (row - 1, column - 1)}

    def used(self) -> NDArray[np.bool_]:
        """Which elements of the renumbered matrix hold one of the original: shape (new_rows, columns)."""
        i, _ = self.original(*np.indices((self.new_rows, self.columns)))
        mask: NDArray[np.bool_] = (i >= 0) & (i < self.rows)
        return mask

    def renumber(self, matrix: NDArray[Any], unused: Any) -> NDArray[Any]:
        """The renumbered copy of a (rows, columns) matrix, with `unused` where no element stands."""
        renumbered = np.full((self.new_rows, self.columns), unused, matrix.dtype)
        renumbered[self.number(*np.indices(matrix.shape))] = matrix
        return renumbered

    def restore(self, renumbered: NDArray[Any]) -> NDArray[Any]:
        """The original (rows, columns) matrix of a renumbered one."""
        restored: NDArray[Any] = renumbered[self.number(*np.indices((self.rows, self.columns)))]
        return restored

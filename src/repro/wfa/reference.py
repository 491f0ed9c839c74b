"""Edit distance on the CPU: Wagner-Fischer, and the wavefront pyramid cell by cell. Independent of the kernels."""

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

Letters = NDArray[np.uint8]


@numba.njit(cache=True)
def wagner_fischer(a: Letters, b: Letters) -> int:
    """Edit distance by Eq. (1), one row of the matrix at a time: O(m n) time, O(n) memory.

    a, b: letters, uint8 of shape (m,) and (n,); compared for equality.
    """
    row = np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        diagonal = row[0]
        row[0] = i
        for j in range(1, len(b) + 1):
            above = row[j]
            row[j] = min(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]))
            diagonal = above
    return int(row[len(b)])


@dataclass(frozen=True)
class Pyramid:
    """The wavefront pyramid of a pair: `columns[r][k]` is W(k, r), the furthest radius of diagonal k after r edits."""

    distance: int
    columns: list[dict[int, int]]

    @property
    def cells_per_column(self) -> list[int]:
        """How many cells each column computes."""
        return [len(column) for column in self.columns]


def wavefront(a: Letters, b: Letters, diamond: bool = False) -> Pyramid:
    """The whole pyramid by Eqs. (6) to (8), corrected, in radius coordinates: what a kernel must agree with.

    A diagonal k = j - i runs from -len(a) to len(b). diamond: leave out what lies outside the dynamic diamond, Eq. (9)
    corrected, its furthest column R lowered after each column (section 4.3). Time and memory O(d^2): for short strings.
    """
    m, n = len(a), len(b)
    solution, furthest = n - m, max(m, n)
    columns: list[dict[int, int]] = []
    while not columns or columns[-1].get(solution, -1) < min(m, n):
        r = len(columns)
        low, high = max(-r, -m), min(r, n)
        if diamond:
            low, high = max(low, solution - (furthest - r)), min(high, solution + (furthest - r))
        column: dict[int, int] = {}
        for k in range(low, high + 1):
            steps = [0] if r == 0 else []
            for neighbour, adds in ((k + 1, k >= 0), (k, True), (k - 1, k <= 0)):
                if r and neighbour in columns[-1]:
                    steps.append(columns[-1][neighbour] + adds)
            i, j = max(steps) + max(0, -k), max(steps) + max(0, k)
            while i < m and j < n and a[i] == b[j]:
                i, j = i + 1, j + 1
            column[k] = min(i, j)
        columns.append(column)
        if solution in column:
            furthest = min(furthest, min(m, n) - column[solution] + r)
    return Pyramid(len(columns) - 1, columns)

"""Memory transactions that the address pattern of the paper's two variants asks for, access by access of each warp.

The paper's reason for the speed of the renumbered matrix: the accesses of a warp are combined into one transaction
instead of 32. Counted here are the 32-byte sectors and 128-byte transactions that its active lanes' addresses touch.
"""

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from repro.reorder.variants import RENUMBERED, ROW_MAJOR, Layout

WARP = 32
SECTOR_BYTES, TRANSACTION_BYTES = 32, 128
KINDS = ("score stores", "score stores of full warps", "score loads", "letter loads")
STORES, FULL_STORES, LOADS, LETTERS = range(len(KINDS))


@dataclass(frozen=True)
class Traffic:
    """Global memory accesses of one kind: warp instructions, and the sectors and transactions they touch."""

    accesses: int
    sectors: int
    transactions: int


def count(layout: Layout, m: int, n: int, size: int, matrix: int = 0, a: int = 0, b: int = 0) -> dict[str, Traffic]:
    """The traffic of filling the matrix of m and n letters in squares of `size` x `size`, by kind.

    matrix, a, b: the arrays' addresses in bytes; by default each begins a transaction.
    """
    counts = np.zeros((len(KINDS), 3), np.int64)
    addresses = np.array([matrix, a, b], np.int64)
    walk = {ROW_MAJOR: _row_major_square, RENUMBERED: _renumbered_square}[layout]
    for launch in layout.launches(m, n, size):
        for square in range(launch.first_square, launch.first_square + launch.squares):
            walk(counts, addresses, m, n, size, (launch.diagonal - square) * size, square * size)
    return {kind: Traffic(*row) for kind, row in zip(KINDS, counts.tolist(), strict=True)}


@numba.njit(cache=True)
def _tally(counts: NDArray[np.int64], kind: int, lanes: NDArray[np.int64], active: int) -> None:
    """Add one warp access; the addresses of the active lanes rise or fall steadily, so equal ones are neighbours."""
    if active == 0:
        return
    counts[kind, 0] += 1
    for column, size in ((1, SECTOR_BYTES), (2, TRANSACTION_BYTES)):
        counts[kind, column] += 1
        for k in range(1, active):
            counts[kind, column] += lanes[k] // size != lanes[k - 1] // size


@numba.njit(cache=True)
def _row_major_square(counts, addresses, m, n, size, first_row, first_column):  # type: ignore[no-untyped-def]
    f, a, b = addresses
    rows, columns = min(size, m - first_row), min(size, n - first_column)
    lanes = np.empty((5, WARP), np.int64)
    active = np.empty(5, np.int64)
    for warp in range(0, size, WARP):
        active[:] = 0
        for t in range(warp, min(warp + WARP, size)):
            row, column = first_row + t, first_column + t
            if t < rows:
                if first_column > 0:
                    lanes[0, active[0]] = f + 4 * (row * n + first_column - 1)
                    active[0] += 1
                lanes[1, active[1]] = a + row
                active[1] += 1
            if t < columns:
                if first_row > 0:
                    lanes[2, active[2]] = f + 4 * ((first_row - 1) * n + column)
                    active[2] += 1
                if first_row > 0 and column > 0:
                    lanes[3, active[3]] = f + 4 * ((first_row - 1) * n + column - 1)
                    active[3] += 1
                lanes[4, active[4]] = b + column
                active[4] += 1
        for access, kind in enumerate((LOADS, LETTERS, LOADS, LOADS, LETTERS)):
            _tally(counts, kind, lanes[access], active[access])
        for step in range(rows + columns - 1):
            stored = 0
            for t in range(warp, min(warp + WARP, columns)):
                if 0 <= step - t < rows:
                    lanes[0, stored] = f + 4 * ((first_row + step - t) * n + first_column + t)
                    stored += 1
            _tally(counts, STORES, lanes[0], stored)
            if stored == WARP:
                _tally(counts, FULL_STORES, lanes[0], stored)


@numba.njit(cache=True)
def _renumbered_square(counts, addresses, m, n, size, first_row, first_column):  # type: ignore[no-untyped-def]
    f, a, b = addresses
    rows = min(size, m + n - 1 - first_row)
    first_letter = first_row - first_column - (size - 1)
    lanes = np.empty((6, WARP), np.int64)
    active = np.empty(6, np.int64)
    for warp in range(0, size, WARP):
        active[:] = 0
        for t in range(warp, min(warp + WARP, size)):
            column = first_column + t
            for half in range(2):
                letter = first_letter + t + half * size
                if t + half * size < 2 * size - 1 and 0 <= letter < m:
                    lanes[half, active[half]] = a + letter
                    active[half] += 1
            row = first_row + t - 1
            if first_column > 0 and 0 <= row - first_column + 1 < m:
                lanes[2, active[2]] = f + 4 * (row * n + first_column - 1)
                active[2] += 1
            if column < n:
                if 0 <= first_row - 1 - column < m:
                    lanes[3, active[3]] = f + 4 * ((first_row - 1) * n + column)
                    active[3] += 1
                if column > 0 and 0 <= first_row - 1 - column < m:
                    lanes[4, active[4]] = f + 4 * ((first_row - 2) * n + column - 1)
                    active[4] += 1
                lanes[5, active[5]] = b + column
                active[5] += 1
        for access, kind in enumerate((LETTERS, LETTERS, LOADS, LOADS, LOADS, LETTERS)):
            _tally(counts, kind, lanes[access], active[access])
        for row in range(first_row, first_row + rows):
            stored = 0
            for column in range(first_column + warp, min(first_column + min(warp + WARP, size), n)):
                if 0 <= row - column < m:
                    lanes[0, stored] = f + 4 * (row * n + column)
                    stored += 1
            _tally(counts, STORES, lanes[0], stored)
            if stored == WARP:
                _tally(counts, FULL_STORES, lanes[0], stored)

"""The results of a tile one after another, in the order in which they are stored: row by row, column by column."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from repro.mgemm.schedule import Tile


def flat(tile: Tile, values: NDArray[Any]) -> NDArray[Any]:
    """The results of a tile, (count,); values: (rows, columns)."""
    if not tile.triangle:
        return np.ascontiguousarray(values).reshape(-1)
    result = np.empty(tile.count, values.dtype)
    _behind_the_diagonal(values, tile.rows.start - tile.columns.start, result)
    return result


def indices(tile: Tile) -> NDArray[np.uint32]:
    """The vectors of every result in the order of `flat`, (count, 2 or 3), each row ascending."""
    rows, columns = np.indices((len(tile.rows), len(tile.columns)), np.uint32)
    return _ascending(tile, flat(tile, rows), flat(tile, columns))


def at_least(tile: Tile, values: NDArray[Any], threshold: float) -> tuple[NDArray[np.uint32], NDArray[Any]]:
    """Vectors, as `indices` gives them, and values of the results that reach the threshold."""
    rows, columns = np.nonzero(values >= threshold)
    if tile.triangle:
        kept = columns + tile.columns.start > rows + tile.rows.start
        rows, columns = rows[kept], columns[kept]
    return _ascending(tile, rows, columns), values[rows, columns]


def _ascending(tile: Tile, rows: NDArray[Any], columns: NDArray[Any]) -> NDArray[np.uint32]:
    found = np.empty((len(rows), 2 if tile.pivot is None else 3), np.uint32)
    found[:, 0] = rows + tile.rows.start
    found[:, 1] = columns + tile.columns.start
    if tile.pivot is not None:
        found[:, 2] = tile.pivot
    found.sort(axis=1)
    return found


@numba.njit(cache=True, nogil=True)
def _behind_the_diagonal(values: Any, first: int, result: Any) -> None:
    """Copy the columns behind the diagonal; first: row number minus column number at [0, 0]."""
    position = 0
    for row in range(values.shape[0]):
        start = max(0, row + first + 1)
        for column in range(start, values.shape[1]):
            result[position] = values[row, column]
            position += 1

"""The similarities on the CPU, blocked as a matrix product and on all cores: what table 2 compares GPUs with."""

from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from repro.bench.variant import Variant
from repro.mgemm.metrics import ACCUMULATED, field_sums, numerators3, quotients2, quotients3
from repro.mgemm.schedule import Tile

ROWS, COLUMNS, DEPTH = 32, 128, 256  # of a tile of results, and of the fields that stay in cache beside it


def numerators(rows: NDArray[Any], columns: NDArray[Any], upper: bool = False) -> NDArray[Any]:
    """n2 of every row with every column, (rows, columns) of the accumulation type.

    rows, columns: (vectors, fields) of float32, float64 or uint8, or (vectors, words) of packed bits. Fields are added
    in their order. upper: only results whose column is behind their row are needed; tiles before them are left 0.
    """
    result = np.zeros((len(rows), len(columns)), ACCUMULATED[rows.dtype])
    (_bits if rows.dtype == np.uint32 else _minima)(rows, np.ascontiguousarray(columns.T), result, upper)
    return result


def similarities(values: NDArray[Any], way: int, precision: Any = None) -> Iterator[tuple[Tile, NDArray[Any]]]:
    """Every similarity as tiles with their values, (rows, columns); of pairs one tile, of triples one for each pivot.

    values: as for `numerators`. precision: float32 or float64, by default that of floats, float32 for integers.
    """
    dtype = np.dtype(precision or (values.dtype if values.dtype.kind == "f" else np.float32))
    vectors, sums, n2 = len(values), field_sums(values), numerators(values, values, upper=True)
    if way == 2:
        yield Tile(range(vectors), range(vectors), triangle=True), quotients2(n2, sums, sums, dtype)
        return
    for j in range(1, vectors - 1):
        before, behind = values[:j], values[j + 1 :]
        minima = before & values[j] if values.dtype == np.uint32 else np.minimum(before, values[j])
        n3_prime = numerators(minima, behind)
        n3 = numerators3(n2[:j, j, None], n2[:j, j + 1 :], n2[None, j, j + 1 :], n3_prime)
        tile = Tile(range(j), range(j + 1, vectors), j)
        yield tile, quotients3(n3, sums[:j, None], sums[j], sums[None, j + 1 :], dtype)


@numba.njit(parallel=True, cache=True)
def _minima(rows: Any, columns: Any, result: Any, upper: bool) -> None:
    """rows: (rows, fields). columns: (fields, columns). The innermost loop goes over columns, so that it is vectorised
    and every sum is in the order of the fields."""
    across = (result.shape[1] + COLUMNS - 1) // COLUMNS
    for tile in numba.prange((result.shape[0] + ROWS - 1) // ROWS * across):
        top, left = tile // across * ROWS, tile % across * COLUMNS
        bottom, right = min(top + ROWS, result.shape[0]), min(left + COLUMNS, result.shape[1])
        if upper and right <= top + 1:
            continue
        for first in range(0, rows.shape[1], DEPTH):
            for i in range(top, bottom):
                sums = result[i, left:right]
                for q in range(first, min(first + DEPTH, rows.shape[1])):
                    a, others = rows[i, q], columns[q, left:right]
                    for j in range(right - left):
                        sums[j] += min(a, others[j])


@numba.njit(parallel=True, cache=True)
def _bits(rows: Any, columns: Any, result: Any, upper: bool) -> None:
    """As `_minima`, the bits that both words have in place of the minimum."""
    across = (result.shape[1] + COLUMNS - 1) // COLUMNS
    for tile in numba.prange((result.shape[0] + ROWS - 1) // ROWS * across):
        top, left = tile // across * ROWS, tile % across * COLUMNS
        bottom, right = min(top + ROWS, result.shape[0]), min(left + COLUMNS, result.shape[1])
        if upper and right <= top + 1:
            continue
        for i in range(top, bottom):
            sums = result[i, left:right]
            for q in range(rows.shape[1]):
                a, others = rows[i, q], columns[q, left:right]
                for j in range(right - left):
                    x = np.uint32(a & others[j])
                    x -= (x >> np.uint32(1)) & np.uint32(0x55555555)
                    x = (x & np.uint32(0x33333333)) + ((x >> np.uint32(2)) & np.uint32(0x33333333))
                    x = (x + (x >> np.uint32(4))) & np.uint32(0x0F0F0F0F)
                    sums[j] += (np.uint32(x * np.uint32(0x01010101))) >> np.uint32(24)


CPU = Variant("cpu", "Table 2", "one host, all cores: blocked as a matrix product", similarities)

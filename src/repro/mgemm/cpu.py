"""Similarities on the CPU of the host by products blocked as those of a GEMM are, for table 2."""

from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from repro.bench.variant import Variant
from repro.errors import InputError
from repro.mgemm.metrics import ACCUMULATED, field_sums, numerators3, quotients2, quotients3
from repro.mgemm.schedule import Tile

ROWS = 64  # of results that a core computes together
COLUMNS = 64  # of the part of the right side that is transposed and stays in the first cache with FIELDS fields
FIELDS = 128


def products(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """The sums of the elementwise minima of every vector on the left with every one on the right, (left, right).

    left, right: (vectors, fields) of one type: float32, float64 or uint8. Floats are added FIELDS fields at a time.
    """
    accumulated = ACCUMULATED[left.dtype]
    result = np.zeros((len(left), len(right)), accumulated)
    _products(left, right, result)
    return result


def similarities(values: NDArray[Any], way: int) -> Iterator[tuple[Tile, NDArray[Any]]]:
    """All 2-way or 3-way similarities, in tiles, (rows, columns) of float64 for float64 and of float32 for others.

    values: as `products` takes them. Raises InputError for packed bits.
    """
    if values.dtype == np.uint32:
        raise InputError("the CPU compares no packed bits: give float32, float64 or bytes")
    precision = np.float64 if values.dtype == np.float64 else np.float32
    n, sums = len(values), field_sums(values)
    if way == 2:
        for start in range(0, n, ROWS):
            rows = range(start, min(start + ROWS, n))
            n2 = products(values[start : rows.stop], values[start:])
            tile = Tile(rows, range(start, n), triangle=True)
            yield tile, quotients2(n2, sums[start : rows.stop], sums[start:], precision)
        return
    n2 = products(values, values)
    for j in range(1, n - 1):
        n3_prime = products(np.minimum(values[:j], values[j]), values[j + 1 :])
        n3 = numerators3(n2[:j, j, None], n2[:j, j + 1 :], n2[None, j, j + 1 :], n3_prime)
        yield (
            Tile(range(j), range(j + 1, n), j),
            quotients3(n3, sums[:j, None], sums[j], sums[None, j + 1 :], precision),
        )


def _run(_: object, values: NDArray[Any], way: int = 2) -> int:
    return sum(tile.count for tile, _ in similarities(values, way))


CPU = Variant("cpu", "Table 2", "the CPU of the host, all its cores, by numba in blocks", _run)


@numba.njit(cache=True, parallel=True)
def _products(left: Any, right: Any, result: Any) -> None:
    across = (len(right) + COLUMNS - 1) // COLUMNS
    for block in numba.prange((len(left) + ROWS - 1) // ROWS * across):
        first, start = block // across * ROWS, block % across * COLUMNS
        last, columns = min(first + ROWS, len(left)), min(COLUMNS, len(right) - start)
        turned = np.empty((FIELDS, COLUMNS), right.dtype)
        for field in range(0, right.shape[1], FIELDS):
            fields = min(FIELDS, right.shape[1] - field)
            for column in range(columns):
                for q in range(fields):
                    turned[q, column] = right[start + column, field + q]
            _block(left[first:last, field : field + fields], turned, result[first:last, start : start + columns])


@numba.njit(cache=True)
def _block(left: Any, turned: Any, result: Any) -> None:
    """Add the minima of a block: the innermost loop runs over columns, which lie side by side."""
    sums = np.empty(COLUMNS, result.dtype)
    zero = result.dtype.type(0)
    for row in range(left.shape[0]):
        sums[:] = zero
        for q in range(left.shape[1]):
            element = left[row, q]
            for column in range(COLUMNS):
                other = turned[q, column]
                sums[column] += element if element < other else other
        for column in range(result.shape[1]):
            result[row, column] += sums[column]

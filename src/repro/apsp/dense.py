"""Complete graphs with random weights of any size, every row of which can be made alone."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True)
def _hash(i: int, j: int) -> Any:
    """64 random bits of an edge: the finalizer of SplitMix64 (Steele, Lea and Flood 2014)."""
    bits = (np.uint64(i) << np.uint64(32)) + np.uint64(j) + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@numba.njit(cache=True)
def fill_row(row: Any, i: int, whole: bool) -> None:
    """The weights of the edges from vertex i: whole numbers from 1 to 1000, or multiples of 2^-24 up to 1; 0 to itself.

    row: as many weights as there are vertices, of any type.
    """
    for j in range(len(row)):
        bits = _hash(i, j)
        row[j] = 1 + bits % np.uint64(1000) if whole else ((bits >> np.uint64(40)) + np.uint64(1)) / 2.0**24
    row[i] = 0


@numba.njit(parallel=True, cache=True)
def _fill(weights: Any, whole: bool) -> None:
    for i in numba.prange(len(weights)):
        fill_row(weights[i], i, whole)


def complete_graph(n: int, dtype: np.dtype) -> NDArray[Any]:
    """n x n random weights, the same for the same n and kind of type: `fill_row` says which."""
    weights = np.empty((n, n), dtype)
    _fill(weights, dtype.kind == "i")
    return weights

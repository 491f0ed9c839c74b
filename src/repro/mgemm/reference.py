"""Similarities on the CPU as the definitions read, independent of the kernels: one pair or triple after another."""

from itertools import combinations
from typing import Any

import numba
import numpy as np
from numpy.typing import DTypeLike, NDArray

from repro.inputs.vectors.vectorset import unpack_bits

_EXACT = np.dtype(np.int64)


def all_indices(vectors: int, way: int) -> NDArray[np.int64]:
    """Every pair i < j or triple i < j < k in lexicographic order, (values, way): the order of SciPy's `pdist`."""
    return np.array(list(combinations(range(vectors), way)), np.int64).reshape(-1, way)


def similarities(values: NDArray[Any], indices: NDArray[np.int64], precision: DTypeLike) -> NDArray[Any]:
    """The 2-way or 3-way similarity of the vectors of each row of indices, (values,), in float32 or float64.

    values: (vectors, fields) of float32, float64 or unsigned bytes, or (vectors, words) of bits packed in uint32, which
    are Sorenson's. indices: (values, 2 or 3). Floats are added in the precision, field after field; integers exactly.
    """
    dtype = np.dtype(precision)
    if values.dtype == np.uint32:
        values = unpack_bits(values, 32 * values.shape[1])
    added = values.astype(dtype if values.dtype.kind == "f" else _EXACT)
    result = np.empty(len(indices), dtype)
    (_pairs if indices.shape[1] == 2 else _triples)(added, indices, result)
    return result


@numba.njit(cache=True)
def _sum(v: Any) -> Any:
    total = v[0] - v[0]
    for x in v:
        total += x
    return total


@numba.njit(cache=True)
def _n2(u: Any, v: Any) -> Any:
    total = u[0] - u[0]
    for q in range(len(u)):
        total += min(u[q], v[q])
    return total


@numba.njit(cache=True)
def _n3_prime(u: Any, v: Any, w: Any) -> Any:
    total = u[0] - u[0]
    for q in range(len(u)):
        total += min(u[q], v[q], w[q])
    return total


@numba.njit(cache=True)
def _pairs(v: Any, indices: Any, result: Any) -> None:
    precision = result.dtype.type
    for m, (i, j) in enumerate(indices):
        denominator = precision(_sum(v[i])) + precision(_sum(v[j]))
        result[m] = precision(2) * precision(_n2(v[i], v[j])) / denominator if denominator > 0 else 0


@numba.njit(cache=True)
def _triples(v: Any, indices: Any, result: Any) -> None:
    precision = result.dtype.type
    for m, (i, j, k) in enumerate(indices):
        denominator = precision(_sum(v[i])) + precision(_sum(v[j])) + precision(_sum(v[k]))
        n3 = _n2(v[i], v[j]) + _n2(v[i], v[k]) + _n2(v[j], v[k]) - _n3_prime(v[i], v[j], v[k])
        result[m] = precision(1.5) * precision(n3) / denominator if denominator > 0 else 0

"""Shortest paths on the CPU, independent of the kernels: the plain triple loop, and a check without an algorithm."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from repro.apsp.dense import fill_row


@numba.njit(cache=True)
def _floyd_warshall(d: NDArray[Any], p: NDArray[np.int32], infinite: Any) -> int:
    n = len(d)
    for k in range(n):
        if d[k, k] < 0:
            return k
        for i in range(n):
            if d[i, k] == infinite:
                continue
            for j in range(n):
                if d[k, j] != infinite and d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
                    p[i, j] = p[k, j]
    return -1


def floyd_warshall(weights: NDArray[Any], infinite: Any) -> tuple[NDArray[Any], NDArray[np.int32], int]:
    """Distances, predecessors and -1, or a vertex on a negative cycle instead of -1: O(n^3) time.

    weights: n x n, `infinite` for no edge. Predecessors are -9999 where there is none. Floyd (1962), Warshall (1962).
    """
    n = len(weights)
    distances = weights.copy()
    vertices = np.arange(n, dtype=np.int32)
    distances[vertices, vertices] = np.minimum(distances[vertices, vertices], 0)
    predecessors = np.where(weights == infinite, np.int32(-9999), vertices[:, None])
    predecessors[vertices, vertices] = -9999
    cycle = int(_floyd_warshall(distances, predecessors, infinite))
    return distances, predecessors, cycle


def bellman_error(
    distances: NDArray[Any], weights: NDArray[Any], sources: NDArray[np.integer[Any]], infinite: Any
) -> float:
    """How far rows of `distances` are from d[j] = min over k of d[k] + w[k, j], relative to their values.

    Where every cycle is longer than 0, the equations of a row have one solution, so that an error of about the type's
    rounding proves the row: an independent check in n^2 steps a row. sources: the rows to check, each with d = 0 at its
    own vertex. Returns inf when a distance is finite on one side only.
    """
    worst = 0.0
    for source in sources:
        row = distances[source].astype(np.float64)
        row[distances[source] == infinite] = np.inf
        expected = np.full(len(row), np.inf)
        expected[source] = 0.0
        for k in np.flatnonzero(np.isfinite(row)):
            out = weights[k].astype(np.float64)
            out[weights[k] == infinite] = np.inf
            out[k] = 0.0 if k == source else np.inf
            np.minimum(expected, row[k] + out, out=expected)
        finite = np.isfinite(row)
        if not np.array_equal(finite, np.isfinite(expected)):
            return np.inf
        scale = np.maximum(np.abs(expected[finite]), np.finfo(np.float64).tiny)
        worst = max(worst, float(np.max(np.abs(row[finite] - expected[finite]) / scale, initial=0.0)))
    return worst


@numba.njit(cache=True)
def dijkstra(weights: Any, source: int, make: bool, whole: bool, n: int) -> Any:
    """Distances from a vertex of a dense graph whose weights are not negative: n^2 steps. Dijkstra (1959).

    weights: n x n of float64 with inf; where `make` is set, rows are made by `fill_row` instead, without a matrix.
    """
    distances = np.full(n, np.inf)
    distances[source] = 0
    settled = np.zeros(n, np.bool_)
    row = np.empty(n)
    for _ in range(n):
        nearest = -1
        for v in range(n):
            if not settled[v] and (nearest < 0 or distances[v] < distances[nearest]):
                nearest = v
        if distances[nearest] == np.inf:
            break
        settled[nearest] = True
        if make:
            fill_row(row, nearest, whole)
        else:
            row[:] = weights[nearest]
        for v in range(n):
            distances[v] = min(distances[v], distances[nearest] + row[v])
    return distances


@numba.njit(cache=True)
def path_lengths(weights: NDArray[Any], before: NDArray[np.int32], source: int) -> Any:
    """The lengths of the paths from a vertex, added up edge by edge; inf where there is none, NaN for a circle.

    weights: n x n. before: the row of the predecessors.
    """
    n = len(before)
    lengths = np.full(n, np.inf)
    for target in range(n):
        length, v, steps = 0.0, target, 0
        while v != source and before[v] != -9999 and steps <= n:
            length += weights[before[v], v]
            v = before[v]
            steps += 1
        if v == source:
            lengths[target] = length
        elif steps > n:
            lengths[target] = np.nan
    return lengths

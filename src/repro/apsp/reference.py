"""Shortest paths on the CPU, independent of the kernels: all by the plain triple loop, or those from one vertex."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from repro.apsp.dense import fill_row
from repro.apsp.ranges import NO_PREDECESSOR


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

    weights: n x n, `infinite` for no edge. Predecessors are NO_PREDECESSOR for none. Floyd (1962), Warshall (1962).
    """
    n = len(weights)
    distances = weights.copy()
    vertices = np.arange(n, dtype=np.int32)
    distances[vertices, vertices] = np.minimum(distances[vertices, vertices], 0)
    predecessors = np.where(weights == infinite, np.int32(NO_PREDECESSOR), vertices[:, None])
    predecessors[vertices, vertices] = NO_PREDECESSOR
    cycle = int(_floyd_warshall(distances, predecessors, infinite))
    return distances, predecessors, cycle


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
        while v != source and before[v] != NO_PREDECESSOR and steps <= n:
            length += weights[before[v], v]
            v = before[v]
            steps += 1
        if v == source:
            lengths[target] = length
        elif steps > n:
            lengths[target] = np.nan
    return lengths

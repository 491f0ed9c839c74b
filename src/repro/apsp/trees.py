"""Predecessors that form a tree: what tiles chosen independently of each other cannot promise where lengths tie."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from repro.apsp.ranges import NO_PREDECESSOR


@numba.njit(parallel=True, cache=True)
def make_trees(predecessors: NDArray[np.int32], distances: NDArray[Any], weights: NDArray[Any], infinite: Any) -> None:
    """Break circles in the predecessors of a row, in place.

    Every [i, j] names the last edge of a walk from i of length distances[i, j]. Along cycles of length 0, and of less
    than rounding, two such edges may point at each other. Their vertices are attached again, each by the edge from the
    rest of the row's tree that fits its distance best; where sums are exact, one fits exactly.
    predecessors, distances, weights: n x n, NO_PREDECESSOR for none and `infinite` for no edge.
    """
    for source in numba.prange(len(predecessors)):
        _make_tree(source, predecessors[source], distances[source], weights, infinite)


@numba.njit(cache=True)
def _make_tree(source: int, before: Any, lengths: Any, weights: Any, infinite: Any) -> None:
    n = len(before)
    reached = np.zeros(n, np.bool_)
    reached[source] = True
    missing = _follow(before, reached)
    while missing:
        best, tail, head = np.inf, -1, -1
        for v in range(n):
            if before[v] == NO_PREDECESSOR or reached[v]:
                continue
            for u in range(n):
                if reached[u] and weights[u, v] != infinite:
                    excess = float(lengths[u]) + float(weights[u, v]) - float(lengths[v])
                    if excess < best:
                        best, tail, head = excess, u, v
            if best <= 0:
                break
        before[head] = tail
        missing = _follow(before, reached)


@numba.njit(cache=True)
def _follow(before: Any, reached: Any) -> int:
    """Mark what the predecessors lead back from to a vertex that is reached; how many vertices are left."""
    n = len(before)
    missing = 0
    seen = np.full(n, -1, np.int32)  # the vertex from which this one was passed last
    for start in range(n):
        if before[start] == NO_PREDECESSOR or reached[start]:
            continue
        v = start
        while not reached[v] and seen[v] == -1:
            seen[v] = start
            v = before[v]
        if reached[v]:
            v = start
            while not reached[v]:
                reached[v] = True
                v = before[v]
        else:
            missing += 1
    return missing

"""What a variant returns, and the error of graphs that have no shortest paths."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.apsp.ranges import INFINITE, NO_PREDECESSOR
from repro.apsp.trees import make_trees
from repro.device import Array
from repro.errors import InputError

NO_NEGATIVE_CYCLE = 2**31 - 1  # NONE in the kernels


class NegativeCycleError(InputError):
    """A cycle has a negative length, so that shortest paths do not exist. vertex: one that lies on such a cycle."""

    def __init__(self, vertex: int) -> None:
        self.vertex = vertex
        super().__init__(f"a cycle through vertex {vertex} has a negative length: there are no shortest paths")


@dataclass(frozen=True, eq=False)
class Outcome:
    """distances: n x n, INFINITE for no path. predecessors: n x n of int32, or None where they were not asked for.

    seconds: of the rounds with their copies, where they are streamed; not part of what is compared.
    """

    distances: NDArray[Any]
    predecessors: NDArray[np.int32] | None
    seconds: float | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outcome) or not np.array_equal(self.distances, other.distances):
            return False
        if self.predecessors is None or other.predecessors is None:
            return self.predecessors is other.predecessors
        return np.array_equal(self.predecessors, other.predecessors)

    @classmethod
    def read(cls, negative: Array, distances: Array, predecessors: Array | None, weights: NDArray[Any]) -> "Outcome":
        """The result of kernels that have run, without its padding.

        negative: one int32, the smallest vertex found on a negative cycle. distances, predecessors: at least as large
        as the n x n weights. Raises NegativeCycleError.
        """
        vertex = int(negative.get()[0])
        if vertex != NO_NEGATIVE_CYCLE:
            raise NegativeCycleError(vertex)
        n = len(weights)
        found = np.ascontiguousarray(distances.get().view(weights.dtype)[:n, :n])
        return settled(
            found, None if predecessors is None else np.ascontiguousarray(predecessors.get()[:n, :n]), weights
        )


def settled(distances: NDArray[Any], predecessors: NDArray[np.int32] | None, weights: NDArray[Any]) -> Outcome:
    """The outcome of what kernels computed: INFINITE where there is no path, and predecessors that form trees."""
    distances = without_bias(distances)
    if predecessors is not None:
        predecessors[distances == INFINITE[weights.dtype]] = NO_PREDECESSOR
        make_trees(predecessors, distances, weights, INFINITE[weights.dtype])
    return Outcome(distances, predecessors)


def without_bias(distances: NDArray[Any]) -> NDArray[Any]:
    """Distances with INFINITE again where a negative weight was added to it: integers have no infinity that absorbs."""
    infinite = INFINITE[distances.dtype]
    if distances.dtype.kind == "i" and distances.size and distances.min() < 0:
        return np.where(distances > infinite // 2, infinite, distances)
    return distances


def first_predecessors(weights: NDArray[Any]) -> NDArray[np.int32]:
    """The predecessors before any step: i for every edge (i, j), NO_PREDECESSOR on the diagonal and for no edge."""
    predecessors = np.where(
        weights != INFINITE[weights.dtype], np.arange(len(weights), dtype=np.int32)[:, None], np.int32(NO_PREDECESSOR)
    )
    np.fill_diagonal(predecessors, NO_PREDECESSOR)
    return predecessors


def padded(matrix: NDArray[Any], multiple: int, fill: Any) -> NDArray[Any]:
    """A square matrix with rows and columns of `fill` added up to a multiple."""
    n = len(matrix)
    size = -(-n // multiple) * multiple
    if size == n:
        return np.ascontiguousarray(matrix)
    result = np.full((size, size), fill, matrix.dtype)
    result[:n, :n] = matrix
    return result


def retyped(distances: NDArray[Any], dtype: np.dtype) -> NDArray[Any]:
    """Distances in another type, whose INFINITE is another one too."""
    if distances.dtype == dtype:
        return distances
    result: NDArray[Any] = distances.astype(dtype)
    result[distances == INFINITE[distances.dtype]] = INFINITE[dtype]
    return result

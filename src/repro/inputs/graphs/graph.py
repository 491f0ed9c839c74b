"""A weighted graph as a list of edges, and as a dense matrix."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from repro.errors import InputError


@dataclass(frozen=True, eq=False)
class Graph:
    """Named nodes and weighted edges; make one with `graph`, which checks them.

    names: of the nodes, (nodes,).
    sources, targets: int64, (edges,), indices of nodes; an undirected edge is there once, in either direction.
    weights: int64 or float64, (edges,), finite; 0 and negative weights are edges like any other.
    """

    names: tuple[str, ...]
    sources: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64]
    weights: npt.NDArray[Any]
    directed: bool

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.names)

    @property
    def edges(self) -> int:
        """Number of edges; parallel ones count each."""
        return int(self.weights.size)

    def dense(self) -> npt.NDArray[np.float64]:
        """Return the weights as a matrix, float64, (nodes, nodes), row = source.

        No edge is inf, and 0 is an edge. Of parallel edges the smallest counts; undirected edges are there in both
        directions. The diagonal is 0, or the weight of a negative self-loop, which is a negative cycle.
        Raises InputError when a weight is no exact float64.
        """
        weights = self.weights.astype(np.float64)
        with np.errstate(invalid="ignore"):  # what is too large for the way back is not equal either
            inexact = np.flatnonzero(weights.astype(self.weights.dtype) != self.weights)
        if inexact.size:
            raise InputError(f"edge {inexact[0] + 1}: weight {self.weights[inexact[0]]} is not exact in float64")
        matrix = np.full((self.nodes, self.nodes), np.inf)
        np.fill_diagonal(matrix, 0)
        np.minimum.at(matrix, (self.sources, self.targets), weights)
        if not self.directed:
            np.minimum.at(matrix, (self.targets, self.sources), weights)
        return matrix


def graph(
    names: Sequence[str],
    sources: npt.ArrayLike,
    targets: npt.ArrayLike,
    weights: npt.ArrayLike,
    directed: bool,
    source: str = "graph",
) -> Graph:
    """Check nodes and edges and return them as a graph; integer weights stay integers.

    Raises InputError naming `source` and edge (from 1) of the first weight that is not finite or end that is no node,
    and for a graph without nodes, arrays of different lengths and repeated names.
    """
    ends = [np.asarray(end, dtype=np.int64) for end in (sources, targets)]
    values = np.asarray(weights)
    values = values.astype(np.int64 if values.dtype.kind in "biu" else np.float64)
    if not names:
        raise InputError(f"{source}: has no nodes; give one at least")
    if len(set(names)) < len(names):
        seen: set[str] = set()
        repeated = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise InputError(f"{source}: two nodes are named {repeated}; rename one of them")
    if not ends[0].shape == ends[1].shape == values.shape or values.ndim != 1:
        raise InputError(f"{source}: {ends[0].size} sources, {ends[1].size} targets and {values.size} weights")
    for end in ends:
        outside = np.flatnonzero((end < 0) | (end >= len(names)))
        if outside.size:
            raise InputError(
                f"{source}: edge {outside[0] + 1}: node {end[outside[0]]} is outside 0 to {len(names) - 1}"
            )
    infinite = np.flatnonzero(~np.isfinite(values))
    if infinite.size:
        raise InputError(f"{source}: edge {infinite[0] + 1}: weight {values[infinite[0]]}; give a finite number")
    return Graph(tuple(names), ends[0], ends[1], values, directed)

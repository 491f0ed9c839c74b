"""From a graph to the n x n matrix of weights that the variants work on."""

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from repro.apsp.outcome import NegativeCycleError
from repro.apsp.ranges import INFINITE, wider
from repro.errors import InputError
from repro.inputs.graphs.graph import Graph


def weight_matrix(graph: Any, dtype: np.dtype, directed: bool = True, unweighted: bool = False) -> NDArray[Any]:
    """The weights of the edges, INFINITE for no edge and 0 on the diagonal.

    graph: as for `repro.apsp.shortest_paths`. dtype: float32, float64, int32 or int16. directed: False makes every edge
    one in both directions. unweighted: every edge counts 1.
    Of parallel edges, and of the two directions of an undirected edge, the smallest weight counts; a loop never does.
    Raises InputError for what is no matrix of weights, NegativeCycleError for a negative loop.
    """
    if isinstance(graph, Graph):
        directed = directed and graph.directed
        matrix = _from_edges(graph.nodes, graph.sources, graph.targets, graph.weights, dtype, graph.names)
    elif scipy.sparse.issparse(graph):
        found = graph.tocoo()
        _check_square(found.shape)
        matrix = _from_edges(found.shape[0], found.row, found.col, found.data, dtype, range(found.shape[0]))
    else:
        dense = np.asarray(graph)
        _check_square(dense.shape)
        matrix = _converted(dense, dtype, lambda e: np.unravel_index(e, dense.shape))
    if unweighted:
        matrix = np.where(matrix != INFINITE[dtype], dtype.type(1), INFINITE[dtype])
    if not directed:
        matrix = np.minimum(matrix, matrix.T)
    loops = np.flatnonzero(matrix.diagonal() < 0)
    if len(loops):
        raise NegativeCycleError(int(loops[0]))
    np.fill_diagonal(matrix, 0)
    return matrix


def _from_edges(n: int, tails: Any, heads: Any, values: NDArray[Any], dtype: np.dtype, names: Any) -> NDArray[Any]:
    weights = _converted(values, dtype, lambda e: (names[tails[e]], names[heads[e]]))
    matrix = np.full((n, n), INFINITE[dtype])
    np.minimum.at(matrix, (tails, heads), weights)
    return matrix


def _check_square(shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InputError(f"a graph of shape {'x'.join(map(str, shape))}: give a square matrix of weights")


def _converted(values: NDArray[Any], dtype: np.dtype, edge_of: Any) -> NDArray[Any]:
    """Weights in another type, refused where they do not fit. edge_of: (tail, head) of a flat index."""
    if values.dtype.kind not in "biuf":
        raise InputError(f"weights of type {values.dtype}: give numbers")
    missing = values == np.inf if values.dtype.kind == "f" else np.zeros(values.shape, bool)
    if values.dtype.kind in "iu":
        missing = values == np.iinfo(values.dtype).max

    def refuse(wrong: NDArray[np.bool_], why: str) -> None:
        at = np.flatnonzero(wrong)
        if len(at):
            tail, head = edge_of(at[0])
            raise InputError(f"edge ({tail}, {head}): weight {values.reshape(-1)[at[0]]} {why}")

    refuse(np.isnan(values) | (values == -np.inf), "is not a number that a path can have; remove the edge")
    if dtype.kind == "i":
        largest = INFINITE[dtype] - 1
        refuse((values != np.floor(values)) & ~missing, f"is not whole; choose float32 or float64 instead of {dtype}")
        size = np.where(missing, 0, np.abs(values.astype(np.float64)))
        fitting = wider(dtype) if size.max(initial=0) < INFINITE[np.dtype(np.int32)] else "float64"
        refuse(size > largest, f"does not fit {dtype}; choose {fitting}")
    with np.errstate(over="ignore", invalid="ignore"):
        converted: NDArray[Any] = values.astype(dtype)
    if dtype.kind == "f":
        refuse(np.isinf(converted) & ~missing, f"does not fit {dtype}; choose {wider(dtype)}")
        converted += 0  # a negative zero becomes zero: the kernels order distances by their bits
    converted[missing] = INFINITE[dtype]
    return converted

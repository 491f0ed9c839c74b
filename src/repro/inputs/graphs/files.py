"""Graphs in files: DIMACS .gr, Matrix Market .mtx, edge lists .txt .tsv .csv .edges, and dense .npy."""

import io
from pathlib import Path

import numpy as np

from repro.errors import InputError
from repro.inputs.files import complete_or_absent, read_arrays, read_text
from repro.inputs.graphs.dimacs import parse_dimacs, write_dimacs
from repro.inputs.graphs.edgelist import parse_edge_list, write_edge_list
from repro.inputs.graphs.graph import Graph, graph
from repro.inputs.graphs.matrixmarket import parse_matrix_market, write_matrix_market

_EDGE_LISTS = (".txt", ".tsv", ".csv", ".edges")
_ENDINGS = (".gr", ".mtx", ".npy", *_EDGE_LISTS)


def read_graph(path: str | Path, directed: bool | None = None) -> Graph:
    """Read a graph in the format of the file's ending; every one may be gzip (.gr.gz).

    directed: of an edge list, by default what its comment says, or yes. A .gr file is directed, a .mtx file undirected
    when it is symmetric, and a dense matrix when it equals its transpose; asking for the other is an error.
    .gr: names 1, 2, ... .mtx: 1, 2, ...; a pattern has weight 1. Edge lists: two names and a weight (1 where the whole
    file has none), with any of tab, comma, semicolon or blanks between, # and % begin comments; names that are all
    numbers are in numeric order, others in order of appearance. .npy: square, inf is no edge and 0 is one, the
    diagonal counts only where it is negative; names 0, 1, ...
    Raises InputError naming file and line (or row and column) of the first fault.
    """
    path = Path(path)
    ending = _ending(path)
    if ending in _EDGE_LISTS:
        return parse_edge_list(path, read_text(path), directed)
    if ending == ".npy":
        found = _read_dense(path)
    else:
        found = (parse_dimacs if ending == ".gr" else parse_matrix_market)(path, read_text(path))
    if directed not in (None, found.directed):
        kind = "directed" if found.directed else "undirected"
        raise InputError(f"{path}: is {kind}, which the file says itself; do not ask for the other")
    return found


def write_graph(path: str | Path, written: Graph) -> None:
    """Write a graph in the format of the file's ending; `read_graph` gives the same edges back.

    Only edge lists keep names; .npy keeps the smallest of parallel edges.
    Raises InputError for an unknown ending, an undirected graph as .gr, or a name an edge list cannot hold.
    """
    path = Path(path)
    ending = _ending(path)
    binary = io.BytesIO()
    if ending in _EDGE_LISTS:
        binary.write(write_edge_list(path, written).encode())
    elif ending == ".gr":
        binary.write(write_dimacs(path, written).encode())
    elif ending == ".npy":
        np.save(binary, written.dense())
    else:
        binary.write(write_matrix_market(written).encode())
    with complete_or_absent(path) as partial:
        partial.write_bytes(binary.getvalue())


def _ending(path: Path) -> str:
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if ending not in _ENDINGS:
        raise InputError(f"{path}: is no graph file; known endings are {', '.join(_ENDINGS)}")
    return ending


def _read_dense(path: Path) -> Graph:
    matrix = read_arrays(path)
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"{path}: has shape {getattr(matrix, 'shape', '?')}; a dense graph is a square matrix")
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"{path}: weights are {matrix.dtype}; give numbers")
    wrong = np.argwhere(np.isnan(matrix) | (matrix == -np.inf))
    if wrong.size:
        row, column = wrong[0]
        raise InputError(
            f"{path}: row {row + 1}, column {column + 1}: {matrix[row, column]} is no weight; inf is no edge"
        )
    undirected = bool((matrix == matrix.T).all())
    edge = matrix != np.inf
    np.fill_diagonal(edge, np.diagonal(matrix) < 0)
    sources, targets = np.nonzero(np.tril(edge) if undirected else edge)
    names = [str(i) for i in range(len(matrix))]
    return graph(names, sources, targets, matrix[sources, targets], not undirected, str(path))

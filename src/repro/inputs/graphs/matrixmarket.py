"""Matrix Market files (.mtx) of square matrices: a graph's edges (coordinate) or its dense matrix (array).

SciPy's reader ends the process at some malformed files (seen with 1.17), and does not name the line of all others.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from repro.errors import InputError
from repro.inputs.files import lines_of
from repro.inputs.graphs.graph import Graph, graph
from repro.inputs.graphs.numbers import parse_node, parse_size, parse_weight, weight_array

_BANNER = "%%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric"


def parse_matrix_market(path: Path, text: str) -> Graph:
    """Return the graph of a .mtx file; raises InputError naming the line of the first fault.

    Symmetric means undirected, a pattern has weight 1, and in an array 0 is no edge, as the format has it.
    """
    lines = lines_of(text)
    layout, field, symmetry = _banner(path, lines[0] if lines else "")
    rest = ((i, line.split()) for i, line in enumerate(lines[1:], start=2) if line.strip() and line.lstrip()[0] != "%")
    number, words = next(rest, (len(lines), []))
    names_of_sizes = ("rows", "columns", "entries") if layout == "coordinate" else ("rows", "columns")
    if len(words) != len(names_of_sizes) or not all(word.isdecimal() for word in words):
        raise InputError(f"{path}: line {number}: the size is missing; write {', '.join(names_of_sizes)}")
    if words[0] != words[1]:
        raise InputError(f"{path}: has {words[0]} rows and {words[1]} columns; a graph has as many of both")
    rows = parse_size(f"{path}: line {number}", words[0])
    undirected = symmetry == "symmetric"
    parse = _coordinates if layout == "coordinate" else _array
    edges = list(parse(path, rest, rows, field, undirected))
    if layout == "coordinate" and str(len(edges)) != (words[2].lstrip("0") or "0"):
        raise InputError(f"{path}: has {len(edges)} entries where line {number} says {words[2]}; it may be cut off")
    if layout == "array":
        expected = rows * (rows + 1) // 2 if undirected else rows * rows
        if len(edges) != expected:
            raise InputError(f"{path}: has {len(edges)} values where {expected} are expected; it may be cut off")
        edges = [edge for edge in edges if edge[2] != 0]
    ends = np.array([edge[:2] for edge in edges], dtype=np.int64).reshape(-1, 2)
    weights = weight_array([edge[2] for edge in edges])
    names = [str(i) for i in range(1, rows + 1)]
    return graph(names, ends[:, 0], ends[:, 1], weights, not undirected, str(path))


def write_matrix_market(written: Graph) -> str:
    """Return the text of a .mtx file, in coordinates; a symmetric one holds the lower triangle."""
    rows, columns = written.sources, written.targets
    if not written.directed:
        rows, columns = np.maximum(rows, columns), np.minimum(rows, columns)
    field = "integer" if written.weights.dtype.kind == "i" else "real"
    head = f"%%MatrixMarket matrix coordinate {field} {'general' if written.directed else 'symmetric'}\n"
    size = f"{written.nodes} {written.nodes} {written.edges}\n"
    entries = zip((rows + 1).tolist(), (columns + 1).tolist(), written.weights.tolist(), strict=True)
    return head + size + "".join(f"{row} {column} {weight!r}\n" for row, column, weight in entries)


def _banner(path: Path, line: str) -> tuple[str, str, str]:
    words = line.lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise InputError(f"{path}: line 1: is no Matrix Market file; it begins with '{_BANNER}'")
    layout, field, symmetry = words[2:]
    for word, known in (
        (layout, ("coordinate", "array")),
        (field, ("real", "double", "integer", "pattern")),
        (symmetry, ("general", "symmetric")),
    ):
        if word not in known or (layout, word) == ("array", "pattern"):
            raise InputError(f"{path}: line 1: is {word}, which is no graph; it begins with '{_BANNER}'")
    return layout, field, symmetry


def _coordinates(
    path: Path, lines: Iterator[tuple[int, list[str]]], nodes: int, field: str, undirected: bool
) -> Iterator[tuple[int, int, int | float]]:
    width = 2 if field == "pattern" else 3
    for number, words in lines:
        where = f"{path}: line {number}"
        if len(words) != width:
            raise InputError(f"{where}: {len(words)} columns, not {width}; line 1 says which a line has")
        row, column = (parse_node(where, word, nodes) for word in words[:2])
        if undirected and row < column:
            raise InputError(f"{where}: is above the diagonal; a symmetric file holds the lower triangle")
        yield row, column, _weight(where, words[2], field) if width == 3 else 1


def _array(
    path: Path, lines: Iterator[tuple[int, list[str]]], nodes: int, field: str, undirected: bool
) -> Iterator[tuple[int, int, int | float]]:
    """Yield all values, column by column; of a symmetric matrix those from the diagonal downwards."""
    places = ((row, column) for column in range(nodes) for row in range(column if undirected else 0, nodes))
    for number, words in lines:
        for word in words:
            place = next(places, None)
            if place is None:
                raise InputError(f"{path}: line {number}: more values than {nodes} x {nodes}; correct either")
            yield *place, _weight(f"{path}: line {number}", word, field)


def _weight(where: str, word: str, field: str) -> int | float:
    weight = parse_weight(where, word)
    if field != "integer":
        return float(weight)
    if not isinstance(weight, int):
        raise InputError(f"{where}: weight {word} is not an integer; write one, or real for integer in line 1")
    return weight

"""The .gr format of the 9th DIMACS challenge: `p sp NODES ARCS`, then `a FROM TO WEIGHT`, nodes from 1, c comments."""

from pathlib import Path

from repro.errors import InputError
from repro.inputs.files import count, lines_of
from repro.inputs.graphs.graph import Graph, graph
from repro.inputs.graphs.numbers import parse_node, parse_size, parse_weight, weight_array


def parse_dimacs(path: Path, text: str) -> Graph:
    """Return the graph of a .gr file; raises InputError naming the line of the first fault."""
    nodes: int | None = None
    arcs = ""
    sources: list[int] = []
    targets: list[int] = []
    weights: list[int | float] = []
    for number, line in enumerate(lines_of(text), start=1):
        words = line.split()
        where = f"{path}: line {number}"
        if not words or words[0] == "c":
            continue
        if words[0] == "p":
            if nodes is not None:
                raise InputError(f"{where}: a second problem line; keep one")
            if len(words) != 4 or words[1] != "sp" or not words[3].isdecimal():
                raise InputError(f"{where}: {_shown(line)} is no problem line; write 'p sp NODES ARCS'")
            nodes, arcs = parse_size(where, words[2]), words[3]
        elif words[0] == "a":
            if nodes is None:
                raise InputError(f"{where}: an arc before the problem line 'p sp NODES ARCS'; begin with that")
            if len(words) != 4:
                raise InputError(f"{where}: {_shown(line)} is no arc; write 'a FROM TO WEIGHT'")
            sources.append(parse_node(where, words[1], nodes))
            targets.append(parse_node(where, words[2], nodes))
            weights.append(parse_weight(where, words[3]))
        else:
            raise InputError(f"{where}: begins with {words[0]!r}; lines begin with c, p or a")
    if nodes is None:
        raise InputError(f"{path}: has no problem line; begin with 'p sp NODES ARCS'")
    if str(len(weights)) != (arcs.lstrip("0") or "0"):
        raise InputError(f"{path}: has {count(len(weights), 'arc')}, the problem line says {arcs}; it may be cut off")
    names = [str(i) for i in range(1, nodes + 1)]
    return graph(names, sources, targets, weight_array(weights), directed=True, source=str(path))


def _shown(line: str) -> str:
    return repr(line.strip()[:60])


def write_dimacs(path: Path, written: Graph) -> str:
    """Return the text of a .gr file; raises InputError for an undirected graph, which the format does not have."""
    if not written.directed:
        raise InputError(f"{path}: a .gr file is directed; write an undirected graph as .mtx or an edge list")
    arcs = zip((written.sources + 1).tolist(), (written.targets + 1).tolist(), written.weights.tolist(), strict=True)
    lines = [f"p sp {written.nodes} {written.edges}", *(f"a {u} {v} {w!r}" for u, v, w in arcs)]
    return "\n".join(lines) + "\n"

"""Edge lists, as SNAP and others publish graphs: a line `SOURCE TARGET` or `SOURCE TARGET WEIGHT` for each edge."""

import re
from pathlib import Path

from repro.errors import InputError
from repro.inputs.files import lines_of, split_line
from repro.inputs.graphs.graph import Graph, graph
from repro.inputs.graphs.numbers import parse_size, parse_weight, weight_array

_COMMENTS = ("#", "%")
_SEPARATORS = "\t,;"
_HEADERS = ({"source", "from", "src"}, {"target", "to", "dst"})


def parse_edge_list(path: Path, text: str, directed: bool | None) -> Graph:
    """Return the graph of an edge list; raises InputError naming the line of the first fault.

    Comments may hold `directed=0` (or 1) and `vertices=N`; the latter makes 0 to N - 1 nodes, also those without an
    edge. A first line `source target` names the columns.
    """
    ends: tuple[list[str], list[str]] = ([], [])
    weights: list[int | float] = []
    said: dict[str, int] = {}
    separator: str | None = None
    width = 0
    for number, line in enumerate(lines_of(text), start=1):
        where = f"{path}: line {number}"
        if line.lstrip().startswith(_COMMENTS):
            said |= {key: parse_size(where, value) for key, value in re.findall(r"\b(directed|vertices)=(\d+)", line)}
            continue
        if not line.strip():
            continue
        if not width:
            separator = next((letter for letter in _SEPARATORS if letter in line.strip()), None)
        words = _split(where, line, separator)
        if not width:
            width = len(words)
            if width not in (2, 3):
                raise InputError(f"{where}: {width} columns; an edge is SOURCE TARGET or SOURCE TARGET WEIGHT")
            if all(word.lower() in header for word, header in zip(words, _HEADERS, strict=False)):
                continue
        if len(words) != width:
            raise InputError(f"{where}: {len(words)} columns where the first line has {width}; write as many")
        for word, end in zip(words, ends, strict=False):
            if not word:
                raise InputError(f"{where}: an end of the edge has no name; name both")
            end.append(word)
        weights.append(parse_weight(where, words[2]) if width == 3 else 1)
    if directed is not None and said.get("directed", directed) != directed:
        raise InputError(f"{path}: says directed={said['directed']} in a comment; do not ask for the other")
    names = _names(path, ends, said.get("vertices"))
    index = {name: i for i, name in enumerate(names)}
    sources, targets = ([index[name] for name in end] for end in ends)
    one_way = said.get("directed", 1) != 0 if directed is None else directed
    return graph(names, sources, targets, weight_array(weights), one_way, str(path))


def write_edge_list(path: Path, written: Graph) -> str:
    """Return the text of an edge list, separated by tabs; raises InputError for what it cannot hold."""
    names, numbered = written.names, list(written.names) == [str(i) for i in range(written.nodes)]
    alone = set(range(written.nodes)) - set(written.sources.tolist()) - set(written.targets.tolist())
    for i, name in enumerate(names):
        if not name.strip() or name != name.strip() or set(name) & set("\t\n\r") or name.startswith(_COMMENTS):
            raise InputError(
                f"{path}: an edge list cannot hold a node named {name!r}; write another format, or rename it"
            )
        if i in alone and not numbered:
            raise InputError(
                f"{path}: an edge list cannot hold node {name}, which has a name and no edge; write another format"
            )
    comment = f"# directed={int(written.directed)}{f' vertices={written.nodes}' if numbered else ''}\n"
    edges = zip(written.sources.tolist(), written.targets.tolist(), written.weights.tolist(), strict=True)
    return comment + "".join(f"{names[u]}\t{names[v]}\t{w!r}\n" for u, v, w in edges)


def _split(where: str, line: str, separator: str | None) -> list[str]:
    if separator is None:
        return line.split()
    if separator == "\t":
        return [word.strip() for word in line.split("\t")]
    return split_line(where, line, separator)


def _names(path: Path, ends: tuple[list[str], list[str]], vertices: int | None) -> list[str]:
    """Return the names in numeric order where all are numbers, else in order of appearance."""
    seen = dict.fromkeys(name for edge in zip(*ends, strict=True) for name in edge)
    numbers = all(re.fullmatch("0|[1-9][0-9]*", name) for name in seen)
    if vertices is None:
        return sorted(seen, key=lambda name: (len(name), name)) if numbers else list(seen)
    outside = next((name for name in seen if not numbers or len(name) > 18 or int(name) >= vertices), None)
    if outside is not None:
        raise InputError(
            f"{path}: says vertices={vertices} in a comment, but has a node {outside}; correct one of them"
        )
    return [str(i) for i in range(vertices)]

"""config/graphs.tsv: the graphs whose shortest paths are computed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from repro.inputs.graphs.files import read_graph
from repro.inputs.graphs.graph import Graph
from repro.inputs.graphs.synthetic import KINDS, random_graph
from repro.inputs.sheets import Row, read_rows

_COLUMNS = ("name", "source", "file", "directed", "kind", "nodes", "density", "seed", "origin", "terms")


@dataclass(frozen=True)
class GraphSource:
    """One line of the sheet.

    source: `file`: any format of `read_graph`; `synthetic`: `random_graph` of the kind, size and seed.
    directed: of a file, None when the file says it. density: of kind erdos-renyi.
    """

    name: str
    source: Literal["file", "synthetic"]
    file: str
    directed: bool | None
    kind: str
    nodes: int | None
    density: float | None
    seed: int | None
    origin: str
    terms: str

    def load(self) -> Graph:
        """Read or make the graph; raises InputError as `read_graph` and `random_graph` do."""
        if self.source == "file":
            return read_graph(self.file, self.directed)
        assert self.nodes is not None
        assert self.seed is not None
        return random_graph(self.kind, self.nodes, self.seed, self.density or 0.0)


def read_graph_sources(path: str | Path) -> list[GraphSource]:
    """Read a sheet of graphs; raises InputError naming file, line and column of the first fault."""
    return [_source(row) for row in read_rows(path, _COLUMNS)]


def _source(row: Row) -> GraphSource:
    synthetic = row.choice("source", ("file", "synthetic")) == "synthetic"
    if synthetic:
        for column in ("file", "directed"):
            row.empty(column, "a synthetic graph is made from kind, nodes, density and seed")
    else:
        for column in ("kind", "nodes", "density", "seed"):
            row.empty(column, "only a synthetic graph has it")
    random_edges = synthetic and row.choice("kind", KINDS) == "erdos-renyi"
    if not random_edges:
        row.empty("density", "only a graph of kind erdos-renyi has it")
    directed = row.choice("directed", ("yes", "no")) == "yes" if row.cells["directed"] else None
    return GraphSource(
        name=row.text("name"),
        source=cast(Literal["file", "synthetic"], row.cells["source"]),
        file="" if synthetic else row.text("file"),
        directed=directed,
        kind=row.cells["kind"],
        nodes=row.integer("nodes", 2) if synthetic else None,
        density=row.fraction("density") if random_edges else None,
        seed=row.integer("seed", 0) if synthetic else None,
        origin=row.cells["origin"] if synthetic else row.text("origin"),
        terms=row.cells["terms"] if synthetic else row.text("terms"),
    )

"""One table of the inputs of a run: what each is, how large, its digest, where it comes from, and what was left out."""

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pandas as pd

from repro.inputs.files import complete_or_absent
from repro.inputs.graphs.graph import Graph
from repro.inputs.graphs.sheet import GraphSource
from repro.inputs.offline import LeftOut
from repro.inputs.reads.files import read_reads
from repro.inputs.reads.sheet import ReadSet
from repro.inputs.vectors.sheet import VectorSource
from repro.inputs.vectors.vectorset import VectorSet


@dataclass(frozen=True)
class InputRow:
    """One input. sha256: of its letters or values; left_out: the reason, when the run goes without it."""

    kind: str
    name: str
    size: str = ""
    sha256: str = ""
    origin: str = ""
    terms: str = ""
    left_out: str = ""


def reads_row(source: ReadSet, path: str | Path) -> InputRow:
    """Describe the reads of a file."""
    reads = read_reads(path)
    lengths = [len(read) for read in reads]
    size = f"{len(reads)} reads of {min(lengths)} to {max(lengths)} letters, {sum(lengths)} in all"
    digest = hashlib.sha256(b"\n".join(read.letters.tobytes() for read in reads)).hexdigest()
    made = f"{source.source}, {source.platform}, from {source.genome}, seed {source.seed}"
    origin = f"{source.file}: {source.note}" if source.file else made
    return InputRow("reads", source.name, size, digest, origin)


def vectors_row(source: VectorSource, vectors: VectorSet) -> InputRow:
    """Describe a set of vectors."""
    size = f"{len(vectors)} vectors of {vectors.fields} fields, {vectors.values.dtype}"
    made = f"synthetic, {source.kind}, seed {source.seed}"
    return InputRow("vectors", source.name, size, vectors.sha256, source.origin or made, source.terms)


def graph_row(source: GraphSource, graph: Graph) -> InputRow:
    """Describe a graph; its digest is that of the dense matrix."""
    kind = "directed" if graph.directed else "undirected"
    digest = hashlib.sha256(graph.dense().tobytes()).hexdigest()
    size = f"{graph.nodes} nodes, {graph.edges} {kind} edges, {graph.weights.dtype}"
    made = f"synthetic, {source.kind}, seed {source.seed}"
    return InputRow("graph", source.name, size, digest, source.origin or made, source.terms)


def left_out_row(left: LeftOut) -> InputRow:
    """Describe what a run goes without."""
    return InputRow(left.kind, left.name, left_out=left.reason)


def write_table(path: str | Path, rows: Iterable[InputRow]) -> None:
    """Write the rows as a tab-separated table."""
    columns = [field.name for field in fields(InputRow)]
    with complete_or_absent(path) as partial:
        pd.DataFrame([asdict(row) for row in rows], columns=columns).to_csv(partial, sep="\t", index=False)

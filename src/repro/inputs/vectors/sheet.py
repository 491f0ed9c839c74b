"""config/vectors.tsv: the sets of vectors whose similarities are computed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from repro.inputs.sheets import Row, read_rows
from repro.inputs.vectors.files import is_raw, read_vectors
from repro.inputs.vectors.synthetic import KINDS, random_vectors
from repro.inputs.vectors.vectorset import VectorSet

_COLUMNS = ("name", "source", "file", "kind", "vectors", "fields", "seed", "origin", "terms")


@dataclass(frozen=True)
class VectorSource:
    """One line of the sheet.

    source: `file`: any format of `read_vectors`; `synthetic`: `random_vectors` of the kind, size and seed.
    fields: elements of a vector; of a file only where it is raw numbers.
    """

    name: str
    source: Literal["file", "synthetic"]
    file: str
    kind: str
    vectors: int | None
    fields: int | None
    seed: int | None
    origin: str
    terms: str

    def load(self) -> VectorSet:
        """Read or make the set; raises InputError as `read_vectors` and `random_vectors` do."""
        if self.source == "file":
            return read_vectors(self.file, self.fields)
        assert self.vectors is not None
        assert self.fields is not None
        assert self.seed is not None
        return random_vectors(self.kind, self.vectors, self.fields, self.seed)


def read_vector_sources(path: str | Path) -> list[VectorSource]:
    """Read a sheet of vector sets; raises InputError naming file, line and column of the first fault."""
    return [_source(row) for row in read_rows(path, _COLUMNS)]


def _source(row: Row) -> VectorSource:
    synthetic = row.choice("source", ("file", "synthetic")) == "synthetic"
    if synthetic:
        row.empty("file", "a synthetic set is made from kind, vectors, fields and seed")
    else:
        for column in ("kind", "vectors", "seed"):
            row.empty(column, "only a synthetic set has it")
    raw = not synthetic and is_raw(row.text("file"))
    if not synthetic and not raw:
        row.empty("fields", "the file says it, unless it is raw .f32 or .f64")
    return VectorSource(
        name=row.text("name"),
        source=cast(Literal["file", "synthetic"], row.cells["source"]),
        file="" if synthetic else row.text("file"),
        kind=row.choice("kind", KINDS) if synthetic else "",
        vectors=row.integer("vectors", 1) if synthetic else None,
        fields=row.integer("fields", 1) if synthetic or raw else None,
        seed=row.integer("seed", 0) if synthetic else None,
        origin=row.cells["origin"] if synthetic else row.text("origin"),
        terms=row.cells["terms"] if synthetic else row.text("terms"),
    )

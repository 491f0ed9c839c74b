"""config/pairs.tsv: the pairs of sequences whose distance is computed."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from repro.errors import InputError
from repro.inputs.ncbi import ACCESSION
from repro.inputs.pairs import least_similarity
from repro.inputs.sheets import Row, read_rows

Source = Literal["file", "ncbi", "synthetic", "unavailable"]
_SOURCES = ("file", "ncbi", "synthetic", "unavailable")
_COLUMNS = (
    "name",
    "source",
    "a",
    "b",
    "length_a",
    "length_b",
    "similarity",
    "seed",
    "distance",
    "published_distance",
    "note",
)


@dataclass(frozen=True)
class Pair:
    """One line of the sheet.

    name: also part of the names of output files.
    source: `file`: a and b are FILE or FILE#NAME, relative to the working directory; `ncbi`: a and b are accessions
        with version; `synthetic`: made from length_a, similarity and seed; `unavailable`: published, but its
        sequences cannot be had, for the reason in `note`.
    length_a, length_b: letters; checked where given.
    distance: edit distance found by an independent program, if any; published_distance: the paper's.
    """

    name: str
    source: Source
    a: str
    b: str
    length_a: int | None
    length_b: int | None
    similarity: float | None
    seed: int | None
    distance: int | None
    published_distance: int | None
    note: str

    def check_prefix(self, prefix: int | None) -> None:
        """Raise InputError where the sheet says that a sequence has fewer letters than the first so many.

        The second one of a synthetic pair may have as many fewer than the first as the similarity allows edits.
        """
        made = math.floor(self.length_a * self.similarity) if self.length_a and self.similarity else None
        known = [length for length in (made, self.length_a, self.length_b) if length is not None]
        if prefix is not None and prefix > min(known, default=prefix):
            least = "may have" if min(known) == made else "has"
            raise InputError(
                f"prefix {prefix}: pair {self.name} {least} a sequence of {min(known)} letters; give no more"
            )


def read_pairs(path: str | Path) -> list[Pair]:
    """Read a sheet of pairs; raises InputError naming file, line and column of the first fault."""
    return [_pair(row) for row in read_rows(path, _COLUMNS)]


def _pair(row: Row) -> Pair:
    source = cast(Source, row.choice("source", _SOURCES))
    synthetic = source == "synthetic"
    if synthetic:
        for column in ("a", "b", "length_b"):
            row.empty(column, "a synthetic pair is made from length_a, similarity and seed")
        least = least_similarity(row.integer("length_a", 1), row.integer("seed", 0))
        if not least <= row.number("similarity") <= 1:
            raise row.fault("similarity", f"{row.cells['similarity']} is out of reach; mutation leaves {least:g} to 1")
    else:
        for column in ("similarity", "seed"):
            row.empty(column, "only a synthetic pair has one")
        for column in ("a", "b"):
            if source == "ncbi" and not ACCESSION.fullmatch(row.text(column)):
                raise row.fault(column, f"{row.text(column)!r} is no accession with version, such as NC_000898.1")
    if source == "unavailable" and not row.cells["note"]:
        raise row.fault("note", "is empty; an unavailable pair needs the reason")
    return Pair(
        name=row.text("name"),
        source=source,
        a="" if synthetic else row.text("a"),
        b="" if synthetic else row.text("b"),
        length_a=row.integer("length_a", 1) if synthetic else row.optional_integer("length_a", 1),
        length_b=row.optional_integer("length_b", 1),
        similarity=row.number("similarity") if synthetic else None,
        seed=row.integer("seed", 0) if synthetic else None,
        distance=row.optional_integer("distance", 0),
        published_distance=row.optional_integer("published_distance", 0),
        note=row.cells["note"],
    )

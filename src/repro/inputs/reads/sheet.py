"""config/reads.tsv: the sets of sequencing reads that are aligned."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from repro.inputs.ncbi import ACCESSION
from repro.inputs.sheets import Row, read_rows

Source = Literal["file", "builtin", "mason", "pbsim"]
Platform = Literal["illumina", "clr"]
_SOURCES = ("file", "builtin", "mason", "pbsim")
_PLATFORM_OF = {"mason": "illumina", "pbsim": "clr"}
_LIKE_ACCESSION = re.compile(r"[A-Z]{1,6}_?[A-Z]{0,6}\d+(\.\d+)?")
_COLUMNS = ("name", "source", "platform", "file", "genome", "reads", "length", "length_sd", "seed", "note")


@dataclass(frozen=True)
class ReadSet:
    """One line of the sheet.

    source: `file`: reads in FASTA or FASTQ; else the simulator.
    genome: of simulated reads: a FASTA file (all its records), or a NCBI accession with version.
    reads: their number. length: letters, of CLR reads the mean; length_sd: of CLR reads, default as PBSIM's.
    """

    name: str
    source: Source
    platform: Platform
    file: str
    genome: str
    reads: int | None
    length: int | None
    length_sd: int | None
    seed: int | None
    note: str

    @property
    def accession(self) -> str | None:
        """The NCBI accession of the genome, when it is one."""
        return self.genome if ACCESSION.fullmatch(self.genome) else None


def read_read_sets(path: str | Path) -> list[ReadSet]:
    """Read a sheet of read sets; raises InputError naming file, line and column of the first fault."""
    return [_read_set(row) for row in read_rows(path, _COLUMNS)]


def _read_set(row: Row) -> ReadSet:
    source = cast(Source, row.choice("source", _SOURCES))
    platform = cast(Platform, row.choice("platform", ("illumina", "clr")))
    if platform != _PLATFORM_OF.get(source, platform):
        raise row.fault("platform", f"{platform!r}, which {source} does not simulate")
    simulated = source != "file"
    if simulated:
        row.empty("file", "simulated reads are made from a genome")
        genome = row.text("genome")
        if _LIKE_ACCESSION.fullmatch(genome) and not ACCESSION.fullmatch(genome) and not Path(genome).exists():
            raise row.fault("genome", f"{genome!r} is no file, and no accession with version, such as NC_000913.3")
    else:
        for column in ("genome", "reads", "length", "length_sd", "seed"):
            row.empty(column, "only simulated reads have it")
    if platform == "illumina":
        row.empty("length_sd", "Illumina reads have one length")
    return ReadSet(
        name=row.text("name"),
        source=source,
        platform=platform,
        file="" if simulated else row.text("file"),
        genome=row.text("genome") if simulated else "",
        reads=row.integer("reads", 1) if simulated else None,
        length=row.integer("length", 2) if simulated else None,
        length_sd=row.optional_integer("length_sd", 1),
        seed=row.integer("seed", 0) if simulated else None,
        note=row.cells["note"],
    )

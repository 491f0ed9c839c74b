"""Reads by the name of their simulator."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from repro.errors import InputError
from repro.inputs.fasta import Sequence, check_nucleotides, read_fasta, read_sequence
from repro.inputs.reads import programs
from repro.inputs.reads.clr import MEAN_LENGTH, Clr
from repro.inputs.reads.illumina import Illumina
from repro.inputs.reads.simulate import Genome, Read, simulate

SIMULATORS = {"illumina": ("builtin", "mason"), "clr": ("builtin", "pbsim")}
DEFAULT_LENGTH = {"illumina": 125, "clr": int(MEAN_LENGTH)}


def read_genome(spec: str | Path) -> list[Sequence]:
    """Read what reads are made from: all records of a FASTA file, or one, FILE#NAME. U is read as T.

    Raises InputError as `read_fasta` and `read_sequence` do, and naming file, record and position (from 1) of a letter
    that stands for no nucleotide.
    """
    records = read_fasta(spec) if Path(spec).is_file() else [read_sequence(spec)]
    check_nucleotides(spec, records)
    t = np.uint8(ord("T"))
    return [Sequence(record.name, np.where(record.letters == ord("U"), t, record.letters)) for record in records]


def simulated_reads(
    platform: str,
    simulator: str,
    genome: list[Sequence],
    reads: int,
    length: int | None,
    length_sd: float | None,
    seed: int,
) -> Iterator[Read]:
    """Yield reads of a platform (`illumina`, `clr`) by one of its SIMULATORS.

    genome: as `read_genome` reads it. length: letters, of CLR reads the mean, by default DEFAULT_LENGTH. length_sd: of
    CLR reads only.
    Raises InputError for a simulator of another platform, and as the simulators do.
    """
    if simulator not in SIMULATORS[platform]:
        raise InputError(f"{simulator} does not simulate {platform} reads; use {' or '.join(SIMULATORS[platform])}")
    letters = DEFAULT_LENGTH[platform] if length is None else length
    if simulator == "mason":
        return programs.mason(genome, letters, reads, seed)
    if simulator == "pbsim":
        return programs.pbsim(genome, letters, length_sd, reads, seed)
    model = Illumina(letters) if platform == "illumina" else Clr(letters, length_sd)
    return simulate(Genome(genome), model, reads, seed)

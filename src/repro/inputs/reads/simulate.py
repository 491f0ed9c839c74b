"""Reads placed on a genome: the same for a seed on every machine, and memory that does not grow with their number."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from repro.errors import InputError
from repro.inputs.fasta import Sequence
from repro.inputs.reads.cigar import DELETION, INSERTION, MATCH, cigar_of
from repro.inputs.reads.errors import ReadModel

LETTERS = np.frombuffer(b"ACGTN", dtype=np.uint8)
# Also part of what a seed means: each batch has random numbers of its own.
BATCH_BASES = 4_000_000
PHRED_OFFSET = 33


class Genome:
    """The records reads come from; letters other than A, C, G and T count as N.

    codes: uint8, all records one after another, A=0 C=1 G=2 T=3 N=4; offsets: int64, where each record begins;
    lengths: int64; names: of the records.
    """

    def __init__(self, records: list[Sequence]) -> None:
        code_of = np.full(256, 4, dtype=np.uint8)
        code_of[LETTERS] = np.arange(5)
        self.names = [record.name for record in records]
        self.codes = np.concatenate([code_of[record.letters] for record in records])
        self.lengths = np.array([len(record) for record in records])
        self.offsets = np.cumsum(self.lengths) - self.lengths


class Read(NamedTuple):
    """A read with its truth.

    letters: ASCII, in the direction of sequencing; qualities: of the same length, phred scale + 33.
    record: name of the genome's record; start, end: 0-based, half-open, on its forward strand; strand: `+` or `-`.
    cigar: along the forward strand, with = X I D, as in SAM.
    """

    letters: bytes
    qualities: bytes
    record: str
    start: int
    end: int
    strand: str
    cigar: bytes


def simulate(genome: Genome, model: ReadModel, reads: int, seed: int) -> Iterator[Read]:
    """Yield `reads` reads; every position at which a read fits is equally likely, and so are the strands.

    Raises InputError for fewer than 1 read, a negative seed, and a genome no record of which is long enough.
    """
    if reads < 1:
        raise InputError(f"{reads} reads; give at least 1")
    if seed < 0:
        raise InputError(f"seed {seed}; give 0 or more")
    batch_reads = max(1, int(BATCH_BASES / model.mean_length))
    for batch, first in enumerate(range(0, reads, batch_reads)):
        rng = np.random.default_rng([seed, batch])
        yield from _batch(genome, model, min(batch_reads, reads - first), rng)


def _batch(genome: Genome, model: ReadModel, reads: int, rng: np.random.Generator) -> Iterator[Read]:
    errors = model.errors(rng, reads)
    record, start = _places(genome, errors.spans, rng)
    reverse = rng.random(reads) < 0.5
    codes = np.empty(errors.qualities.size, dtype=np.uint8)
    places = genome.offsets[record] + start
    _copy(rng, genome.codes, places, reverse, errors, model.substitutions, model.copied_insertions, codes)
    letters = LETTERS[codes].tobytes()
    qualities = (errors.qualities + np.uint8(PHRED_OFFSET)).tobytes()
    end = np.cumsum(errors.lengths)
    begin = end - errors.lengths
    for i in range(reads):
        operations = errors.operations[2 * begin[i] : 2 * begin[i] + errors.counts[i]]
        yield Read(
            letters[begin[i] : end[i]],
            qualities[begin[i] : end[i]],
            genome.names[record[i]],
            int(start[i]),
            int(start[i] + errors.spans[i]),
            "-" if reverse[i] else "+",
            cigar_of(operations[::-1] if reverse[i] else operations),
        )


def _places(
    genome: Genome, spans: npt.NDArray[np.int64], rng: np.random.Generator
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Draw (record, start) for each span, uniformly over all places where it fits."""
    longest = genome.lengths.max()
    if spans.max() > longest:
        raise InputError(
            f"a read covers {spans.max()} letters, but the longest record of the genome, "
            f"{genome.names[genome.lengths.argmax()]}, has {longest}; use a longer genome or shorter reads"
        )
    record, start = np.empty_like(spans), np.empty_like(spans)
    _draw_places(rng, genome.lengths, spans, record, start)
    return record, start


@njit(cache=True)
def _draw_places(rng, lengths, spans, record, start):  # type: ignore[no-untyped-def]
    for read in range(spans.size):
        places = 0
        for length in lengths:
            places += max(length - spans[read] + 1, 0)
        place = rng.integers(0, places)
        record[read] = 0
        while place >= max(lengths[record[read]] - spans[read] + 1, 0):
            place -= max(lengths[record[read]] - spans[read] + 1, 0)
            record[read] += 1
        start[read] = place


@njit(cache=True)
def _copy(rng, genome, places, reverse, errors, substitutions, copied, letters):  # type: ignore[no-untyped-def]
    """Write the codes of the reads' letters: the genome's, changed by each read's operations."""
    base = 0
    for read in range(places.size):
        step = -1 if reverse[read] else 1
        place = places[read] + (errors.spans[read] - 1 if reverse[read] else 0)
        at = 2 * base
        for operation in errors.operations[at : at + errors.counts[read]]:
            code = 4
            if 0 <= place < genome.size:
                code = genome[place]
                if reverse[read] and code < 4:
                    code = 3 - code
            if operation == DELETION:
                place += step
                continue
            if operation == INSERTION:
                if code == 4 or rng.random() >= copied:
                    code = rng.integers(0, 4)
            else:
                place += step
                if operation != MATCH:
                    code = substitutions[code, rng.integers(0, substitutions.shape[1])]
            letters[base] = code
            base += 1

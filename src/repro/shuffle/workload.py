"""What an experiment aligns: the reads of a set with each other, or each with the part of the genome it comes from."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from repro.errors import InputError
from repro.inputs.fasta import Sequence
from repro.inputs.reads.files import read_reads
from repro.inputs.reads.sources import read_genome
from repro.shuffle.letters import Letters, Pairs, encode, pair_indices

Against = Literal["reads", "window", "genome"]

PADDING = 0.1  # of the stretch a read comes from, added to its window at either end
_COMPLEMENT = np.arange(256, dtype=np.uint8)
_COMPLEMENT[np.frombuffer(b"ACGT", np.uint8)] = np.frombuffer(b"TGCA", np.uint8)


@dataclass(frozen=True)
class ReadFiles:
    """Where a set of reads lies and, where it was simulated, where its truth and its genome do."""

    reads: str
    truth: str | None = None
    genome: str | None = None


@dataclass(frozen=True, eq=False)
class Workload:
    """A batch to be aligned. name: of the read set. against: what its reads are aligned with, as in `load`."""

    name: str
    against: Against
    queries: Letters
    subjects: Letters
    pairs: Pairs

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the scores: (queries, subjects) where all are aligned with all, else (n,)."""
        if isinstance(self.pairs, str) and self.pairs == "all":
            return len(self.queries), len(self.subjects)
        return (len(self.queries) if isinstance(self.pairs, str) else len(self.pairs),)

    @property
    def cells(self) -> int:
        """Elements of all matrices: the sum of query letters x subject letters."""
        if len(self.shape) == 2:
            return int(self.queries.lengths.sum()) * int(self.subjects.lengths.sum())
        queries, subjects = self.indices()
        return int(self.queries.lengths[queries] @ self.subjects.lengths[subjects])

    def indices(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The query and the subject of each alignment, in the order of the results."""
        return pair_indices(self.pairs, len(self.queries), len(self.subjects))

    def described(self) -> dict[str, int | str]:
        """The column `input` of its rows."""
        digest = hashlib.sha256()
        for batch in (self.queries, self.subjects):
            digest.update(batch.codes.tobytes() + batch.offsets.tobytes())
        digest.update(self.pairs.encode() if isinstance(self.pairs, str) else self.pairs.tobytes())
        return {
            "name": self.name,
            "against": self.against,
            "queries": len(self.queries),
            "subjects": len(self.subjects),
            "pairs": int(np.prod(self.shape)),
            "query_letters": int(self.queries.lengths.sum()),
            "subject_letters": int(self.subjects.lengths.sum()),
            "longest_query": int(self.queries.lengths.max()),
            "longest_subject": int(self.subjects.lengths.max()),
            "cells": self.cells,
            "sha256": digest.hexdigest(),
        }

    def sample(self, most_cells: int) -> NDArray[np.int64]:
        """Positions among the results, evenly spread, of as many alignments as have about `most_cells`, or one."""
        pairs = int(np.prod(self.shape))
        count = min(pairs, max(1, most_cells * pairs // max(1, self.cells)))
        return np.linspace(0, pairs - 1, count).astype(np.int64)

    def sampled_pairs(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """The query and the subject at some positions: int64, shape (n, 2)."""
        if len(self.shape) == 2:
            return np.column_stack(np.divmod(positions, self.shape[1]))
        return np.column_stack(self.indices())[positions]

    def part(self, most: int) -> "Workload":
        """A small batch with lengths from the longest to the shortest: `most` alignments, or each with each of so many.

        What it needs of kernels is what the whole needs, as far as that depends on lengths and on whether queries have
        letters other than A, C, G and T: one more has them, or does not, where that would be missing.
        """
        if len(self.shape) == 2:
            chosen, have = _spread(self.queries.lengths, most), self.queries.have_others
            missing = [np.flatnonzero(have == kind)[:1] for kind in (False, True) if kind not in have[chosen]]
            few = self.queries.taken(np.concatenate([chosen, *missing]))
            others = self.subjects.taken(_spread(self.subjects.lengths, most))
            return Workload(self.name, self.against, few, others, "all")
        queries, subjects = self.indices()
        chosen = _spread(self.queries.lengths[queries] * self.subjects.lengths[subjects], most)
        few, others = self.queries.taken(queries[chosen]), self.subjects.taken(subjects[chosen])
        return Workload(self.name, self.against, few, others, "zip")


def _spread(sizes: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Indices of `most` of the sizes, evenly spread from the largest to the smallest."""
    order = np.argsort(-sizes, kind="stable")
    return order[np.unique(np.linspace(0, len(order) - 1, most).astype(np.int64))]


def load(name: str, files: ReadFiles, against: Against, queries: int | None, subjects: int | None) -> Workload:
    """The batch of a set of reads.

    against: `reads`: every query with every subject of the set; `window`: each query with the stretch of the genome
    that it comes from, PADDING of it longer at either end; `genome`: each with the whole record. Windows and records
    of reads from the reverse strand are reversed and complemented. queries, subjects: the first so many reads; None
    is all.
    Raises InputError for a set with fewer reads than wanted, and for windows of reads whose origin is not known.
    """
    reads = [read.letters for read in read_reads(files.reads)]
    for what, wanted in (("queries", queries), ("subjects", subjects)):
        if wanted is not None and wanted > len(reads):
            raise InputError(f"{files.reads}: {len(reads)} reads, but the configuration wants {wanted} {what}")
    chosen = reads[:queries]
    if against == "reads":
        return Workload(name, against, encode(chosen), encode(reads[:subjects]), "all")
    if files.truth is None or files.genome is None:
        raise InputError(f"{files.reads}: where the reads come from is not known; choose reads that are simulated here")
    records = {record.name: record for record in read_genome(files.genome)}
    places = pd.read_csv(files.truth, sep="\t", nrows=len(chosen), dtype={"record": str})
    if against == "window":
        return Workload(name, against, encode(chosen), encode(_windows(records, places)), "zip")
    ends = list(zip(places["record"], places["strand"], strict=True))
    strands = list(dict.fromkeys(ends))
    whole = [_stranded(records[record].letters, strand) for record, strand in strands]
    pairs = np.array([(i, strands.index(end)) for i, end in enumerate(ends)], np.int64)
    return Workload(name, against, encode(chosen), encode(whole), pairs)


def _windows(records: Mapping[str, Sequence], places: pd.DataFrame) -> list[NDArray[np.uint8]]:
    found = []
    for place in places.itertuples():
        padding = round(PADDING * (place.end - place.start))
        letters = records[place.record].letters[max(0, place.start - padding) : place.end + padding]
        found.append(_stranded(letters, place.strand))
    return found


def _stranded(letters: NDArray[np.uint8], strand: str) -> NDArray[np.uint8]:
    return letters if strand == "+" else _COMPLEMENT[letters[::-1]]

"""What launches of tracebacks give, and the alignments that all of it together is."""

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from repro.shuffle.alignments import DELETION, EQUAL, INSERTION, OP_BITS, UNEQUAL, Alignments

PER_WORD = 16
OPS = np.array([EQUAL, UNEQUAL, INSERTION, DELETION], np.uint32)


@dataclass(frozen=True)
class Traced:
    """Some alignments, n of them.

    places: their positions in the batch, int64; -1 for one that is no part of it. scores, columns, runs: of each, and
    how many columns and runs of equal columns it has. ends: shape (n, 4), query_begin, query_end, subject_begin,
    subject_end. words: columns from an alignment's end on, two bits each, those of alignment i from first_words[i] on.
    """

    places: NDArray[np.int64]
    scores: NDArray[np.integer]
    ends: NDArray[np.int32]
    columns: NDArray[np.int32]
    runs: NDArray[np.int32]
    first_words: NDArray[np.int64]
    words: NDArray[np.uint32]


class Collected:
    """The alignments of a batch, as they come in."""

    def __init__(self, count: int) -> None:
        self.score = np.zeros(count, np.int64)
        self.ends = np.zeros((4, count), np.int64)
        self.runs = np.zeros(count, np.int64)
        self.kept: list[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.uint32]]] = []

    def add(self, found: Traced) -> None:
        """Take over what is found; nothing of it is referred to afterwards."""
        _scatter(found.places, found.scores, found.ends, found.runs, self.score, self.ends, self.runs)
        self.kept.append((found.places, found.columns.copy(), found.first_words, found.words.copy()))

    def alignments(self) -> Alignments:
        """All of them."""
        offsets = np.zeros(len(self.runs) + 1, np.int64)
        np.cumsum(self.runs, out=offsets[1:])
        ops = np.empty(offsets[-1], np.uint32)
        for places, columns, first_words, words in self.kept:
            _write_ops(places, columns, first_words, words, offsets, ops)
        query_begin, query_end, subject_begin, subject_end = self.ends
        return Alignments(self.score, query_begin, query_end, subject_begin, subject_end, ops, offsets)


@numba.njit(cache=True, parallel=True)
def count_runs(words, first_words, columns):  # type: ignore[no-untyped-def]
    """Runs of equal columns of each alignment: int32, shape (n,). The rest as of `Traced`."""
    runs = np.zeros(len(columns), np.int32)
    for i in numba.prange(len(columns)):
        previous, found = 4, 0
        for k in range(columns[i]):
            kind = words[first_words[i] + k // PER_WORD] >> np.uint32(2 * (k % PER_WORD)) & 3
            found += kind != previous
            previous = kind
        runs[i] = found
    return runs


@numba.njit(cache=True, parallel=True)
def _scatter(places, scores, ends, runs, all_scores, all_ends, all_runs):  # type: ignore[no-untyped-def]
    for i in numba.prange(len(places)):
        place = places[i]
        if place >= 0:
            all_scores[place] = scores[i]
            all_runs[place] = runs[i]
            for end in range(4):
                all_ends[end, place] = ends[i, end]


@numba.njit(cache=True, parallel=True)
def _write_ops(places, columns, first_words, words, offsets, ops):  # type: ignore[no-untyped-def]
    for i in numba.prange(len(places)):
        if places[i] < 0 or columns[i] == 0:
            continue
        # From an alignment's end on: without a branch for whether a run goes on, which none can foresee.
        place = offsets[places[i] + 1]
        word = words[first_words[i]]
        previous, length = np.int64(word & np.uint32(3)), np.int64(0)
        place -= 1
        for k in range(columns[i]):
            if k % PER_WORD == 0:
                word = words[first_words[i] + k // PER_WORD]
            kind = np.int64(word & np.uint32(3))
            word >>= np.uint32(2)
            other = np.int64(kind != previous)
            place -= other
            length = length * (1 - other) + 1
            ops[place] = np.uint32(length << OP_BITS) | OPS[kind]
            previous = kind

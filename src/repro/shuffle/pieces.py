"""A batch in pieces that fit a device's memory, so that results of one leave it while the next is computed."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from repro.shuffle.letters import Letters

PIECES = 8  # of a batch that would fit as a whole
SMALLEST = 2**16  # alignments
LARGEST_SHARE = 16  # of the free memory, for the results or for the letters of a piece


@dataclass(frozen=True)
class Piece:
    """Some of a batch's alignments, with the letters they need.

    pairs: None for all queries with all subjects, else the indices of each alignment's query and subject. place: which
    part of the results they are.
    """

    queries: Letters
    subjects: Letters
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    place: tuple[slice, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Of its results."""
        return tuple(part.stop - part.start for part in self.place)


def pieces_of_all(queries: Letters, subjects: Letters, free: int, result_bytes: int) -> Iterator[Piece]:
    """Every query with every subject: blocks of the matrix of results. free: bytes of device memory.

    result_bytes: of one score.
    """
    most = max(1, free // LARGEST_SHARE)
    columns = _cut(subjects.lengths, most, max(1, most // result_bytes))
    widest = max(1, *(column.stop - column.start for column in columns))
    wanted = max(SMALLEST, len(queries) * len(subjects) // PIECES)
    rows = _cut(queries.lengths, most, max(1, min(wanted, most // result_bytes) // widest))
    for column in columns:
        part = _part(subjects, column)
        for row in rows:
            yield Piece(_part(queries, row), part, None, (row, column))


def pieces_of_list(
    queries: Letters, subjects: Letters, pairs: tuple[NDArray[np.int64], NDArray[np.int64]], free: int
) -> Iterator[Piece]:
    """Some pairs, in their order; letters that do not fit as a whole are taken piece by piece."""
    most = max(1, free // LARGEST_SHARE)
    whole = len(queries.codes) + len(subjects.codes) <= most
    count = len(pairs[0])
    sizes = np.zeros(count, np.int64) if whole else queries.lengths[pairs[0]] + subjects.lengths[pairs[1]]
    for place in _cut(sizes, most, max(SMALLEST, -(-count // PIECES))):
        chosen = pairs[0][place], pairs[1][place]
        if whole:
            yield Piece(queries, subjects, chosen, (place,))
            continue
        (used_queries, q), (used_subjects, s) = (np.unique(side, return_inverse=True) for side in chosen)
        yield Piece(queries.taken(used_queries), subjects.taken(used_subjects), (q, s), (place,))


def _cut(sizes: NDArray[np.int64], most: int, count: int) -> list[slice]:
    """Ranges of at most `count` entries whose sizes add up to at most `most`, or of one entry."""
    ends = np.cumsum(sizes)
    parts = []
    begin = 0
    while begin < len(sizes):
        before = int(ends[begin - 1]) if begin else 0
        end = min(int(np.searchsorted(ends, before + most, side="right")), begin + count)
        parts.append(slice(begin, max(end, begin + 1)))
        begin = parts[-1].stop
    return parts


def _part(letters: Letters, part: slice) -> Letters:
    offsets = letters.offsets[part.start : part.stop + 1]
    return Letters(letters.codes[offsets[0] : offsets[-1]], offsets - offsets[0])

"""Which alignments are computed together: by number type and by the width of a subject, the longest first."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from repro.shuffle.letters import Letters
from repro.shuffle.scheme import CODES, OTHER

Indices = NDArray[np.int32]
Fits = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]


@dataclass(frozen=True)
class Group:
    """Alignments of one launch: all `queries` with all `subjects`, or, where `places` is given, the i-th with the i-th.

    method: index of the number type. places: where the scores belong. rows, columns: the longest query and subject.
    letters: how many codes queries may have, 4 or, with others than A, C, G and T, 5.
    """

    method: int
    queries: Indices
    subjects: Indices
    places: NDArray[np.integer] | None
    rows: int
    columns: int
    letters: int = CODES

    @property
    def alignments(self) -> int:
        """How many there are."""
        return len(self.queries) if self.places is not None else len(self.queries) * len(self.subjects)


def narrowest(methods: Sequence[Fits], m: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first of the methods that is exact for each pair of lengths, narrowest first; the last takes the rest."""
    chosen = np.full(len(m), len(methods) - 1)
    for index in reversed(range(len(methods) - 1)):
        chosen[methods[index](m, n)] = index
    return chosen


def of_all(queries: Letters, subjects: Letters, methods: Sequence[Fits], widths: NDArray[np.int64]) -> Iterator[Group]:
    """Groups of every query with every subject.

    widths: ascending numbers of columns that kernels are made for; subjects of one group have the same of them.
    """
    by_length = np.argsort(-queries.lengths, kind="stable").astype(np.int32)
    m = queries.lengths[by_length]
    codes = np.where(queries.have_others[by_length], CODES, OTHER)
    classes = np.searchsorted(widths, subjects.lengths)
    for width in np.unique(classes)[::-1]:
        members = np.flatnonzero(classes == width).astype(np.int32)
        members = members[np.argsort(-subjects.lengths[members], kind="stable")]
        columns = int(subjects.lengths[members[0]])
        chosen = narrowest(methods, m, np.full(len(m), columns))
        for method, letters in sorted(set(zip(chosen.tolist(), codes.tolist(), strict=True)), reverse=True):
            rows = (chosen == method) & (codes == letters)
            yield Group(method, by_length[rows], members, None, int(m[rows][0]), columns, letters)


def of_list(
    queries: Letters,
    subjects: Letters,
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]],
    methods: Sequence[Fits],
    widths: NDArray[np.int64],
) -> Iterator[Group]:
    """Groups of some pairs; the places are their positions."""
    m, n = queries.lengths[pairs[0]], subjects.lengths[pairs[1]]
    chosen = narrowest(methods, m, n)
    classes = np.searchsorted(widths, n)
    order = np.lexsort((-n, -m, classes, chosen)).astype(np.int32)
    keys = np.stack([chosen[order], classes[order]])
    starts = np.flatnonzero(np.append(len(order) > 0, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
    for begin, end in zip(starts, [*starts[1:], len(order)], strict=False):
        members = order[begin:end]
        query, subject = (side[members].astype(np.int32) for side in pairs)
        yield Group(int(chosen[members[0]]), query, subject, members, int(m[members].max()), int(n[members].max()))


def as_pairs(groups: Sequence[Group], pitch: int) -> Group:
    """Groups of one method as one, each alignment with its place: query * pitch + subject in groups of all with all."""
    parts = []
    for group in groups:
        if group.places is not None:
            parts.append((group.queries, group.subjects, group.places.astype(np.int64)))
            continue
        queries = np.repeat(group.queries, len(group.subjects))
        subjects = np.tile(group.subjects, len(group.queries))
        parts.append((queries, subjects, queries.astype(np.int64) * pitch + subjects))
    queries, subjects, places = (np.concatenate(values) for values in zip(*parts, strict=True))
    rows, columns = (max(getattr(group, name) for group in groups) for name in ("rows", "columns"))
    return Group(groups[0].method, queries, subjects, places, rows, columns)

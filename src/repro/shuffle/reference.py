"""Alignments on the CPU, independent of the kernels: Eq. (1) to (5) with whole matrices of 64-bit integers.

Of equally good alignments it is this one: it ends where the query's end comes first, then the subject's, and from
there backwards goes diagonally where it can, else takes a letter of the query, else one of the subject; it opens a gap
rather than extends it, and a local one begins as soon as its score is 0.
"""

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from repro.shuffle.alignments import DELETION, EQUAL, INSERTION, OP_BITS, UNEQUAL, Alignments, Ops, cigar_text
from repro.shuffle.letters import Codes, Letters, Pairs, pair_indices
from repro.shuffle.scheme import OTHER, Scheme

GLOBAL, SEMI_GLOBAL, LOCAL = range(3)
MODES = {"global": GLOBAL, "semi-global": SEMI_GLOBAL, "local": LOCAL}
MINUS_INFINITY = -(2**62)
# What a byte of the traceback matrix holds: where H came from, and whether E and F extend a gap.
DIAGONAL, FROM_E, FROM_F, STOP = range(4)
E_EXTENDS, F_EXTENDS = 4, 8


@dataclass(frozen=True)
class Alignment:
    """One alignment: score, the intervals it covers (0-based, half-open), and its packed CIGAR."""

    score: int
    query_begin: int
    query_end: int
    subject_begin: int
    subject_end: int
    ops: Ops

    @property
    def cigar(self) -> str:
        """Its CIGAR, e.g. `2=1I2=`."""
        return cigar_text(self.ops)


def score(query: Codes, subject: Codes, scheme: Scheme) -> int:
    """The best score of two sequences, with one row of the matrices in memory."""
    return int(_score(query, subject, *_numbers(scheme)))


def scores(queries: Letters, subjects: Letters, pairs: Pairs, scheme: Scheme) -> NDArray[np.int64]:
    """The best scores of a batch on all cores: int64, shape (queries, subjects) for "all", else (n,)."""
    chosen = pair_indices(pairs, len(queries), len(subjects))
    batch = (queries.codes, queries.offsets, subjects.codes, subjects.offsets)
    found: NDArray[np.int64] = _scores(*batch, *chosen, *_numbers(scheme))
    return found.reshape(len(queries), len(subjects)) if isinstance(pairs, str) and pairs == "all" else found


def alignment(query: Codes, subject: Codes, scheme: Scheme) -> Alignment:
    """The alignment of two sequences that the module's tie-break chooses; a byte of memory for each pair of letters."""
    best, i, i_end, j, j_end, ops = _alignment(query, subject, *_numbers(scheme))
    return Alignment(int(best), int(i), int(i_end), int(j), int(j_end), ops)


def alignments(queries: Letters, subjects: Letters, pairs: Pairs, scheme: Scheme) -> Alignments:
    """The alignments of a batch, one after the other."""
    chosen = pair_indices(pairs, len(queries), len(subjects))
    found = [alignment(queries[i], subjects[j], scheme) for i, j in zip(*chosen, strict=True)]
    ends = [(a.score, a.query_begin, a.query_end, a.subject_begin, a.subject_end) for a in found]
    offsets = np.zeros(len(found) + 1, np.int64)
    np.cumsum([len(a.ops) for a in found], out=offsets[1:])
    ops = np.concatenate([np.empty(0, np.uint32), *(a.ops for a in found)])
    best, i, i_end, j, j_end = np.array(ends, np.int64).reshape(-1, 5).T
    return Alignments(best, i, i_end, j, j_end, ops, offsets)


def rescore(queries: Letters, subjects: Letters, pairs: Pairs, scheme: Scheme, found: Alignments) -> NDArray[np.int64]:
    """The score that each CIGAR adds up to, letter by letter: int64, shape (n,).

    Raises ValueError naming the first alignment whose intervals do not lie in its sequences or are not those its CIGAR
    covers, whose CIGAR calls letters equal that are not or the other way round, has an empty operation or two of one
    kind in a row, or which does not reach the ends that its mode asks for.
    """
    mode, table, first, further = _numbers(scheme)
    intervals = (found.query_begin, found.query_end, found.subject_begin, found.subject_end)
    batch = (queries.codes, queries.offsets, subjects.codes, subjects.offsets)
    chosen = pair_indices(pairs, len(queries), len(subjects))
    totals, valid = _rescore(*batch, *chosen, mode, table, first, further, *intervals, found.ops, found.offsets)
    if not valid.all():
        wrong = int(np.argmin(valid))
        where = ", ".join(str(values[wrong]) for values in intervals)
        raise ValueError(f"alignment {wrong} is none: intervals {where}, CIGAR {found.cigar(wrong)}")
    return totals  # type: ignore[no-any-return]


def _numbers(scheme: Scheme) -> tuple[int, NDArray[np.int32], int, int]:
    """A scheme as the compiled functions take it: mode, table, penalties of a gap's first and further letters."""
    return MODES[scheme.mode], scheme.table(), scheme.first, scheme.gap_extend


@numba.njit(cache=True)
def _border(mode, first, further, letters):  # type: ignore[no-untyped-def]
    """H(i, 0) or H(0, j): a gap of so many letters, or 0 where end gaps are free."""
    return 0 if mode != GLOBAL or letters == 0 else -first - (letters - 1) * further


@numba.njit(cache=True)
def _score(query, subject, mode, table, first, further):  # type: ignore[no-untyped-def]
    m, n = len(query), len(subject)
    h = np.empty(n + 1, np.int64)
    e = np.full(n + 1, MINUS_INFINITY, np.int64)
    for j in range(n + 1):
        h[j] = _border(mode, first, further, j)
    best = h[n]
    for i in range(1, m + 1):
        diagonal = h[0]
        h[0] = _border(mode, first, further, i)
        f = MINUS_INFINITY
        for j in range(1, n + 1):
            e[j] = max(e[j] - further, h[j] - first)
            f = max(f - further, h[j - 1] - first)
            value = max(diagonal + table[query[i - 1], subject[j - 1]], e[j], f)
            if mode == LOCAL:
                value = max(value, 0)
                best = max(best, value)
            diagonal, h[j] = h[j], value
        if mode == SEMI_GLOBAL:
            best = max(best, h[n])
    return h[n] if mode == GLOBAL else max(best, max(h)) if mode == SEMI_GLOBAL else best


@numba.njit(cache=True, parallel=True)
def _scores(queries, starts, subjects, begins, chosen, partners, mode, table, first, further):  # type: ignore[no-untyped-def]
    found = np.empty(len(chosen), np.int64)
    for pair in numba.prange(len(chosen)):
        i, j = chosen[pair], partners[pair]
        query, subject = queries[starts[i] : starts[i + 1]], subjects[begins[j] : begins[j + 1]]
        found[pair] = _score(query, subject, mode, table, first, further)
    return found


@numba.njit(cache=True)
def _alignment(query, subject, mode, table, first, further):  # type: ignore[no-untyped-def]
    m, n = len(query), len(subject)
    moves = np.zeros((m + 1, n + 1), np.uint8)
    h = np.empty(n + 1, np.int64)
    e = np.full(n + 1, MINUS_INFINITY, np.int64)
    for j in range(n + 1):
        h[j] = _border(mode, first, further, j)
    best, i_end, j_end = np.int64(h[n]), 0, (0 if mode == LOCAL else n)
    for i in range(1, m + 1):
        diagonal = h[0]
        h[0] = _border(mode, first, further, i)
        f = MINUS_INFINITY
        for j in range(1, n + 1):
            move = 0
            if h[j] - first < e[j] - further:
                move |= E_EXTENDS
            e[j] = max(e[j] - further, h[j] - first)
            if h[j - 1] - first < f - further:
                move |= F_EXTENDS
            f = max(f - further, h[j - 1] - first)
            aligned = diagonal + table[query[i - 1], subject[j - 1]]
            value = max(aligned, e[j], f)
            if mode == LOCAL and value <= 0:
                value = 0
                move |= STOP
            elif value != aligned:
                move |= FROM_E if value == e[j] else FROM_F
            moves[i, j] = move
            if mode == LOCAL and value > best:
                best, i_end, j_end = value, i, j
            diagonal, h[j] = h[j], value
        if mode == SEMI_GLOBAL and h[n] > best:
            best, i_end = h[n], i
    if mode == GLOBAL:
        best, i_end = h[n], m
    if mode == SEMI_GLOBAL and (i_end == m or max(h) > best):
        i_end, best = m, max(h)
        j_end = int(np.argmax(h))
    ops, i, j = _walk(moves, query, subject, mode, i_end, j_end)
    return best, i, i_end, j, j_end, ops


@numba.njit(cache=True)
def _walk(moves, query, subject, mode, i, j):  # type: ignore[no-untyped-def]
    ops = np.empty(i + j, np.uint32)
    used = 0
    state = DIAGONAL
    while (i > 0 and j > 0) or (mode == GLOBAL and (i > 0 or j > 0)):
        if i == 0:
            op = DELETION
        elif j == 0:
            op = INSERTION
        else:
            move = moves[i, j]
            if state == DIAGONAL:
                state = move & 3
            if state == STOP:
                break
            if state == DIAGONAL:
                equal = query[i - 1] == subject[j - 1] and query[i - 1] != OTHER
                op = EQUAL if equal else UNEQUAL
            elif state == FROM_E:
                op = INSERTION
                if not move & E_EXTENDS:
                    state = DIAGONAL
            else:
                op = DELETION
                if not move & F_EXTENDS:
                    state = DIAGONAL
        i -= op != DELETION
        j -= op != INSERTION
        if used and ops[used - 1] & 15 == op:
            ops[used - 1] += 1 << OP_BITS
        else:
            ops[used] = 1 << OP_BITS | op
            used += 1
    return ops[:used][::-1].copy(), i, j


@numba.njit(cache=True, parallel=True)
def _rescore(  # type: ignore[no-untyped-def]
    queries, starts, subjects, begins, chosen, partners, mode, table, first, further,
    query_begin, query_end, subject_begin, subject_end, ops, offsets,
):  # fmt: skip
    totals = np.zeros(len(chosen), np.int64)
    valid = np.zeros(len(chosen), np.bool_)
    for pair in numba.prange(len(chosen)):
        q, s = chosen[pair], partners[pair]
        query, subject = queries[starts[q] : starts[q + 1]], subjects[begins[s] : begins[s + 1]]
        m, n = len(query), len(subject)
        i, i_end, j, j_end = query_begin[pair], query_end[pair], subject_begin[pair], subject_end[pair]
        fits = 0 <= i <= i_end <= m and 0 <= j <= j_end <= n
        if mode == GLOBAL:
            fits &= i == 0 and i_end == m and j == 0 and j_end == n
        if mode == SEMI_GLOBAL:
            fits &= (i == 0 or j == 0) and (i_end == m or j_end == n)
        last = 0
        total = 0
        for index in range(offsets[pair], offsets[pair + 1]):
            op, count = ops[index] & 15, np.int64(ops[index] >> OP_BITS)
            down, right = (count if op != DELETION else 0), (count if op != INSERTION else 0)
            fits &= count > 0 and op != last and i + down <= i_end and j + right <= j_end
            fits &= op in (INSERTION, DELETION, EQUAL, UNEQUAL)
            if not fits:
                break
            last = op
            if op in (INSERTION, DELETION):
                total -= first + (count - 1) * further
            else:
                for k in range(count):
                    a, b = query[i + k], subject[j + k]
                    fits &= (a == b and a != OTHER) == (op == EQUAL)
                    total += table[a, b]
            i += down
            j += right
        totals[pair] = total
        valid[pair] = fits and i == i_end and j == j_end
    return totals, valid

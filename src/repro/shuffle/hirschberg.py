"""The tracebacks of the paper's variants: stored predecessors up to 128 letters in total, else Hirschberg's division.

All problems of a level of the division are computed by one launch. The kernel finds where the path crosses the middle
row by carrying it forward, so that the alignment is the one of `reference`, with affine gaps too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.device import Array, Device
from repro.device.source import Constant
from repro.shuffle.alignments import OP_BITS, Alignments
from repro.shuffle.letters import Letters, Pairs, pair_indices
from repro.shuffle.outcome import Outcome
from repro.shuffle.paper import KERNELS, TYPES
from repro.shuffle.ranges import fits
from repro.shuffle.reference import MODES
from repro.shuffle.scheme import OTHER, Scheme
from repro.shuffle.traced import OPS, PER_WORD

STORED_LETTERS = 128  # of both sequences together: the paper's threshold
COLUMN_WORDS = STORED_LETTERS // PER_WORD
COLUMNS = 4
CELL_BYTES = 40  # of what passes from stage to stage, at most
EQUAL, UNEQUAL, INSERTION, DELETION = range(4)

Int64s = NDArray[np.int64]


@dataclass
class _Pieces:
    """Parts of alignments: which one, the letters before it, and its columns, one after the other."""

    alignment: list[Int64s] = field(default_factory=list)
    place: list[Int64s] = field(default_factory=list)
    counts: list[Int64s] = field(default_factory=list)
    columns: list[NDArray[np.uint8]] = field(default_factory=list)

    def add(self, alignment: Int64s, place: Int64s, counts: Int64s, columns: NDArray[np.uint8]) -> None:
        self.alignment.append(alignment)
        self.place.append(place)
        self.counts.append(counts)
        self.columns.append(columns)

    def add_runs(self, alignment: Int64s, place: Int64s, counts: Int64s, kinds: NDArray[np.uint8]) -> None:
        """Columns of one kind in each."""
        self.add(alignment, place, counts, np.repeat(kinds, counts))

    def ops(self, alignments: int) -> tuple[NDArray[np.uint32], Int64s]:
        """The operations of all alignments, and where each one's start: shape (alignments + 1,)."""
        alignment, place, counts = (np.concatenate(values) for values in (self.alignment, self.place, self.counts))
        starts = np.cumsum(counts) - counts
        order = np.lexsort((place, alignment))
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts[order]) - counts[order], counts[order])
        kinds = np.concatenate(self.columns)[np.repeat(starts[order], counts[order]) + within]
        owner = np.repeat(alignment[order], counts[order])
        begins = np.flatnonzero(np.append(True, (kinds[1:] != kinds[:-1]) | (owner[1:] != owner[:-1]))[: len(kinds)])
        lengths = np.diff(np.append(begins, len(kinds)))
        ops = (lengths << OP_BITS).astype(np.uint32) | OPS[kinds[begins]]
        return ops, np.searchsorted(owner[begins], np.arange(alignments + 1))


@dataclass(frozen=True)
class _Problems:
    """Rectangles of matrices: alignment, rows i to i_end, columns j to j_end; whether a gap goes on at either end."""

    alignment: Int64s
    i: Int64s
    i_end: Int64s
    j: Int64s
    j_end: Int64s
    begins_in_e: Int64s
    ends_in_e: Int64s

    def at(self, chosen: NDArray[Any]) -> "_Problems":
        return _Problems(*(values[chosen] for values in vars(self).values()))

    @property
    def m(self) -> Int64s:
        return self.i_end - self.i

    @property
    def n(self) -> Int64s:
        return self.j_end - self.j


def run(
    device: Device, kinds: Sequence[str], queries: Letters, subjects: Letters, pairs: Pairs, scheme: Scheme
) -> Outcome:
    """The alignments of a batch, by the narrowest of the number types `kinds` that is exact for each."""
    chosen, partners = pair_indices(pairs, len(queries), len(subjects))
    m, n = queries.lengths[chosen], subjects.lengths[partners]
    count = len(chosen)
    score, ends, pieces, types = np.zeros(count, np.int64), np.zeros((4, count), np.int64), _Pieces(), {}
    waiting = np.ones(count, bool)
    cells = 0
    for kind in kinds:
        members = np.flatnonzero(waiting & (fits(kind, scheme, m, n) if kind != kinds[-1] else True))
        waiting[members] = False
        if len(members):
            types[kind] = len(members)
            zero = np.zeros_like(members)
            whole = _Problems(members, zero, m[members], zero, n[members], zero, zero)
            solver = _Solver(device, kind, scheme, queries, subjects, chosen, partners, score, ends, pieces)
            solver.solve(whole)
            cells += solver.cells
    ops, offsets = pieces.ops(count) if pieces.counts else (np.empty(0, np.uint32), np.zeros(count + 1, np.int64))
    found = Alignments(score, ends[0], ends[1], ends[2], ends[3], ops, offsets.astype(np.int64))
    shape = (len(queries), len(subjects)) if isinstance(pairs, str) and pairs == "all" else (count,)
    return Outcome(score.reshape(shape), cells, types, found)


@dataclass
class _Solver:
    """Solves the alignments of one number type, and writes scores, ends and pieces. cells: computed so far."""

    device: Device
    kind: str
    scheme: Scheme
    queries: Letters
    subjects: Letters
    chosen: Int64s
    partners: Int64s
    score: Int64s
    ends: Int64s
    pieces: _Pieces
    cells: int = 0

    @cached_property
    def inputs(self) -> tuple[Array, Array, Array]:
        """Letters of queries and of subjects, and the scores of pairs of them, in the device's memory."""
        upload = self.device.upload
        return upload(self.queries.codes), upload(self.subjects.codes), upload(self.scheme.table())

    def solve(self, whole: _Problems) -> None:
        """Whole matrices: where alignments begin and end, then the division."""
        mode = self.scheme.mode
        if mode == "global":
            gap = whole.m + whole.n
            self.score[whole.alignment] = np.where(gap > 0, -self.scheme.first - (gap - 1) * self.scheme.gap_extend, 0)
            self.ends[:, whole.alignment] = whole.i, whole.i_end, whole.j, whole.j_end
            self.divide(whole, first=True)
            return
        whole = whole.at((whole.m > 0) & (whole.n > 0))
        small = whole.m + whole.n <= STORED_LETTERS
        stored, large = whole.at(small), whole.at(~small)
        if len(stored.alignment):
            results = self.stored(stored, mode)
            self.note(stored, results)
        if len(large.alignment):
            results = self.launch(large, mode, np.zeros_like(large.i))[0]
            self.note(large, results)
            i, i_end, j, j_end = self.ends[:, large.alignment]
            self.divide(_Problems(large.alignment, i, i_end, j, j_end, 0 * i, 0 * i), first=False)

    def note(self, problems: _Problems, results: Int64s) -> None:
        """Write scores and ends of whole alignments."""
        self.score[problems.alignment] = results[:, 0]
        self.ends[:, problems.alignment] = results[:, 3] >> 32, results[:, 1], results[:, 3] & 0xFFFFFFFF, results[:, 2]

    def divide(self, problems: _Problems, first: bool) -> None:
        """Global problems, level by level. first: their scores are those of whole alignments."""
        while len(problems.alignment):
            gap = (problems.m == 0) | (problems.n == 0)
            gaps = problems.at(gap)
            self.pieces.add_runs(
                gaps.alignment,
                gaps.i + gaps.j,
                gaps.m + gaps.n,
                np.where(gaps.m > 0, INSERTION, DELETION).astype(np.uint8),
            )
            problems = problems.at(~gap)
            small = problems.m + problems.n <= STORED_LETTERS
            stored, problems = problems.at(small), problems.at(~small)
            if len(stored.alignment):
                results = self.stored(stored, "global")
                if first:
                    self.score[stored.alignment] = results[:, 0]
            if not len(problems.alignment):
                return
            middle = problems.m // 2
            results = self.launch(problems, "global", middle)[0]
            if first:
                self.score[problems.alignment] = results[:, 0]
            first = False
            problems = self.halves(problems, middle, results[:, 3])

    def halves(self, problems: _Problems, middle: Int64s, crossing: Int64s) -> _Problems:
        """What lies above and below the cells where paths leave their middle rows; single rows are pieces at once."""
        column, in_e = problems.j + (crossing >> 2), crossing & 1
        one = problems.m == 1
        p, c, diagonal = problems.at(one), column[one], (crossing[one] & 2) > 0
        query = self.queries.codes[self.queries.offsets[self.chosen[p.alignment]] + p.i]
        at = self.subjects.offsets[self.partners[p.alignment]] + c
        subject = self.subjects.codes[np.minimum(at, len(self.subjects.codes) - 1)]
        equal = (query == subject) & (query != OTHER)
        kind = np.where(diagonal, np.where(equal, EQUAL, UNEQUAL), INSERTION).astype(np.uint8)
        deletions = np.full(len(c), DELETION, np.uint8)
        after = c + diagonal
        self.pieces.add_runs(p.alignment, p.i + p.j, c - p.j, deletions)
        self.pieces.add_runs(p.alignment, p.i + c, np.ones_like(c), kind)
        self.pieces.add_runs(p.alignment, p.i + 1 + after, p.j_end - after, deletions)
        rest, row, column, in_e = problems.at(~one), (problems.i + middle)[~one], column[~one], in_e[~one]
        above = _Problems(rest.alignment, rest.i, row, rest.j, column, rest.begins_in_e, in_e)
        below = _Problems(rest.alignment, row, rest.i_end, column, rest.j_end, in_e, rest.ends_in_e)
        return _Problems(
            *(np.concatenate([a, b]) for a, b in zip(vars(above).values(), vars(below).values(), strict=True))
        )

    def stored(self, problems: _Problems, mode: str) -> Int64s:
        """Problems whose predecessors are stored: their columns are pieces."""
        results, words, counts = self.launch(problems, mode, np.zeros_like(problems.i))
        codes = (words[:, :, None] >> np.arange(0, 32, 2, dtype=np.uint32) & 3).astype(np.uint8).reshape(len(words), -1)
        owner = np.repeat(np.arange(len(counts)), counts)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        place = problems.i + problems.j if mode == "global" else 0 * problems.i
        self.pieces.add(problems.alignment, place, counts, codes[owner, counts[owner] - 1 - within])
        return results

    def launch(self, problems: _Problems, mode: str, middle: Int64s) -> tuple[Int64s, NDArray[np.uint32], Int64s]:
        """Results of the kernel for each problem, its words of columns and how many columns, where they are stored."""
        device, scheme = self.device, self.scheme
        self.cells += int(problems.m @ problems.n)
        stored = int((problems.m + problems.n).max()) <= STORED_LETTERS
        halves = 2 if self.kind == "half2" else 1
        constants: dict[str, Constant] = {
            "T": TYPES[self.kind],
            "Score": np.int64,
            "HALVES": halves,
            "MODE": MODES[mode],
            "FIRST": scheme.first,
            "FURTHER": scheme.gap_extend,
            "COLUMNS": COLUMNS,
            "STORED": stored,
        }
        kernel = device.compile(KERNELS / "traceback.cu", constants)["shuffle_traceback"]
        query = self.queries.offsets[self.chosen[problems.alignment]] + problems.i
        subject = self.subjects.offsets[self.partners[problems.alignment]] + problems.j
        m, n = problems.m, problems.n
        fields = np.column_stack([query, subject, m, n, middle, problems.begins_in_e, problems.ends_in_e])
        *letters, table = self.inputs
        order = np.argsort(m, kind="stable")
        results, words = np.zeros((len(m), 4), np.int64), np.zeros((len(m) if stored else 0, COLUMN_WORDS), np.uint32)
        counts = np.zeros(len(words), np.int64)
        budget = (device.memory_bytes - device.memory_used) // 2
        staged = int(n.max()) > device.warp_size * COLUMNS
        begin = 0
        while begin < len(m):
            # As many as the memory for borders and results allows; the longest of them comes last.
            bytes_of = np.arange(1, len(m) - begin + 1) * (96 + CELL_BYTES * m[order[begin:]] * staged)
            end = begin + max(halves, int(np.searchsorted(bytes_of, budget, side="right")))
            members = order[begin:end]
            blocks = -(-len(members) // halves)
            rows = int(m[members].max()) if staged else 0
            outputs = (
                device.empty((len(members), 4), np.int64),
                device.empty((len(members) if stored else 1, COLUMN_WORDS), np.uint32),
                device.empty(len(members) if stored else 1, np.int32),
            )
            kernel(
                blocks,
                device.warp_size,
                *(*letters, device.upload(fields[members]), table),
                *(device.empty(max(1, blocks * rows * CELL_BYTES), np.uint8), *outputs, len(members), rows),
            )
            results[members] = outputs[0].get()
            if stored:
                words[members], counts[members] = outputs[1].get(), outputs[2].get()
            begin = end
        return results, words, counts

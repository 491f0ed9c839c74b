"""Which rank computes which similarities: block circulant for pairs, tetrahedral for triples (sections 4 and 5).

Vectors are cut into n_pv blocks. Block row i is the work of the ranks that own block i: pairs of its vectors with those
of the blocks that lie 0, 1, 2 ... blocks further on, around the end; triples with those of two such blocks. The steps
of a row are dealt to its n_pr ranks one after another, and each step is cut into n_st stages, one of which is computed
at a time. Every pair or triple belongs to exactly one step of one row.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from repro.errors import InputError

Kind = Literal["triangle", "rectangle", "edge", "face", "volume"]


@dataclass(frozen=True)
class Decomposition:
    """How work is spread over ranks: n_p = n_pf x n_pv x n_pr.

    fields: n_pf, parts that every vector is cut into. vectors: n_pv, blocks of vectors. rows: n_pr, ranks that share a
    block row. Raises InputError where one is below 1.
    """

    fields: int = 1
    vectors: int = 1
    rows: int = 1

    def __post_init__(self) -> None:
        if min(self.fields, self.vectors, self.rows) < 1:
            raise InputError(f"decomposition {self}: give 1 or more of each")

    @property
    def ranks(self) -> int:
        """n_p."""
        return self.fields * self.vectors * self.rows

    def place(self, rank: int) -> tuple[int, int, int]:
        """(p_f, p_v, p_r) of a rank; ranks that differ in p_f alone are neighbours, as they reduce together."""
        return rank % self.fields, rank // self.fields % self.vectors, rank // (self.fields * self.vectors)

    def rank(self, field: int, vector: int, row: int) -> int:
        """The rank at (p_f, p_v, p_r)."""
        return field + self.fields * (vector + self.vectors * row)

    def __str__(self) -> str:
        return f"{self.fields} x {self.vectors} x {self.rows}"


def part(count: int, parts: int, number: int) -> range:
    """The indices of one of `parts` consecutive parts of `count` things: sizes differ by at most one."""
    return range(number * count // parts, (number + 1) * count // parts)


@dataclass(frozen=True)
class Step:
    """A step of every block row.

    number: in the order of the row. kind: which part of a block of the square or cube of results it is. offsets: how
    many blocks further on the other one (pairs, faces) or two (volumes: j, k) lie. section, sections: which slice of
    how many it computes; volumes choose theirs by the order of their three blocks (section is then None).
    """

    number: int
    kind: Kind
    offsets: tuple[int, ...] = ()
    section: int | None = 0
    sections: int = 1


@dataclass(frozen=True)
class Work:
    """What a rank computes in a step: indices of vectors, in the order of its results.

    kind "triangle": pairs row < column. "rectangle": rows x columns. Triples have pivots, the sliced axis, one product
    of matrices for each: "edge": row < pivot < column. "face": every row, column > pivot. "volume": rows x columns.
    """

    kind: Kind
    rows: range
    columns: range
    pivots: range | None = None

    @cached_property
    def tiles(self) -> "list[Tile]":
        """The rectangles of results: one, or one for each pivot; without those that are empty."""
        return [tile for tile in self._all_tiles() if tile.count]

    def _all_tiles(self) -> "Iterator[Tile]":
        if self.pivots is None:
            yield Tile(self.rows, self.columns, triangle=self.kind == "triangle")
            return
        for pivot in self.pivots:
            rows, columns = self.rows, self.columns
            if self.kind == "edge":
                rows = range(rows.start, pivot)
            if self.kind != "volume":
                columns = range(pivot + 1, columns.stop)
            yield Tile(rows, columns, pivot)

    @property
    def count(self) -> int:
        """Number of results."""
        return sum(tile.count for tile in self.tiles)


@dataclass(frozen=True)
class Tile:
    """A rectangle of results: rows x columns, with the pivot as the third vector of triples.

    triangle: only columns behind their row are results, (rows, columns) being indices into the same vectors. before:
    results of the same step in rows before these, where a rectangle is computed in parts.
    """

    rows: range
    columns: range
    pivot: int | None = None
    triangle: bool = False
    before: int = 0

    @property
    def count(self) -> int:
        """Number of results."""
        rows, columns = self.rows, self.columns
        if not self.triangle:
            return len(rows) * len(columns)
        whole = range(rows.start, min(rows.stop, columns.start))
        cut = range(max(rows.start, columns.start), min(rows.stop, columns.stop))
        return len(whole) * len(columns) + len(cut) * (2 * columns.stop - 1 - cut.start - cut.stop) // 2


def steps_of_row(way: int, decomposition: Decomposition) -> list[Step]:
    """The steps of a block row in their order. Raises InputError where `way` is neither 2 nor 3."""
    blocks = decomposition.vectors
    if way == 2:
        return [Step(d, "rectangle" if d else "triangle", (d,) if d else ()) for d in range(blocks // 2 + 1)]
    if way != 3:
        raise InputError(f"way {way}: choose 2 or 3")
    sections = 1 if decomposition.rows == 1 else 6
    others = range(1, blocks)
    found: list[tuple[Kind, tuple[int, ...], int | None, int]] = [
        *(("edge", (), section, sections) for section in range(sections)),
        *(("face", (offset,), section, sections) for section in range(sections) for offset in others),
        *(("volume", (j, k), None, 6) for k in others for j in others if j != k),
    ]
    return [Step(number, *step) for number, step in enumerate(found)]


def steps_of_rank(way: int, decomposition: Decomposition, row: int) -> list[Step]:
    """The steps that the ranks with p_r = row compute: every n_pr-th of their block row."""
    return steps_of_row(way, decomposition)[row :: decomposition.rows]


def blocks_of(step: Step, block: int, blocks: int) -> tuple[int, ...]:
    """The blocks a step of block row `block` takes its vectors from: its own, then those at the step's offsets."""
    return (block, *((block + offset) % blocks for offset in step.offsets))


def work_of(step: Step, block: int, vectors: int, blocks: int, stage: int = 0, stages: int = 1) -> Work:
    """What a step of block row `block` computes in a stage.

    vectors: how many there are in all. blocks: n_pv. A stage of pairs is a part of the rows of their block, which is
    our extension; a stage of triples is a part of their slice.
    """
    ranges = [part(vectors, blocks, b) for b in blocks_of(step, block, blocks)]
    if step.kind == "triangle":
        return Work("triangle", _sliced(ranges[0], 0, 1, stage, stages), ranges[0])
    if step.kind == "rectangle":
        rows = range(0) if is_repeated(step, block, blocks) else ranges[0]
        return Work("rectangle", _sliced(rows, 0, 1, stage, stages), ranges[1])
    if step.kind == "volume":
        order = blocks_of(step, block, blocks)
        axis = order.index(min(order))
        rows, columns = (ranges[other] for other in range(3) if other != axis)
        pivots = _sliced(ranges[axis], _section(order), 6, stage, stages)
        return Work("volume", rows, columns, pivots)
    assert step.section is not None
    pivots = _sliced(ranges[-1], step.section, step.sections, stage, stages)
    return Work(step.kind, ranges[0], ranges[-1], pivots)


def is_repeated(step: Step, block: int, blocks: int) -> bool:
    """Whether a step of pairs half around the circle is computed by the block row at its other end."""
    return step.kind == "rectangle" and 2 * step.offsets[0] == blocks and 2 * block >= blocks


def _section(order: tuple[int, ...]) -> int:
    """The slice of a volume block by the order of its block numbers, so that six blocks share three parts' triples."""
    i, j, k = order
    ascending = ((i, k, j), (i, j, k), (j, i, k), (j, k, i), (k, j, i), (k, i, j))
    return ascending.index((min(order), sum(order) - min(order) - max(order), max(order)))


def _sliced(indices: range, section: int, sections: int, stage: int, stages: int) -> range:
    """The part of a block's indices that belongs to a section and, of that, to a stage."""
    inside = part(len(indices), sections * stages, stages * section + stage)
    return indices[inside.start : inside.stop]

"""Results that are computed together: as many as keep a device busy, and as few as double buffering has memory for."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.device import Array
from repro.mgemm.blocks import Block, Triples
from repro.mgemm.engine import MOST_PIVOTS, Engine
from repro.mgemm.metrics import numerators3
from repro.mgemm.products import fullness
from repro.mgemm.schedule import Tile, Work
from repro.mgemm.transfers import Upload

MOST_BYTES = 1 << 27  # of results that are computed before they go back
BANDS = 4  # of a triangle's rows at least: the first are computed while the vectors of others come in
BAND_BYTES = 3 << 25  # of vectors that are not cut into bands, as they are there in the time that launches take
REST = 4  # times smaller than the band before it, the last rows of a triangle are not worth a band
ALMOST = 0.98  # as full as the multiprocessors can be
Held = Sequence[tuple[range, Block | Upload]]  # blocks with the numbers of their vectors


@dataclass
class Chunk(ABC):
    """Results that are computed together.

    number: of the step that they belong to, among those of the rank. tiles: in the order in which they lie in memory.
    """

    engine: Engine
    number: int
    tiles: list[Tile]
    as_bytes: bool

    def cut(self, values: NDArray[Any]) -> Iterator[tuple[Tile, NDArray[Any]]]:
        """Every tile with its part of the values."""
        flat = values.reshape(-1)
        ends = np.cumsum([0, *(len(tile.rows) * len(tile.columns) for tile in self.tiles)])
        for tile, (start, end) in zip(self.tiles, pairwise(ends), strict=True):
            yield tile, flat[start:end].reshape(len(tile.rows), len(tile.columns))

    @property
    def apart(self) -> bool:
        """Whether they may be computed beside other chunks: all that they need is kept with them."""
        return False

    @abstractmethod
    def similarities(self) -> Array:
        """Launch what computes the values."""

    @abstractmethod
    def numerators(self) -> Array:
        """Launch what computes the numerators of pairs, or n3' of triples."""

    @abstractmethod
    def whole_numerators(self, computed: NDArray[Any]) -> NDArray[Any]:
        """The numerators of the quotients, flat, from what `numerators` computed."""

    def _memory(self, numerators: Array) -> Array | None:
        """Where quotients may replace their numerators."""
        return numerators if not self.as_bytes and numerators.dtype == self.engine.precision else None


@dataclass
class _Pairs(Chunk):
    rows: Block
    columns: Block

    @property
    def apart(self) -> bool:
        """They share nothing but vectors."""
        return True

    def similarities(self) -> Array:
        n2 = self.numerators()
        return self.engine.quotients2(n2, self.rows, self.columns, self._memory(n2), self.as_bytes)

    def numerators(self) -> Array:
        return self.engine.pairs(self.rows, self.columns, upper=self.tiles[0].triangle)

    def whole_numerators(self, computed: NDArray[Any]) -> NDArray[Any]:
        (tile,) = self.tiles
        behind = tile.rows.start - tile.columns.start + 1
        return np.triu(computed, behind).reshape(-1) if tile.triangle else computed.reshape(-1).copy()


@dataclass
class _Triples(Chunk):
    """n2_ik: of all rows and columns of the step, computed with its first chunk. n2: of all vectors of the block that
    rows, pivots and columns are of, where they are of one; thin products for every chunk cost more."""

    triples: Triples
    n2_ik: "_Once"
    n2: "_Once | None"

    def similarities(self) -> Array:
        n3_prime = self.numerators()
        memory = self._memory(n3_prime)
        if self.n2:
            return self.engine.quotients3_whole(n3_prime, self.triples, self.n2(), memory, self.as_bytes)
        return self.engine.quotients3(n3_prime, self.triples, *self._minima(), memory, self.as_bytes)

    def numerators(self) -> Array:
        return self.engine.triples(self.triples)

    def whole_numerators(self, computed: NDArray[Any]) -> NDArray[Any]:
        n2_ij, n2_ik, n2_jk = (minima.get() for minima in self._minima())
        result = np.empty_like(computed)
        cut = zip(self.cut(computed), self.cut(result), self._shapes(), strict=True)
        for (_, n3_prime), (_, n3), (pivot, rows, columns) in cut:
            first = n2_ik.shape[1] - columns
            n3[...] = numerators3(n2_ij[:rows, pivot, None], n2_ik[:rows, first:], n2_jk[None, pivot, first:], n3_prime)
        return result

    def _minima(self) -> tuple[Array, Array, Array]:
        triples = self.triples
        return (
            self.engine.pairs(triples.rows, triples.pivots),
            self.n2_ik(),
            self.engine.pairs(triples.pivots, triples.columns),
        )

    def _shapes(self) -> list[tuple[int, int, int]]:
        """Number of the pivot, rows and columns of every tile."""
        return [(z, rows, columns) for z, (rows, columns) in enumerate(self.triples.shapes) if rows * columns]


class _Once:
    """What is computed when it is first asked for."""

    def __init__(self, compute: Callable[[], Array]) -> None:
        self._compute = compute
        self._found: Array | None = None

    def __call__(self) -> Array:
        self._found = self._found or self._compute()
        return self._found


def chunks_of(engine: Engine, number: int, work: Work, held: Held, as_bytes: bool) -> Iterator[Chunk]:
    """The chunks of a step's work in their order.

    number: of the step among those of its rank. held: blocks that have all of its vectors. as_bytes: of the values.
    """
    if work.tiles:
        yield from (_pairs if work.pivots is None else _triples)(engine, number, work, held, as_bytes)


def _view(held: Held, indices: range) -> Block:
    """The vectors with these numbers, of the block that has them."""
    for vectors, block in held:
        if vectors.start <= indices.start and indices.stop <= vectors.stop:
            return block[indices.start - vectors.start : indices.stop - vectors.start]
    raise ValueError(f"vectors {indices} are not held")


def _pairs(engine: Engine, number: int, work: Work, held: Held, as_bytes: bool) -> Iterator[Chunk]:
    (whole,) = work.tiles
    left = held[0][1]
    left = left.block if isinstance(left, Upload) else left
    uncut = BAND_BYTES // (left.words * left.data.dtype.itemsize)
    for rows in _bands(whole, engine, uncut):
        columns = range(rows.start, whole.columns.stop) if whole.triangle else whole.columns
        before = replace(whole, rows=range(whole.rows.start, rows.start)).count
        tile = Tile(rows, columns, triangle=whole.triangle, before=before)
        if tile.count:
            yield _Pairs(engine, number, [tile], as_bytes, _view(held, rows), _view(held, columns))


def _bands(whole: Tile, engine: Engine, uncut: int) -> Iterator[range]:
    """The rows of a rectangle in parts, the last first: those of a triangle need no vectors but those from them on.

    As many at a time as keep all multiprocessors busy to the end, or nearly; no more, as ranks may share the device.
    uncut: rows of a triangle that are not worth cutting.
    """
    tile_rows, tile_columns, at_once = engine.tiles
    first_rows = max(uncut, -(-len(whole.rows) // BANDS)) if whole.triangle else len(whole.rows)
    stop = whole.rows.stop
    while stop > whole.rows.start:
        choices: list[tuple[float, int]] = []  # how full the multiprocessors are, and rows
        tiles = 0
        for start in reversed(range(whole.rows.start, stop, tile_rows)):
            rows, columns = stop - start, whole.columns.stop - (start if whole.triangle else whole.columns.start)
            many = rows > first_rows and 4 * tiles >= at_once
            if choices and (many or rows * columns * engine.accumulated.itemsize > MOST_BYTES):
                break
            tiles += -(-columns // tile_columns)
            choices.append((fullness(tiles, at_once), rows))
        if whole.triangle:
            choices = choices[(len(choices) - 1) // 2 :]
        enough = ALMOST * max(choices)[0]
        rows = next(rows for fullness, rows in choices if fullness >= enough)
        left = stop - rows - whole.rows.start
        if whole.triangle and REST * left <= rows:
            rows += left
        yield range(stop - rows, stop)
        stop -= rows


def _triples(engine: Engine, number: int, work: Work, held: Held, as_bytes: bool) -> Iterator[Chunk]:
    rows, columns = _view(held, work.tiles[-1].rows), _view(held, work.tiles[0].columns)
    n2_ik = _Once(lambda: engine.pairs(rows, columns, upper=work.kind == "edge"))
    block = held[0][1][:]
    n2 = _Once(lambda: engine.pairs(block, block)) if work.kind == "edge" else None
    for tiles in _together(work.tiles, MOST_BYTES // engine.accumulated.itemsize):
        first = tiles[0].pivot
        assert first is not None
        pivots = _view(held, range(first, first + len(tiles)))
        triples = Triples(rows, pivots, columns, work.kind == "edge", work.kind != "volume")
        yield _Triples(engine, number, tiles, as_bytes, triples, n2_ik, n2)


def _together(tiles: list[Tile], most: int) -> Iterator[list[Tile]]:
    """Consecutive tiles, of at most so many results and pivots together, but at least one."""
    chosen: list[Tile] = []
    for tile in tiles:
        if chosen and (sum(one.count for one in chosen) + tile.count > most or len(chosen) == MOST_PIVOTS):
            yield chosen
            chosen = []
        chosen.append(tile)
    yield chosen

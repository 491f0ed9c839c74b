"""Numerators and quotients of blocks of vectors on a device: what every rank and every campaign computes with."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from repro.device import Array, Device
from repro.errors import InputError
from repro.mgemm.metrics import ACCUMULATED, Metric

KERNELS = Path(__file__).parent / "kernels"
SIDE = 32  # vectors and words of a tile that is rearranged, as in blocks.cu
BORDER = 256  # vectors behind the last one that kernels may read, whatever is there
GROUP = 1


@dataclass(frozen=True)
class Block:
    """Consecutive vectors on a device, in the layout of the kernels (words.cuh); `Engine.upload` makes one.

    A slice, block[a:b], is a view of the same memory.
    """

    data: Array
    all_totals: Array
    start: int
    count: int

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, part: slice) -> "Block":
        first, last, step = part.indices(self.count)
        assert step == 1
        return replace(self, start=self.start + first, count=max(0, last - first))

    @property
    def words(self) -> int:
        """Words of every vector, with those of zeros behind its end."""
        return self.data.shape[0] * self.data.shape[2]

    @property
    def pitch(self) -> int:
        """Vectors that lie side by side in memory."""
        return self.data.shape[1]

    @property
    def totals(self) -> Array:
        """The sum of each vector's fields, (vectors,) on the device: float64 of floats, int64 of integers."""
        return self.all_totals[self.start : self.start + self.count]

    @property
    def sums(self) -> NDArray[Any]:
        """`totals` on the host."""
        return self.totals.get()


@dataclass(frozen=True)
class Triples:
    """Which triples (i, j, k) to compute: rows i, pivots j, columns k; every combination of them, or in order only.

    rows_before: rows and pivots are views of one upload, and only rows before the pivot count. columns_behind: pivots
    and columns are, and only columns behind the pivot count. The results of a pivot are a rectangle of rows x columns;
    those of all pivots lie one after another.
    """

    rows: Block
    pivots: Block
    columns: Block
    rows_before: bool = False
    columns_behind: bool = False

    @cached_property
    def shapes(self) -> list[tuple[int, int]]:
        """Rows and columns of each pivot's rectangle: the first rows, and the last columns."""
        before, row_step, skipped, column_step = self.steps
        return [
            (
                min(max(before + z * row_step, 0), len(self.rows)),
                len(self.columns) - min(max(skipped + z * column_step, 0), len(self.columns)),
            )
            for z in range(len(self.pivots))
        ]

    @property
    def count(self) -> int:
        """Number of results."""
        return sum(rows * columns for rows, columns in self.shapes)

    @property
    def steps(self) -> tuple[int, int, int, int]:
        """Rows before pivot 0 and by how many they grow from pivot to pivot; the same of columns not behind it."""
        first = self.pivots.start
        return (
            *((first - self.rows.start, 1) if self.rows_before else (len(self.rows), 0)),
            *((first + 1 - self.columns.start, 1) if self.columns_behind else (0, 0)),
        )

    def parts(self, pivots: int) -> "Iterator[Triples]":
        """The same triples, at most `pivots` pivots at a time."""
        for first in range(0, len(self.pivots), pivots):
            yield replace(self, pivots=self.pivots[first : first + pivots])


class Engine:
    """The kernels of a metric for one type of elements on one device.

    dtype: float32 or float64; uint8, integers below 256; or uint32, words of 32 bits as `pack_bits` makes them, which
    are Sorenson's. variant: a name of `repro.mgemm.variants.VARIANTS`. precision: of the quotients, float32 or float64;
    that of the elements by default, float32 for integers.
    Raises InputError where metric and dtype do not suit each other.
    """

    def __init__(
        self,
        device: Device,
        metric: Metric,
        dtype: DTypeLike,
        variant: str = "auto",
        precision: DTypeLike | None = None,
    ) -> None:
        self.device = device
        self.dtype = np.dtype(dtype)
        if self.dtype not in ACCUMULATED or (metric == Metric.SORENSON) != (self.dtype == np.uint32):
            raise InputError(
                f"{metric} of {self.dtype}: give float32, float64 or uint8 to czekanowski, packed bits to sorenson"
            )
        floats = self.dtype.kind == "f"
        self.precision = np.dtype(precision or (self.dtype if floats else np.float32))
        self.accumulated = ACCUMULATED[self.dtype]
        word = self.dtype.type if floats else np.uint32
        constants: dict[str, Any] = {
            "Element": self.dtype.type,
            "Word": word,
            "Sum": self.accumulated.type,
            "Total": np.float64 if floats else np.int64,
            "BITS": self.dtype == np.uint32,
            "PLANES": 0,
            "GROUP": GROUP,
        }
        self._word = np.dtype(word)
        self._total = np.dtype(constants["Total"])
        self._elements_per_word = self._word.itemsize // self.dtype.itemsize
        self._blocks = device.compile(KERNELS / "blocks.cu", constants)
        self._naive = device.compile(
            KERNELS / "naive.cu", {name: constants[name] for name in ("Word", "Sum", "BITS", "GROUP")}
        )["mgemm_naive"]

    def upload(self, values: NDArray[Any]) -> Block:
        """The vectors as a block on the device.

        values: (vectors, fields) of the engine's dtype, or (vectors, words) of packed bits.
        """
        if values.dtype != self.dtype or values.ndim != 2 or 0 in values.shape:
            raise InputError(f"vectors of type {values.dtype} and shape {values.shape}: give rows of {self.dtype}")
        vectors, elements = values.shape
        words = -(-elements // self._elements_per_word)
        pitch = -(-(vectors + BORDER) // SIDE) * SIDE
        block = Block(
            self.device.empty((words // GROUP, pitch, GROUP), self._word),
            self.device.empty(vectors, self._total),
            0,
            vectors,
        )
        raw = self.device.upload(values)
        tiles = -(-words // SIDE), -(-vectors // SIDE)
        self._blocks["mgemm_arrange"](tiles, (SIDE, 8), raw, block.data, pitch, 0, vectors, elements, words)
        self._blocks["mgemm_sums"](tiles[1], (SIDE, 8), block.data, block.all_totals, pitch, 0, vectors, words)
        return block

    def pairs(self, rows: Block, columns: Block, out: Array | None = None, upper: bool = False) -> Array:
        """n2 of every row with every column, (rows, columns) of the accumulation type, on the device.

        out: memory for the result. upper: rows and columns are views of one upload, and only results whose column is
        behind their row need be right; the others are left as they are.
        """
        out = out or self.device.empty((len(rows), len(columns)), self.accumulated)
        diagonal = columns.start - rows.start if upper else len(rows)
        self._multiply(rows, 0, 1, columns, out, len(rows), (len(rows), 0, 0, 0), diagonal)
        return out

    def triples(self, triples: Triples, out: Array | None = None) -> Array:
        """n3' of the triples, (count,) of the accumulation type, on the device: pivot by pivot, row by row.

        out: memory for the result.
        """
        out = out or self.device.empty(triples.count, self.accumulated)
        rows, columns, offset = triples.rows, triples.columns, 0
        stride = -(-len(rows) // 4) * 4  # so that the rows of every pivot are aligned
        for part in triples.parts(8):
            pivots = len(part.pivots)
            minima = self.device.empty((rows.words // GROUP, pivots * stride + BORDER, GROUP), self._word)
            self._blocks["mgemm_minima"](
                (-(-len(rows) * GROUP // 256), min(rows.words // GROUP, 1024), pivots),
                256,
                *(rows.data, part.pivots.data, minima, rows.pitch, part.pivots.pitch, minima.shape[1]),
                *(rows.start, part.pivots.start, stride, rows.words, len(rows), *part.steps[:2]),
            )
            left = Block(minima, rows.all_totals, 0, len(rows))
            self._multiply(left, stride, pivots, columns, out[offset:], len(rows), part.steps, len(rows))
            offset += part.count
        return out

    def quotients2(
        self,
        n2: Array,
        rows: Block,
        columns: Block,
        out: Array | None = None,
        as_bytes: bool = False,
    ) -> Array:
        """c2 of numerators, (rows, columns) in the engine's precision or one byte each (see `metrics.as_bytes`).

        out: memory for the result, which may be that of n2 where their types are the same.
        """
        value = np.dtype(np.uint8) if as_bytes else self.precision
        out = out or self.device.empty(n2.shape, value)
        self._quotients(value)["mgemm_quotients2"](
            (-(-len(columns) // 256), min(len(rows), 65535)),
            256,
            *(n2, out, rows.all_totals, columns.all_totals, rows.start, columns.start, len(rows), len(columns)),
        )
        return out

    def quotients3(
        self,
        n3_prime: Array,
        triples: Triples,
        n2_ij: Array,
        n2_ik: Array,
        n2_jk: Array,
        out: Array | None = None,
        as_bytes: bool = False,
    ) -> Array:
        """c3 of triples, (count,) as `triples` orders them, in the engine's precision or one byte each.

        n3_prime: as `triples` gives it. n2_ij: (rows, pivots). n2_ik: (rows, columns). n2_jk: (pivots, columns).
        out: memory for the result, which may be that of n3_prime where their types are the same.
        """
        value = np.dtype(np.uint8) if as_bytes else self.precision
        out = out or self.device.empty(n3_prime.shape, value)
        rows, pivots, columns = triples.rows, triples.pivots, triples.columns
        self._quotients(value)["mgemm_quotients3"](
            (-(-len(columns) // 256), min(len(rows), 65535), len(pivots)),
            256,
            *(n3_prime, out, n2_ij, n2_ik, n2_jk, rows.all_totals, pivots.all_totals, columns.all_totals),
            *(rows.start, pivots.start, columns.start, len(rows), len(columns), *triples.steps),
        )
        return out

    def _multiply(
        self,
        left: Block,
        stride: int,
        pivots: int,
        right: Block,
        out: Array,
        rows: int,
        steps: tuple[int, int, int, int],
        diagonal: int,
    ) -> None:
        if left.words != right.words:
            raise InputError(f"vectors of {left.words} and of {right.words} words: give the same number of fields")
        columns = len(right)
        self._naive(
            (-(-columns // 32), -(-rows // 8), pivots),
            (32, 8),
            *(left.data, right.data, out, left.pitch, right.pitch, left.start, stride, right.start),
            *(left.words, rows, columns, *steps, diagonal),
        )

    def _quotients(self, value: np.dtype[Any]) -> Any:
        constants = {
            "Sum": self.accumulated.type,
            "Total": self._total.type,
            "Precision": self.precision.type,
            "Value": value.type,
        }
        return self.device.compile(KERNELS / "quotients.cu", constants)

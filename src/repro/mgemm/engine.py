"""Numerators and quotients of blocks of vectors on a device: what every rank and every campaign computes with."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from repro.device import Array, Device
from repro.errors import InputError
from repro.mgemm.blocks import Block, Triples
from repro.mgemm.metrics import ACCUMULATED, Metric
from repro.mgemm.products import KERNELS, Product, Rows, most_planes

__all__ = ["Block", "Engine", "Triples"]

SIDE = 32  # vectors and words of a tile that is rearranged, as in blocks.cu
SUMMING = 128  # threads that add up one vector
BORDER = 256  # vectors behind the last one that kernels may read, whatever is there
MULTIPLE = 16  # of the words of a vector: slabs are whole
MOST_PIVOTS = 16  # whose minima are made at a time


class Engine:
    """The kernels of a metric for one type of elements on one device.

    dtype: float32 or float64; uint8, integers below 256; or uint32, words of 32 bits as `pack_bits` makes them, which
    are Sorenson's. variant: a name of `repro.mgemm.variants.VARIANTS`. precision: of the quotients, float32 or float64;
    that of the elements by default, float32 for integers. levels: integers are below it; few of them are compared as
    planes of bits, exactly: min(a, b) is the sum over t of [a > t][b > t]. tiles: as `Product.tiles`.
    Raises InputError where metric and dtype do not suit each other.
    """

    def __init__(
        self,
        device: Device,
        metric: Metric,
        dtype: DTypeLike,
        variant: str = "auto",
        precision: DTypeLike | None = None,
        levels: int = 256,
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
        in_planes = self.dtype == np.uint8 and variant == "auto" and 1 < levels <= most_planes(device) + 1
        planes = levels - 1 if in_planes else 0
        bits = self.dtype == np.uint32 or planes > 0
        self._levels = levels
        self._word = np.dtype(self.dtype if floats else np.uint32)
        self._total = np.dtype(np.float64 if floats else np.int64)
        types: dict[str, Any] = {
            "Word": self._word.type,
            "Sum": self.accumulated.type,
            "Total": self._total.type,
            "BITS": bits,
        }
        self._product = Product(device, variant, types)
        self.tiles = self._product.tiles
        self._group = self._product.group
        self._fields_per_word, self._planes = (32, planes) if planes else (4 if self.dtype == np.uint8 else 1, 1)
        more = {"Element": self.dtype.type, "PLANES": planes, "GROUP": self._group}
        self._blocks = device.compile(KERNELS / "blocks.cu", {**types, **more})
        self._kernels: dict[tuple[np.dtype[Any], bool], Any] = {}  # of quotients, by their type and whether n2 is whole

    def new_block(self, vectors: int, elements: int) -> Block:
        """Memory for vectors of `elements` fields (words of packed bits), to be filled by `fill`."""
        words = -(-elements // self._fields_per_word) * self._planes
        groups = -(-words // MULTIPLE) * MULTIPLE // self._group
        pitch = -(-(vectors + BORDER) // SIDE) * SIDE
        data = self.device.empty((groups, pitch, self._group), self._word)
        return Block(data, self.device.empty(vectors, self._total), 0, vectors)

    def fill(self, block: Block, raw: Array) -> None:
        """Arrange vectors, (vectors, elements) of the engine's dtype on the device, as those of `block`."""
        vectors, elements = raw.shape
        at_once = SIDE * self.device.limits.grid[1]
        for first in range(0, vectors, at_once):
            part = raw[first : first + at_once]
            tiles = -(-block.words // SIDE), -(-part.shape[0] // SIDE)
            shape = block.pitch, block.start + first, part.shape[0]
            self._blocks["mgemm_arrange"](tiles, (SIDE, 8), part, block.data, *shape, elements, block.words)
        self._blocks["mgemm_raw_sums"](vectors, SUMMING, raw, block.all_totals, block.start, elements)

    def upload(self, values: NDArray[Any]) -> Block:
        """The vectors as a block on the device.

        values: (vectors, fields) of the engine's dtype, or (vectors, words) of packed bits.
        """
        self.check(values)
        block = self.new_block(*values.shape)
        self.fill(block, self.device.upload(values))
        return block

    def check(self, values: NDArray[Any]) -> None:
        """Raise InputError for values that `upload` does not take."""
        if values.dtype != self.dtype or values.ndim != 2 or 0 in values.shape:
            raise InputError(f"vectors of type {values.dtype} and shape {values.shape}: give rows of {self.dtype}")
        if self.dtype == np.uint8 and self._levels < 256 and values.max() >= self._levels:
            raise InputError(f"a field is {values.max()}, which is none of {self._levels} levels: give more levels")

    def pairs(self, rows: Block, columns: Block, out: Array | None = None, upper: bool = False) -> Array:
        """n2 of every row with every column, (rows, columns) of the accumulation type, on the device.

        out: memory for the result. upper: rows and columns are views of one upload, and only results whose column is
        behind their row need be right; the others may be left as they are.
        """
        self._check_words(rows, columns)
        out = out or self.device.empty((len(rows), len(columns)), self.accumulated)
        diagonal = columns.start - rows.start if upper else len(rows)
        self._product(Rows(rows, len(rows), 1, 0, (len(rows), 0, 0, 0)), columns, out, diagonal)
        return out

    def triples(self, triples: Triples, out: Array | None = None) -> Array:
        """n3' of the triples, (count,) of the accumulation type, on the device: pivot by pivot, row by row.

        out: memory for the result.
        """
        rows, columns = triples.rows, triples.columns
        self._check_words(rows, columns)
        self._check_words(rows, triples.pivots)
        out = out or self.device.empty(triples.count, self.accumulated)
        stride = -(-len(rows) // 8) * 8  # the rows of every pivot begin where 16 aligned bytes and 8 vectors do
        groups = rows.words // self._group
        free = self.device.memory_bytes - self.device.memory_used
        at_once = free // 2 // (rows.words * self._word.itemsize * (stride + BORDER))
        offset = 0
        for part in triples.parts(max(1, min(MOST_PIVOTS, at_once))):
            pivots = len(part.pivots)
            minima = self.device.empty((groups, pivots * stride + BORDER, self._group), self._word)
            self._blocks["mgemm_minima"](
                (-(-len(rows) * self._group // 256), min(groups, 1024), pivots),
                256,
                *(rows.data, part.pivots.data, minima, rows.pitch, part.pivots.pitch, minima.shape[1]),
                *(rows.start, part.pivots.start, stride, rows.words, len(rows), *part.steps[:2]),
            )
            totals = rows.all_totals
            if self._product.needs_totals:
                vectors = pivots * stride
                totals = self.device.empty(vectors, self._total)
                extents = minima.shape[1], 0, vectors, rows.words
                self._blocks["mgemm_sums"](-(-vectors // SIDE), (SIDE, 8), minima, totals, *extents)
            left = Rows(Block(minima, totals, 0, len(rows)), len(rows), pivots, stride, part.steps)
            if part.count:
                self._product(left, columns, out[offset : offset + part.count], len(rows))
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
        return self._quotients3(n3_prime, triples, (n2_ij, n2_ik, n2_jk), 0, out, as_bytes)

    def quotients3_whole(
        self, n3_prime: Array, triples: Triples, n2: Array, out: Array | None = None, as_bytes: bool = False
    ) -> Array:
        """As `quotients3`, where rows, pivots and columns are views of one upload.

        n2: of all vectors of the upload with each other, (vectors, vectors), both triangles.
        """
        return self._quotients3(n3_prime, triples, (n2, n2, n2), n2.shape[0], out, as_bytes)

    def _quotients3(
        self,
        n3_prime: Array,
        triples: Triples,
        n2: tuple[Array, Array, Array],
        n2_pitch: int,
        out: Array | None,
        as_bytes: bool,
    ) -> Array:
        value = np.dtype(np.uint8) if as_bytes else self.precision
        out = out or self.device.empty(n3_prime.shape, value)
        rows, pivots, columns = triples.rows, triples.pivots, triples.columns
        self._quotients(value, n2_pitch > 0)["mgemm_quotients3"](
            (-(-len(columns) // 256), min(len(rows), 65535), len(pivots)),
            256,
            *(n3_prime, out, *n2, rows.all_totals, pivots.all_totals, columns.all_totals),
            *(rows.start, pivots.start, columns.start, len(rows), len(columns), *triples.steps, n2_pitch),
        )
        return out

    def _check_words(self, left: Block, right: Block) -> None:
        if left.words != right.words:
            raise InputError(f"vectors of {left.words} and of {right.words} words: give the same number of fields")

    def _quotients(self, value: np.dtype[Any], whole: bool = False) -> Any:
        if (value, whole) not in self._kernels:
            constants = {
                "Sum": self.accumulated.type,
                "Total": self._total.type,
                "Precision": self.precision.type,
                "Value": value.type,
                "WHOLE": whole,
            }
            self._kernels[value, whole] = self.device.compile(KERNELS / "quotients.cu", constants)
        return self._kernels[value, whole]

"""Modified matrix products: which kernel computes a variant's numerators, and in tiles of which size."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from repro.device import Array, Device
from repro.errors import InputError
from repro.mgemm.blocks import Block

KERNELS = Path(__file__).parent / "kernels"
OPERATIONS = {"ternary": 0, "fmin": 1, "gemm": 2, "differences": 3}  # as in operations.cuh
NAMES = ("naive", *OPERATIONS, "auto")
BIT_GROUP = 16  # words of a vector that lie together for the tensor cores, as in words.cuh
LARGE = 512  # vectors on either side from which on large tiles are fuller than small ones are quick
VAST = 8192  # and from which on the largest are
SMALL_SPEED = 0.9  # of small tiles beside large ones while multiprocessors are busy; they are dealt more evenly
TILES_WIDE, TILES_HIGH = 32, 8  # threads of a naive block
TENSOR_NEEDS = (8, 0)  # the least compute capability with the instructions of tensor.cu
WARPGROUPS_NEED = (9, 0)  # the compute capability that alone has the instructions of warpgroups.cu
MULTIPROCESSORS = 132  # of an NVIDIA H200, for which the sizes here are chosen


@dataclass(frozen=True)
class Tiling:
    """Constants of tiled.cu: results of a block and of a thread, words of a slab, slabs that wait in shared memory."""

    ROWS: int
    COLUMNS: int
    R: int
    C: int
    DEPTH: int
    STAGES: int
    BLOCKS_PER_SM: int

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.ROWS // self.R * (self.COLUMNS // self.C)

    @property
    def words(self) -> int:
        """Words of shared memory."""
        return self.STAGES * self.DEPTH * (self.ROWS + self.COLUMNS)


TILINGS = {  # by bytes of a word: for large products and for small ones
    4: (Tiling(128, 128, 8, 8, 16, 3, 2), Tiling(64, 64, 8, 4, 16, 2, 4)),
    8: (Tiling(128, 64, 8, 4, 16, 3, 2), Tiling(64, 32, 8, 4, 16, 2, 4)),
}


@dataclass(frozen=True)
class WarpTiling:
    """Constants of tensor.cu: warps of a block, results of a warp, slabs that wait in shared memory."""

    FILE, ALIGNED = "tensor.cu", 1  # tiles begin at multiples of so many vectors
    WARPS_Y: int
    WARPS_X: int
    WARP_ROWS: int
    WARP_COLUMNS: int
    STAGES: int

    @property
    def rows(self) -> int:
        """Of a block's results."""
        return self.WARPS_Y * self.WARP_ROWS

    @property
    def columns(self) -> int:
        """Of a block's results."""
        return self.WARPS_X * self.WARP_COLUMNS

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return 32 * self.WARPS_Y * self.WARPS_X

    @property
    def shared_bytes(self) -> int:
        """Of a block."""
        return self.STAGES * 4 * BIT_GROUP * (self.rows + self.columns)


@dataclass(frozen=True)
class WarpgroupTiling:
    """Constants of warpgroups.cu: warpgroups of a block, slabs that wait in shared memory, rows of tiles of a band."""

    FILE, ALIGNED = "warpgroups.cu", 8
    WARPGROUPS: int
    STAGES: int
    BAND: int
    columns = 256

    @property
    def rows(self) -> int:
        """Of a block's results."""
        return 64 * self.WARPGROUPS

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return 128 * self.WARPGROUPS

    @property
    def shared_bytes(self) -> int:
        """Of a block, with two barriers for each slab."""
        return self.STAGES * (4 * BIT_GROUP * (self.rows + self.columns) + 16)


WARP_TILINGS = WarpTiling(4, 2, 64, 64, 4), WarpTiling(2, 2, 32, 32, 2)
WARPGROUP_TILINGS = WarpgroupTiling(3, 8, 8), WarpgroupTiling(2, 9, 8)


@dataclass(frozen=True)
class Rows:
    """The left side of a product: for each of `pivots` pivots the rows, `stride` vectors apart.

    steps: as `Triples.steps`.
    """

    block: Block
    count: int
    pivots: int
    stride: int
    steps: tuple[int, int, int, int]


def fullness(tiles: int, at_once: int) -> float:
    """The part of their time in which multiprocessors that run so many tiles at once are busy."""
    return tiles / (-(-tiles // at_once) * at_once)


@lru_cache(maxsize=1024)
def needed_tiles(tiling: Tiling, rows: int, columns: int, diagonal: int) -> int:
    """How many tiles hold a result whose column + diagonal > row."""
    needed = (columns - max(0, row - diagonal) for row in range(0, rows, tiling.ROWS))
    return sum(-(-count // tiling.COLUMNS) for count in needed if count > 0)


def most_planes(device: Device) -> int:
    """Of bits in place of bytes; for more of them the differences of bytes are faster."""
    if device.compute_capability < TENSOR_NEEDS:
        return 0
    return 64 if device.compute_capability == WARPGROUPS_NEED else 32


class Product:
    """The kernel of a variant for one type of words. Raises InputError for an unknown variant.

    constants: what words.cuh and operations.cuh need. group: words of a vector that lie together.
    """

    def __init__(self, device: Device, variant: str, constants: dict[str, Any]) -> None:
        if variant not in NAMES:
            raise InputError(f"no variant '{variant}'; choose one of: {', '.join(NAMES)}")
        self._device = device
        self._bits = bool(constants["BITS"])
        self._word = np.dtype(constants["Word"])
        self._variant = variant
        if variant == "auto":
            minima = "fmin" if self._bits or self._word == np.float32 else "differences"
            self._variant = "tensor" if self._bits and device.compute_capability >= TENSOR_NEEDS else minima
        self.group = BIT_GROUP if self._variant == "tensor" else 1
        self.needs_totals = self._variant == "differences"
        self._constants = {**constants, "GROUP": self.group}
        self._kernels: dict[tuple[Any, ...], Any] = {}  # by file and what it is specialised by

    @property
    def tiles(self) -> tuple[int, int, int]:
        """Rows and columns of the results of a block of threads in a large product, and how many blocks run at once."""
        if self._variant == "naive":
            return TILES_HIGH, TILES_WIDE, 8 * MULTIPROCESSORS
        if self._variant == "tensor":
            warps = self._warps(LARGE)
            return warps.rows, warps.columns, MULTIPROCESSORS
        tiling = TILINGS[self._word.itemsize][0]
        return tiling.ROWS, tiling.COLUMNS, tiling.BLOCKS_PER_SM * MULTIPROCESSORS

    def __call__(self, left: Rows, right: Block, out: Array, diagonal: int) -> None:
        """Launch the product of rows and columns into `out`.

        diagonal: results are needed where column + diagonal > row.
        """
        fewer = min(left.count, len(right))
        extents = (left.block.start, left.stride, right.start, right.words, left.count, len(right))
        scalars = (left.block.pitch, right.pitch, *extents, *left.steps, diagonal)
        if self._variant == "naive":
            kernel = self._compiled("naive.cu", ("Word", "Sum", "BITS", "GROUP"), {})
            grid = -(-len(right) // TILES_WIDE), -(-left.count // TILES_HIGH), left.pivots
            kernel(grid, (TILES_WIDE, TILES_HIGH), left.block.data, right.data, out, *scalars)
        elif self._variant == "tensor":
            warps = self._warps(fewer)
            kernel = self._compiled(warps.FILE, (), vars(warps))
            grid = (
                -(-(len(right) + right.start % warps.ALIGNED) // warps.columns),
                -(-(left.count + left.block.start % warps.ALIGNED) // warps.rows),
                left.pivots,
            )
            kernel(grid, warps.threads, left.block.data, right.data, out, *scalars, shared_bytes=warps.shared_bytes)
        else:
            tiling = self._tiling(left, len(right), diagonal)
            chosen = {**vars(tiling), "OPERATION": OPERATIONS[self._variant]}
            kernel = self._compiled("tiled.cu", ("Word", "Sum", "Total", "BITS", "GROUP"), chosen)
            aligned = 16 // self._word.itemsize
            grid = (
                -(-(len(right) + right.start % aligned) // tiling.COLUMNS),
                -(-(left.count + left.block.start % aligned) // tiling.ROWS),
                left.pivots,
            )
            totals = left.block.all_totals, right.all_totals
            shared_bytes = self._word.itemsize * tiling.words
            kernel(grid, tiling.threads, left.block.data, right.data, *totals, out, *scalars, shared_bytes=shared_bytes)

    def _tiling(self, left: Rows, columns: int, diagonal: int) -> Tiling:
        """Large tiles, but for fewer vectors or where small ones keep the multiprocessors so much busier to the end."""
        large, small = TILINGS[self._word.itemsize]
        if min(left.count, columns) < LARGE:
            return small
        busy = {}
        for tiling in (large, small):
            tiles = left.pivots * needed_tiles(tiling, left.count, columns, diagonal)
            busy[tiling] = fullness(max(1, tiles), tiling.BLOCKS_PER_SM * MULTIPROCESSORS)
        return small if SMALL_SPEED * busy[small] > busy[large] else large

    def _warps(self, fewer: int) -> WarpTiling | WarpgroupTiling:
        """The tiling for so many vectors on the side that has fewer."""
        if fewer >= LARGE and self._device.compute_capability == WARPGROUPS_NEED:
            return WARPGROUP_TILINGS[fewer < VAST]
        return WARP_TILINGS[fewer < LARGE]

    def _compiled(self, file: str, names: tuple[str, ...], more: dict[str, Any]) -> Any:
        key = file, *more.values()
        if key not in self._kernels:
            constants = {name: self._constants[name] for name in names} | more
            (self._kernels[key],) = self._device.compile(KERNELS / file, constants).values()
        return self._kernels[key]

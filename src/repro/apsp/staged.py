"""The `staged` variant: phase 3 as a register-blocked min-plus product, beside the panels of the next round."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.apsp.outcome import NO_NEGATIVE_CYCLE, Outcome, first_predecessors, padded, retyped
from repro.apsp.ranges import INFINITE, NO_PREDECESSOR
from repro.bench.variant import Setting
from repro.device import Array, Device

KERNELS = Path(__file__).parent / "kernels"
DEPTH = 64  # pivots per round, as in tiles.cuh
PANEL = 64  # rows or columns of a panel that one block computes
THREADS = 128  # of a block where predecessors are kept
TILE = Setting(128, 64, 128, "rows of a phase-3 tile, 64 or 128, by 512 bytes", step=64)


@dataclass(frozen=True)
class Layout:
    """How distances of a type lie in the words that kernels work on."""

    word: type[np.generic]
    lanes: int
    rows: int
    columns: int
    nonnegative: bool

    @classmethod
    def of(cls, dtype: np.dtype, tile: int, nonnegative: bool) -> "Layout":
        """Tiles of `tile` rows, 64 or 128, by 512 bytes."""
        word = np.uint32 if dtype == np.int16 else dtype.type
        size = np.dtype(word).itemsize
        return cls(word, size // dtype.itemsize, tile, 512 // size, nonnegative)

    @property
    def multiple(self) -> int:
        """What the number of vertices is padded to a multiple of."""
        return max(PANEL, self.rows, self.columns * self.lanes)

    @property
    def threads(self) -> int:
        """Threads of a block, each with 8 rows by 32 bytes of a tile."""
        return self.rows * 2

    def constants(self) -> dict[str, Any]:
        """What specialises the kernels."""
        return {
            "Word": self.word,
            "NONNEGATIVE": self.nonnegative,
            "ROWS": self.rows,
            "COLUMNS": self.columns,
            "THREADS": self.threads,
            "BLOCKS_PER_SM": 512 // self.threads,
            "PAIR": 2 if np.dtype(self.word).itemsize == 4 else 1,  # pairs of 64 bits were slower
        }

    @property
    def product_bytes(self) -> int:
        """Shared memory of a product of one tile."""
        return DEPTH * (self.rows + self.columns) * np.dtype(self.word).itemsize

    @property
    def round_bytes(self) -> int:
        """Shared memory of a block of a round, which computes a tile or a panel."""
        panel_words = 3 * DEPTH * PANEL + 2 * PANEL + 2 * PANEL // self.lanes  # operands, and a pivot's column and row
        return max(self.product_bytes, panel_words * np.dtype(self.word).itemsize)


def staged(device: Device, weights: NDArray[Any], predecessors: bool, tile: int) -> Outcome:
    """The three phases of section 4.6 with 64 pivots per round, products in registers, and phases overlapped.

    tile: see TILE. With predecessors, tiles are 64 x 64 and each phase is a launch; int16 then computes in int32.
    """
    if len(weights) == 0:
        return Outcome(weights, first_predecessors(weights) if predecessors else None)
    layout = Layout.of(weights.dtype, tile, bool(weights.min() >= 0))
    negative = device.upload(np.array([NO_NEGATIVE_CYCLE], np.int32))
    if predecessors:
        wide = retyped(weights, np.dtype(np.int32)) if weights.dtype == np.int16 else weights
        d = device.upload(padded(wide, PANEL, INFINITE[wide.dtype]))
        p = device.upload(padded(first_predecessors(weights), PANEL, NO_PREDECESSOR))
        close_with_predecessors(device, d, p, negative, layout.nonnegative)
        outcome = Outcome.read(negative, d, p, wide)
        return Outcome(retyped(outcome.distances, weights.dtype), outcome.predecessors)
    d = device.upload(padded(weights, layout.multiple, INFINITE[weights.dtype]).view(layout.word))
    close(device, d, negative, layout)
    return Outcome.read(negative, d, None, weights)


def close(device: Device, d: Array, negative: Array, layout: Layout) -> None:
    """Make the distances of an N x N matrix shortest, in place.

    d: [N, N / lanes] words. negative: one int32, lowered to a vertex on a negative cycle, where there is one.
    """
    kernel = device.compile(KERNELS / "staged.cu", layout.constants())["apsp_round"]
    n, words = d.shape
    left = [device.empty((n, DEPTH // layout.lanes), layout.word) for _ in range(2)]
    right = [device.empty((DEPTH, words), layout.word) for _ in range(2)]
    panels, tiles = 2 * (n // PANEL), n // layout.rows * (words // layout.columns)
    for pivot in range(-DEPTH, n, DEPTH):
        upcoming = pivot + DEPTH
        panel_blocks = panels if upcoming < n else 0
        now, then = pivot // DEPTH % 2, upcoming // DEPTH % 2
        kernel(
            panel_blocks + (tiles if pivot >= 0 else 0),
            layout.threads,
            *(d, left[now], right[now], left[then], right[then], negative, words, pivot),
            *(upcoming if panel_blocks else -DEPTH, panel_blocks),
            shared_bytes=layout.round_bytes,
        )


def close_with_predecessors(device: Device, d: Array, p: Array, negative: Array, nonnegative: bool) -> None:
    """Make distances shortest, in place, and keep the predecessors.

    d: N x N distances of 32 or 64 bits. p: N x N predecessors of int32. negative: as for `close`.
    """
    kernels = device.compile(KERNELS / "predecessors.cu", predecessor_constants(d.dtype, nonnegative))
    close_tile, panels, remaining = (kernels[f"apsp_{phase}"] for phase in ("close", "panels", "remaining"))
    n = d.shape[0]
    others = n // PANEL - 1
    shared_bytes = 2 * DEPTH * PANEL * d.dtype.itemsize
    for pivot in range(0, n, DEPTH):
        close_tile(1, THREADS, d, p, negative, n, pivot)
        if others:
            panels((others, 2), THREADS, d, p, negative, n, pivot, shared_bytes=shared_bytes)
            remaining((others, others), THREADS, d, p, negative, n, pivot, shared_bytes=shared_bytes)


def predecessor_constants(dtype: np.dtype, nonnegative: bool) -> dict[str, Any]:
    """What specialises the kernels that keep predecessors."""
    return {
        "Word": dtype.type,
        "NONNEGATIVE": nonnegative,
        "THREADS": THREADS,
        "BLOCKS_PER_SM": 16 // dtype.itemsize,
        "PAIR": 1,  # two were slower
    }

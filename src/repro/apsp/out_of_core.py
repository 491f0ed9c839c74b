"""The `out-of-core` variant: graphs larger than the device's memory budget, one block of the matrix at a time.

The extension that section 4.6 announces: its phases once more, on blocks that are streamed through the device, with
copies in and out beside the products of other blocks.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.apsp.outcome import (
    NO_NEGATIVE_CYCLE,
    NegativeCycleError,
    Outcome,
    first_predecessors,
    retyped,
    settled,
)
from repro.apsp.ranges import INFINITE, NO_PREDECESSOR
from repro.apsp.staged import (
    DEPTH,
    KERNELS,
    PANEL,
    THREADS,
    TILE,
    Layout,
    close,
    close_with_predecessors,
    predecessor_constants,
)
from repro.apsp.tile_store import FileStore, MemoryStore, TileStore
from repro.device import Array, Device, Event
from repro.errors import DeviceError

RING = 3  # blocks on their way in, in work and on their way out
COLUMNS = 2  # blocks of the pivot column: one in use, one on its way out


@dataclass
class Block:
    """One block in device memory: its distances, and its predecessors where they are kept.

    free: when it may be overwritten.
    """

    parts: list[Array]
    free: Event
    loaded: list[Event] = field(default_factory=list)


@dataclass(frozen=True)
class Plan:
    """How the matrix is cut: `blocks` x `blocks` blocks of `edge` x `edge` distances."""

    blocks: int
    edge: int

    @classmethod
    def of(cls, n: int, layout: Layout, predecessors: bool, budget: int) -> "Plan":
        """The largest blocks whose pivot row and working set stay within `budget` bytes. Raises DeviceError."""
        multiple = PANEL if predecessors else layout.multiple
        size = np.dtype(layout.word).itemsize // layout.lanes
        tiles = max(1, -(-n // multiple))
        needed = 0
        for blocks in range(1, tiles + 1):
            edge = -(-tiles // blocks) * multiple
            held = (blocks + RING + COLUMNS if blocks > 1 else 1) * edge**2
            needed = held * (size + 4 * predecessors) + 4 * DEPTH * edge * size + 4
            if needed <= budget:
                return cls(blocks, edge)
        raise DeviceError(
            f"out-of-core needs {needed:,} bytes of device memory for {n} vertices, {budget:,} are allowed: "
            "give a larger memory budget"
        )


def fits(weights: NDArray[Any], predecessors: bool, device: Device) -> bool:
    """Whether the whole matrix stays within what is left of the memory budget. Raises DeviceError as `Plan.of`."""
    dtype = np.dtype(np.int32) if predecessors and weights.dtype == np.int16 else weights.dtype
    layout = Layout.of(dtype, TILE.default, nonnegative=True)
    return Plan.of(len(weights), layout, predecessors, device.memory_bytes - device.memory_used).blocks <= 1


def out_of_core(
    device: Device,
    weights: NDArray[Any],
    predecessors: bool,
    tile: int,
    folder: Path | None = None,
    key: dict[str, Any] | None = None,
    progress: Callable[[int, int], None] = lambda done, rounds: None,
) -> Outcome:
    """Section 4.7: the result of `staged`, within the memory budget of the device.

    folder: where blocks are kept in files; a killed run with the same key continues after its last finished round.
    Without one they are kept in host memory. key: what identifies the graph. progress: called after every round.
    """
    if len(weights) == 0:
        return Outcome(weights, first_predecessors(weights) if predecessors else None)
    layout = Layout.of(weights.dtype, tile, bool(weights.min() >= 0))
    wide = weights
    if predecessors and weights.dtype == np.int16:
        wide = retyped(weights, np.dtype(np.int32))
        layout = Layout.of(wide.dtype, tile, layout.nonnegative)
    n = len(weights)
    plan = Plan.of(n, layout, predecessors, device.memory_bytes - device.memory_used)
    matrices: list[NDArray[Any]] = [wide, first_predecessors(wide)] if predecessors else [wide]
    given = (matrices, [INFINITE[wide.dtype], NO_PREDECESSOR][: len(matrices)], plan.blocks, plan.edge)
    store: TileStore
    store = MemoryStore(device, *given) if folder is None else FileStore(folder, *given, {**(key or {}), "n": n})
    del matrices, given
    started = time.perf_counter()
    Rounds(device, layout, plan, store, predecessors).run(progress)
    seconds = time.perf_counter() - started
    found = [store.matrix(part, n) for part in range(1 + predecessors)]
    outcome = settled(found[0], found[1] if predecessors else None, wide)
    return Outcome(retyped(outcome.distances, weights.dtype), outcome.predecessors, seconds)


class Rounds:
    """The rounds over pivot blocks, with their working set on the device."""

    def __init__(self, device: Device, layout: Layout, plan: Plan, store: TileStore, predecessors: bool) -> None:
        self._device = device
        self._layout = layout
        self._plan = plan
        self._store = store
        self._predecessors = predecessors
        constants = layout.constants()
        if predecessors:
            constants = predecessor_constants(np.dtype(layout.word), layout.nonnegative)
        name = "predecessors.cu" if predecessors else "product.cu"
        self._product = device.compile(KERNELS / name, constants)["apsp_product"]
        self._negative = device.upload(np.array([NO_NEGATIVE_CYCLE], np.int32))
        self._pivot = self._new_block()
        if plan.blocks > 1:
            self._row = [self._new_block() for _ in range(plan.blocks - 1)]
            self._columns = [self._new_block() for _ in range(COLUMNS)]
            self._ring = [self._new_block() for _ in range(RING)]
        self._turn = 0

    def run(self, progress: Callable[[int, int], None]) -> None:
        """All rounds that the store has not finished yet. Raises NegativeCycleError."""
        for number in range(self._store.first_round, self._plan.blocks):
            self._round(number)
            for block in (self._pivot, *(self._row + self._columns + self._ring if self._plan.blocks > 1 else ())):
                self._device.finish(block.free)
            vertex = int(self._negative.get()[0])
            if vertex != NO_NEGATIVE_CYCLE:
                raise NegativeCycleError(number * self._plan.edge + vertex)
            self._store.finish_round(number)
            progress(number + 1, self._plan.blocks)

    def _round(self, pivot: int) -> None:
        others = [block for block in range(self._plan.blocks) if block != pivot]
        self._load(self._pivot, pivot, pivot)
        self._await(self._pivot)
        if self._predecessors:
            d, p = self._pivot.parts
            close_with_predecessors(self._device, d, p, self._negative, self._layout.nonnegative)
        else:
            close(self._device, self._pivot.parts[0], self._negative, self._layout)
        self._save(self._pivot, pivot, pivot)
        for row, j in zip(self._row if others else (), others, strict=True):
            given = self._next_in_ring(pivot, j)
            self._multiply(row, given, self._pivot, given)
            given.free = self._save(row, pivot, j)[0]
        for turn, i in enumerate(others):
            column = self._columns[turn % COLUMNS]
            given = self._next_in_ring(i, pivot)
            self._multiply(column, given, given, self._pivot)
            given.free = self._save(column, i, pivot)[0]
            for row, j in zip(self._row, others, strict=True):
                tile = self._next_in_ring(i, j)
                self._multiply(tile, tile, column, row)
                self._save(tile, i, j)

    def _new_block(self) -> Block:
        edge, layout = self._plan.edge, self._layout
        parts = [self._device.empty((edge, edge // layout.lanes), layout.word)]
        if self._predecessors:
            parts.append(self._device.empty((edge, edge), np.int32))
        return Block(parts, self._device.record())

    def _load(self, block: Block, i: int, j: int) -> None:
        values = self._store.read(i, j)
        block.loaded = [
            self._device.copy_in(part, value.view(part.dtype), [block.free])
            for part, value in zip(block.parts, values, strict=True)
        ]

    def _await(self, block: Block) -> None:
        for event in block.loaded:
            self._device.wait(event)

    def _next_in_ring(self, i: int, j: int) -> Block:
        block = self._ring[self._turn % RING]
        self._turn += 1
        self._load(block, i, j)
        self._await(block)
        return block

    def _save(self, block: Block, i: int, j: int) -> tuple[Event, Event]:
        """Copy a block out after the launches so far: the events that these have finished and that it is out."""
        computed = self._device.record()
        for part, value in zip(block.parts, self._store.write(i, j), strict=True):
            block.free = self._device.copy_out(part, value.view(part.dtype), [computed])
        return computed, block.free

    def _multiply(self, result: Block, given: Block, left: Block, right: Block) -> None:
        """result = min(given, left * right), result being given or a block of its own."""
        if result is not given:
            self._device.wait(result.free)
        edge, layout = self._plan.edge, self._layout
        words = edge // layout.lanes
        if self._predecessors:
            self._product(
                (edge // PANEL, edge // PANEL),
                THREADS,
                *(*result.parts, *given.parts, left.parts[0], *right.parts),
                *(edge, edge, edge, edge),
                shared_bytes=2 * DEPTH * PANEL * result.parts[0].dtype.itemsize,
            )
            return
        self._product(
            (words // layout.columns, edge // layout.rows),
            layout.threads,
            *(result.parts[0], given.parts[0], left.parts[0], right.parts[0]),
            *(words, words, words, edge),
            shared_bytes=layout.product_bytes,
        )

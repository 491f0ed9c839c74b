"""The traceback of `auto`: a score pass that keeps the edges of blocks, and a walk through the blocks on the path.

Batches stream through the device's memory: while one is computed, the results of the one before are copied out and the
next is prepared.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.device import Array, Device, Event
from repro.device.source import Constant
from repro.shuffle.letters import Letters
from repro.shuffle.paper import KERNELS, PROFILE_ROWS
from repro.shuffle.reference import MODES
from repro.shuffle.scheme import Scheme
from repro.shuffle.traced import PER_WORD, Traced, count_runs
from repro.shuffle.units import COLUMNS, UNIT_FIELDS, Batch, batches

THREADS = 128  # of a block of the walk of alignments that are not staged
BEGIN_THREADS = 256
TYPES: dict[str, tuple[type[np.generic], type[np.generic]]] = {
    "s16x2": (np.int16, np.uint32),
    "int32": (np.int32, np.int32),
    "int64": (np.int64, np.int64),
}
MEMORY_SHARE = 0.4  # of the device's memory, for what a score pass keeps
ENDS = 5  # query_begin, query_end, subject_begin, subject_end, columns


@dataclass(frozen=True)
class Problem:
    """The alignments to be computed: query and subject of each, all of at least one letter, and the scheme.

    places: of each in the batch. every: whether each query is aligned with all subjects.
    """

    queries: Letters
    subjects: Letters
    chosen: NDArray[np.int64]
    partners: NDArray[np.int64]
    places: NDArray[np.int64]
    scheme: Scheme
    every: bool


def trace(device: Device, problem: Problem) -> Iterator[tuple[Batch, Traced | None]]:
    """What each batch gives, one batch behind the launches; None where more is to be kept than memory is free."""
    if not len(problem.chosen):
        return
    uploaded = device.upload(problem.queries.codes), device.upload(problem.subjects.codes)
    table = device.upload(problem.scheme.table())
    m, n = problem.queries.lengths[problem.chosen], problem.subjects.lengths[problem.partners]
    waiting: tuple[Batch, _Results] | None = None
    kept: Array | None = None
    most_bytes = int(device.memory_bytes * MEMORY_SHARE)
    for batch in batches(problem.scheme, problem.chosen, m, n, problem.every, most_bytes, device.warp_size):
        words, word = int(batch.words.sum()), np.dtype(TYPES[batch.kind][1])
        if kept is None or kept.dtype != word or kept.shape[0] < words:
            kept = None  # before there is another
            if words * word.itemsize > device.memory_bytes - device.memory_used:
                yield batch, None
                continue
            kept = device.empty(words, word)
        results = _launch(device, problem, batch, (*uploaded, table), kept)
        if waiting:
            yield waiting[0], waiting[1].get()
        waiting = batch, results
    if waiting:
        yield waiting[0], waiting[1].get()


@dataclass(frozen=True)
class _Results:
    """Copies that are under way of what a batch gives."""

    device: Device
    positions: NDArray[np.int64]  # in the batch; -1 for what stands twice
    places: NDArray[np.int64]
    copies: list[NDArray[Any]]
    last: Event
    used: tuple[Array | NDArray[Any], ...]  # alive as long as kernels and copies use them

    def get(self) -> Traced:
        """The values, once they are there."""
        self.device.finish(self.last)
        scores, ends, words = self.copies
        columns = ends[:, 4]
        return Traced(
            self.positions, scores, ends[:, :4], columns, count_runs(words, self.places, columns), self.places, words
        )


def _launch(
    device: Device, problem: Problem, batch: Batch, inputs: tuple[Array, Array, Array], kept: Array
) -> _Results:
    """Queue the copies and the kernels of a batch."""
    scheme, every = problem.scheme, problem.every
    units, staged = len(batch.members), len(batch.stages) > 0
    fields = device.host_array((units, UNIT_FIELDS), np.int64)
    columns_of = np.zeros(batch.members.shape, np.int64)
    for side, (letters, indices) in enumerate(
        ((problem.queries, problem.chosen[batch.members]), (problem.subjects, problem.partners[batch.members]))
    ):
        fields[:, 4 * side : 4 * side + 2] = letters.offsets[indices]
        fields[:, 4 * side + 2 : 4 * side + 4] = letters.lengths[indices]
        columns_of += letters.lengths[indices]
    fields[:, 8] = np.cumsum(batch.words) - batch.words
    slots = -(-columns_of.reshape(-1) // PER_WORD)
    places = device.host_array(slots.size, np.int64)
    places[:] = np.cumsum(slots) - slots
    arrays = device.empty(fields.shape, np.int64), device.empty(slots.size, np.int64)
    # Their memory may be that of a batch before, of other words, which launches under way still use.
    free = [device.record()]
    for array, values in zip(arrays, (fields, places), strict=True):
        device.wait(device.copy_in(array, values, free))
    results = (
        device.empty(slots.size, np.int64),
        device.empty((slots.size, ENDS), np.int32),
        device.empty(int(slots.sum()), np.uint32),
    )
    score, word = TYPES[batch.kind]
    constants: dict[str, Constant] = {
        "T": score,
        "WORD": word,
        "MODE": MODES[scheme.mode],
        "AFFINE": scheme.gap == "affine",
        "LANES": batch.lanes,
        "SHARED_QUERY": every or batch.kind != "s16x2",
        "STAGED": staged,
    }
    warp = device.warp_size
    queries, subjects, table = inputs
    penalties = scheme.first, scheme.gap_extend
    kernels = device.compile(KERNELS / "checkpoints.cu", constants)
    shared = PROFILE_ROWS * COLUMNS * warp * np.dtype(word).itemsize
    stages, next_item = device.upload(batch.stages), device.empty(1, np.int32)
    blocks = items = -(-units * batch.lanes // warp)
    if staged:
        items = len(batch.stages)
        blocks = min(items, kernels["shuffle_checkpoints"].most_resident_blocks(warp, shared))
        kernels["shuffle_checkpoints_begin"](items, BEGIN_THREADS, arrays[0], stages, kept, next_item)
    kernels["shuffle_checkpoints"](
        blocks,
        warp,
        *(queries, subjects, arrays[0], table, stages, next_item, kept, units, items, *penalties),
        shared_bytes=shared,
    )
    walked = {name: value for name, value in constants.items() if name != "SHARED_QUERY"}
    device.compile(KERNELS / "walk.cu", walked)["shuffle_walk"](
        slots.size if staged else -(-slots.size // THREADS),
        warp if staged else THREADS,
        *(queries, subjects, arrays[0], table, kept, arrays[1], *results, slots.size, *penalties),
    )
    after = [device.record()]
    copies = [device.host_array(array.shape, array.dtype) for array in results]
    for array, values in zip(results, copies, strict=True):
        last = device.copy_out(array, values, after)
    members = batch.members.reshape(-1)
    positions = np.where(np.append(True, members[1:] != members[:-1]), problem.places[members], -1)
    return _Results(device, positions, places, copies, last, (fields, *arrays, stages, next_item, *results))

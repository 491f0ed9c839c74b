"""From the columns of alignments, two bits each, to packed CIGARs."""

import numba
import numpy as np
from numpy.typing import NDArray

from repro.shuffle.alignments import DELETION, EQUAL, INSERTION, OP_BITS, UNEQUAL, Ops

PER_WORD = 16
OPS = np.array([EQUAL, UNEQUAL, INSERTION, DELETION], np.uint32)

Words = NDArray[np.uint32]
Places = NDArray[np.int64]


def count_runs(words: Words, places: Places, counts: NDArray[np.int32]) -> NDArray[np.int64]:
    """Operations of each alignment: int64, shape (n,).

    words: columns of alignments from their end on, as walk.cu writes them. places: where each alignment's words start.
    counts: columns of each.
    """
    runs: NDArray[np.int64] = _count_runs(words, places, counts)
    return runs


def write_ops(words: Words, places: Places, counts: NDArray[np.int32], starts: Places, ops: Ops) -> None:
    """Write the operations of each alignment, first one first, to ops[starts[i]:]."""
    _write_ops(words, places, counts, starts, ops)


@numba.njit(cache=True, parallel=True)
def _count_runs(words, places, counts):  # type: ignore[no-untyped-def]
    runs = np.zeros(len(counts), np.int64)
    for i in numba.prange(len(counts)):
        previous, found = 4, 0
        for k in range(counts[i]):
            kind = words[places[i] + k // PER_WORD] >> np.uint32(2 * (k % PER_WORD)) & 3
            found += kind != previous
            previous = kind
        runs[i] = found
    return runs


@numba.njit(cache=True, parallel=True)
def _write_ops(words, places, counts, starts, ops):  # type: ignore[no-untyped-def]
    for i in numba.prange(len(counts)):
        previous, place = 4, starts[i] - 1
        for back in range(counts[i]):
            k = counts[i] - 1 - back
            kind = words[places[i] + k // PER_WORD] >> np.uint32(2 * (k % PER_WORD)) & 3
            if kind != previous:
                place += 1
                ops[place] = OPS[kind]
            ops[place] += np.uint32(1 << OP_BITS)
            previous = kind

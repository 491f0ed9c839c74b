"""Illumina reads as Mason 2 simulates them by default, its quirks included.

Mason draws a substitute as r = 0..3, and r + 1 where r is the original letter; so T becomes N in a quarter of its
substitutions, and A, C and G take their successor twice as often as the other letters.
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from repro.errors import InputError
from repro.inputs.reads.cigar import DELETION, INSERTION, MATCH
from repro.inputs.reads.errors import ErrorBatch, operation_of

# Mismatch probability along the read: piecewise linear, begin to knee to end, with this average.
AVERAGE, BEGIN, END, KNEE = 0.004, 0.002, 0.012, 0.66
# Per base.
INSERTIONS, DELETIONS = 5e-5, 5e-5
# (mean, standard deviation) of qualities at the first and the last base, before they are cut to 0..40.
MATCH_QUALITY = ((40.0, 0.05), (39.5, 10.0))
ERROR_QUALITY = ((40.0, 3.0), (30.0, 15.0))
HIGHEST_QUALITY = 40


class Illumina:
    """Reads of one length.

    Raises InputError for a length below 2.
    """

    platform = "illumina"
    copied_insertions = 0.0
    substitutions = np.repeat(
        np.array([[1, 1, 2, 3], [0, 2, 2, 3], [0, 1, 3, 3], [0, 1, 2, 4], [0, 1, 2, 3]], dtype=np.uint8), 3, axis=1
    )

    def __init__(self, length: int) -> None:
        if length < 2:
            raise InputError(f"Illumina reads of length {length}; give 2 or more")
        self.mean_length = float(length)
        self._length = length
        position = np.linspace(0, 1, length)
        self._mismatch = mismatch_probability(position)
        self._quality = np.stack([_along(position, MATCH_QUALITY), _along(position, ERROR_QUALITY)])

    def errors(self, rng: np.random.Generator, reads: int) -> ErrorBatch:
        """Draw operations and qualities; an insertion has the quality of a mismatch, and no indel is at an end."""
        operations = np.empty(2 * reads * self._length, dtype=np.uint8)
        counts = np.empty(reads, dtype=np.int64)
        spans = np.empty(reads, dtype=np.int64)
        qualities = np.empty(reads * self._length, dtype=np.uint8)
        _draw(rng, self._mismatch, INSERTIONS, DELETIONS, self._quality, operations, counts, spans, qualities)
        return ErrorBatch(np.full(reads, self._length), operations, counts, spans, qualities)


def mismatch_probability(position: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the mismatch probability at positions 0 (first base) to 1 (last base)."""
    knee = 2 * AVERAGE - KNEE * BEGIN - END + END * KNEE
    return np.interp(position, [0, KNEE, 1], [BEGIN, knee, END])


def _along(
    position: npt.NDArray[np.float64], ends: tuple[tuple[float, float], tuple[float, float]]
) -> npt.NDArray[np.float64]:
    """Return means and standard deviations, (2, length), between those of the first and the last base."""
    return np.stack([np.interp(position, [0, 1], values) for values in zip(*ends, strict=True)])


@njit(cache=True)
def _draw(rng, mismatch, insertions, deletions, quality, operations, counts, spans, qualities):  # type: ignore[no-untyped-def]
    length = mismatch.size
    for read in range(counts.size):
        first = 2 * read * length
        at = first
        inserted = 0
        for i in range(length):
            if i > 0 and rng.random() < deletions:
                operations[at] = DELETION
                at += 1
            operation = operation_of(rng.random(), mismatch[i], insertions if 0 < i < length - 1 else 0.0)
            inserted += operation == INSERTION
            operations[at] = operation
            at += 1
            kind = 0 if operation == MATCH else 1
            value = quality[kind, 0, i] + quality[kind, 1, i] * rng.standard_normal()
            qualities[read * length + i] = int(min(max(value, 0.0), HIGHEST_QUALITY))
        counts[read] = at - first
        spans[read] = counts[read] - inserted

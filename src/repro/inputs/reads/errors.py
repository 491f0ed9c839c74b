"""What a read is made of before it has a place on a genome: its edit operations and its qualities.

Operations are the codes of `cigar`, along the direction of sequencing.
"""

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from numba import njit

from repro.inputs.reads.cigar import INSERTION, MATCH, MISMATCH


class ErrorBatch(NamedTuple):
    """Operations and qualities of some reads.

    lengths: int64, (reads,), letters of each read.
    operations: uint8, (2 x sum(lengths),); those of a read begin at twice the sum of the lengths before it.
    counts: int64, (reads,), operations of each read.
    spans: int64, (reads,), letters of the genome that each read covers.
    qualities: uint8, (sum(lengths),), phred scale.
    """

    lengths: npt.NDArray[np.int64]
    operations: npt.NDArray[np.uint8]
    counts: npt.NDArray[np.int64]
    spans: npt.NDArray[np.int64]
    qualities: npt.NDArray[np.uint8]


class ReadModel(Protocol):
    """A sequencing machine.

    platform: `illumina` or `clr`.
    mean_length: letters.
    substitutions: uint8, (5, 12), twelve equally likely substitutes (codes) for each code of a genome's letter.
    copied_insertions: probability that an inserted letter copies the genome's next one; else it is uniform.
    """

    platform: str
    mean_length: float
    substitutions: npt.NDArray[np.uint8]
    copied_insertions: float

    def errors(self, rng: np.random.Generator, reads: int) -> ErrorBatch:
        """Draw the lengths, operations and qualities of some reads."""
        ...


@njit(cache=True)
def operation_of(draw, mismatch, insertion):  # type: ignore[no-untyped-def]
    """What a random number of [0, 1) means where a mismatch and an insertion have these probabilities."""
    if draw < mismatch:
        return MISMATCH
    return INSERTION if draw < mismatch + insertion else MATCH

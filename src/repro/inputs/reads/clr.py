"""PacBio CLR reads as PBSIM 1 simulates them by default (substitution : insertion : deletion = 10 : 60 : 30).

A read has one accuracy, drawn per whole percent; its qualities follow the model row of that accuracy, and its
substitutions and insertions follow the quality of each base. Deletions have one probability everywhere.
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from repro.errors import InputError
from repro.inputs.reads.cigar import DELETION, INSERTION
from repro.inputs.reads.clr_qualities import ACCURACIES, QUALITY_SHARES
from repro.inputs.reads.errors import ErrorBatch, operation_of

ACCURACY_MEAN, ACCURACY_SD = 0.78, 0.02
SUBSTITUTION_SHARE, INSERTION_SHARE, DELETION_SHARE = 0.1, 0.6, 0.3
MEAN_LENGTH, SD_LENGTH, SHORTEST, LONGEST = 3000.0, 2300.0, 100, 25_000


class Clr:
    """Reads with log-normal lengths between SHORTEST and LONGEST, or mean + 8 sd where that is more.

    mean_length, sd_length: letters, of the log-normal distribution before it is cut; the standard deviation is by
    default the same part of the mean as PBSIM's.
    Raises InputError for a mean outside SHORTEST and 10 million or a standard deviation that is not positive.
    """

    platform = "clr"
    copied_insertions = 0.5
    substitutions = np.array([[b for b in range(4) if b != a] * 4 for a in range(4)] + [[0, 1, 2, 3] * 3], np.uint8)

    def __init__(self, mean_length: float = MEAN_LENGTH, sd_length: float | None = None) -> None:
        if not SHORTEST <= mean_length <= 10_000_000:
            raise InputError(f"CLR reads of mean length {mean_length:g}; give {SHORTEST} to 10000000")
        sd = mean_length * SD_LENGTH / MEAN_LENGTH if sd_length is None else sd_length
        if not 0 < sd <= 10 * mean_length:
            raise InputError(f"CLR reads with standard deviation {sd:g} of the length; give more than 0")
        self.mean_length = mean_length
        variance = np.log(1 + (sd / mean_length) ** 2)
        self._log_mean, self._log_sd = np.log(mean_length) - variance / 2, np.sqrt(variance)
        self._longest = max(LONGEST, mean_length + 8 * sd)
        weights = np.exp(-(((ACCURACIES / 100 - ACCURACY_MEAN) / ACCURACY_SD) ** 2) / 2)
        self._row_shares = weights / weights.sum()
        # Rounded shares need not add up to exactly 1; the last entry of each row must.
        self._cumulative = np.cumsum(QUALITY_SHARES, axis=1)
        self._cumulative[:, -1] = 1

    def errors(self, rng: np.random.Generator, reads: int) -> ErrorBatch:
        """Draw lengths, operations and qualities; a read neither begins nor ends with a deletion."""
        lengths = self._lengths(rng, reads)
        rows = rng.choice(self._row_shares.size, size=reads, p=self._row_shares)
        operations = np.empty(2 * lengths.sum(), dtype=np.uint8)
        counts = np.empty(reads, dtype=np.int64)
        spans = np.empty(reads, dtype=np.int64)
        qualities = np.empty(lengths.sum(), dtype=np.uint8)
        shares = (SUBSTITUTION_SHARE, INSERTION_SHARE, DELETION_SHARE * (1 - ACCURACY_MEAN))
        _draw(rng, lengths, self._cumulative[rows], shares, operations, counts, spans, qualities)
        return ErrorBatch(lengths, operations, counts, spans, qualities)

    def _lengths(self, rng: np.random.Generator, reads: int) -> npt.NDArray[np.int64]:
        lengths = np.zeros(reads)
        while (outside := (lengths < SHORTEST) | (lengths > self._longest)).any():
            lengths[outside] = np.exp(rng.normal(self._log_mean, self._log_sd, size=np.count_nonzero(outside)))
        return lengths.astype(np.int64)


@njit(cache=True)
def _draw(rng, lengths, cumulative, shares, operations, counts, spans, qualities):  # type: ignore[no-untyped-def]
    error = 10.0 ** (-np.arange(cumulative.shape[1]) / 10)
    substitution, insertion, deletion = shares
    base = 0
    for read in range(lengths.size):
        at = 2 * base
        inserted = 0
        for i in range(lengths[read]):
            if i > 0 and rng.random() < deletion:
                operations[at] = DELETION
                at += 1
            draw = rng.random()
            quality = 0
            while draw >= cumulative[read, quality]:
                quality += 1
            operation = operation_of(rng.random(), substitution * error[quality], insertion * error[quality])
            inserted += operation == INSERTION
            operations[at] = operation
            at += 1
            qualities[base + i] = quality
        counts[read] = at - 2 * base
        spans[read] = counts[read] - inserted
        base += lengths[read]

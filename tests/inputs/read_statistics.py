"""What is counted on simulated reads, by a model's arrays or by their CIGARs, and how two sets are compared."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.stats import norm

from repro.inputs.reads.simulate import Read

MISMATCH, INSERTION, DELETION = 1, 2, 3
QUALITIES = 41


@dataclass
class Observed:
    """What was counted.

    bases: (reads, 10), letters of each read by decile.
    events: (reads, 3, 10), its mismatches, insertions and deletions by decile.
    qualities: (3, 10, QUALITIES), matches, mismatches and insertions of all reads by decile and quality.
    """

    bases: np.ndarray
    events: np.ndarray
    qualities: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        return self.bases.sum(axis=1)

    @property
    def edits(self) -> np.ndarray:
        return self.events.sum(axis=(1, 2))


def observe(lengths, operations, counts, qualities) -> Observed:
    bases = np.zeros((lengths.size, 10), dtype=np.int64)
    events = np.zeros((lengths.size, 3, 10), dtype=np.int64)
    by_quality = np.zeros((3, 10, QUALITIES), dtype=np.int64)
    _count(lengths, operations, counts, qualities, bases, events, by_quality)
    return Observed(bases, events, by_quality)


def observe_reads(reads: Iterable[Read]) -> Observed:
    operations, qualities, counts, lengths = [], [], [], []
    for read in reads:
        codes = operations_along_read(read)
        padded = np.zeros(2 * len(read.letters), dtype=np.uint8)
        padded[: codes.size] = codes
        operations.append(padded)
        counts.append(codes.size)
        lengths.append(len(read.letters))
        qualities.append(np.frombuffer(read.qualities, dtype=np.uint8) - np.uint8(33))
    return observe(np.array(lengths), np.concatenate(operations), np.array(counts), np.concatenate(qualities))


def operations_along_read(read: Read) -> np.ndarray:
    cigar = np.frombuffer(read.cigar, dtype=np.uint8)
    codes = _expand(cigar, np.empty(2 * len(read.letters), dtype=np.uint8))
    return codes[::-1] if read.strand == "-" else codes


@njit(cache=True)
def _expand(cigar, codes):
    at = 0
    run = 0
    for letter in cigar:
        if 48 <= letter <= 57:
            run = 10 * run + letter - 48
        else:
            code = 0 if letter == 61 else 1 if letter == 88 else 2 if letter == 73 else 3
            codes[at : at + run] = code
            at += run
            run = 0
    return codes[:at]


@njit(cache=True)
def _count(lengths, operations, counts, qualities, bases, events, by_quality):
    base = 0
    for read in range(lengths.size):
        length = lengths[read]
        first = 2 * base
        i = 0
        for operation in operations[first : first + counts[read]]:
            # The decile of the middle of a base; a deletion counts where the next base is.
            decile = int((min(i, length - 1) + 0.5) * 10 / length)
            if operation != 0:
                events[read, operation - 1, decile] += 1
            if operation != 3:
                bases[read, decile] += 1
                by_quality[operation, decile, qualities[base + i]] += 1
                i += 1
        base += length


@dataclass(frozen=True)
class Estimate:
    """A statistic and its standard error."""

    value: float
    error: float


def rate(events: np.ndarray, bases: np.ndarray) -> Estimate:
    """Events per base; reads are independent, bases of one read are not (a read has one accuracy)."""
    value = events.sum() / bases.sum()
    return Estimate(value, float(np.sqrt(((events - value * bases) ** 2).sum()) / bases.sum()))


def share(events: int, trials: int) -> Estimate:
    value = events / trials
    return Estimate(value, float(np.sqrt(max(value, 1 / trials) * (1 - value) / trials)))


def mean(values: np.ndarray) -> Estimate:
    return Estimate(float(values.mean()), float(values.std() / np.sqrt(values.size)))


def mean_of_counts(counts: np.ndarray) -> Estimate:
    """The mean of 0, 1, 2, ... that occur `counts` times."""
    values = np.arange(counts.size)
    value = (values * counts).sum() / counts.sum()
    return Estimate(float(value), float(np.sqrt(((values - value) ** 2 * counts).sum()) / counts.sum()))


def deviation(values: np.ndarray) -> Estimate:
    """The standard deviation, with the error that follows from the fourth moment."""
    centred = values - values.mean()
    variance = (centred**2).mean()
    error = np.sqrt(((centred**4).mean() - variance**2) / values.size) / (2 * np.sqrt(variance))
    return Estimate(float(np.sqrt(variance)), float(error))


def of_size(estimate: Estimate, ours: float, theirs: float) -> Estimate:
    """The same estimate from a sample of another size."""
    return Estimate(estimate.value, estimate.error * float(np.sqrt(ours / theirs)))


def disagreements(
    ours: dict[str, Estimate], theirs: dict[str, Estimate], confidence: float = 0.999, rounding: float = 0.0
) -> list[str]:
    """Name the statistics that differ more than chance allows.

    confidence: that equal models give no name at all (Bonferroni over the statistics); rounding: relative, of printed
    values.
    """
    limit = norm.isf((1 - confidence) / 2 / len(ours))
    found = []
    for name, a in ours.items():
        b = theirs[name]
        error = np.hypot(a.error, b.error) + rounding * abs(b.value) / limit
        if not abs(a.value - b.value) <= limit * error:
            found.append(f"{name}: {a.value:.6g} against {b.value:.6g} ({abs(a.value - b.value) / error:.1f} errors)")
    return found

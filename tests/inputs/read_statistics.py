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
    read_qualities: (reads, QUALITIES), letters of each read by quality.
    """

    bases: np.ndarray
    events: np.ndarray
    qualities: np.ndarray
    read_qualities: np.ndarray

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
    by_read = np.zeros((lengths.size, QUALITIES), dtype=np.int32)
    _count(lengths, operations, counts, qualities, bases, events, by_quality, by_read)
    return Observed(bases, events, by_quality, by_read)


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
def _count(lengths, operations, counts, qualities, bases, events, by_quality, by_read):
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
                by_read[read, qualities[base + i]] += 1
                i += 1
        base += length


@dataclass(frozen=True)
class Estimate:
    """A statistic, its standard error, and half a unit of its last digit where it was printed rounded."""

    value: float
    error: float
    rounding: float = 0.0


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
    return _deviation(values, np.ones(values.size))


def deviation_of_counts(counts: np.ndarray) -> Estimate:
    """The standard deviation of 0, 1, 2, ... that occur `counts` times."""
    return _deviation(np.arange(counts.size), counts)


def _deviation(values: np.ndarray, counts: np.ndarray) -> Estimate:
    total = counts.sum()
    centred = values - (values * counts).sum() / total
    variance = (centred**2 * counts).sum() / total
    error = np.sqrt(((centred**4 * counts).sum() / total - variance**2) / total) / (2 * np.sqrt(variance))
    return Estimate(float(np.sqrt(variance)), float(error))


def of_size(value: float, ours: Estimate, bases: float, their_bases: float, rounding: float = 0.0) -> Estimate:
    """A printed statistic; its error is that of ours for a sample of their size."""
    return Estimate(value, ours.error * float(np.sqrt(bases / their_bases)), rounding)


def disagreements(ours: dict[str, Estimate], theirs: dict[str, Estimate], confidence: float = 0.999) -> list[str]:
    """Name the statistics that differ more than chance allows.

    confidence: that equal models give no name at all (Bonferroni over the statistics).
    """
    limit = norm.isf((1 - confidence) / 2 / len(ours))
    found = []
    for name, a in ours.items():
        b = theirs[name]
        error = np.hypot(a.error, b.error)
        if not abs(a.value - b.value) <= limit * error + a.rounding + b.rounding:
            found.append(f"{name}: {a.value:.6g} against {b.value:.6g} ({abs(a.value - b.value) / error:.1f} errors)")
    return found

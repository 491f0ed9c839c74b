"""Which types hold every value that an alignment of given lengths computes: exact always, the narrowest that can."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from repro.shuffle.scheme import Scheme

# Whole numbers up to these are exact, and an addition that goes a step beyond is still none that wraps around.
LARGEST_LOCAL = 2**11 - 1  # of packed.cu: as bits, a whole number up to it is the same as an integer and as a half
LARGEST = {"half2": 2**11, "fp32": 2**24, "int32": 2**29, "int64": 2**61}


@dataclass(frozen=True)
class Bounds:
    """low, high: no value of an alignment lies outside, intermediate ones included; int64 or float64, one per pair."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


def bounds(scheme: Scheme, m: NDArray[np.int64], n: NDArray[np.int64]) -> Bounds:
    """Of sequences of m and n letters in plain coordinates, Eq. (1) to (5).

    A score is at most that of min(m, n) best letters. It is at least that of nothing but gaps: both sequences' where
    alignments are global, the shorter one's where they are semi-global, since that leads from any cell to a border.
    A step below that lie H + sigma, E and F.
    """
    table = scheme.table()
    shorter: NDArray[np.float64] = np.minimum(m, n).astype(np.float64)
    free = np.zeros_like(shorter)
    gaps = {"global": (m + n).astype(np.float64), "semi-global": shorter, "local": free}[scheme.mode]
    openings = 2 * (scheme.first - scheme.gap_extend)
    step = scheme.first + scheme.gap_extend - min(0, int(table.min()))
    low = -(gaps * float(scheme.gap_extend) + openings + step)
    return Bounds(low, shorter * float(max(0, int(table.max()))))


def fits(kind: str, scheme: Scheme, m: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether type `kind` (a key of LARGEST) is exact for sequences of m and n letters: bool, one per pair."""
    if kind == "s16x2":
        return _fits_packed(scheme, m, n)
    found = bounds(scheme, m, n)
    largest_step = float(np.abs(scheme.table()).max()) + scheme.first + scheme.gap_extend
    return np.maximum(-found.low, found.high + largest_step) <= LARGEST[kind]


def _fits_packed(scheme: Scheme, m: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Of packed.cu: folded coordinates with their bias in 15 bits, or a local score in the 11 bits of a half."""
    table = scheme.table()
    largest, further = max(0, int(table.max())), scheme.gap_extend
    shorter = np.minimum(m, n).astype(np.float64)
    if scheme.mode == "local":
        return fits_if_small(scheme, m, n) & (shorter * largest <= LARGEST_LOCAL)
    opening = scheme.first - further
    return shorter * largest + (m + n) * float(further) + largest + 2 * further + 6 * opening <= 2**15 - 1


def fits_if_small(scheme: Scheme, m: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether packed.cu is exact for a local alignment whose score it does not refuse, and rarely does.

    The first value beyond LARGEST_LOCAL is the sum of two that are exact and small: rounding cannot bring it back.
    Sequences that could score more than twice as much do so too often for the attempt.
    """
    table = scheme.table()
    largest = int(np.abs(table).max()) + scheme.first + scheme.gap_extend
    highest = np.minimum(m, n) * max(0, int(table.max()))
    return (largest <= LARGEST_LOCAL) & (highest <= 2 * (LARGEST_LOCAL + 1))


def fits_as_integers(scheme: Scheme, m: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether packed.cu is exact for a local alignment with its scores as integers, which are 15 bits."""
    largest = max(0, int(scheme.table().max()))
    highest = np.minimum(m, n).astype(np.float64) * largest
    return highest + 3 * scheme.first + largest + scheme.gap_extend <= 2**15 - 1

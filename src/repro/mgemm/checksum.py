"""The checksum of a set of similarities: exact, and independent of the order and place in which they were computed.

Every value is multiplied by a random number that follows from its indices, and the products are added as integers. Runs
of one precision give the same checksum for every decomposition, device and stage split, where the sums of the metric
are exact (see `metrics`).
"""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from repro.mgemm.schedule import Tile

_DIGIT = 60  # bits
_MODULUS = 714_025
_MULTIPLIER, _INCREMENT = 4096, 150_889
_OFFSETS = 956_158_765 % _MODULUS, 842_467_637 % _MODULUS
_SCALE = 2.0 ** (_DIGIT - 4)  # value / 16 x 2^60
# Bits of the lower half of a scaled value, and of a random number: four products of halves below 2^50.
_VALUE_BITS, _RANDOM_BITS = 30, 20


class Checksum:
    """A sum that values are added to; equal sums mean equal values at equal indices."""

    def __init__(self, total: int = 0) -> None:
        self.total = total

    def add(self, tile: Tile, values: NDArray[Any], vectors: int) -> None:
        """Add the results of a tile.

        values: (rows, columns) of float32 or float64, from 0 to 1; what is no result of the tile is left out. vectors:
        how many there are in all.
        """
        parts = np.zeros(8, np.int64)
        pivot = -1 if tile.pivot is None else tile.pivot
        _add(values, tile.rows.start, tile.columns.start, pivot, tile.triangle, vectors, parts)
        places = (0, _RANDOM_BITS, _VALUE_BITS, _RANDOM_BITS + _VALUE_BITS)
        self.total += sum(
            int(low) + (int(high) << 32) << place
            for low, high, place in zip(parts[::2], parts[1::2], places, strict=True)
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Checksum) and self.total == other.total

    def __hash__(self) -> int:
        return hash(self.total)

    def __str__(self) -> str:
        """The digits of base 2^60, the highest of three first."""
        digits = [self.total >> place * _DIGIT & (1 << _DIGIT) - 1 for place in (2, 1, 0)]
        return "-".join(map(str, digits))


@numba.njit(cache=True, nogil=True)
def _random(residue: Any) -> Any:
    """The random number of an index, of which the residue alone matters, so that no product overflows."""
    first = (_MULTIPLIER * ((residue + _OFFSETS[0]) % _MODULUS) + _INCREMENT) % _MODULUS
    second = (_MULTIPLIER * ((residue + _OFFSETS[1]) % _MODULUS) + _INCREMENT) % _MODULUS
    return first + _MODULUS * second


@numba.njit(cache=True, nogil=True)
def _add(values: Any, row_start: int, column_start: int, pivot: int, triangle: bool, vectors: int, parts: Any) -> None:
    """Add value x random number to four sums of products of halves, each as its lower 32 bits and the rest."""
    value_mask, random_mask, word = (1 << _VALUE_BITS) - 1, (1 << _RANDOM_BITS) - 1, (1 << 32) - 1
    for r in range(values.shape[0]):
        row = row_start + r
        for c in range(max(0, row + 1 - column_start) if triangle else 0, values.shape[1]):
            column = column_start + c
            first, last = max(row, column), min(row, column)
            if pivot < 0:
                index = first % _MODULUS * vectors + last
            else:
                low = min(last, pivot)
                middle = row + column + pivot - max(first, pivot) - low
                index = (max(first, pivot) % _MODULUS * vectors + middle) % _MODULUS * vectors + low
            random = _random(index % _MODULUS)
            scaled = np.int64(np.float64(values[r, c]) * _SCALE)
            v = scaled & value_mask, scaled >> _VALUE_BITS
            w = random & random_mask, random >> _RANDOM_BITS
            for half in range(4):
                product = v[half >> 1] * w[half & 1]
                parts[2 * half] += product & word
                parts[2 * half + 1] += product >> 32

"""The metrics: sums, denominators and quotients of Proportional Similarity (Czekanowski) and Sorenson, sections 2-3.

With s_i the sum of vector i and n2 the sum of the elementwise minima of two vectors, c2 = 2 n2 / (s_i + s_j) and
c3 = 3/2 (n2_ij + n2_ik + n2_jk - n3') / (s_i + s_j + s_k), where n3' sums the minima of three. A value is 0 where the
denominator is, so that vectors of zeros are similar to nothing.

What is rounded: sums to the precision of the values, then every operation of numerator, denominator and quotient once.
Sums and numerators of integers below 2^24 (float32) or 2^53 (float64) are exact, and then values do not depend on the
order in which anything was added.
"""

from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

MAXIMUM = 1.0  # of every metric here, 2-way and 3-way, where all vectors are equal

Values = NDArray[Any]


class Metric(StrEnum):
    """SORENSON is Czekanowski on vectors of 0 and 1, which are stored as bits, so that a minimum is an AND."""

    CZEKANOWSKI = "czekanowski"
    SORENSON = "sorenson"


# The type in which kernels add, by the type of the elements: 32 bits of Sorenson are one uint32.
ACCUMULATED: dict[np.dtype[Any], np.dtype[Any]] = {
    np.dtype(np.float32): np.dtype(np.float32),
    np.dtype(np.float64): np.dtype(np.float64),
    np.dtype(np.uint8): np.dtype(np.uint32),
    np.dtype(np.uint32): np.dtype(np.uint32),
}


def field_sums(values: Values) -> Values:
    """The sum of every vector, (vectors,): float64 of floats; int64 of bytes, and of the bits of packed words.

    values: (vectors, fields) of float32, float64 or uint8, or (vectors, words) of uint32 as `pack_bits` makes them.
    """
    counted = np.bitwise_count(values) if values.dtype == np.uint32 else values
    sums: Values = counted.sum(axis=1, dtype=np.float64 if values.dtype.kind == "f" else np.int64)
    return sums


def quotients2(n2: Values, row_sums: Values, column_sums: Values, precision: DTypeLike) -> Values:
    """c2 = (2 n2) / (s_i + s_j), (rows, columns), in float32 or float64.

    n2: (rows, columns). row_sums: (rows,). column_sums: (columns,).
    """
    dtype = np.dtype(precision)
    denominators = row_sums.astype(dtype)[:, None] + column_sums.astype(dtype)[None, :]
    return _divided(2 * n2.astype(dtype), denominators)


def quotients3(n3: Values, sums_i: Values, sums_j: Values, sums_k: Values, precision: DTypeLike) -> Values:
    """c3 = (1.5 n3) / (s_i + s_j + s_k), in float32 or float64, of the shape that the arguments broadcast to.

    n3: n2_ij + n2_ik + n2_jk - n3', as `numerators3` gives it. sums: broadcast against n3.
    """
    dtype = np.dtype(precision)
    denominators = sums_i.astype(dtype) + sums_j.astype(dtype) + sums_k.astype(dtype)
    return _divided(1.5 * n3.astype(dtype), np.broadcast_to(denominators, n3.shape))


def numerators3(n2_ij: Values, n2_ik: Values, n2_jk: Values, n3_prime: Values) -> Values:
    """n3 = n2_ij + n2_ik + n2_jk - n3' in the type of the arguments, which broadcast against each other.

    Where rounding makes it less than 0 it is 0.
    """
    total: Values = np.maximum(n2_ij + n2_ik + n2_jk - n3_prime, 0)
    return total


def as_bytes(values: Values) -> NDArray[np.uint8]:
    """Values as one unsigned byte each, section 5.6: 255 x value / maximum, to the nearest integer, halves to even.

    The product is rounded in the precision of the values.
    """
    nearest: Values = np.rint(values * (255 / MAXIMUM))
    return nearest.clip(max=255).astype(np.uint8)


def _divided(numerators: Values, denominators: Values) -> Values:
    result = np.zeros_like(numerators)
    np.divide(numerators, denominators, out=result, where=denominators != 0)
    return result

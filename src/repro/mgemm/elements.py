"""Vectors as kernels take them: which type of elements suits a metric and a precision."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.errors import InputError
from repro.inputs.vectors.vectorset import VectorSet, pack_bits
from repro.mgemm.metrics import Metric, field_sums

PRECISIONS: dict[str, np.dtype[Any]] = {"single": np.dtype(np.float32), "double": np.dtype(np.float64)}
MOST_INTEGER = 2**31  # that a sum of integers stays below, so that numerators of triples fit into 32 bits


def elements_of(vectors: VectorSet, metric: Metric, precision: np.dtype[Any]) -> NDArray[Any]:
    """The values of the vectors: packed bits for Sorenson, bytes where they are integers below 256, else floats.

    precision: float32 or float64, to which floats are rounded. Sums of bits and bytes are exact in any precision.
    Raises InputError naming the first vector and field, or the vector, that is no vector of bits or whose sum is too
    large.
    """
    if metric == Metric.SORENSON:
        if vectors.fields >= MOST_INTEGER:
            raise InputError(f"{vectors.source}: vectors of {vectors.fields} bits: give fewer than {MOST_INTEGER}")
        return pack_bits(vectors)
    values = vectors.values
    if values.dtype == np.uint8 and 255 * vectors.fields < MOST_INTEGER:
        return values
    with np.errstate(over="ignore"):
        rounded = values.astype(precision)
        largest = 3 * field_sums(rounded).astype(precision)  # of all that is added or multiplied
    if not np.isfinite(largest).all():
        place = vectors.place(int(np.argmin(np.isfinite(largest))))
        raise InputError(f"{place}: its sum is too large for {precision}; scale the vectors down")
    return rounded


def levels_of(elements: NDArray[Any]) -> int:
    """What bytes are below: few levels are compared faster (`Engine`)."""
    return int(elements.max()) + 1 if elements.dtype == np.uint8 else 256

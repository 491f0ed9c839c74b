"""Random vector sets whose similarities can be checked exactly."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from repro.errors import InputError
from repro.inputs.vectors.vectorset import VectorSet, vector_set

_EXACT_IN_FLOAT32 = 2**24
_LARGEST = 1023
_BIT_DENSITY = 0.5


def largest_exact_value(fields: int) -> int:
    """Return the largest integer for which all sums of the 2-way and 3-way metrics are exact in float32.

    The largest intermediate is the 3-way numerator, 3/2 times up to 3 sums of minima, and twice it must stay integer
    below 2^24. Raises InputError when there are too many fields for any.
    """
    largest = (_EXACT_IN_FLOAT32 - 1) // (9 * fields)
    if largest < 1:
        raise InputError(f"vectors of {fields} fields: sums are exact up to {(_EXACT_IN_FLOAT32 - 1) // 9} fields")
    return min(largest, _LARGEST)


def _integers(rng: np.random.Generator, shape: tuple[int, int]) -> npt.NDArray[np.int64]:
    return rng.integers(0, largest_exact_value(shape[1]), size=shape, endpoint=True)


def _bits(rng: np.random.Generator, shape: tuple[int, int]) -> npt.NDArray[np.int64]:
    return (rng.random(shape) < _BIT_DENSITY).astype(np.int64)


def _alleles(rng: np.random.Generator, shape: tuple[int, int]) -> npt.NDArray[np.int64]:
    frequencies = rng.uniform(0.05, 0.95, size=(shape[0], 1))
    return rng.binomial(2, frequencies, size=shape)


KINDS: dict[str, Callable[[np.random.Generator, tuple[int, int]], npt.NDArray[np.int64]]] = {
    "integers": _integers,
    "bits": _bits,
    "alleles": _alleles,
}


def random_vectors(kind: str, vectors: int, fields: int, seed: int) -> VectorSet:
    """Make a random set, the same for the same arguments.

    kind: `integers`, uniform from 0 to `largest_exact_value`; `bits`, 0 or 1; `alleles`, counts 0, 1 and 2 of a variant
    (vector) in people (fields), with a frequency per variant that is uniform between 5 % and 95 %.
    Raises InputError for an unknown kind, a size below 1, a negative seed, and fields whose sums are not exact.
    """
    if kind not in KINDS:
        raise InputError(f"random vectors of kind {kind!r}; choose {', '.join(KINDS)}")
    if vectors < 1 or fields < 1:
        raise InputError(f"{vectors} random vectors of {fields} fields; give at least 1 of each")
    if seed < 0:
        raise InputError(f"seed {seed}; give 0 or more")
    return vector_set(KINDS[kind](np.random.default_rng(seed), (vectors, fields)), source=f"random {kind}")

"""Vectors made to be measured on: any part of a set can be made alone, by any rank, and is the same.

The path through the kernels does not depend on the values; they are integers, so that all sums are exact.
"""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.errors import InputError
from repro.inputs.vectors.synthetic import largest_exact_value
from repro.inputs.vectors.vectorset import VectorSet, pack_bits
from repro.mgemm.metrics import Metric

CHUNK = 64  # vectors that share a random generator
WORD_BITS = 32


@dataclass(frozen=True)
class Kind:
    """A type of elements: its metric, the type in which the kernels are given them, and what integers are below."""

    name: str
    metric: Metric
    dtype: np.dtype[Any]
    levels: int = 256

    @property
    def precision(self) -> np.dtype[Any]:
        """The type of its similarities."""
        return np.dtype(np.float64 if self.dtype == np.float64 else np.float32)

    def width(self, fields: int) -> int:
        """Elements of a vector of so many fields as the kernels take it."""
        return -(-fields // WORD_BITS) if self.name == "bits" else fields

    def of(self, vectors: VectorSet) -> NDArray[Any]:
        """The values of a set as the kernels take them. Raises InputError naming the first that does not fit."""
        if self.name == "bits":
            return pack_bits(vectors)
        if self.levels < 256:
            vectors.require(range(self.levels), self.name)
        return vectors.astype(self.dtype).values


KINDS = {
    kind.name: kind
    for kind in (
        Kind("float32", Metric.CZEKANOWSKI, np.dtype(np.float32)),
        Kind("float64", Metric.CZEKANOWSKI, np.dtype(np.float64)),
        Kind("bytes", Metric.CZEKANOWSKI, np.dtype(np.uint8)),
        Kind("alleles", Metric.CZEKANOWSKI, np.dtype(np.uint8), levels=3),
        Kind("bits", Metric.SORENSON, np.dtype(np.uint32)),
    )
}


def kind_of(name: str) -> Kind:
    """The kind called `name`. Raises InputError that lists the valid names."""
    if name not in KINDS:
        raise InputError(f"no kind of elements '{name}'; choose one of: {', '.join(KINDS)}")
    return KINDS[name]


@lru_cache(maxsize=1)
def made_vectors(kind: Kind, fields: int, part: range) -> NDArray[Any]:
    """The vectors with these numbers, (vectors, fields) of the kind's type, or (vectors, words) of bits.

    floats: integers from 0 to the largest whose sums are exact in float32, as `inputs.vectors` makes them; bytes: 0 to
    255; alleles: 0 to 2; bits: both equally often. part: of step 1. The last ones made are kept, so they are read-only.
    """
    result = np.empty((len(part), kind.width(fields)), kind.dtype)
    first = part.start // CHUNK * CHUNK
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda start: _make(kind, fields, start, part, result), range(first, part.stop, CHUNK)))
    result.flags.writeable = False
    return result


def _make(kind: Kind, fields: int, start: int, part: range, result: NDArray[Any]) -> None:
    """Make the chunk that begins at `start`, and keep what of it is in the part."""
    rng = np.random.default_rng([start, fields])
    shape = CHUNK, result.shape[1]
    if kind.name == "bits":
        chunk: NDArray[Any] = rng.integers(0, 2**32, size=shape, dtype=np.uint32)
        chunk[:, -1] &= np.uint32(2 ** ((fields - 1) % WORD_BITS + 1) - 1)
    else:
        most = kind.levels - 1 if kind.dtype == np.uint8 else largest_exact_value(fields)
        chunk = rng.integers(0, most, size=shape, dtype=np.uint16 if most > 255 else np.uint8, endpoint=True)
    kept = range(max(start, part.start), min(start + CHUNK, part.stop))
    result[kept.start - part.start : kept.stop - part.start] = chunk[kept.start - start : kept.stop - start]


def digest(values: NDArray[Any]) -> str:
    """SHA-256 over dtype, shape and the SHA-256 of each chunk of vectors, which threads compute side by side."""
    chunks = [values[start : start + CHUNK] for start in range(0, len(values), CHUNK)]
    with ThreadPoolExecutor() as pool:
        parts = list(pool.map(lambda chunk: hashlib.sha256(chunk.data).digest(), chunks))
    return hashlib.sha256(f"{values.dtype}{values.shape}".encode() + b"".join(parts)).hexdigest()

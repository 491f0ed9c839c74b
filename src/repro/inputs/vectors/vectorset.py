"""A set of vectors: non-negative, finite, every one of the same number of fields."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from repro.errors import InputError

_WORD_BITS = 32


@dataclass(frozen=True, eq=False)
class VectorSet:
    """Named vectors; make one with `vector_set`, which checks them.

    names: (vectors,).
    values: (vectors, fields), C-contiguous, so that a vector is contiguous, as in the column-major files of CoMet;
        float32, float64 or an unsigned integer type.
    source: what messages call the set: its file.
    lines: numbers of the lines, from 1, that a text file has the vectors in; (vectors,).
    """

    names: tuple[str, ...]
    values: npt.NDArray[Any]
    source: str = "vectors"
    lines: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.names)

    @property
    def fields(self) -> int:
        """Number of elements of each vector."""
        return int(self.values.shape[1])

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of type, shape and values, in hexadecimal; independent of names and file format."""
        head = f"{self.values.dtype.str}{self.values.shape}".encode()
        return hashlib.sha256(head + self.values.tobytes()).hexdigest()

    def astype(self, dtype: npt.DTypeLike) -> "VectorSet":
        """Return the set in another type; raises InputError naming the first value that changes."""
        with np.errstate(invalid="ignore", over="ignore"):  # what is too large for the type is not equal either
            converted = self.values.astype(dtype)
            changed = np.argwhere(converted.astype(self.values.dtype) != self.values)
        if changed.size:
            i, q = changed[0]
            raise InputError(f"{self.place(i, q)}: {self.values[i, q]} is not exact in {np.dtype(dtype)}")
        return replace(self, values=np.ascontiguousarray(converted))

    def require(self, allowed: Sequence[int], what: str) -> None:
        """Raise InputError naming the first value that is not in `allowed`."""
        wrong = np.argwhere(~np.isin(self.values, allowed))
        if wrong.size:
            i, q = wrong[0]
            choices = ", ".join(map(str, allowed))
            raise InputError(
                f"{self.place(i, q)}: {self.values[i, q]} where {what} has only {choices}; give one of them"
            )

    def place(self, vector: int, field: int | None = None) -> str:
        """How a message names a vector, or one of its fields, by their indices: line or row and field count from 1."""
        where = f"row {vector + 1}" if self.lines is None else f"line {self.lines[vector]}"
        named = f"{self.source}: {where}, vector {self.names[vector]}"
        return named if field is None else f"{named}, field {field + 1}"


def vector_set(
    values: npt.ArrayLike,
    names: Sequence[str] | None = None,
    source: str = "vectors",
    lines: tuple[int, ...] | None = None,
) -> VectorSet:
    """Check values, (vectors, fields), and return them as a set; names are by default 0, 1, 2, ...

    Booleans and integers become the smallest unsigned type that holds them; float32 and float64 stay; a vector of
    zeros is allowed (its similarity is defined as 0).
    Raises InputError naming `source`, row (or line, where `lines` says it), vector and field of the first negative, NaN
    or infinite value, and for an array that is not two-dimensional, is empty or has no numbers, and for a wrong or
    repeated name.
    """
    array = np.asarray(values)
    if array.ndim != 2 or 0 in array.shape:
        raise InputError(f"{source}: an array of shape {array.shape}; give one row for each vector")
    if array.dtype.kind not in "biuf":
        raise InputError(f"{source}: values of type {array.dtype}; give numbers")
    labels = tuple(str(i) for i in range(len(array))) if names is None else tuple(names)
    if len(labels) != len(array):
        raise InputError(f"{source}: {len(labels)} names for {len(array)} vectors")
    if not all(label.strip() for label in labels):
        unnamed = next(i for i, label in enumerate(labels) if not label.strip())
        raise InputError(f"{source}: row {unnamed + 1}: the vector has an empty name; name all vectors, or none")
    if len(set(labels)) < len(labels):
        repeated = next(label for label in labels if labels.count(label) > 1)
        first, second = [i for i, label in enumerate(labels) if label == repeated][:2]
        where = f"rows {first + 1} and {second + 1}" if lines is None else f"lines {lines[first]} and {lines[second]}"
        raise InputError(f"{source}: {where}: two vectors are named {repeated}; rename one of them")
    vectors = VectorSet(labels, array, source, lines)
    wrong = np.argwhere(~(np.isfinite(array) & (array >= 0)))
    if wrong.size:
        i, q = wrong[0]
        raise InputError(f"{vectors.place(i, q)}: {array[i, q]}; give a finite number of 0 or more")
    if array.dtype.kind in "biu":
        array = array.astype(np.min_scalar_type(int(array.max())))
    elif array.dtype.itemsize not in (4, 8):
        array = array.astype(np.float32 if array.dtype.itemsize < 4 else np.float64)
    return replace(vectors, values=np.ascontiguousarray(array))


def pack_bits(vectors: VectorSet) -> npt.NDArray[np.uint32]:
    """Pack 0/1 data into words, uint32, (vectors, ceil(fields / 32)): field q is bit q % 32 of word q // 32.

    Bits behind the last field are 0. Raises InputError naming the first value that is neither 0 nor 1.
    """
    vectors.require((0, 1), "0/1 data")
    words = -(-vectors.fields // _WORD_BITS)
    bits = np.zeros((len(vectors), words * _WORD_BITS), dtype=np.uint8)
    bits[:, : vectors.fields] = vectors.values
    return np.packbits(bits, axis=1, bitorder="little").view("<u4").astype(np.uint32)


def unpack_bits(words: npt.NDArray[np.uint32], fields: int, source: str = "packed bits") -> npt.NDArray[np.uint8]:
    """Return the 0/1 data, uint8, (vectors, fields), of words as `pack_bits` makes them.

    Raises InputError naming `source` when words are of another type or their number does not suit the fields, or a bit
    behind the last field is set.
    """
    if words.dtype.kind != "u" or words.dtype.itemsize != _WORD_BITS // 8:
        raise InputError(f"{source}: words are of type {words.dtype}; give uint32, each with {_WORD_BITS} fields")
    if words.ndim != 2 or words.shape[1] != -(-fields // _WORD_BITS):
        raise InputError(f"{source}: words of shape {words.shape} do not hold vectors of {fields} fields")
    little = np.ascontiguousarray(words, dtype="<u4")
    bits = np.unpackbits(little.view(np.uint8), axis=1, bitorder="little")
    behind = np.argwhere(bits[:, fields:])
    if behind.size:
        i, q = behind[0]
        raise InputError(
            f"{source}: words, row {i + 1}, column {(fields + q) // _WORD_BITS + 1}: the bit of field {fields + q + 1} "
            f"is set, behind the last of {fields} fields; clear it"
        )
    return bits[:, :fields]

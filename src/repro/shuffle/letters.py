"""Batches of sequences as the kernels read them: one code per letter, one sequence after the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from repro.errors import InputError
from repro.shuffle.scheme import OTHER

Codes = NDArray[np.uint8]
Pairs = Literal["all", "zip"] | NDArray[np.integer]

CODE_OF_BYTE = np.full(256, OTHER, np.uint8)
CODE_OF_BYTE[np.frombuffer(b"ACGTUacgtu", np.uint8)] = [0, 1, 2, 3, 3] * 2


@dataclass(frozen=True, eq=False)
class Letters:
    """A batch of n sequences.

    codes: uint8, A = 0, C = 1, G = 2, T or U = 3 in either case, 4 for anything else, all sequences in order.
    offsets: int64, shape (n + 1,); sequence i is codes[offsets[i] : offsets[i + 1]].
    """

    codes: Codes
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> Codes:
        return self.codes[self.offsets[index] : self.offsets[index + 1]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Letters of each sequence: int64, shape (n,)."""
        return np.diff(self.offsets)

    @property
    def have_others(self) -> NDArray[np.bool_]:
        """Whether each sequence has letters other than A, C, G, T and U: bool, shape (n,)."""
        before = np.searchsorted(np.flatnonzero(self.codes == OTHER), self.offsets)
        found: NDArray[np.bool_] = np.diff(before) > 0
        return found

    def taken(self, indices: NDArray[np.int64]) -> "Letters":
        """Some of the sequences, in the order of the indices."""
        offsets = np.zeros(len(indices) + 1, np.int64)
        np.cumsum(self.lengths[indices], out=offsets[1:])
        return Letters(np.concatenate([np.empty(0, np.uint8), *(self[i] for i in indices)]), offsets)


def encode(sequences: Sequence[NDArray[np.uint8]]) -> Letters:
    """The batch of some sequences, each an array of ASCII bytes; any of them, or all, may be empty."""
    offsets = np.zeros(len(sequences) + 1, np.int64)
    np.cumsum([len(sequence) for sequence in sequences], out=offsets[1:])
    joined = np.concatenate([np.empty(0, np.uint8), *sequences])
    return Letters(CODE_OF_BYTE[joined], offsets)


def pair_indices(pairs: Pairs, queries: int, subjects: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The query and the subject of each alignment: two int64 arrays of indices, in the order of the results.

    pairs: "all" (every query with every subject, the subjects of one query together), "zip" (the i-th with the i-th),
    or indices of shape (n, 2). queries, subjects: how many there are.
    Raises InputError for anything else, for unequal numbers to zip, and for an index that does not exist.
    """
    if isinstance(pairs, str):
        if pairs == "all":
            every = np.arange(queries * subjects, dtype=np.int64)
            return every // max(1, subjects), every % max(1, subjects)
        if pairs != "zip":
            raise InputError(f"pairs '{pairs}': choose all, zip or an array of indices")
        if queries != subjects:
            raise InputError(f"pairs zip: {queries} queries do not pair up with {subjects} subjects; give equally many")
        return np.arange(queries, dtype=np.int64), np.arange(queries, dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
        raise InputError(f"pairs: an array of {pairs.dtype}, shape {pairs.shape}; give integers of shape (n, 2)")
    wrong = np.flatnonzero(((pairs < 0) | (pairs >= [queries, subjects])).any(axis=1))
    if wrong.size:
        query, subject = pairs[wrong[0]]
        raise InputError(
            f"pairs row {wrong[0]}: query {query} with subject {subject}; there are {queries} and {subjects}, from 0"
        )
    return pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)

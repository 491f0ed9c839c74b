"""Alignments of a batch: their scores, the intervals they cover, and their CIGARs, packed as in BAM."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

# The operations of the SAM specification that occur: a letter of the query alone, one of the subject alone, equal, not.
INSERTION, DELETION, EQUAL, UNEQUAL = 1, 2, 7, 8
OP_BITS = 4
OP_LETTERS = "MIDNSHP=X"

Ops = NDArray[np.uint32]


@cache
def _op_text(op: int) -> str:
    return f"{op >> OP_BITS}{OP_LETTERS[op & 15]}"


def cigar_text(ops: Ops) -> str:
    """The CIGAR of packed operations, e.g. `2=1I2=`; empty for an alignment of no letters."""
    return "".join(map(_op_text, ops.tolist()))  # the same few stand in millions of alignments


@dataclass(frozen=True, eq=False)
class Alignments:
    """n alignments in the caller's order.

    score: int64, shape (n,). query_begin, query_end, subject_begin, subject_end: int64, shape (n,), 0-based and
    half-open. ops: uint32, length << 4 | operation; those of alignment i are ops[offsets[i] : offsets[i + 1]], and
    cover its two intervals. offsets: int64, shape (n + 1,).
    """

    score: NDArray[np.int64]
    query_begin: NDArray[np.int64]
    query_end: NDArray[np.int64]
    subject_begin: NDArray[np.int64]
    subject_end: NDArray[np.int64]
    ops: Ops
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.score)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alignments) and all(map(np.array_equal, vars(self).values(), vars(other).values()))

    def cigar(self, index: int) -> str:
        """The CIGAR of one alignment: `=`, `X`, `I` (a letter of the query alone), `D` (one of the subject alone)."""
        return cigar_text(self.ops[self.offsets[index] : self.offsets[index + 1]])

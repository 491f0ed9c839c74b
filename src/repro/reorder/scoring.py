"""What an alignment scores: a value for equal letters, one for unequal letters, and a penalty for a letter in a gap."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from repro.errors import InputError
from repro.inputs.fasta import AMBIGUOUS, NUCLEOTIDES

Letters = NDArray[np.uint8]

NO_LETTER_OF_A, NO_LETTER_OF_B = 1, 2  # no ASCII letters: equal to nothing in the other sequence


@dataclass(frozen=True)
class Scoring:
    """The scores of the recurrence, Eq. (1); the defaults are the paper's: 1 for equal letters, 0 otherwise, d = 1."""

    match: int = 1
    mismatch: int = 0
    gap: int = 1

    def of(self, equal: bool) -> int:
        """The score of a pair of letters."""
        return self.match if equal else self.mismatch

    def check_range(self, m: int, n: int) -> None:
        """Raise InputError when an intermediate score of sequences of m and n letters could leave 32 bits.

        Alignments of m + n columns bound every score; `compact` also adds the gap penalty of every letter to it.
        """
        largest = (m + n) * (max(abs(self.match), abs(self.mismatch)) + 2 * abs(self.gap))
        if largest >= 2**31:
            raise InputError(
                f"scores up to {largest:,} are possible for {m:,} and {n:,} letters with match {self.match}, "
                f"mismatch {self.mismatch}, gap {self.gap}, more than 32 bits hold; use smaller scores"
            )


def comparable(a: Letters, b: Letters) -> tuple[Letters, Letters]:
    """Copies of two sequences whose bytes are equal exactly where their letters count as equal.

    Two nucleotide sequences: A, C, G, T and U (as T) are equal to themselves, an ambiguous letter such as N to nothing,
    for it names no nucleotide. If either holds another letter, both are taken as protein and compared as they stand.
    """
    nucleotides = [np.isin(letters, np.append(NUCLEOTIDES, AMBIGUOUS)).all() for letters in (a, b)]
    if not all(nucleotides):
        return a.copy(), b.copy()
    coded = []
    for letters, nothing in ((a, NO_LETTER_OF_A), (b, NO_LETTER_OF_B)):
        codes = np.where(np.isin(letters, AMBIGUOUS), np.uint8(nothing), letters)
        coded.append(np.where(codes == ord("U"), np.uint8(ord("T")), codes).astype(np.uint8))
    return coded[0], coded[1]

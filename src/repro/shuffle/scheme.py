"""What an alignment scores: its type, its gap model, and the scores of letters and gaps (section 2.1)."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from repro.errors import InputError

Mode = Literal["global", "semi-global", "local"]
Gap = Literal["linear", "affine"]
Matrix = tuple[tuple[int, ...], ...]

CODES = 5  # A, C, G, T, and every other letter
OTHER = 4
DEFAULT_GAP_OPEN = 2
LARGEST_SCORE = 2**30  # of one letter: what 100,000s of them add up to stays far inside 64 bits


@dataclass(frozen=True)
class Scheme:
    """A scoring scheme; the defaults are the paper's affine one (section 4.1).

    mode: "global" (both sequences from end to end), "semi-global" (free end gaps: zero first row and column, no floor,
    the best of the whole last row and column with their borders) or "local" (a floor of 0, the best of all).
    gap: "affine", where a gap of k letters costs gap_open + (k - 1) gap_extend, or "linear", where it costs
    k gap_extend. match, mismatch: scores of equal and of unequal letters; U is T, and a letter outside ACGT is unequal
    to all. gap_open, gap_extend: penalties of the first and of every further letter of a gap, 0 or more; unless given,
    gap_open is 2, or gap_extend where that is more, and None where gaps are linear. matrix: scores of the codes of a
    query's letter (row) and a subject's (column), 5 x 5 in the order A, C, G, T, other, in place of match and mismatch.
    Raises InputError for a scheme that is none.
    """

    mode: Mode = "global"
    gap: Gap = "affine"
    match: int = 2
    mismatch: int = -1
    gap_open: int | None = None
    gap_extend: int = 1
    matrix: Matrix | None = None

    def __post_init__(self) -> None:
        if self.gap == "affine" and self.gap_open is None:
            object.__setattr__(self, "gap_open", max(DEFAULT_GAP_OPEN, self.gap_extend))
        self.validate()
        for name in ("match", "mismatch", "gap_open", "gap_extend"):
            if getattr(self, name) is not None:  # numpy's integers wrap around where sums are large
                object.__setattr__(self, name, int(getattr(self, name)))

    @property
    def first(self) -> int:
        """The penalty of a gap's first letter under either gap model."""
        return self.gap_extend if self.gap_open is None else self.gap_open

    def against_nothing(self, letters: NDArray[np.int64]) -> NDArray[np.int64]:
        """The scores of sequences of so many letters with an empty one, which other programs are not given."""
        gap = np.where(letters > 0, self.first + (letters - 1) * self.gap_extend, 0)
        return -gap if self.mode == "global" else np.zeros_like(gap)

    def table(self) -> NDArray[np.int32]:
        """The scores of all pairs of codes: int32, shape (5, 5), query's code by subject's."""
        if self.matrix is not None:
            return np.array(self.matrix, np.int32)
        table = np.full((CODES, CODES), self.mismatch, np.int32)
        np.fill_diagonal(table[:OTHER, :OTHER], self.match)
        return table

    def gaps_may_meet(self) -> bool:
        """Whether a gap in one sequence right after one in the other may score more than with a pair of letters.

        Otherwise a letter of each gap, aligned instead, scores no less than they cost: gap_extend each, or more.
        """
        return int(self.table().min()) < -2 * self.gap_extend

    def validate(self) -> None:
        """Raise InputError naming the first value that is wrong."""
        for name, value, valid in (("mode", self.mode, get_args(Mode)), ("gap", self.gap, get_args(Gap))):
            if value not in valid:
                raise InputError(f"{name} '{value}': choose one of {', '.join(valid)}")
        if self.matrix is not None and [len(row) for row in self.matrix] != [CODES] * CODES:
            raise InputError(f"matrix: needs {CODES} rows of {CODES} scores, for A, C, G, T and other letters")
        scores = {"match": self.match, "mismatch": self.mismatch, "gap_extend": self.gap_extend, "gap_open": self.first}
        for i, row in enumerate(self.matrix or ()):
            scores |= {f"matrix row {i + 1}, column {j + 1}": score for j, score in enumerate(row)}
        for name, score in scores.items():
            if not isinstance(score, int | np.integer) or abs(score) > LARGEST_SCORE:
                raise InputError(f"{name} {score}: give a whole number from {-LARGEST_SCORE} to {LARGEST_SCORE}")
        if self.gap == "linear" and self.gap_open is not None:
            raise InputError(f"gap_open {self.gap_open}: linear gaps have gap_extend alone; leave it out")
        if self.gap_extend < 0:
            raise InputError(f"gap_extend {self.gap_extend}: a penalty is 0 or more; give it without a sign")
        if self.first < self.gap_extend:
            raise InputError(
                f"gap_open {self.first}: the first letter of a gap costs no less than gap_extend {self.gap_extend}; "
                "give as much or more"
            )

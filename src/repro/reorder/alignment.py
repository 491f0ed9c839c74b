"""An alignment of two sequences: made from the moves of a traceback, shown as CIGAR and as rows of letters."""

from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from repro.reorder.scoring import Scoring

Letters = NDArray[np.uint8]

DIAGONAL, UP, LEFT = 0, 1, 2  # as the kernels write them
COLUMN_LETTERS = np.frombuffer(b"XID=", np.uint8)


@dataclass(frozen=True)
class Alignment:
    """A global alignment of a (the query) and b (the subject), one letter per column.

    columns: `=` equal letters, `X` unequal ones, `I` a letter of a alone, `D` a letter of b alone, as in SAM.
    """

    columns: str

    @classmethod
    def from_moves(cls, moves: NDArray[np.uint8], a: Letters, b: Letters) -> "Alignment":
        """The alignment that a traceback's moves, first column first, make of two sequences."""
        takes_a, takes_b = moves != LEFT, moves != UP
        i, j = np.cumsum(takes_a) - 1, np.cumsum(takes_b) - 1
        diagonal = moves == DIAGONAL
        codes = moves.copy()
        codes[diagonal] = np.where(a[i[diagonal]] == b[j[diagonal]], 3, 0)
        return cls(COLUMN_LETTERS[codes].tobytes().decode())

    @property
    def cigar(self) -> str:
        """Runs of equal columns, e.g. `2=1I2=`."""
        return "".join(f"{len(list(run))}{letter}" for letter, run in groupby(self.columns))

    def score(self, a: Letters, b: Letters, scoring: Scoring) -> int:
        """The score of this alignment, added up column by column.

        Raises ValueError when it does not use up both sequences, or calls letters equal that are not or the other
        way round.
        """
        columns = np.frombuffer(self.columns.encode(), np.uint8)
        insertions, deletions = columns == ord("I"), columns == ord("D")
        paired = ~(insertions | deletions)
        i, j = np.cumsum(~deletions) - 1, np.cumsum(~insertions) - 1
        if (len(a), len(b)) != (int((~deletions).sum()), int((~insertions).sum())):
            raise ValueError(f"the alignment does not use up sequences of {len(a)} and {len(b)} letters")
        equal = columns[paired] == ord("=")
        if not np.array_equal(equal, a[i[paired]] == b[j[paired]]):
            raise ValueError("the alignment calls letters equal that are not, or unequal that are equal")
        matches, gaps = int(equal.sum()), int((~paired).sum())
        return matches * scoring.match + (len(equal) - matches) * scoring.mismatch - gaps * scoring.gap

    def rows(self, a: Letters, b: Letters, width: int = 60) -> str:
        """The letters of a above those of b, `|` between equal and `.` between unequal ones, `width` columns a line."""
        text = {"a": iter(a.tobytes().decode("latin-1")), "b": iter(b.tobytes().decode("latin-1"))}
        lines = [
            "".join(next(text["a"]) if column != "D" else "-" for column in self.columns),
            self.columns.translate(str.maketrans("=XID", "|.  ")),
            "".join(next(text["b"]) if column != "I" else "-" for column in self.columns),
        ]
        starts = range(0, len(self.columns), width)
        return "\n\n".join("\n".join(line[start : start + width] for line in lines) for start in starts)

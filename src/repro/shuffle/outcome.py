"""What a variant returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from repro.shuffle.alignments import Alignments

Scores = NDArray[np.int32] | NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Outcome:
    """scores: shape (queries, subjects) for "all", else (n,).

    cells: computed, those of every pass over a matrix or a part of it; what walk.cu computes again is not counted.
    types: how many alignments each number type computed, by its name. alignments: None where only scores were asked.
    """

    scores: Scores
    cells: int = 0
    types: Mapping[str, int] = field(default_factory=dict)
    alignments: Alignments | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outcome) or (self.cells, self.types) != (other.cells, other.types):
            return False
        return np.array_equal(self.scores, other.scores) and self.alignments == other.alignments

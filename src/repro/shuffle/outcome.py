"""What a variant returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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
        if not isinstance(other, Outcome) or (self.alignments is None) != (other.alignments is None):
            return False
        mine, theirs = vars(self.alignments or self), vars(other.alignments or other)
        arrays: list[tuple[Any, Any]] = [(self.scores, other.scores)]
        arrays += [(value, theirs[name]) for name, value in mine.items() if isinstance(value, np.ndarray)]
        return self.types == other.types and all(np.array_equal(*both) for both in arrays)

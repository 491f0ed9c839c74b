"""How long the runs of equal letters are by which the cells of a pyramid are extended, Eqs. (8) and (10)."""

from dataclasses import dataclass

import numpy as np

from repro.wfa.experiment import PairFiles
from repro.wfa.reference import wavefront


@dataclass(frozen=True)
class Runs:
    """Counted on the whole classic pyramid of a pair.

    a, b: names of the sequences. symbols: different letters. cells: by the length of their run, from 0.
    """

    a: str
    b: str
    distance: int
    symbols: int
    cells: list[int]

    @classmethod
    def of(cls, files: PairFiles) -> "Runs":
        """Count them; time and memory grow with the square of the distance."""
        a, b = files.read()
        pyramid = wavefront(a.letters, b.letters)
        lengths = [pyramid.columns[0][0]]
        for before, column in zip(pyramid.columns, pyramid.columns[1:], strict=False):
            for k, reached in column.items():
                steps = ((k + 1, k >= 0), (k, True), (k - 1, k <= 0))
                lengths.append(reached - max(before[near] + adds for near, adds in steps if near in before))
        symbols = len(np.union1d(a.letters, b.letters))
        return cls(a.name, b.name, pyramid.distance, symbols, np.bincount(lengths).tolist())

    def at_least(self) -> list[float]:
        """The fraction of the cells whose run has 0, 1, 2, .. letters or more."""
        fractions: list[float] = (np.cumsum(self.cells[::-1])[::-1] / sum(self.cells)).tolist()
        return fractions

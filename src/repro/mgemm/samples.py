"""Some similarities of a problem, which the CPU can compute at any size: all among a few vectors."""

from collections.abc import Iterable, Iterator
from typing import Any

from numpy.typing import NDArray

from repro.mgemm.schedule import Tile

Indices = tuple[int, ...]


def sampled_vectors(vectors: int, more: Iterable[int] = ()) -> list[int]:
    """The vectors whose similarities with each other are compared with the CPU's: from both ends, the middle, and more.

    more: others that are wanted; those that there are not are left out.
    """
    n = vectors
    return sorted({0, 1, n // 3, n // 2, n // 2 + 1, 2 * n // 3, n - 2, n - 1, *more} & set(range(n)))


class Samples:
    """Collects the sampled similarities from the tiles of a rank. values: by ascending indices."""

    def __init__(self, chosen: list[int]) -> None:
        """chosen: the sampled vectors."""
        self._chosen = chosen
        self.values: dict[Indices, float] = {}

    def add(self, tile: Tile, values: NDArray[Any]) -> None:
        """Keep what is sampled of a tile; values: (rows, columns)."""
        if tile.pivot is not None and tile.pivot not in self._chosen:
            return
        for row, column in self._places(tile):
            if tile.triangle and column <= row:
                continue
            third = () if tile.pivot is None else (tile.pivot,)
            found = values[row - tile.rows.start, column - tile.columns.start]
            self.values[tuple(sorted((row, column, *third)))] = float(found)

    def _places(self, tile: Tile) -> Iterator[tuple[int, int]]:
        columns = [vector for vector in self._chosen if vector in tile.columns]
        for row in self._chosen:
            if row in tile.rows:
                yield from ((row, column) for column in columns)

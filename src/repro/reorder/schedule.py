"""Which squares of a matrix are computed in which launch (Fig. 5): one launch per block anti-diagonal."""

from collections.abc import Iterator
from dataclasses import dataclass

from repro.reorder.numbering import Numbering


@dataclass(frozen=True)
class Launch:
    """Squares (diagonal - s, s) of a block anti-diagonal for s in first_square to first_square + squares - 1."""

    diagonal: int
    first_square: int
    squares: int


def row_major_launches(m: int, n: int, size: int) -> Iterator[Launch]:
    """The launches for an m x n matrix in squares of size x size elements, in their order."""
    down, across = -(-m // size), -(-n // size)
    for diagonal in range(down + across - 1):
        first = max(0, diagonal - down + 1)
        yield Launch(diagonal, first, min(diagonal, across - 1) - first + 1)


def renumbered_launches(m: int, n: int, size: int) -> Iterator[Launch]:
    """The launches for the renumbered matrix, without squares that hold no element of the original.

    A square of row p and column q of squares holds one when p >= q and its first row minus its last column is below m.
    The renumbered matrix has more rows, hence more launches than the original: about three for two.
    """
    down, across = -(-Numbering(m, n).new_rows // size), -(-n // size)
    for diagonal in range(down + across - 1):
        below = -(-((diagonal - 1) * size - m + 2) // (2 * size))
        first = max(0, diagonal - down + 1, below)
        last = min(diagonal // 2, across - 1)
        if first <= last:
            yield Launch(diagonal, first, last - first + 1)

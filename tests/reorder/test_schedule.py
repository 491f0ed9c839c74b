"""The launches: every square that holds an element is in exactly one, after those that it depends on."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repro.reorder.numbering import Numbering
from repro.reorder.schedule import renumbered_launches, row_major_launches

sizes = {"m": st.integers(1, 60), "n": st.integers(1, 60), "size": st.integers(1, 17)}


def squares(launches) -> list[list[tuple[int, int]]]:
    return [
        [(launch.diagonal - s, s) for s in range(launch.first_square, launch.first_square + launch.squares)]
        for launch in launches
    ]


@given(**sizes)
def test_row_major_squares(m, n, size):
    launched = squares(row_major_launches(m, n, size))
    wanted = {(i // size, j // size) for i in range(m) for j in range(n)}
    assert sorted(chain(*launched)) == sorted(wanted)
    assert [{p + q for p, q in launch} for launch in launched] == [{d} for d in range(len(launched))]


@given(**sizes)
def test_renumbered_squares(m, n, size):
    launched = squares(renumbered_launches(m, n, size))
    wanted = {(row // size, column // size) for row, column in zip(*Numbering(m, n).used().nonzero(), strict=True)}
    assert sorted(chain(*launched)) == sorted(wanted)
    diagonals = [{p + q for p, q in launch} for launch in launched]
    assert all(len(diagonal) == 1 for diagonal in diagonals)
    assert diagonals == sorted(diagonals, key=min)


@pytest.mark.parametrize(
    ("m", "n", "size", "row_major", "renumbered"),
    [(10_000, 10_000, 256, 79, 118), (1_000, 1_000, 32, 63, 94), (64, 64, 32, 3, 5), (1, 1, 32, 1, 1)],
)
def test_known_numbers_of_launches(m, n, size, row_major, renumbered):
    assert len(list(row_major_launches(m, n, size))) == row_major
    assert len(list(renumbered_launches(m, n, size))) == renumbered

"""The checksum: its worked values, an independent computation in big integers, and what it must not depend on."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.mgemm.checksum import Checksum
from repro.mgemm.reference import all_indices, similarities
from repro.mgemm.schedule import Decomposition, Tile, steps_of_row, work_of

WHOLE = Decomposition()
EXAMPLE = np.array([(1, 2), (3, 4), (2, 1), (4, 3)], float)


def cube(values, way, precision):
    """The similarities at every index, in every order of the indices."""
    n = len(values)
    indices = all_indices(n, way)
    found = similarities(values.astype(precision), indices, precision)
    result = np.full((n,) * way, np.nan, precision)
    for order in permutations(range(way)):
        result[tuple(indices[:, axis] for axis in order)] = found
    return result


def tile_values(cube, tile):
    if tile.pivot is None:
        return cube[tile.rows.start : tile.rows.stop, tile.columns.start : tile.columns.stop]
    return cube[tile.rows.start : tile.rows.stop, tile.pivot, tile.columns.start : tile.columns.stop]


def checksum_of(cube, decomposition=WHOLE, stages=1):
    way, n = cube.ndim, len(cube)
    checksum = Checksum()
    for stage in range(stages):
        for block in range(decomposition.vectors):
            for step in steps_of_row(way, decomposition):
                for tile in work_of(step, block, n, decomposition.vectors, stage, stages).tiles:
                    checksum.add(tile, tile_values(cube, tile), n)
    return checksum


@pytest.mark.parametrize(
    ("precision", "way", "digits"),
    [
        (np.float64, 2, "0-82898256547-645082804690974176"),
        (np.float64, 3, "0-84749404949-5538720434861296"),
        (np.float32, 2, "0-82898259151-467525993536421888"),
        (np.float32, 3, "0-84749404939-366334863235612672"),
    ],
)
def test_the_worked_example(precision, way, digits):
    assert str(checksum_of(cube(EXAMPLE, way, precision))) == digits


def in_big_integers(indices, values, n):
    def rnd(x):
        return (4096 * x + 150889) % 714025

    total = 0
    for index, value in zip(indices.tolist(), values.tolist(), strict=True):
        uid = 0
        for c in sorted(index, reverse=True):
            uid = uid * n + c
        random = (rnd(uid + 956158765) + 714025 * rnd(uid + 842467637)) % 2**60
        total += int(value / 16 * 2**60) * random
    return total


@settings(max_examples=30, deadline=None)
@given(
    way=st.sampled_from([2, 3]),
    n=st.integers(3, 9),
    precision=st.sampled_from([np.float32, np.float64]),
    blocks=st.integers(1, 4),
    rows=st.integers(1, 2),
    stages=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_any_decomposition_gives_the_sum_in_big_integers(way, n, precision, blocks, rows, stages, seed):
    values = np.random.default_rng(seed).integers(0, 99, (n, 5))
    found = cube(values, way, precision)
    indices = all_indices(n, way)
    expected = in_big_integers(indices, found[tuple(indices.T)], n)
    assert checksum_of(found, Decomposition(1, blocks, rows), stages).total == expected


@pytest.mark.parametrize("pivot", [None, 2_000_000_123, 3])
def test_indices_of_very_many_vectors(pivot):
    n, start = 2_100_000_000, 2_099_999_000
    tile = Tile(range(start, start + 2), range(start + 500, start + 503), pivot)
    values = np.random.default_rng(2).random((2, 3))
    found = Checksum()
    found.add(tile, values, n)
    indices = [(row, column, *(() if pivot is None else (pivot,))) for row in tile.rows for column in tile.columns]
    assert found.total == in_big_integers(np.array(indices), values.reshape(-1), n)


def test_a_value_at_another_index_changes_it():
    first, second = Checksum(), Checksum()
    first.add(Tile(range(0, 1), range(1, 3)), np.array([[0.25, 0.5]]), 3)
    second.add(Tile(range(0, 1), range(1, 3)), np.array([[0.5, 0.25]]), 3)
    assert first != second
    assert Checksum(first.total) == first

"""The numbering: its four properties, the neighbours that follow from them, and the memory it costs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repro.reorder.numbering import Numbering

numberings = st.builds(Numbering, st.integers(1, 12), st.integers(1, 12))


def elements(numbering: Numbering) -> list[tuple[int, int]]:
    return [(i, j) for i in range(numbering.rows) for j in range(numbering.columns)]


@given(numberings)
def test_1_the_new_row_is_the_iteration_that_computes_the_element(numbering):
    """An element can be computed one iteration after the last of the three that it depends on."""
    iteration = np.zeros((numbering.rows, numbering.columns), int)
    for i, j in elements(numbering)[1:]:
        before = [(i - 1, j - 1), (i - 1, j), (i, j - 1)]
        iteration[i, j] = 1 + max(iteration[place] for place in before if min(place) >= 0)
    assert all(numbering.number(i, j)[0] == iteration[i, j] for i, j in elements(numbering))


@given(numberings)
def test_2_the_column_stays(numbering):
    assert all(numbering.number(i, j)[1] == j for i, j in elements(numbering))


@given(numberings)
def test_3_there_are_m_plus_n_minus_1_rows(numbering):
    rows = {numbering.number(i, j)[0] for i, j in elements(numbering)}
    assert rows == set(range(numbering.new_rows))
    assert numbering.new_rows == numbering.rows + numbering.columns - 1


@given(numberings)
def test_4_there_are_as_many_columns_as_before(numbering):
    assert {numbering.number(i, j)[1] for i, j in elements(numbering)} == set(range(numbering.columns))


@given(numberings)
def test_every_element_has_a_place_of_its_own_and_is_found_there(numbering):
    places = [numbering.number(i, j) for i, j in elements(numbering)]
    assert len(set(places)) == len(places)
    assert [numbering.original(*place) for place in places] == elements(numbering)


@given(numberings)
def test_the_neighbours_are_those_of_the_original(numbering):
    for i, j in elements(numbering):
        assert numbering.neighbours(*numbering.number(i, j)) == {
            "diagonal": numbering.number(i - 1, j - 1),
            "up": numbering.number(i - 1, j),
            "left": numbering.number(i, j - 1),
        }


@given(numberings)
def test_the_extra_memory(numbering):
    assert numbering.extra_words == numbering.columns * (numbering.columns - 1)
    assert numbering.words == numbering.rows * numbering.columns + numbering.extra_words
    assert numbering.used().shape == (numbering.new_rows, numbering.columns)
    assert numbering.used().sum() == numbering.rows * numbering.columns


@given(numberings)
def test_a_matrix_is_renumbered_and_restored(numbering):
    matrix = np.arange(numbering.rows * numbering.columns).reshape(numbering.rows, numbering.columns)
    renumbered = numbering.renumber(matrix, -1)
    assert np.array_equal(renumbered != -1, numbering.used())
    assert np.array_equal(numbering.restore(renumbered), matrix)


def test_anti_diagonals_become_rows():
    assert Numbering(3, 2).renumber(np.array([[1, 2], [3, 4], [5, 6]]), 0).tolist() == [[1, 0], [3, 2], [5, 4], [0, 6]]


@pytest.mark.parametrize(("m", "n", "extra"), [(1, 1, 0), (1, 5, 20), (5, 1, 0), (10_000, 10_000, 99_990_000)])
def test_known_sizes(m, n, extra):
    assert Numbering(m, n).extra_words == extra

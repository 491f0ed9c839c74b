"""The CPU's blocked products give what SciPy and the reference give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform

from repro.mgemm.cpu import COLUMNS, DEPTH, ROWS, numerators, similarities
from repro.mgemm.made import KINDS, made_vectors
from repro.mgemm.reference import all_indices
from repro.mgemm.reference import similarities as reference

EDGES = sorted({1, 2, *(size + more for size in {ROWS, COLUMNS, DEPTH} for more in (-1, 0, 1))})


@settings(max_examples=30, deadline=None)
@given(
    kind=st.sampled_from(["float32", "float64", "bytes"]),
    left=st.sampled_from(EDGES),
    right=st.sampled_from(EDGES),
    fields=st.sampled_from(EDGES),
)
def test_products_of_any_shape(kind, left, right, fields):
    values = made_vectors(KINDS[kind], fields, range(left + right))
    found = numerators(values[:left], values[left:])
    rows = np.unique([0, left // 2, left - 1])
    expected = np.minimum(values[rows, None], values[None, left:]).sum(axis=2, dtype=np.float64)
    assert np.array_equal(found[rows], expected)


@pytest.mark.parametrize("kind", ["float64", "bits"])
def test_tiles_before_the_diagonal_are_left_out(kind):
    values = made_vectors(KINDS[kind], 70, range(2 * COLUMNS + 1))
    found, whole = numerators(values, values, upper=True), numerators(values, values)
    assert np.array_equal(np.triu(found, 1), np.triu(whole, 1))
    assert not found[COLUMNS:, :COLUMNS].any()
    assert found[COLUMNS - ROWS, COLUMNS - ROWS] == whole[COLUMNS - ROWS, COLUMNS - ROWS]


@pytest.mark.parametrize("kind", ["float32", "float64", "bytes", "bits"])
@pytest.mark.parametrize(("way", "vectors"), [(2, 3), (2, 150), (3, 3), (3, 20)])
def test_similarities_are_the_references(kind, way, vectors):
    values = made_vectors(KINDS[kind], 70, range(vectors))
    found = {}
    for tile, block in similarities(values, way):
        assert block.dtype == KINDS[kind].precision
        for row, column in np.ndindex(block.shape):
            i, k = tile.rows[row], tile.columns[column]
            if not tile.triangle or k > i:
                found[(i, k) if tile.pivot is None else (i, tile.pivot, k)] = block[row, column]
    indices = all_indices(vectors, way)
    expected = reference(values, indices, KINDS[kind].precision)
    assert [found[tuple(key)] for key in indices.tolist()] == expected.tolist()
    assert len(found) == len(indices)


def test_pairs_are_scipys():
    values = np.random.default_rng(1).random((80, 33))
    expected = 1 - squareform(pdist(values, "braycurtis"))
    for tile, block in similarities(values, 2):
        for row, column in np.ndindex(block.shape):
            if tile.columns[column] > tile.rows[row]:
                assert block[row, column] == pytest.approx(expected[tile.rows[row], tile.columns[column]], rel=1e-12)

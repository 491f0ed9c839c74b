"""The reference agrees with SciPy, with values by hand, and with itself across types."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from repro.inputs.vectors.vectorset import pack_bits, vector_set
from repro.mgemm.reference import all_indices, similarities


def test_indices_are_in_lexicographic_order():
    assert all_indices(4, 2).tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert all_indices(4, 3).tolist() == [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]
    assert all_indices(2, 3).shape == (0, 3)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(2, 12), fields=st.integers(1, 40), seed=st.integers(0, 99), whole=st.booleans())
def test_pairs_equal_one_minus_bray_curtis(n, fields, seed, whole):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 9, (n, fields)).astype(float) if whole else rng.random((n, fields))
    values[:, 0] += 0.5  # SciPy divides by zero for two vectors of zeros
    expected = 1 - pdist(values, "braycurtis")
    for precision in (np.float32, np.float64):
        found = similarities(values.astype(precision), all_indices(n, 2), precision)
        assert found.dtype == precision
        assert np.allclose(found, expected, rtol=fields * 4 * np.finfo(precision).eps, atol=0)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(3, 7), fields=st.integers(1, 70), seed=st.integers(0, 99), density=st.sampled_from([0.05, 0.5]))
def test_bits_equal_the_dice_coefficient_and_bytes(n, fields, seed, density):
    bits = (np.random.default_rng(seed).random((n, fields)) < density).astype(np.uint8)
    packed = pack_bits(vector_set(bits))
    nonzero = bits.any(axis=1)
    for way in (2, 3):
        indices = all_indices(n, way)
        found = similarities(packed, indices, np.float64)
        assert np.array_equal(found, similarities(bits, indices, np.float64))
        assert np.array_equal(found, similarities(bits.astype(float), indices, np.float64))
        assert np.isfinite(found).all()
    indices = all_indices(n, 2)
    some = nonzero[indices].any(axis=1)
    expected = 1 - pdist(bits.astype(bool), "dice")[some]
    assert np.allclose(similarities(packed, indices, np.float64)[some], expected, rtol=1e-14)


def test_triples_by_hand():
    """Sorenson of 0011, 0110, 1100: minima 1, 0, 1, of all three 0; 1.5 x 2 / 6."""
    values = np.array([[0, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 0]], np.uint8)
    assert similarities(values, all_indices(3, 3), np.float64).tolist() == [0.5]


@pytest.mark.parametrize("way", [2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8, np.uint32])
def test_equal_vectors_are_1_and_zeros_are_0(way, dtype):
    indices = all_indices(3, way)
    assert np.array_equal(similarities(np.full((3, 5), 7, dtype), indices, np.float32), np.ones(len(indices)))
    assert np.array_equal(similarities(np.zeros((3, 5), dtype), indices, np.float32), np.zeros(len(indices)))

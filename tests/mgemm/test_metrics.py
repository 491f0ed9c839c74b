"""Sums, denominators and quotients: values by hand, SciPy's Bray-Curtis, and the corners of each type."""

import numpy as np
import pytest
from scipy.spatial.distance import braycurtis

from repro.mgemm.metrics import as_bytes, field_sums, numerators3, quotients2, quotients3

PRECISIONS = [np.dtype(np.float32), np.dtype(np.float64)]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([[0.5, 0.25], [0, 0]], np.float32), np.array([0.75, 0.0])),
        (np.full((1, 20_000_000), 1, np.float32), np.array([20_000_000.0])),  # float32 alone stops counting at 2^24
        (np.array([[255] * 300, [1] * 300], np.uint8), np.array([76_500, 300])),
        (np.array([[0xFFFFFFFF, 0x10], [0, 1]], np.uint32), np.array([33, 1])),
    ],
)
def test_sums_of_vectors(values, expected):
    sums = field_sums(values)
    assert sums.dtype == expected.dtype
    assert np.array_equal(sums, expected)


@pytest.mark.parametrize("precision", PRECISIONS, ids=str)
def test_two_way_values(precision):
    rng = np.random.default_rng(1)
    values = rng.random((5, 40)).astype(precision)
    n2 = np.minimum(values[:, None], values[None]).sum(axis=2)
    sums = field_sums(values)
    found = quotients2(n2, sums, sums, precision)
    assert found.dtype == precision
    expected = [[1 - braycurtis(u, v) for v in values.astype(float)] for u in values.astype(float)]
    assert np.allclose(found, expected, rtol=100 * np.finfo(precision).eps)


@pytest.mark.parametrize("precision", PRECISIONS, ids=str)
def test_three_way_values_by_hand(precision):
    n2_ij, n2_ik, n2_jk, n3_prime = (np.array([[n]], np.uint32) for n in (3, 2, 4, 1))
    n3 = numerators3(n2_ij, n2_ik, n2_jk, n3_prime)
    found = quotients3(n3, *(np.array([[s]]) for s in (5, 7, 9)), precision)
    assert found.tolist() == [[float(precision.type(12) / precision.type(21))]]


def test_a_numerator_that_rounding_makes_negative_is_0():
    n2, n3_prime = np.array([0.0, 0.5]), np.array([2.0**-53, 0.25])
    assert numerators3(n2, n2, n2, n3_prime).tolist() == [0, 1.25]


def test_the_division_is_rounded_once():
    n2, row, column = np.array([[7]], np.uint32), np.array([10]), np.array([11])
    assert quotients2(n2, row, column, np.float32)[0, 0] == np.float32(14) / np.float32(21)
    assert quotients2(n2, row, column, np.float64)[0, 0] == 14 / 21


@pytest.mark.parametrize("precision", PRECISIONS, ids=str)
def test_vectors_of_zeros_are_similar_to_nothing(precision):
    zero = np.zeros((1, 1), np.uint32)
    assert quotients2(zero, np.zeros(1), np.zeros(1), precision).tolist() == [[0.0]]
    assert quotients3(zero, np.zeros(1), np.zeros(1), np.zeros(1), precision).tolist() == [[0.0]]


def test_bytes_are_255_times_the_value():
    values = np.array([0, 1 / 255, 0.5 / 255, 1.5 / 255, 0.5, 1, np.nextafter(1, 2)])
    assert as_bytes(values).tolist() == [0, 1, 0, 2, 128, 255, 255]
    assert as_bytes(values.astype(np.float32)).dtype == np.uint8

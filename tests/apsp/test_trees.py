"""Circles in predecessors are broken by edges that fit the distances, and trees are left as they are."""

import numpy as np
import pytest

from repro.apsp.reference import floyd_warshall
from repro.apsp.trees import make_trees

from .graphs import path_lengths, random_weights


def test_a_circle_is_attached_where_its_distance_comes_from():
    inf = np.inf
    weights = np.array([[0, 4, inf, 1], [inf, 0, 0, inf], [inf, 0, 0, inf], [inf, 2, inf, 0]])
    distances, predecessors, _ = floyd_warshall(weights, inf)
    assert predecessors[0].tolist() == [-9999, 3, 1, 0]
    predecessors[0] = [-9999, 2, 1, 0]
    make_trees(predecessors, distances, weights, inf)
    assert predecessors[0].tolist() == [-9999, 3, 1, 0]


def test_a_circle_of_rounded_sums_takes_the_edge_that_fits_best():
    weights = np.full((4, 4), np.inf, np.float32)
    np.fill_diagonal(weights, 0)
    weights[0, 1], weights[0, 2], weights[0, 3] = 1, 5, 1
    weights[1, 2] = weights[2, 1] = 1e-12
    distances = np.array([[0, 1 - 2**-24, 1 - 2**-24, 1]], np.float32).repeat(4, axis=0)
    predecessors = np.array([[-9999, 2, 1, 0]], np.int32)
    make_trees(predecessors, distances, weights, np.float32(np.inf))
    assert predecessors.tolist() == [[-9999, 0, 1, 0]]


@pytest.mark.parametrize("density", [0.02, 0.1, 1.0])
def test_trees_stay_as_they_are(density):
    weights = random_weights(80, density, np.float64, low=1)
    distances, predecessors, _ = floyd_warshall(weights, np.inf)
    before = predecessors.copy()
    make_trees(predecessors, distances, weights, np.inf)
    assert np.array_equal(predecessors, before)
    assert np.array_equal(path_lengths(weights, predecessors), distances)

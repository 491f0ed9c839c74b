"""Graphs for the tests: random weight matrices with every trouble that a graph can have."""

import numpy as np
from hypothesis import strategies as st

from repro.apsp.ranges import INFINITE

DTYPES = [np.dtype(name) for name in ("float32", "float64", "int32", "int16")]


def random_weights(n: int, density: float, dtype, low: int = 0, high: int = 50, seed: int = 1) -> np.ndarray:
    """n x n whole weights from low to high, INFINITE for no edge, 0 on the diagonal."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(low, high + 1, (n, n)).astype(dtype)
    weights[rng.random((n, n)) >= density] = INFINITE[np.dtype(dtype)]
    np.fill_diagonal(weights, 0)
    return weights


def without_negative_cycles(n: int, density: float, dtype, seed: int = 1) -> np.ndarray:
    """Weights of both signs in a graph whose cycles are not negative: shifted by a potential of the vertices."""
    weights = random_weights(n, density, dtype, 0, 9, seed)
    potential = np.random.default_rng(seed + 1).integers(0, 9, n).astype(dtype)
    shifted = weights + potential[None, :] - potential[:, None]
    shifted[weights == INFINITE[np.dtype(dtype)]] = INFINITE[np.dtype(dtype)]
    return shifted


@st.composite
def dense_graphs(draw) -> np.ndarray:
    """float64 with inf: from empty to several tiles, sparse to complete, zero weights, and some negative ones."""
    n = draw(st.one_of(st.integers(0, 8), st.sampled_from([16, 17, 33, 63, 64, 65, 100, 129])))
    density = draw(st.sampled_from([0.0, 0.02, 0.1, 0.5, 1.0]))
    seed = draw(st.integers(0, 2**31))
    if draw(st.booleans()):
        return random_weights(n, density, np.float64, 0, draw(st.sampled_from([0, 1, 50])), seed)
    return without_negative_cycles(n, density, np.float64, seed)


def path_lengths(weights: np.ndarray, predecessors: np.ndarray) -> np.ndarray:
    """The lengths of all paths that the predecessors describe, added up edge by edge from their ends."""
    n = len(weights)
    source, target = np.nonzero(predecessors != -9999)
    lengths = np.full((n, n), np.inf)
    np.fill_diagonal(lengths, 0.0)
    total, at = np.zeros(len(source)), target.copy()
    for _ in range(n):
        running = at != source
        if not running.any():
            break
        before = predecessors[source[running], at[running]]
        assert (before != -9999).all()
        assert (weights[before, at[running]] != INFINITE[weights.dtype]).all()
        total[running] += weights[before, at[running]]
        at[running] = before
    assert (at == source).all()
    lengths[source, target] = total
    return lengths

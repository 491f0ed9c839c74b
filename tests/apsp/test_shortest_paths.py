"""The library call: SciPy's answers, and the conventions and refusals that users of such tools asked for."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph

from repro.apsp import NegativeCycleError, path, shortest_paths
from repro.apsp.variants import VARIANTS
from repro.errors import InputError, ReproError
from repro.inputs.graphs.graph import graph

INF = np.inf


def on_emulator(weights, **how):
    return shortest_paths(weights, device="emulator", **how)


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 40), density=st.floats(0.02, 1), seed=st.integers(0, 10**6), directed=st.booleans())
def test_sparse_graphs_as_scipy_computes_them(n, density, seed, directed):
    sparse = scipy.sparse.random_array((n, n), density=density, rng=seed, format="csr")
    distances, predecessors = on_emulator(sparse, directed=directed, return_predecessors=True)
    expected = csgraph.floyd_warshall(sparse, directed=directed)
    assert distances.dtype == np.float64
    assert np.allclose(distances, expected, rtol=1e-14)
    weights = np.where(sparse.toarray() > 0, sparse.toarray(), INF)
    if not directed:
        weights = np.minimum(weights, weights.T)
    for i in range(n):
        for j in range(n):
            vertices = path(predecessors, i, j)
            assert bool(vertices) == np.isfinite(expected[i, j])
            if vertices:
                assert vertices[0] == i
                assert vertices[-1] == j
                assert np.isclose(sum(weights[a, b] for a, b in pairwise(vertices)), distances[i, j])


def test_in_a_dense_graph_inf_is_no_edge_and_zero_is_one():
    weights = np.array([[0, 0, INF], [INF, 0, 1e-12], [INF, INF, 0]])
    assert on_emulator(weights).tolist() == [[0, 0, 1e-12], [INF, 0, 1e-12], [INF, INF, 0]]


def test_stored_zeros_and_parallel_edges_of_a_sparse_graph_count():
    tails, heads, values = [0, 0, 0, 1], [1, 1, 1, 2], [5.0, 3.0, 4.0, 0.0]
    coo = scipy.sparse.coo_array((values, (tails, heads)), shape=(3, 3))
    assert on_emulator(coo).tolist() == [[0, 3, 3], [INF, 0, 0], [INF, INF, 0]]
    assert on_emulator(coo, directed=False).tolist() == [[0, 3, 3], [3, 0, 0], [3, 0, 0]]


def test_an_undirected_graph_is_walked_both_ways_and_its_diagonal_is_0():
    weights = np.array([[7, 2, INF], [4, 7, INF], [INF, 1, 7]])
    assert on_emulator(weights, directed=False).tolist() == [[0, 2, 3], [2, 0, 1], [3, 1, 0]]
    assert on_emulator(weights).tolist() == [[0, 2, INF], [4, 0, INF], [5, 1, 0]]


def test_edges_are_counted_in_an_unweighted_graph():
    weights = np.array([[0, 9, INF], [INF, 0, 9], [INF, INF, 0]])
    assert on_emulator(weights, unweighted=True).tolist() == [[0, 1, 2], [INF, 0, 1], [INF, INF, 0]]


def test_named_graphs_are_taken_and_named_in_errors():
    named = graph(["a", "b", "c"], [0, 0, 1], [1, 1, 2], [3, 2, 4], directed=False)
    assert on_emulator(named).tolist() == [[0, 2, 6], [2, 0, 4], [6, 4, 0]]
    with pytest.raises(InputError, match=r"edge \(b, c\): weight 0.5 is not whole; choose float32 or float64"):
        on_emulator(graph(["a", "b", "c"], [0, 1], [1, 2], [1.0, 0.5], directed=True), dtype="int32")


@pytest.mark.parametrize("dtype", ["int16", "int32"])
def test_integer_results_mark_no_path_by_their_largest_value(dtype):
    weights = np.array([[0, 5, INF], [INF, 0, 2], [INF, INF, 0]])
    top = np.iinfo(dtype).max
    distances = on_emulator(weights, dtype=dtype)
    assert distances.dtype == dtype
    assert distances.tolist() == [[0, 5, 7], [top, 0, 2], [top, top, 0]]
    none = np.iinfo(np.int64).max
    integers = np.array([[0, 5, none], [none, 0, 2], [none, none, 0]])
    assert np.array_equal(on_emulator(integers, dtype=dtype), distances)


def test_float32_weights_are_computed_in_float32_and_others_in_float64():
    assert on_emulator(np.zeros((2, 2), np.float32)).dtype == np.float32
    assert on_emulator(np.zeros((2, 2), np.int64)).dtype == np.float64
    assert on_emulator([[0, 1], [1, 0]]).tolist() == [[0, 1], [1, 0]]


def test_tiny_and_negative_zero_weights_are_edges():
    weights = np.array([[0, -0.0, INF], [INF, 0, 1e-300], [INF, INF, 0]])
    assert on_emulator(weights).tolist() == [[0, 0, 1e-300], [INF, 0, 1e-300], [INF, INF, 0]]
    assert on_emulator(weights, dtype="float32").tolist() == [[0, 0, 0], [INF, 0, 0], [INF, INF, 0]]


@pytest.mark.parametrize("directed", [True, False])
def test_loops(directed):
    assert on_emulator(np.array([[3.0, 1], [1, 0]]), directed=directed).tolist() == [[0, 1], [1, 0]]
    with pytest.raises(NegativeCycleError) as caught:
        on_emulator(np.array([[0.0, 1], [1, -0.5]]), directed=directed)
    assert caught.value.vertex == 1


def test_a_negative_edge_that_can_be_walked_both_ways_is_a_negative_cycle():
    weights = np.array([[0, -1, INF], [INF, 0, 1], [INF, INF, 0]])
    assert on_emulator(weights).tolist() == [[0, -1, 0], [INF, 0, 1], [INF, INF, 0]]
    with pytest.raises(NegativeCycleError, match=r"a cycle through vertex [01] has a negative length"):
        on_emulator(weights, directed=False)


@pytest.mark.parametrize(
    ("weights", "how", "message"),
    [
        ([[0, np.nan], [1, 0]], {}, r"edge \(0, 1\): weight nan is not a number that a path can have; remove the edge"),
        ([[0, 1], [-np.inf, 0]], {}, r"edge \(1, 0\): weight -inf is not a number that a path can have"),
        ([[0, 1, 2], [1, 0, 1]], {}, r"a graph of shape 2x3: give a square matrix"),
        ([["a", "b"], ["c", "d"]], {}, r"weights of type <U1: give numbers"),
        ([[0, 1], [1, 0]], {"dtype": "int8"}, r"distances cannot be int8; choose float32, float64, int32 or int16"),
        ([[0, 1], [1, 0]], {"variant": "fast"}, f"no variant 'fast'; choose one of: {', '.join(VARIANTS)}$"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(weights, how, message):
    with pytest.raises(InputError, match=message):
        on_emulator(weights, **how)


@pytest.mark.parametrize(
    ("weight", "dtype", "message"),
    [
        (1.5, "int16", "is not whole; choose float32 or float64 instead of int16"),
        (20000, "int16", "does not fit int16; choose int32 or float64"),
        (2**30, "int16", "does not fit int16; choose float64"),
        (2**30, "int32", "does not fit int32; choose float64"),
        (1e39, "float32", "does not fit float32; choose float64"),
    ],
)
def test_a_type_that_fits_is_named(weight, dtype, message):
    with pytest.raises(InputError) as caught:
        on_emulator([[0, weight], [1, 0]], dtype=dtype)
    assert str(caught.value) == f"edge (0, 1): weight {np.array(weight)} {message}"
    for choice in message.split("choose ")[1].split(" instead")[0].split(" or "):
        assert on_emulator([[0, weight], [1, 0]], dtype=choice)[0, 1] == np.dtype(choice).type(weight)


def line_of(n, weight):
    weights = np.full((n, n), INF)
    weights[np.arange(n - 1), np.arange(1, n)] = weight
    return weights


def test_distances_near_the_end_of_a_type_are_right_or_refused():
    assert on_emulator(line_of(17, 960), dtype="int16")[0, 16] == 15360
    assert on_emulator(line_of(18, 1000), dtype="int32")[0, 17] == 17000
    with pytest.raises(
        InputError,
        match=r"paths as long as 16000 .* come too near to 16383, the end of int16; choose int32 or float64$",
    ):
        on_emulator(line_of(18, 1000), dtype="int16")
    with pytest.raises(InputError, match=r"come too near to 1073741823, the end of int32; choose float64$"):
        on_emulator(line_of(5, 500_000_000), dtype="int32")
    with pytest.raises(
        InputError,
        match=r"up to 1000 may reach 17000, beyond what int16 computes with \(8191\); choose int32 or float64$",
    ):
        on_emulator(line_of(18, -1000), dtype="int16")
    assert on_emulator(line_of(2, -8191), dtype="int16")[0, 1] == -8191
    with pytest.raises(InputError, match=r"may reach 536870912, beyond what int32 computes with \(536870911\);"):
        on_emulator(line_of(2, -(2**29)), dtype="int32")
    with pytest.raises(InputError, match=r"may reach .* beyond what float32 computes with .* choose float64"):
        on_emulator(line_of(5, 2e38), dtype="float32")


def test_the_variant_is_chosen_by_the_memory_budget():
    weights = line_of(300, 1.0)
    expected = csgraph.floyd_warshall(csgraph.csgraph_from_dense(weights, null_value=INF))
    for memory_bytes in (None, 1_500_000):
        assert np.array_equal(on_emulator(weights, memory_bytes=memory_bytes), expected)


def test_a_path():
    weights = np.array([[0, 1, 5, INF], [INF, 0, 1, INF], [INF, INF, 0, INF], [1, INF, INF, 0]])
    _, predecessors = on_emulator(weights, return_predecessors=True)
    assert path(predecessors, 0, 2) == [0, 1, 2]
    assert path(predecessors, 3, 2) == [3, 0, 1, 2]
    assert path(predecessors, 2, 0) == []
    assert path(predecessors, 1, 1) == [1]
    with pytest.raises(InputError, match="vertex 4 is not in the graph, whose vertices are 0 to 3"):
        path(predecessors, 0, 4)
    with pytest.raises(ReproError, match="the predecessors of vertex 0 run in a circle"):
        path(np.array([[-9999, 2, 1], [0, 0, 0], [0, 0, 0]]), 0, 1)

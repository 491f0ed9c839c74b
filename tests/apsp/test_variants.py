"""Every variant gives SciPy's distances, and predecessors whose paths have them, on every device and thread order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph

from repro.apsp import NegativeCycleError
from repro.apsp.ranges import INFINITE
from repro.apsp.reference import floyd_warshall
from repro.apsp.variants import VARIANTS
from repro.device import open_device
from repro.errors import InputError

from .graphs import DTYPES, dense_graphs, path_lengths, random_weights, without_negative_cycles

variants = pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.name)
dtypes = pytest.mark.parametrize("dtype", DTYPES, ids=str)


def scipy_distances(weights):
    """SciPy's Floyd-Warshall on a dense graph whose missing edges are inf and whose zeros are edges."""
    if len(weights) == 0:
        return weights
    graph = csgraph.csgraph_from_dense(weights, null_value=np.inf)
    return csgraph.floyd_warshall(graph)


def as_type(weights, dtype):
    typed = np.where(np.isinf(weights), INFINITE[dtype], weights).astype(dtype)
    typed[np.isinf(weights)] = INFINITE[dtype]
    return typed


def with_inf(distances):
    return np.where(distances == INFINITE[distances.dtype], np.inf, distances.astype(np.float64))


def draw_settings(data, variant):
    ranges = {name: range(s.low, s.high + 1, s.step) for name, s in variant.settings.items()}
    return {name: data.draw(st.sampled_from(values), label=name) for name, values in ranges.items()}


@variants
@settings(max_examples=25, deadline=None)
@given(graph=dense_graphs(), data=st.data())
def test_random_graphs_against_scipy(variant, graph, data):
    dtype = data.draw(st.sampled_from(DTYPES), label="dtype")
    weights = as_type(graph, dtype)
    predecessors = data.draw(st.booleans(), label="predecessors")
    chosen = variant.complete(draw_settings(data, variant))
    expected = scipy_distances(graph)
    for order in ("forward", "reverse", "random"):
        outcome = variant.run(open_device("emulator", thread_order=order), weights, predecessors, **chosen)
        assert outcome.distances.dtype == dtype
        assert np.array_equal(with_inf(outcome.distances), expected)
        if predecessors:
            assert np.array_equal(path_lengths(weights, outcome.predecessors), expected)
        else:
            assert outcome.predecessors is None


@settings(max_examples=40, deadline=None)
@given(graph=dense_graphs())
def test_the_reference_agrees_with_scipy(graph):
    distances, predecessors, cycle = floyd_warshall(graph, np.inf)
    expected = scipy_distances(graph)
    assert cycle == -1
    assert np.array_equal(distances, expected)
    assert np.array_equal(path_lengths(graph, predecessors), expected)


@variants
@dtypes
@pytest.mark.parametrize("predecessors", [False, True])
def test_several_tiles_against_dijkstra(device, variant, dtype, predecessors):
    weights = random_weights(150, 0.012, dtype)
    graph = csgraph.csgraph_from_dense(with_inf(weights), null_value=np.inf)
    expected = csgraph.dijkstra(graph)
    outcome = variant.run(device, weights, predecessors, **variant.complete({}))
    assert np.isinf(expected).any()
    assert np.array_equal(with_inf(outcome.distances), expected)
    if predecessors:
        assert np.array_equal(path_lengths(weights, outcome.predecessors), expected)


@variants
@dtypes
@pytest.mark.parametrize("predecessors", [False, True])
def test_infinity_plus_a_negative_edge_stays_infinity(device, variant, dtype, predecessors):
    weights = without_negative_cycles(130, 0.02, dtype, seed=3)
    assert weights.min() < 0
    expected = scipy_distances(with_inf(weights))
    assert np.isinf(expected).any()
    outcome = variant.run(device, weights, predecessors, **variant.complete({}))
    assert np.array_equal(with_inf(outcome.distances), expected)
    if predecessors:
        assert np.array_equal(path_lengths(weights, outcome.predecessors), expected)


@variants
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("negative", [False, True])
def test_real_weights_within_rounding(device, variant, dtype, negative):
    rng = np.random.default_rng(4)
    weights = rng.random((140, 140)).astype(dtype)
    potential = (rng.random(140) * negative).astype(dtype)
    weights += potential[None, :] - potential[:, None] + (dtype(1e-3) if negative else dtype(0))
    np.fill_diagonal(weights, 0)
    expected = scipy_distances(weights.astype(np.float64))
    outcome = variant.run(device, weights, True, **variant.complete({}))
    tolerance = 50 * np.finfo(dtype).eps
    assert np.allclose(outcome.distances, expected, rtol=0, atol=tolerance)
    assert np.allclose(path_lengths(weights.astype(np.float64), outcome.predecessors), expected, rtol=0, atol=tolerance)


@variants
@pytest.mark.parametrize("predecessors", [False, True])
def test_denormal_weights_are_not_zero(device, variant, predecessors):
    """Multiples of the smallest float: their sums are exact."""
    n = 70
    weights = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) * np.float32(2.0**-149)
    weights[weights > np.float32(2.0**-148)] = np.inf
    outcome = variant.run(device, weights, predecessors, **variant.complete({}))
    assert np.array_equal(outcome.distances / np.float32(2.0**-149), np.abs(np.subtract.outer(range(n), range(n))))


@variants
@dtypes
@pytest.mark.parametrize("predecessors", [False, True])
@pytest.mark.parametrize(("n", "cycle"), [(3, [0, 1, 2]), (70, [1, 69, 5]), (150, [3, 80, 149]), (150, [140, 2])])
def test_a_negative_cycle_is_an_error(device, variant, dtype, predecessors, n, cycle):
    weights = np.full((n, n), INFINITE[dtype], dtype)
    vertices = np.arange(n)
    weights[vertices[:-1], vertices[1:]] = 2
    weights[vertices, vertices] = 0
    for tail, head in zip(cycle, cycle[1:] + cycle[:1], strict=True):
        weights[tail, head] = 1
    weights[cycle[-1], cycle[0]] = -len(cycle)
    with pytest.raises(NegativeCycleError, match=r"a cycle through vertex \d+ has a negative length") as caught:
        variant.run(device, weights, predecessors, **variant.complete({}))
    assert on_a_negative_cycle(with_inf(weights), caught.value.vertex)


def on_a_negative_cycle(weights, vertex):
    """Whether some walk of at most n edges from the vertex to itself has a negative length."""
    lengths = np.where(np.arange(len(weights)) == vertex, 0.0, np.inf)
    for _ in weights:
        lengths = np.minimum(lengths, (lengths[:, None] + weights).min(axis=0))
    return lengths[vertex] < 0


@variants
@dtypes
@pytest.mark.parametrize("predecessors", [False, True])
def test_values_of_a_negative_cycle_do_not_overflow_first(device, variant, dtype, predecessors):
    """Hougardy (2010): without a check inside the loop, values grow 6-fold with every vertex."""
    n = 100
    weights = np.full((n, n), -1, dtype)
    np.fill_diagonal(weights, 0)
    with pytest.raises(NegativeCycleError):
        variant.run(device, weights, predecessors, **variant.complete({}))


@variants
def test_a_cycle_of_length_zero_is_none_that_is_negative(device, variant):
    weights = np.array([[0, 3, np.inf], [-3, 0, 5], [-2, np.inf, 0]])
    outcome = variant.run(device, weights, True, **variant.complete({}))
    assert outcome.distances.tolist() == [[0, 3, 8], [-3, 0, 5], [-2, 1, 0]]
    assert outcome.predecessors.tolist() == [[-9999, 0, 1], [1, -9999, 1], [2, 0, -9999]]


@variants
@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("predecessors", [False, True])
def test_graphs_without_edges(device, variant, n, predecessors):
    outcome = variant.run(device, np.zeros((n, n), np.float32), predecessors, **variant.complete({}))
    assert outcome.distances.tolist() == [[0.0]] * n
    assert (outcome.predecessors.tolist() if predecessors else [[-9999]] * n) == [[-9999]] * n


@pytest.mark.parametrize(("n", "tile", "launches"), [(16, 16, 1), (48, 16, 9), (33, 16, 9), (64, 32, 6), (7, 2, 12)])
def test_katz_kider_launches_three_phases_a_round_and_one_for_a_single_tile(device, n, tile, launches):
    variant = VARIANTS["katz-kider"]
    variant.run(device, random_weights(n, 0.5, np.float32), False, tile=tile)
    blocks = -(-n // tile)
    assert device.counters.launches == launches
    assert device.counters.threads == tile**2 * blocks * (
        1 + (2 * (blocks - 1) + (blocks - 1) ** 2 if blocks > 1 else 0)
    )


def test_naive_launches_once_per_vertex_and_staged_once_per_round_and_once_before(device):
    weights = random_weights(100, 0.5, np.float32)
    for name, launches in (("naive", 100), ("staged", 3)):
        before = device.counters.copy()
        VARIANTS[name].run(device, weights, False, **VARIANTS[name].complete({}))
        assert device.counters.since(before).launches == launches


def test_the_tiles_of_staged_are_64_or_128():
    for name in ("staged", "out-of-core"):
        assert [VARIANTS[name].complete({"tile": tile})["tile"] for tile in (64, 128)] == [64, 128]
        with pytest.raises(InputError, match=f"variant {name}: tile = 100 is no multiple of 64"):
            VARIANTS[name].complete({"tile": 100})


@variants
@pytest.mark.parametrize("seed", range(12))
def test_cycles_of_length_zero_do_not_make_predecessors_run_in_circles(variant, seed):
    """Tiles that break ties each for itself once pointed two vertices of such a cycle at each other."""
    n = (18, 70)[variant.name == "staged"]
    weights = without_negative_cycles(n, 1.0, np.float64, seed)
    weights[np.random.default_rng(seed).random((n, n)) < 0.2] = 0
    weights = np.minimum(weights, floyd_warshall(np.abs(weights), np.inf)[0])
    weights[weights < 0] = 0
    outcome = variant.run(open_device("emulator"), weights, True, **variant.complete({"tile": 64} if n == 70 else {}))
    assert np.array_equal(path_lengths(weights, outcome.predecessors), outcome.distances)

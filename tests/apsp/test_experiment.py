"""Experiments become checked rows, and a wrong distance or path does not pass the check."""

import copy

import numpy as np
import pytest
from scipy.sparse import csgraph

from repro.apsp.check import Reference, check, references_of
from repro.apsp.dense import complete_graph
from repro.apsp.experiment import Experiment, Input, digest, sources_of, summary
from repro.apsp.ranges import INFINITE
from repro.apsp.reference import dijkstra, path_lengths
from repro.apsp.variants import VARIANTS
from repro.device import open_device
from repro.errors import InputError, ReproError
from repro.inputs.graphs.sheet import GraphSource

SPARSE = GraphSource("sparse", "synthetic", "", None, "erdos-renyi", 90, 0.03, 5, "", "")
ENTRY = {
    "name": "tiny",
    "variants": ["staged"],
    "sizes": [70],
    "graphs": ["sparse"],
    "dtypes": ["float32", "int16"],
    "predecessors": [True],
    "memory_percent": [],
    "settings": {},
}


@pytest.fixture(scope="module")
def measured():
    experiment = Experiment.from_entry(ENTRY, {"sparse": SPARSE}, repetitions=1)
    device = open_device("emulator")
    return [point.measure(device) for point in experiment.points()], references_of(experiment)


def test_rows_say_what_was_measured_and_pass_the_check(measured):
    rows, references = measured
    assert [(row["input"]["name"], row["input"]["dtype"]) for row in rows] == [
        ("complete-70", "float32"), ("complete-70", "int16"), ("sparse", "float32"), ("sparse", "int16"),
    ]  # fmt: skip
    assert rows[0]["parameters"] == {"tile": 128, "predecessors": 1}
    assert [row["work"] for row in rows] == [70**3] * 2 + [90**3] * 2
    assert rows[3]["result"]["path_error"] == 0
    assert 0 < rows[3]["result"]["rows"]["0"]["reached"] < 90
    assert len(rows[0]["result"]["phase_seconds"]) == 3
    checked = check(rows, references)
    assert [row["check"]["against"] for row in checked] == [{"dijkstra": 4, "paths": 4}] * 4


@pytest.mark.parametrize("what", ["reached", "sum", "weighted"])
@pytest.mark.parametrize("row", [0, 3])
def test_a_wrong_distance_is_found(measured, what, row):
    rows, references = copy.deepcopy(measured)
    rows[row]["result"]["rows"]["0"][what] += 1
    name = rows[row]["input"]["name"]
    with pytest.raises(ReproError, match=rf"tiny: staged .* on {name} .*: row 0: {what} .* is wrong, Dijkstra's"):
        check(rows, references)


@pytest.mark.parametrize("error", [0.5, float("inf"), float("nan")])
def test_a_wrong_path_is_found(measured, error):
    rows, references = copy.deepcopy(measured)
    rows[1]["result"]["path_error"] = error
    with pytest.raises(ReproError, match=r"a path is .* times the longest distance off its own distance"):
        check(rows, references)


def test_a_row_without_its_reference_is_refused(measured):
    rows, _ = measured
    with pytest.raises(ReproError, match="there is no reference for this graph"):
        check(rows, [Reference("other", "real", {})])


def test_a_budget_is_a_share_of_the_matrix_and_ends_with_the_run():
    entry = {**ENTRY, "variants": ["out-of-core"], "sizes": [300], "graphs": [], "dtypes": ["float32"]}
    entry |= {"predecessors": [False], "memory_percent": [200], "settings": {"tile": [64]}}
    device = open_device("emulator")
    before = device.memory_bytes
    (point,) = Experiment.from_entry(entry, {}, repetitions=1).points()
    row = point.measure(device)
    assert device.memory_bytes == before
    assert row["parameters"] == {"tile": 64, "predecessors": 0, "memory_percent": 200}
    assert row["result"]["rounds_seconds"] > 0
    assert row["counters"]["reads"] > 2 * 3  # several blocks went out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"variants": ["fast"]}, f"experiment tiny: no variant 'fast'; choose one of: {', '.join(VARIANTS)}, scipy$"),
        (
            {"settings": {"tile": [1]}},
            "experiment tiny: variant staged: tile = 1 is not within 64 to 128 in steps of 64",
        ),
        ({"dtypes": ["int8"]}, "experiment tiny: distances cannot be int8"),
        ({"sizes": [], "graphs": []}, "experiment tiny: give sizes or graphs"),
        (
            {"variants": ["out-of-core", "staged"], "memory_percent": [50]},
            "experiment tiny: memory_percent: staged needs the whole matrix in memory; take out-of-core alone",
        ),
        ({"graphs": ["x"]}, r"experiment tiny: graph 'x' is not in the sheet \(it has: sparse\)"),
    ],
)
def test_a_wrong_entry_is_said(change, message):
    with pytest.raises(InputError, match=message):
        Experiment.from_entry({**ENTRY, **change}, {"sparse": SPARSE}, repetitions=1)


def test_complete_graphs_have_the_same_weights_in_every_type_of_a_kind():
    real, whole = (complete_graph(50, np.dtype(dtype)) for dtype in (np.float32, np.int16))
    assert np.array_equal(real, complete_graph(50, np.dtype(np.float64)))
    assert np.array_equal(whole, complete_graph(50, np.dtype(np.int32)))
    assert np.array_equal(real[:20, :20], complete_graph(20, np.dtype(np.float32)))
    off = ~np.eye(50, dtype=bool)
    assert (real.diagonal() == 0).all()
    assert ((real[off] > 0) & (real[off] <= 1)).all()
    assert whole[off].min() >= 1
    assert whole[off].max() <= 1000
    assert len(np.unique(real[off])) > 2400
    assert abs(real[off].mean() - 0.5) < 0.02


@pytest.mark.parametrize("whole", [False, True])
def test_dijkstra_of_made_rows_is_scipys_of_the_matrix(whole):
    weights = complete_graph(60, np.dtype(np.int32 if whole else np.float32)).astype(np.float64)
    expected = csgraph.dijkstra(csgraph.csgraph_from_dense(np.where(np.eye(60), np.inf, weights), null_value=np.inf))
    for source in sources_of(60):
        made = dijkstra(np.empty((0, 0)), source, True, whole, 60)
        given = dijkstra(weights, source, False, whole, 60)
        assert np.allclose(made, expected[source], rtol=1e-15)
        assert np.array_equal(made, given)


def test_dijkstra_leaves_what_is_not_reached():
    weights = Input(None, SPARSE).weights(np.dtype(np.float64))
    expected = csgraph.dijkstra(csgraph.csgraph_from_dense(weights, null_value=np.inf), indices=0)
    found = dijkstra(weights, 0, False, True, len(weights))
    assert np.array_equal(found, expected)
    assert summary(found, np.inf)["reached"] == np.isfinite(expected).sum()


def test_path_lengths_of_a_row():
    weights = np.array([[0, 2, 9, 9], [9, 0, 3, 9], [9, 9, 0, 9], [9, 9, 9, 0.0]])
    assert path_lengths(weights, np.array([-9999, 0, 1, -9999], np.int32), 0).tolist() == [0, 2, 5, np.inf]
    circle = path_lengths(weights, np.array([-9999, 2, 1, -9999], np.int32), 0)
    assert np.isnan(circle[1:3]).all()


def test_a_summary_and_a_digest_change_with_any_distance():
    row = np.array([0, 5, 7, INFINITE[np.dtype(np.int16)]], np.int16)
    assert summary(row, INFINITE[row.dtype]) == {"reached": 3, "sum": 12.0, "weighted": 31.0}
    matrix = np.arange(600 * 600, dtype=np.float32).reshape(600, 600)
    digests = {digest(matrix), digest(matrix.astype(np.float64)), digest(matrix[:-1])}
    for i in (0, 300, 599):
        matrix[i, 599 - i] += 1
        digests.add(digest(matrix))
    assert len(digests) == 6

"""Experiments become checked rows, and a wrong similarity, count or checksum does not pass the check."""

import copy
from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from repro.bench.provenance import provenance
from repro.bench.rows import validate
from repro.device import open_device
from repro.device.emulator import Emulator
from repro.errors import DeviceError, InputError, ReproError
from repro.inputs.vectors.sheet import VectorSource
from repro.mgemm import measured
from repro.mgemm.check import Reference, check
from repro.mgemm.experiment import Experiment
from repro.mgemm.made import kind_of
from repro.mgemm.problem import Input, Problem
from repro.mgemm.samples import Samples, sampled_vectors
from repro.mgemm.schedule import Decomposition, Tile, steps_of_rank, work_of

SET = VectorSource("few", "synthetic", "", "alleles", 40, 70, 3, "", "")
SHEET = {SET.name: SET}
ENTRY = {
    "name": "tiny",
    "measure": "similarity",
    "variants": ["auto"],
    "kinds": ["float32"],
    "vectors": [40],
    "fields": [70],
    "sets": [],
    "ways": [2],
    "stages": 1,
    "decompositions": [],
    "per_block": False,
    "values": "float",
}


def experiment(**keys):
    return Experiment.from_entry({**ENTRY, **keys}, SHEET, repetitions=1)


def measured_rows(made):
    device = open_device("emulator")
    rows = [point.measure(device) for point in made.points()]
    for row in rows:
        row["provenance"] = provenance("test", device.describe(), device.describe())
        validate(row, "row")
    return rows


def references(made):
    return [Reference.of(*each) for each in made.compared()]


@pytest.fixture(scope="module")
def whole():
    """Pairs and triples, of one rank on all cores and of two ranks that have one each."""
    alone, apart = experiment(ways=[2, 3]), experiment(ways=[2, 3], decompositions=[[1, 2, 1]])
    return measured_rows(alone) + measured_rows(apart), references(alone)


def test_vectors_are_page_locked_before_they_are_timed(monkeypatch):
    monkeypatch.setattr(Emulator, "stage_in", None)  # how ordinary memory would go
    assert len(measured_rows(experiment())) == 1


def test_rows_say_what_was_measured_and_pass_the_check(whole):
    rows, expected = whole
    assert [(row["parameters"]["way"], row["parameters"]["n_pv"]) for row in rows] == [(2, 1), (3, 1), (2, 2), (3, 2)]
    assert [row["work"] for row in rows] == [780 * 70, 9880 * 70] * 2
    assert [row["result"]["ranks"] for row in rows] == [[780], [9880], [190 + 400, 190], [4940, 4940]]
    assert [row["result"]["devices"] for row in rows] == [1, 1, 2, 2]
    assert "transport" not in rows[0]["result"]
    assert rows[2]["result"]["transport"] == ("mpi" if measured.has_mpi() else "threads")
    assert rows[0]["result"]["checksum"] == rows[2]["result"]["checksum"]
    assert rows[0]["digest"] == rows[2]["digest"] != rows[1]["digest"]
    assert rows[0]["input"]["sha256"] == rows[2]["input"]["sha256"]
    for row in rows:
        terms = row["result"]["terms"]
        assert terms["vectors"] == 40 // row["parameters"]["n_pv"]
        assert ("communication" in terms) == (row["parameters"]["n_pv"] > 1)
        assert terms.get("pivots") == (min(16, terms["vectors"]) if row["parameters"]["way"] == 3 else None)
        assert ("triples" in terms) == (row["parameters"]["way"] == 3)
        assert all(terms[name] > 0 for name in ("product", "upload", "download", "quotients"))
    against = [row["check"]["against"] for row in check(rows, expected)]
    assert against == [{"reference": 28, "checksum": "reference"}, {"reference": 56, "checksum": "reference"}] * 2


def test_samples_are_scipys(whole):
    rows, _ = whole
    values = Input(kind_of("float32"), 40, 70).values(range(40))
    expected = 1 - squareform(pdist(values.astype(np.float64), "braycurtis"))
    samples = rows[0]["result"]["samples"]
    assert [tuple(key) for *key, _ in samples] == list(combinations(sampled_vectors(40), 2))
    assert [value for *_, value in samples] == pytest.approx([expected[i, j] for i, j, _ in samples], rel=1e-6)


@pytest.mark.parametrize("row", [0, 1])
def test_a_wrong_value_is_found(whole, row):
    rows, expected = copy.deepcopy(whole)
    rows[row]["result"]["samples"][5][-1] += 1e-6
    with pytest.raises(
        ReproError, match=r"tiny: auto .* on float32-40x70, .*: the value of vectors \[.*\] is .*, the CPU"
    ):
        check(rows, expected)


def test_a_missing_value_is_found(whole):
    rows, expected = copy.deepcopy(whole)
    rows[0]["result"]["samples"].pop()
    with pytest.raises(ReproError, match="27 of 28 sampled values were computed"):
        check(rows, expected)


def test_work_of_another_rank_is_found(whole):
    rows, expected = copy.deepcopy(whole)
    rows[2]["result"]["ranks"] = [590 + 190, 0]
    with pytest.raises(ReproError, match=r"the ranks computed \[780, 0\] values, the schedule says \[590, 190\]"):
        check(rows, expected)


def test_a_wrong_checksum_is_found(whole):
    rows, expected = copy.deepcopy(whole)
    rows[1]["result"]["checksum"] = "0-1-2"
    with pytest.raises(ReproError, match="checksum 0-1-2 is wrong, the CPU gives 0-"):
        check(rows, expected)


def test_where_the_cpu_has_no_checksum_that_of_the_others_counts(whole):
    rows, expected = copy.deepcopy(whole)
    unknown = [Reference(**{**vars(reference), "checksum": None}) for reference in expected]
    against = [row["check"]["against"]["checksum"] for row in check(rows, unknown)]
    assert against[:2] == [None, None]
    assert against[2].startswith("auto {'measure': 'similarity', 'way': 2")
    rows[3]["result"]["checksum"] = "0-1-2"
    with pytest.raises(ReproError, match="checksum 0-1-2 is not that of auto"):
        check(rows, unknown)


def test_a_row_without_its_reference_is_refused(whole):
    rows, expected = whole
    with pytest.raises(ReproError, match="there is no reference for these vectors; remove results and run again"):
        check(rows, expected[:1])


def test_stages_and_bytes():
    made = experiment(ways=[2, 3], stages=2, stage=0, values="byte")
    rows = measured_rows(made)
    assert [row["work"] for row in rows] == [sum(range(20, 40)) * 70, sum(j * (39 - j) for j in range(20)) * 70]
    assert all(row["result"]["checksum"] is None for row in rows)
    assert all(
        isinstance(value, float) and value == int(value) for row in rows for *_, value in row["result"]["samples"]
    )
    checked = check(rows, references(made))
    assert 0 < checked[0]["check"]["against"]["reference"] < 28


@pytest.mark.parametrize("way", [2, 3])
@pytest.mark.parametrize("decomposition", [[1, 1, 1], [1, 2, 1], [1, 3, 2]])
@pytest.mark.parametrize("stage", [1, 2, 4])
def test_every_stage_has_sampled_values(way, decomposition, stage):
    problem = Problem(90, way, 5, stage, Decomposition(*decomposition))
    samples = Samples(problem.sampled)
    for rank in range(problem.decomposition.ranks):
        _, block, row = problem.decomposition.place(rank)
        for step in steps_of_rank(way, problem.decomposition, row):
            for tile in work_of(step, block, 90, decomposition[1], stage, 5).tiles:
                samples.add(tile, np.ones((len(tile.rows), len(tile.columns))))
    assert samples.values


def test_kernels_are_checked_by_their_numerators():
    bits = experiment(measure="kernel", variants=["naive", "auto"], kinds=["bits"], vectors=[33])
    made = experiment(measure="kernel", variants=["naive", "gemm", "auto"], kinds=["float32"], vectors=[33])
    rows = measured_rows(made)
    assert [row["work"] for row in (*rows, *measured_rows(bits))] == [33 * 33 * 70] * 5
    assert [row["check"]["against"] for row in check(measured_rows(bits), references(bits))] == [{"reference": 28}] * 2
    assert [row["check"]["against"] for row in check(rows, references(made))] == [{"reference": 28}] * 3
    values = Input(kind_of("float32"), 33, 70).values(range(33)).astype(int)
    i, j, product = rows[1]["result"]["samples"][3]
    assert product == values[i] @ values[j]
    assert rows[2]["result"]["samples"][3] == [i, j, np.minimum(values[i], values[j]).sum()]
    rows[2]["result"]["samples"][3][-1] += 1
    with pytest.raises(ReproError, match=r"kernel.*the value of vectors"):
        check(rows, references(made))


def test_sets_of_the_sheet():
    made = experiment(sets=["few"], vectors=[], fields=[], kinds=["alleles", "bytes", "float64"])
    rows = measured_rows(made)
    assert [row["input"]["name"] for row in rows] == ["alleles-few", "bytes-few", "float64-few"]
    assert {row["input"]["set"] for row in rows} == {"few"}
    assert rows[0]["result"]["checksum"] == rows[1]["result"]["checksum"] != rows[2]["result"]["checksum"]
    check(rows, references(made))


def test_vectors_of_each_block_make_weak_scaling():
    made = experiment(vectors=[20], per_block=True, decompositions=[[1, 1, 1], [1, 2, 1], [1, 3, 2]])
    assert [(given.vectors, problem.decomposition.ranks) for given, problem in made.problems] == [
        (20, 1),
        (40, 2),
        (60, 6),
    ]


def test_the_cpu_is_measured_beside_a_device(whole):
    made = experiment(variants=["cpu"], ways=[2, 3], kinds=["float32"])
    rows = measured_rows(made)
    check(rows, references(made))
    assert [row["result"]["checksum"] for row in rows] == [row["result"]["checksum"] for row in whole[0][:2]]
    assert [row["result"]["ranks"] for row in rows] == [[780], [9880]]
    assert rows[0]["kernel_seconds"]["max"] == rows[0]["counters"]["launches"] == 0
    assert rows[0]["result"]["terms"] == {}


def test_ranks_are_threads_where_there_is_no_mpi(monkeypatch, capsys, whole):
    monkeypatch.setattr(measured, "has_mpi", lambda: False)
    (row,) = measured_rows(experiment(decompositions=[[2, 1, 1]]))
    assert row["result"]["transport"] == "threads"
    assert "MPI is not installed (pip install '.[mpi]'): ranks are threads of one process" in capsys.readouterr().err
    assert row["result"]["checksum"] == whole[0][0]["result"]["checksum"]
    check([row], references(experiment()))


@pytest.mark.skipif(not measured.has_mpi(), reason="needs mpi4py and mpirun")
def test_an_error_of_a_rank_is_said_in_one_line():
    given = Input(kind_of("bits"), 40, 70, SET)  # alleles are no bits
    task = measured.Task(given, Problem(40, 2, 1, 0, Decomposition(1, 2, 1)), "auto", 1)
    with pytest.raises(
        DeviceError,
        match=r"2 ranks under mpirun ended with 2: rank \d: random alleles: row \d+, vector \d+, field \d+: 2 where 0",
    ):
        measured.measure_apart("emulator", task)


@pytest.mark.skipif(not measured.has_mpi(), reason="needs mpi4py and mpirun")
def test_an_error_that_nobody_foresaw_ends_all_ranks():
    given = Input(kind_of("float32"), 40, 2**62)  # which no array can have
    task = measured.Task(given, Problem(40, 2, 1, 0, Decomposition(1, 2, 1)), "auto", 1)
    with pytest.raises(DeviceError, match="2 ranks under mpirun ended with 2: rank"):
        measured.measure_apart("emulator", task)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"variants": ["fast"]}, "experiment tiny: no variant 'fast'; choose one of: naive"),
        ({"variants": ["gemm"]}, "experiment tiny: no variant 'gemm'; choose one of: naive"),
        ({"measure": "kernel", "variants": ["cpu"]}, "experiment tiny: no variant 'cpu'; choose one of: naive"),
        ({"variants": ["cpu"], "stages": 2}, "experiment tiny: variant cpu: one rank computes all stages, in floats"),
        ({"variants": ["cpu"], "decompositions": [[1, 2, 1]]}, "experiment tiny: variant cpu: one rank computes all"),
        ({"sets": ["many"]}, r"experiment tiny: set 'many' is not in the sheet of vectors \(it has: few\)"),
        ({"vectors": []}, "experiment tiny: give vectors and fields, or sets"),
        ({"stages": 2, "stage": 2}, "experiment tiny: stage 2 of 2: stages count from 0"),
        (
            {"sets": ["few"], "kinds": ["bits"]},
            r"experiment tiny: random \w+: row 2, vector 1, field 11: 2 where 0/1 data has only",
        ),
        ({"per_block": True}, "experiment tiny: per_block: without decompositions there are no blocks; leave it out"),
        ({"measure": "kernel", "ways": [3]}, "experiment tiny: ways: a kernel is one product of pairs on one device;"),
        ({"measure": "kernel", "stage": 0, "stages": 2}, "experiment tiny: stages: a kernel is one product of pairs"),
        ({"measure": "kernel", "decompositions": [[1, 2, 1]]}, "experiment tiny: decompositions: a kernel is one"),
        (
            {"kinds": ["float32", "bits"], "variants": ["ternary"]},
            "experiment tiny: variant ternary: a minimum of bits",
        ),
        ({"decompositions": [[1, 41, 1]]}, "experiment tiny: n_pv = 41: there are 40 vectors; give fewer ranks"),
    ],
)
def test_a_wrong_entry_is_said(change, message):
    with pytest.raises(InputError, match=message):
        experiment(**change)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("oak,1,2\nash,3,0.5\n", "float64", "line 2, vector ash, field 2: 0.5 is no integer; sums are checked exactly"),
        ("oak,1,2\nash,3,6000000\n", "float32", "line 2, vector ash: its sum is too large to be exact in float32"),
    ],
)
def test_a_set_whose_sums_are_rounded_is_refused(tmp_path, text, kind, message):
    """The order of additions is not the CPU's, so that the check would find right values wrong."""
    (tmp_path / "trees.csv").write_text(text)
    sheet = {"trees": VectorSource("trees", "file", str(tmp_path / "trees.csv"), "", None, None, None, "", "")}
    with pytest.raises(InputError, match=rf"experiment tiny: .*trees\.csv: {message}"):
        Experiment.from_entry({**ENTRY, "sets": ["trees"], "kinds": [kind]}, sheet, repetitions=1)


@pytest.mark.parametrize("vectors", [3, 4, 9, 100, 2880])
def test_sampled_vectors_are_in_the_set(vectors):
    chosen = sampled_vectors(vectors)
    assert chosen == sorted(set(chosen))
    assert {0, 1, vectors - 2, vectors - 1} <= set(chosen) <= set(range(vectors))


def test_samples_of_tiles():
    values = np.arange(9 * 9, dtype=np.float32).reshape(9, 9)
    samples = Samples(sampled_vectors(9))
    samples.add(Tile(range(0, 5), range(0, 9), triangle=True), values[:5])
    samples.add(Tile(range(5, 9), range(5, 9), triangle=True), values[5:, 5:])
    assert samples.values == {(i, j): 9 * i + j for i, j in combinations(sampled_vectors(9), 2)}
    samples = Samples(sampled_vectors(9))
    samples.add(Tile(range(2), range(5, 9), 3), np.ones((2, 4)))
    samples.add(Tile(range(2), range(5, 9), 2), np.ones((2, 4)))  # 2 is not sampled
    chosen = sampled_vectors(9)
    assert set(samples.values) == {(i, 3, k) for i in (0, 1) for k in range(5, 9) if k in chosen}

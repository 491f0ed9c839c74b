"""Experiments become checked rows, and what is wrong with a score or an alignment does not pass the check."""

import copy
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from repro.bench.provenance import provenance
from repro.bench.rows import Row, validate
from repro.device import open_device
from repro.errors import InputError, ReproError
from repro.inputs.fasta import Sequence, read_sequence, write_fasta
from repro.inputs.reads.files import write_reads
from repro.inputs.reads.sheet import ReadSet
from repro.inputs.reads.sources import simulated_reads
from repro.shuffle.check import Reference, biopython_scores, check, references_of
from repro.shuffle.experiment import Experiment, Problem, alignments_digest, picked, result_of
from repro.shuffle.letters import encode
from repro.shuffle.outcome import Outcome
from repro.shuffle.peers import not_installed
from repro.shuffle.reference import alignments, scores
from repro.shuffle.scheme import Scheme
from repro.shuffle.workload import ReadFiles, Workload, load
from tests.shuffle.batches import letters

SETS = {
    "short": ReadSet("short", "builtin", "illumina", "", "genome.fa", 7, 30, None, 1, ""),
    "given": ReadSet("given", "file", "illumina", "given.fa", "", None, None, None, None, ""),
}
ENTRY: dict[str, Any] = {
    "name": "tiny",
    "variants": ["fp32", "half2"],
    "reads": ["short"],
    "against": "reads",
    "queries": 3,
    "modes": ["global", "local"],
    "gaps": ["linear", "affine"],
    "traceback": [False],
    "scoring": {"match": 2, "mismatch": -1, "gap_open": 2, "gap_extend": 1},
    "settings": {"columns": [4]},
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ReadFiles]:
    folder = tmp_path_factory.mktemp("reads")
    letters = np.frombuffer(b"ACGT", np.uint8)[np.random.default_rng(5).integers(0, 4, 900)]
    genome = [Sequence("g", letters)]
    write_fasta(folder / "genome.fa", genome)
    reads = simulated_reads("clr", "builtin", genome, 7, 150, 30, 1)
    write_reads(folder / "reads.fa", folder / "truth.tsv", reads, "r")
    return {"short": ReadFiles(*(str(folder / name) for name in ("reads.fa", "truth.tsv", "genome.fa")))}


@pytest.fixture(scope="module")
def measured(files: dict[str, ReadFiles]) -> tuple[list[Row], list[Reference]]:
    experiment = Experiment.from_entry({**ENTRY, "modes": ["global"]}, SETS, 2)
    device = open_device("emulator")
    references = references_of(experiment, files)
    assert [Reference(**json.loads(json.dumps(asdict(reference)))) for reference in references] == references
    return [point.measure(device) for point in experiment.points(files)], references


def test_every_problem_and_variant_is_a_row_that_follows_the_schema(measured):
    rows, _ = measured
    assert [(row["variant"], row["parameters"]["gap"]) for row in rows] == [
        ("fp32", "linear"), ("half2", "linear"), ("fp32", "affine"), ("half2", "affine"),
    ]  # fmt: skip
    for row in rows:
        validate({**row, "provenance": provenance("command", {}, {})}, "row")
    assert rows[0]["parameters"] == {
        "mode": "global", "gap": "linear", "traceback": 0, "match": 2, "mismatch": -1, "gap_extend": 1, "columns": 4,
    }  # fmt: skip
    assert rows[2]["parameters"]["gap_open"] == 2
    described = rows[0]["input"]
    assert (described["queries"], described["subjects"], described["pairs"]) == (3, 7, 21)
    assert described["cells"] == described["query_letters"] * described["subject_letters"]
    assert rows[0]["result"]["symmetric"] == 9
    assert [list(row["result"]["types"]) for row in rows[:2]] == [["fp32"], ["half2"]]


def test_rows_are_checked_against_the_cpu_and_each_other(measured):
    against = [row["check"]["against"] for row in check(*measured)]
    first = {"reference": 21, "biopython": 21, "symmetric": 9}
    assert against == [first, {**first, "scores": "fp32"}] * 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"result": {"sampled": "0" * 64}}, "some of 21 scores are wrong, the CPU gives others"),
        ({"digest": "0" * 64, "result": {"sum": -7}}, "the scores are not those of fp32 .* they add up to -7 and"),
        ({"result": {"symmetric": 7}}, "2 scores change with the order of two reads"),
        ({"input": {"sha256": "0"}}, "there is no reference for these reads"),
    ],
)
def test_a_wrong_row_is_an_error(measured, change, message):
    rows, references = copy.deepcopy(measured)
    for column, value in change.items():
        rows[1][column] = {**rows[1][column], **value} if isinstance(value, dict) else value
    with pytest.raises(ReproError, match=rf"tiny: half2 .* on short, .*{message}"):
        check(rows, references)


def traced(files: dict[str, ReadFiles], mode: str) -> tuple[Workload, Problem, Outcome]:
    """A workload, and what a right variant gives with traceback."""
    workload = load("short", files["short"], "window", 4, None)
    problem = Problem(Scheme(mode), True)
    found = alignments(workload.queries, workload.subjects, workload.pairs, problem.scheme)
    return workload, problem, Outcome(found.score, workload.cells, {"int64": 4}, found)


def traceback_row(measured: tuple[list[Row], Any], workload: Workload, problem: Problem, outcome: Outcome) -> Row:
    result = result_of(workload, problem, outcome)
    parameters = problem.parameters
    return {**measured[0][0], "parameters": parameters, "input": workload.described(), "result": result}


@pytest.mark.parametrize("mode", ["global", "semi-global", "local"])
def test_alignments_are_rescored_and_compared_with_the_cpus(files, measured, mode):
    workload, problem, outcome = traced(files, mode)
    reference = Reference.of(workload, problem.scheme, True)
    row = traceback_row(measured, workload, problem, outcome)
    (checked,) = check([row], [reference])
    assert checked["check"]["against"] == {"reference": 4, "biopython": 4, "rescored": 4, "alignments": 4}
    other = {**row, "result": {**row["result"], "rescored": 3}}
    with pytest.raises(ReproError, match="1 alignments do not add up to their scores"):
        check([other], [reference])
    other = {**row, "result": {**row["result"], "sampled_alignments": "0" * 64}}
    with pytest.raises(ReproError, match="some of 4 alignments are not those of the CPU"):
        check([other], [reference])


def test_alignments_of_all_variants_are_the_same(files, measured):
    workload, problem, outcome = traced(files, "global")
    reference = Reference.of(workload, problem.scheme, True)
    first = traceback_row(measured, workload, problem, outcome)
    second = {**first, "variant": "half2"}
    assert check([first, second], [reference])[1]["check"]["against"]["all_alignments"] == "fp32"
    second["result"] = {**first["result"], "alignments": "0" * 64}
    with pytest.raises(ReproError, match=r"tiny: half2 .*: alignments are not those of fp32"):
        check([first, second], [reference])


def test_an_alignment_that_is_none_is_an_error(files):
    workload, problem, outcome = traced(files, "global")
    outcome.alignments.query_end[2] -= 1
    with pytest.raises(ReproError, match=r"short, .*: alignment 2 is none"):
        result_of(workload, problem, outcome)


def test_references_that_differ_are_an_error(files, monkeypatch):
    workload = load("short", files["short"], "reads", 2, 2)
    monkeypatch.setattr("repro.shuffle.check.biopython_scores", lambda *given: np.array([0, 0, 0, 0]))
    with pytest.raises(ReproError, match=r"query 0 with subject 0: the reference gives .*, Biopython 0"):
        Reference.of(workload, Scheme(), False)


def test_large_batches_are_sampled_evenly():
    batch = encode([np.frombuffer(b"ACGTACGTAC", np.uint8)] * 20)
    workload = Workload("x", "reads", batch, batch, "all")
    assert workload.sample(10**9).tolist() == list(range(400))
    positions = workload.sample(500)
    assert positions.tolist() == [0, 99, 199, 299, 399]
    assert workload.sampled_pairs(positions).tolist() == [[0, 0], [4, 19], [9, 19], [14, 19], [19, 19]]
    assert workload.sample(1).tolist() == [0]


def test_picked_alignments_are_those_of_the_pairs(files):
    workload, problem, outcome = traced(files, "local")
    some = alignments(workload.queries, workload.subjects, np.array([[3, 3], [1, 1]]), problem.scheme)
    assert alignments_digest(picked(outcome.alignments, np.array([3, 1]))) == alignments_digest(some)


def test_the_warm_up_has_the_longest_and_the_shortest():
    sequences = [np.full(length, ord("A"), np.uint8) for length in (5, 9, 0, 7, 3)]
    batch = encode(sequences)
    every = Workload("x", "reads", batch, batch, "all").part(3)
    assert every.queries.lengths.tolist() == [9, 5, 0]
    zipped = Workload("x", "window", batch, batch, "zip").part(2)
    assert (zipped.queries.lengths.tolist(), zipped.pairs, zipped.shape) == ([9, 0], "zip", (2,))


def test_the_warm_up_has_queries_with_other_letters_and_without():
    for most, one in (("ACGT", "ACGN"), ("ACNT", "ACGT")):
        batch = letters(most, one, *[most] * 8)
        few = Workload("x", "reads", batch, batch, "all").part(4)
        assert (len(few.queries), len(few.subjects), sorted(set(few.queries.have_others))) == (5, 4, [False, True])
    assert len(Workload("x", "reads", letters("ACGT"), letters("N"), "all").part(4).queries) == 1


def test_windows_hold_their_reads_and_genomes_whole_records(files):
    genome = read_sequence(files["short"].genome).letters
    reads = load("short", files["short"], "reads", None, None)
    for against in ("window", "genome"):
        workload = load("short", files["short"], against, None, None)
        queries, subjects = workload.indices()
        assert queries.tolist() == list(range(7))
        semi = scores(workload.queries, workload.subjects, workload.pairs, Scheme("semi-global"))
        # A read of 85 % accuracy aligns with where it comes from, in its own direction.
        assert (semi > 0.9 * reads.queries.lengths).all()
        assert workload.cells == workload.queries.lengths[queries] @ workload.subjects.lengths[subjects]
    assert sorted({int(n) for n in workload.subjects.lengths}) == [len(genome)]
    assert len(workload.subjects) == 2  # both strands


def test_reads_that_are_not_there_are_one_line(files):
    with pytest.raises(InputError, match=r"reads.fa: 7 reads, but the configuration wants 8 queries"):
        load("short", files["short"], "reads", 8, None)
    with pytest.raises(InputError, match="where the reads come from is not known"):
        load("short", ReadFiles(files["short"].reads), "window", None, None)


@pytest.mark.parametrize(
    "scheme", [Scheme(mode, gap) for mode in ("global", "semi-global", "local") for gap in ("linear", "affine")]
)
def test_biopython_and_the_reference_agree_with_letters_of_any_kind(scheme):
    sequences = [np.frombuffer(text, np.uint8) for text in (b"ACGTNNACG", b"TTTT", b"ANGTAACGTT", b"C")]
    batch = encode(sequences)
    workload = Workload("x", "reads", batch, batch, "all")
    pairs = workload.sampled_pairs(np.arange(16))
    assert np.array_equal(biopython_scores(workload, pairs, scheme), scores(batch, batch, pairs, scheme))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"variants": ["fp16"]}, "no variant 'fp16'; choose one of: fp32"),
        ({"settings": {"columns": [64]}}, "columns = 64 is not within 4 to 32"),
        ({"settings": {"columns": [8, 5]}}, "variant fp32: columns = 5 is no multiple of 4"),
        ({"variants": ["auto"]}, "variant auto has no setting 'columns'"),
        ({"reads": ["shirt"]}, "reads 'shirt' are not in the sheet of reads; the nearest is short"),
        (
            {"reads": ["given"], "against": "window"},
            "reads 'given' are a file: which window they come from is not known",
        ),
        ({"variants": ["parasail"], "settings": {}, "traceback": [True]}, "parasail gives scores alone"),
        ({"variants": ["seqan"], "settings": {}, "traceback": [True]}, "seqan gives scores alone"),
        ({"scoring": {"match": 2, "mismatch": -1, "gap_open": 1, "gap_extend": 3}}, "the first letter of a gap costs"),
    ],
)
def test_a_wrong_entry_is_one_line(change, message):
    with pytest.raises(InputError, match=rf"experiment tiny: .*{message}"):
        Experiment.from_entry({**ENTRY, **change}, SETS, 1)


def test_a_read_without_letters_is_measured_and_checked(tmp_path: Path):
    reads = tmp_path / "given.fa"
    reads.write_text(">a\nACGTACGTACGT\n>e\n\n>b\nACGTTACGTTACG\n")
    entry = {**ENTRY, "variants": ["fp32"], "reads": ["given"], "queries": None}
    experiment = Experiment.from_entry(entry, SETS, 1)
    files = {"given": ReadFiles(str(reads))}
    rows = [point.measure(open_device("emulator")) for point in experiment.points(files)]
    checked = check(rows, references_of(experiment, files))
    assert [row["check"]["against"]["biopython"] for row in checked] == [9, 9, 9, 9]


@pytest.mark.parametrize("name", ["parasail", "seqan"])
def test_a_peer_is_measured_as_a_variant(files, name):
    if name in not_installed():
        pytest.skip(f"{name} is not installed")
    entry = {**ENTRY, "variants": [name], "settings": {}, "modes": ["local"], "gaps": ["affine"]}
    experiment = Experiment.from_entry(entry, SETS, 1)
    rows = [point.measure(open_device("emulator")) for point in experiment.points(files)]
    checked = check(rows, references_of(experiment, files))
    assert [(row["counters"]["launches"], row["work"]) for row in checked] == [(0, rows[0]["input"]["cells"])]
    assert checked[0]["check"]["against"]["reference"] == 21


def test_a_row_says_which_scheme_it_has():
    for scheme in (Scheme("local", "affine", 3, -2, 5, 1), Scheme("global", "linear", 1, 0, None, 2)):
        problem = Problem(scheme, True)
        assert Problem.of({**problem.parameters, "columns": 8}) == problem


def test_tracebacks_of_a_device_are_checked_rows(files):
    entry = {
        **ENTRY,
        "variants": ["auto", "fp32"],
        "settings": {},
        "modes": ["local"],
        "gaps": ["affine"],
        "traceback": [False, True],
    }
    experiment = Experiment.from_entry(entry, SETS, 1)
    rows = [point.measure(open_device("emulator")) for point in experiment.points(files)]
    assert len({row["digest"] for row in rows}) == 1
    against = [row["check"]["against"] for row in check(rows, references_of(experiment, files))]
    first = {
        "reference": 21, "biopython": 21, "scores": "auto", "symmetric": 9, "rescored": 21, "alignments": 21,
    }  # fmt: skip
    assert against[2:] == [first, {**first, "all_alignments": "auto"}]

"""From configuration to rows, and rows against references."""

import json
from dataclasses import asdict
from typing import Any

import pytest

from repro.bench.provenance import provenance
from repro.bench.rows import Row, validate
from repro.device import open_device
from repro.errors import InputError, ReproError
from repro.reorder.check import Reference, check
from repro.reorder.experiment import Experiment, random_pair
from repro.reorder.scoring import Scoring

ENTRY: dict[str, Any] = {
    "name": "tiny",
    "variants": ["unoptimised", "optimised"],
    "lengths": [40, 64],
    "settings": {"block_size": [32, 64], "traceback": [1]},
}


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """The rows of ENTRY and of `compact` on the same sequences."""
    device = open_device("emulator")
    entries = ENTRY, {**ENTRY, "variants": ["compact"], "settings": {"traceback": [0, 1]}}
    return [point.measure(device) for entry in entries for point in Experiment.from_entry(entry, 2).points()]


@pytest.fixture(scope="module")
def references() -> list[Reference]:
    computed = [Reference.of(length, scoring) for length, scoring in Experiment.from_entry(ENTRY, 2).scored()]
    assert [Reference.from_fields(json.loads(json.dumps(asdict(reference)))) for reference in computed] == computed
    return computed


def test_every_variant_setting_and_length_is_a_row(rows):
    measured = [(row["input"]["name"], row["variant"], row["parameters"].get("block_size")) for row in rows]
    assert measured == [
        *((f"random-{n}", v, size) for n in (40, 64) for v in ("unoptimised", "optimised") for size in (32, 64)),
        *((f"random-{n}", "compact", None) for n in (40, 64) for _ in (0, 1)),
    ]


def test_a_row_follows_the_schema_and_has_its_counters(rows):
    for row in rows:
        validate({**row, "provenance": provenance("command", {}, {})}, "row")
    # Two squares of 32 each way, then 64 + 64 - 1 rows in four: block anti-diagonals plus the traceback.
    assert [rows[k]["counters"]["launches"] for k in (4, 6)] == [3 + 1, 5 + 1]
    assert rows[4]["counters"]["allocated_bytes"] == 4 * 64 * 64 + 128
    assert rows[6]["counters"]["allocated_bytes"] == 4 * 127 * 64 + 128
    assert rows[0]["work"] == 1600
    assert rows[0]["result"]["alignment_score"] == rows[0]["result"]["score"]
    assert rows[8]["result"]["alignment_score"] is None


def test_rows_are_checked_against_both_references(rows, references):
    checked = check(rows, references)
    assert all(row["check"]["passed"] for row in checked)
    against = checked[0]["check"]["against"]
    score = references[0].score
    assert against == {"reference": score, "biopython": score, "alignment_score": score, "alignment": "reference"}
    assert "alignment" not in checked[8]["check"]["against"]


def test_beyond_the_reference_an_alignment_is_compared_with_other_variants(rows, references):
    large = [Reference(**{**vars(reference), "digest": None}) for reference in references]
    compared = [row["check"]["against"].get("alignment") for row in check(rows, large)]
    # The first of each length has nothing to be compared with, nor has a row without traceback.
    assert compared == [None, *["unoptimised"] * 3] * 2 + [None, "unoptimised"] * 2
    other = {**rows[-1], "digest": "0" * 64}
    with pytest.raises(ReproError, match=r"compact .* the alignment is not that of unoptimised"):
        check([*rows[:-1], other], large)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"result": {"score": -1, "alignment_score": -1}}, r"random-40.*score -1 is wrong, the CPU gives"),
        ({"digest": "0" * 64}, "the alignment is not that of the reference"),
        ({"input": {"name": "random-40", "sha256_a": "0", "sha256_b": "0"}}, "there is no reference"),
    ],
)
def test_a_wrong_row_is_an_error(rows, references, change, message):
    with pytest.raises(ReproError, match=message):
        check([{**rows[0], **change}], references)


def test_an_alignment_that_does_not_add_up_is_an_error(rows, references):
    score = references[0].score
    with pytest.raises(ReproError, match=rf"adds up to {score - 1}, its score is {score}"):
        check([{**rows[0], "result": {"score": score, "alignment_score": score - 1}}], references)


def test_references_that_differ_are_an_error(monkeypatch):
    monkeypatch.setattr("repro.reorder.check.best_score", lambda a, b, scoring: 1000)
    with pytest.raises(ReproError, match="the reference gives score 1000, Biopython"):
        Reference.of(20, Scoring())


def test_references_of_large_matrices_leave_out_what_is_slow(monkeypatch):
    monkeypatch.setattr("repro.reorder.check.MOST_ALIGNED_CELLS", 399)
    assert Reference.of(19, Scoring()).digest is not None
    assert Reference.of(20, Scoring()).digest is None
    monkeypatch.setattr("repro.reorder.check.MOST_BIOPYTHON_CELLS", 399)
    assert Reference.of(19, Scoring()).biopython is not None
    assert Reference.of(20, Scoring()).biopython is None


def test_random_pairs_are_the_same_every_time():
    a, b = random_pair(1000)
    assert a.sha256[:8] != b.sha256[:8]
    assert (len(a), len(b)) == (1000, 1000)
    random_pair.cache_clear()
    assert [sequence.sha256 for sequence in random_pair(1000)] == [a.sha256, b.sha256]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"variants": ["optimized"]}, "experiment tiny: no variant 'optimized'"),
        ({"settings": {"block_size": [2048]}}, "block_size = 2048 is not within 1 to 1024"),
        ({"variants": ["compact"]}, "variant compact has no setting 'block_size'"),
        ({"lengths": [10**6], "settings": {"match": [10**6]}}, r"experiment tiny: scores up to .* use smaller scores"),
    ],
)
def test_a_wrong_entry_is_one_line(change, message):
    with pytest.raises(InputError, match=message):
        Experiment.from_entry({**ENTRY, **change}, 1)


def test_the_entrys_repetitions_come_first():
    assert Experiment.from_entry(ENTRY, 5).repetitions == 5
    assert Experiment.from_entry({**ENTRY, "repetitions": 2}, 5).repetitions == 2

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.errors import InputError
from repro.inputs.fasta import read_sequence, sequence
from repro.inputs.pairs import edit_distance, least_similarity, make_pair, similarity, write_pair


def levenshtein(a: bytes, b: bytes) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, start=1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


@given(st.binary(max_size=30), st.binary(max_size=30))
def test_edit_distance_treats_every_byte_as_a_symbol(a, b):
    letters = bytes(range(65, 91))
    a, b = (bytes(letters[byte % 26] for byte in x) for x in (a, b))
    assert edit_distance(sequence("a", a), sequence("b", b)) == levenshtein(a, b)


def test_similarity_is_relative_to_the_longer_sequence():
    assert similarity(2595, 5_227_293, 5_228_663) == 1 - 2595 / 5_228_663
    assert similarity(0, 0, 0) == 1


@settings(max_examples=30)
@given(st.integers(100, 3000), st.floats(0.6, 1.0), st.integers(0, 2**32))
def test_the_measured_similarity_is_the_wanted_one(length, wanted, seed):
    pair = make_pair(length, wanted, seed)
    distance = edit_distance(pair.a, pair.b)
    reached = 1 - distance / max(len(pair.a), len(pair.b))
    assert len(pair.a) == length
    assert len(pair.b) >= math.floor(wanted * length)
    assert wanted <= reached <= wanted + max(0.002 * (1 - wanted), 4 / length)
    assert (pair.manifest.distance, pair.manifest.similarity) == (distance, reached)
    assert pair.manifest.measured_whole


@pytest.mark.parametrize("percent", [50, 60, 70, 80, 90, 99])
def test_truncated_percent_as_the_tables_print_it(percent):
    manifest = make_pair(20_000, percent / 100, seed=7).manifest
    assert math.floor(100 * manifest.similarity) == percent


def test_the_same_seed_gives_the_same_pair_and_another_seed_another():
    assert make_pair(1000, 0.9, 3).manifest == make_pair(1000, 0.9, 3).manifest
    assert make_pair(1000, 0.9, 3).manifest.sha256_a != make_pair(1000, 0.9, 4).manifest.sha256_a


def test_a_seed_keeps_its_meaning_between_releases():
    manifest = make_pair(1000, 0.9, 3).manifest
    assert manifest.sha256_a.startswith("9e16c2913bbbb5fa")
    assert manifest.sha256_b.startswith("055e57117084890a")


def test_edits_are_a_third_each_and_letters_are_uniform():
    pair = make_pair(300_000, 0.95, 5)
    counts = np.bincount(pair.a.letters, minlength=128)[np.frombuffer(b"ACGT", np.uint8)]
    # 5 standard deviations of a binomial with p = 1/4.
    assert np.all(np.abs(counts - 75_000) < 5 * math.sqrt(300_000 * 3 / 16))
    edits = 300_000 * pair.manifest.rate
    assert abs(len(pair.b) - 300_000) < 5 * math.sqrt(edits * 2 / 3)


def test_a_long_pair_is_calibrated_on_a_shorter_one():
    pair = make_pair(400_000, 0.9, 11)
    assert len(pair.a) == 400_000
    assert not pair.manifest.measured_whole
    assert pair.manifest.measured_length < 200_000
    reached = similarity(edit_distance(pair.a, pair.b), len(pair.a), len(pair.b))
    assert abs(reached - 0.9) < 0.005


def test_identical_and_single_letter_pairs():
    pair = make_pair(500, 1.0, 1)
    assert pair.a.sha256 == pair.b.sha256
    assert len(make_pair(1, 1.0, 1).a) == 1


@pytest.mark.parametrize(
    ("length", "wanted", "seed", "message"),
    [
        (0, 0.9, 1, r"pair p: length 0; give at least 1"),
        (100, 0.0, 1, r"pair p: similarity 0\.0 is out of reach"),
        (
            100,
            1.1,
            1,
            r"pair p: similarity 1\.1 is out of reach; mutation of 100 letters with seed 1 leaves 0\.\d+ to 1$",
        ),
        (100, 0.9, -1, r"pair p: seed -1"),
        (
            5000,
            0.48,
            1,
            r"pair p: similarity 0\.48 is out of reach; mutation of 5000 letters .* leaves 0\.492 to 1$",
        ),
        (
            5001,
            0.499,
            1,
            r"pair p: similarity 0\.499 is out of reach; mutation of 5001 letters .* leaves 0\.5 to 1$",
        ),
    ],
)
def test_impossible_wishes_are_named(length, wanted, seed, message):
    with pytest.raises(InputError, match=message):
        make_pair(length, wanted, seed, name="p")


@pytest.mark.parametrize(("length", "seed"), [(5, 3), (100, 1), (5000, 1), (5001, 2)])
def test_the_least_similarity_is_reached(length, seed):
    least = least_similarity(length, seed)
    found = make_pair(length, least, seed).manifest.similarity
    assert least <= found <= least + max(0.005, 1 / length)
    with pytest.raises(InputError, match="is out of reach"):
        make_pair(length, least - 0.001, seed)


def test_files(tmp_path):
    pair = make_pair(700, 0.8, 2, name="p")
    write_pair(pair, tmp_path / "a.fa", tmp_path / "b.fa", tmp_path / "p.json")
    a, b = read_sequence(tmp_path / "a.fa"), read_sequence(tmp_path / "b.fa")
    manifest = json.loads((tmp_path / "p.json").read_text())
    assert (a.name, b.name) == ("p_a", "p_b")
    assert (a.sha256, b.sha256) == (manifest["sha256_a"], manifest["sha256_b"])
    assert edit_distance(a, b) == manifest["distance"]

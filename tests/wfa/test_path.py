"""Optimal alignments: their cost is the distance, and they turn one string into the other."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.device import open_device
from repro.errors import DeviceError
from repro.wfa.bit_parallel import _in_turn
from repro.wfa.hybrid import search
from repro.wfa.path import CODES, Path, optimal_path
from tests.conftest import ORDERS
from tests.wfa.test_hybrid import pairs
from tests.wfa.test_variants import EXAMPLE, edlib_distance, letters


@settings(max_examples=60, deadline=None)
@given(pair=pairs(), order=st.sampled_from(ORDERS))
def test_random_pairs(pair, order):
    a, b = pair
    path = optimal_path(open_device("emulator", thread_order=order), a, b)
    assert path.cost == edlib_distance(a.tobytes(), b.tobytes())
    assert path.turns(a, b)


@pytest.mark.parametrize(
    ("a", "b", "cigar"),
    [
        (b"", b"", ""),
        (b"ACGT", b"", "4I"),
        (b"", b"ACGT", "4D"),
        (b"ACGT", b"ACGT", "4="),
        (b"A", b"C", "1X"),
        (b"ACTGA", b"ACGA", "2=1I2="),  # I is a letter of the first string alone, as in SAM for a query
        (b"ACGA", b"ACTGA", "2=1D2="),
        (b"A" * 1000, b"A" * 1000, "1000="),
    ],
)
def test_known_pairs(device, a, b, cigar):
    assert optimal_path(device, letters(a), letters(b)).cigar == cigar


@pytest.mark.parametrize("rows", [63, 64, 65])
def test_parts_of_64_rows_are_not_divided(device, rows):
    rng = np.random.default_rng(rows)
    a, b = rng.integers(0, 4, rows, dtype=np.uint8), rng.integers(0, 4, 80, dtype=np.uint8)
    path = optimal_path(device, a, b)
    assert (path.cost, path.turns(a, b)) == (edlib_distance(a.tobytes(), b.tobytes()), True)


def test_the_worked_example_costs_5(device):
    a, b = map(letters, EXAMPLE)
    path = optimal_path(device, a, b)
    assert (path.cost, path.turns(a, b)) == (5, True)


def test_memory_grows_with_the_sum_of_the_lengths():
    """Strings 4 times as long fit 4.2 times the memory; the matrix would need 16 times."""
    for length in (4000, 16_000):
        rng = np.random.default_rng(length)
        a, b = (rng.integers(0, 4, length).astype(np.uint8) for _ in range(2))
        device = open_device("emulator", memory_bytes=260 * 2 * length)
        path = optimal_path(device, a, b)
        assert (path.cost, path.turns(a, b)) == (edlib_distance(a.tobytes(), b.tobytes()), True)


def test_strips_of_all_problems_begin_in_turn():
    assert _in_turn(np.array([2, 1, 3])).tolist() == [0, 2, 3, 1, 4, 5]


def test_a_path_that_does_not_turn_one_string_into_the_other_is_seen():
    a, b = letters(b"ACGT"), letters(b"ACCT")
    for operations, lengths, right in [
        ("=X=", (2, 1, 1), True),
        ("=X", (2, 2), False),
        ("=", (4,), False),
        ("=X", (2, 1), False),
        ("=XI", (2, 1, 1), False),
        ("=IDI=", (2, 1, 1, 0, 1), True),
    ]:
        path = Path(np.array([CODES.index(operation) + 1 for operation in operations], np.uint8), np.array(lengths))
        assert path.turns(a, b) is right, (operations, lengths)


def test_a_path_of_another_cost_than_the_distance_is_seen(monkeypatch):
    def one_more(pair):
        found, crossings = search(pair)
        return replace(found, distance=found.distance + 1), crossings

    monkeypatch.setattr("repro.wfa.path.search", one_more)
    with pytest.raises(DeviceError, match="the path found has 3 edits, the distance is 4"):
        optimal_path(open_device("emulator"), letters(b"kitten"), letters(b"sitting"))

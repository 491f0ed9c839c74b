"""Scoring schemes, and letters as codes."""

import numpy as np
import pytest

from repro.errors import InputError
from repro.shuffle.letters import pair_indices
from repro.shuffle.scheme import Scheme
from tests.shuffle.batches import MATRIX, letters


def test_the_default_is_the_papers_affine_scheme():
    scheme = Scheme()
    assert (scheme.mode, scheme.gap, scheme.first, scheme.gap_extend) == ("global", "affine", 2, 1)
    assert Scheme(gap="linear", gap_extend=3).first == 3
    assert Scheme(gap_extend=3).first == 3  # a gap's first letter costs no less than the next


def test_other_letters_are_unequal_to_all():
    expected = np.full((5, 5), -1)
    expected[range(4), range(4)] = 2
    assert Scheme().table().tolist() == expected.tolist()
    assert Scheme(matrix=MATRIX).table()[4, 3] == 0


def test_gaps_meet_where_a_pair_of_letters_costs_more():
    assert not Scheme(mismatch=-2).gaps_may_meet()
    assert Scheme(mismatch=-3).gaps_may_meet()
    assert Scheme(gap_open=7, gap_extend=0).gaps_may_meet()
    assert not Scheme(mismatch=-9, gap_open=9, gap_extend=5).gaps_may_meet()
    assert Scheme(matrix=tuple((1, 1, 1, 1, -3 * (row == 2)) for row in range(5))).gaps_may_meet()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"mode": "overlap"}, "mode 'overlap': choose one of global, semi-global, local"),
        ({"gap": "convex"}, "gap 'convex': choose one of linear, affine"),
        ({"gap": "linear", "gap_open": 2}, "gap_open 2: linear gaps have gap_extend alone; leave it out"),
        ({"gap_extend": -1}, "gap_extend -1: a penalty is 0 or more"),
        ({"gap_open": 1, "gap_extend": 2}, "gap_open 1: the first letter of a gap costs no less than gap_extend 2"),
        ({"gap_extend": 2**31}, "gap_extend 2147483648: give a whole number"),
        ({"match": 1.5}, "match 1.5: give a whole number from -1073741824 to 1073741824"),
        ({"mismatch": -(2**31)}, "mismatch -2147483648: give a whole number"),
        ({"matrix": ((1, 2), (3, 4))}, "matrix: needs 5 rows of 5 scores"),
        ({"matrix": (*MATRIX[:4], (0, 0, 0, 0, 2**40))}, "matrix row 5, column 5 1099511627776: give a whole number"),
    ],
)
def test_what_is_no_scheme(values, message):
    with pytest.raises(InputError) as caught:
        Scheme(**values)
    assert str(caught.value).startswith(message)


def test_letters_are_codes_in_either_case():
    batch = letters("ACGTUacgtu", "", "NRX-*")
    assert batch.codes.tolist() == [0, 1, 2, 3, 3, 0, 1, 2, 3, 3, 4, 4, 4, 4, 4]
    assert (len(batch), batch.offsets.tolist(), batch.lengths.tolist()) == (3, [0, 10, 10, 15], [10, 0, 5])
    assert batch[2].tolist() == [4] * 5
    assert len(letters()) == 0


def test_which_sequences_have_other_letters():
    found = letters("N", "", "acgu", "TTNTN", "", "A", "xA")
    assert found.have_others.tolist() == [True, False, False, True, False, False, True]
    assert letters().have_others.tolist() == []


def test_pairs():
    assert [indices.tolist() for indices in pair_indices("all", 2, 3)] == [[0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2]]
    assert [indices.tolist() for indices in pair_indices("zip", 2, 2)] == [[0, 1], [0, 1]]
    assert [indices.tolist() for indices in pair_indices(np.array([[1, 2], [0, 2]]), 2, 3)] == [[1, 0], [2, 2]]
    assert [indices.tolist() for indices in pair_indices("all", 2, 0)] == [[], []]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ("each", "pairs 'each': choose all, zip or an array of indices"),
        ("zip", "pairs zip: 2 queries do not pair up with 3 subjects; give equally many"),
        (np.array([0, 1]), r"pairs: an array of int64, shape (2,); give integers of shape (n, 2)"),
        (np.zeros((1, 2)), r"pairs: an array of float64, shape (1, 2); give integers of shape (n, 2)"),
        (np.array([[0, 0], [0, 3]]), "pairs row 1: query 0 with subject 3; there are 2 and 3, from 0"),
        (np.array([[-1, 0]]), "pairs row 0: query -1 with subject 0; there are 2 and 3, from 0"),
    ],
)
def test_what_is_no_pair(pairs, message):
    with pytest.raises(InputError) as caught:
        pair_indices(pairs, 2, 3)
    assert str(caught.value) == message

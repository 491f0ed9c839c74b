"""The run that Figs. 1 to 5 are drawn from."""

import numpy as np
import pytest

from repro.errors import ReproError
from repro.reorder.numbering import Numbering
from repro.reorder.toy import Toy


@pytest.fixture(scope="module")
def toy() -> Toy:
    return Toy.run("GATTACA", "GCATG", 2)


def test_launches_are_block_anti_diagonals(toy):
    i, j = np.indices((7, 5))
    assert np.array_equal(toy.launch["unoptimised"], i // 2 + j // 2 + 1)
    assert np.array_equal(toy.launch["optimised"], (i + j) // 2 + j // 2 + 1)


def test_the_renumbered_matrix_holds_the_same_scores_and_unused_words(toy):
    row_major, renumbered = (np.array(toy.memory[name], float) for name in ("unoptimised", "optimised"))
    numbering = Numbering(7, 5)
    assert np.array_equal(~np.isnan(renumbered), numbering.used())
    assert np.array_equal(numbering.restore(renumbered), row_major)
    assert row_major[0].tolist() == [1, 0, -1, -2, -3]


def test_the_alignment_scores_what_the_last_element_says(toy):
    assert toy.alignment == "=IIX=XX"
    assert toy.memory["unoptimised"][-1][-1] == 2 - 2


def test_a_wrong_matrix_is_an_error(monkeypatch):
    monkeypatch.setattr("repro.reorder.toy.fill_matrix", lambda a, b, scoring: np.zeros((len(a) + 1, len(b) + 1)))
    with pytest.raises(ReproError, match="unoptimised: the toy matrix is not that of the reference"):
        Toy.run("ACG", "AG", 2)

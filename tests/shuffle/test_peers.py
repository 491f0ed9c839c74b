"""parasail's scores, by its C interface on all cores, equal the reference's."""

import numpy as np
import pytest

from repro.errors import InputError
from repro.shuffle import peers, reference
from repro.shuffle.scheme import Scheme
from tests.shuffle.batches import MATRIX, SCHEME_NAMES, SCHEMES, letters, million_pairs, random_batch
from tests.shuffle.test_on_gpu import SUMS, reads_of

pytest.importorskip("parasail")


@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_NAMES)
def test_scores_of_all_pairs(scheme):
    queries, subjects = random_batch(7, 20, 300)
    expected = reference.scores(queries, subjects, "all", scheme)
    assert peers.parasail_scores(queries, subjects, "all", scheme).tolist() == expected.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_NAMES)
def test_scores_of_a_million_random_pairs(scheme):
    """Those that test_on_gpu.py takes."""
    queries, subjects = million_pairs()
    expected = reference.scores(queries, subjects, "zip", scheme)
    assert np.array_equal(peers.parasail_scores(queries, subjects, "zip", scheme), expected)


@pytest.mark.slow
@pytest.mark.parametrize("length", SUMS)
@pytest.mark.parametrize(("number", "scheme"), list(enumerate(SCHEMES)), ids=SCHEME_NAMES)
def test_sums_of_real_reads(number, scheme, length):
    queries, subjects = reads_of(length)
    assert peers.parasail_scores(queries, subjects, "all", scheme).sum(dtype=np.int64) == SUMS[length][number]


def test_a_matrix_and_an_index_list():
    queries, subjects = random_batch(8, 20, 100)
    chosen = np.random.default_rng(1).integers(0, 20, (150, 2))
    for mode in ("global", "semi-global", "local"):
        scheme = Scheme(mode, gap_open=7, gap_extend=3, matrix=MATRIX)
        expected = reference.scores(queries, subjects, chosen, scheme)
        assert peers.parasail_scores(queries, subjects, chosen, scheme).tolist() == expected.tolist()


def test_scores_beyond_16_bits_take_wider_lanes():
    repeat = letters("CG" * 20_000)
    scheme = Scheme("semi-global", gap_open=10)
    assert peers.parasail_scores(repeat, repeat, "all", scheme).tolist() == [[80_000]]


def test_scores_beyond_32_bits_are_refused():
    with pytest.raises(InputError, match="more than 32 bits hold"):
        peers.parasail_scores(letters("ACGT"), letters("ACGT"), "zip", Scheme(match=2**30))

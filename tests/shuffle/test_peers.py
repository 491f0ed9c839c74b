"""parasail's and SeqAn's scores, on all cores, equal the reference's."""

import numpy as np
import pytest

from repro.errors import InputError
from repro.shuffle import reference
from repro.shuffle.letters import encode
from repro.shuffle.parasail_peer import parasail_scores
from repro.shuffle.peers import not_installed
from repro.shuffle.scheme import Scheme
from repro.shuffle.seqan_peer import _program, seqan_scores
from tests.shuffle.batches import MATRIX, SCHEME_NAMES, SCHEMES, letters, million_pairs, random_batch
from tests.shuffle.test_on_gpu import SUMS, reads_of

parasail = pytest.mark.skipif("parasail" in not_installed(), reason="parasail is not installed")
seqan = pytest.mark.skipif("seqan" in not_installed(), reason="SeqAn is not installed")


@parasail
@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_NAMES)
def test_scores_of_all_pairs(scheme):
    queries, subjects = random_batch(7, 20, 300)
    expected = reference.scores(queries, subjects, "all", scheme)
    assert parasail_scores(queries, subjects, "all", scheme).tolist() == expected.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_NAMES)
def test_scores_of_a_million_random_pairs(scheme):
    """Those that test_on_gpu.py takes."""
    queries, subjects = million_pairs()
    expected = reference.scores(queries, subjects, "zip", scheme)
    assert np.array_equal(parasail_scores(queries, subjects, "zip", scheme), expected)


@pytest.mark.slow
@pytest.mark.parametrize("length", SUMS)
@pytest.mark.parametrize(("number", "scheme"), list(enumerate(SCHEMES)), ids=SCHEME_NAMES)
def test_sums_of_real_reads(number, scheme, length):
    queries, subjects = reads_of(length)
    assert parasail_scores(queries, subjects, "all", scheme).sum(dtype=np.int64) == SUMS[length][number]


@parasail
def test_a_matrix_and_an_index_list():
    queries, subjects = random_batch(8, 20, 100)
    chosen = np.random.default_rng(1).integers(0, 20, (150, 2))
    for mode in ("global", "semi-global", "local"):
        scheme = Scheme(mode, gap_open=7, gap_extend=3, matrix=MATRIX)
        expected = reference.scores(queries, subjects, chosen, scheme)
        assert parasail_scores(queries, subjects, chosen, scheme).tolist() == expected.tolist()


@parasail
def test_scores_beyond_16_bits_take_wider_lanes():
    repeat = letters("CG" * 20_000)
    scheme = Scheme("semi-global", gap_open=10)
    assert parasail_scores(repeat, repeat, "all", scheme).tolist() == [[80_000]]


@parasail
def test_scores_beyond_32_bits_are_refused():
    with pytest.raises(InputError, match="more than 32 bits hold"):
        parasail_scores(letters("ACGT"), letters("ACGT"), "zip", Scheme(match=2**30))


@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_NAMES)
def test_sequences_with_an_empty_one(scheme):
    lengths = np.arange(4)
    nothing = encode([np.zeros(0, np.uint8)])
    expected = [reference.score(letters("ACG"[:length])[0], nothing[0], scheme) for length in lengths]
    assert scheme.against_nothing(lengths).tolist() == expected


# A mode and a gap model take its compiler half a minute.
@seqan
@pytest.mark.parametrize(
    "scheme",
    [
        scheme if name in ("global-linear", "local-affine") else pytest.param(scheme, marks=pytest.mark.slow)
        for name, scheme in zip(SCHEME_NAMES, SCHEMES, strict=True)
    ],
    ids=SCHEME_NAMES,
)
def test_scores_of_all_pairs_and_of_an_index_list_by_seqan(scheme):
    queries, subjects = random_batch(7, 20, 300)
    expected = reference.scores(queries, subjects, "all", scheme)
    assert seqan_scores(queries, subjects, "all", scheme).tolist() == expected.tolist()
    chosen = np.random.default_rng(1).integers(0, 20, (150, 2))
    assert seqan_scores(queries, subjects, chosen, scheme).tolist() == expected[*chosen.T].tolist()
    queries, subjects = letters("AAACC", "", "", "ACGT" * 20), letters("AACCA", "AACCA", "", "")
    expected = reference.scores(queries, subjects, "all", scheme)
    assert seqan_scores(queries, subjects, "all", scheme).tolist() == expected.tolist()


@seqan
def test_the_program_of_seqan_is_compiled_once(monkeypatch):
    pair = letters("ACGT"), letters("ACCT")
    score = seqan_scores(*pair, "zip", SCHEMES[0]).tolist()
    _program.cache_clear()  # as in another process
    monkeypatch.setattr("repro.shuffle.seqan_peer.subprocess.run", lambda *a, **b: pytest.fail("compiled again"))
    assert (
        seqan_scores(*pair, "zip", SCHEMES[0]).tolist() == score == reference.scores(*pair, "zip", SCHEMES[0]).tolist()
    )


@seqan
@pytest.mark.slow
def test_scores_beyond_16_bits_take_wider_lanes_by_seqan():
    repeat = letters("CG" * 20_000)
    assert seqan_scores(repeat, repeat, "all", Scheme("local", gap_open=10)).tolist() == [[80_000]]


def test_what_seqan_is_not_given():
    with pytest.raises(InputError, match="more than 32 bits hold"):
        seqan_scores(letters("ACGT"), letters("ACGT"), "zip", Scheme(match=2**30))
    with pytest.raises(InputError, match="no matrix"):
        seqan_scores(letters("ACGT"), letters("ACGT"), "zip", Scheme(matrix=MATRIX))


def test_a_program_that_is_not_there_is_said_with_what_brings_it(monkeypatch):
    monkeypatch.setattr("repro.shuffle.peers.importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("repro.shuffle.peers.seqan_installed", lambda: False)
    assert not_installed() == {
        "parasail": "pip install '.[test]' brings it",
        "seqan": "its headers do (Debian: apt install libseqan2-dev)",
    }

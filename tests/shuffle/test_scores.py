"""Every variant gives the reference's scores and parasail's, on every device and in every thread order."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.device import open_device
from repro.errors import InputError
from repro.shuffle import engine, packed, reference
from repro.shuffle.align import scores
from repro.shuffle.letters import Letters, encode
from repro.shuffle.parasail_peer import parasail_scores
from repro.shuffle.scheme import Scheme
from repro.shuffle.variants import VARIANTS
from tests.conftest import ORDERS
from tests.shuffle.batches import BYTES, MATRIX, SCHEME_NAMES, SCHEMES, letters, random_batch

schemes = pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_NAMES)
variants = pytest.mark.parametrize("variant", VARIANTS)
SMALL = {"fp32": {"columns": 4}, "half2": {"columns": 4}}


def run(device, variant, queries, subjects, pairs, scheme):
    found = VARIANTS[variant]
    return found.run(device, queries, subjects, pairs, scheme, False, **found.complete(SMALL.get(variant, {})))


@variants
@schemes
def test_batches_of_mixed_lengths(device, variant, scheme):
    queries, subjects = random_batch(1, 13, 150)
    for pairs in ("all", "zip"):
        outcome = run(device, variant, queries, subjects, pairs, scheme)
        assert np.array_equal(outcome.scores, reference.scores(queries, subjects, pairs, scheme))
        assert np.array_equal(outcome.scores, parasail_scores(queries, subjects, pairs, scheme))
        m, n = queries.lengths, subjects.lengths
        assert outcome.cells == (m.sum() * n.sum() if pairs == "all" else (m * n).sum())
        assert outcome.types == {{"auto": "s16x2"}.get(variant, variant): outcome.scores.size}


SEQUENCES = st.lists(st.lists(st.sampled_from(BYTES.tolist()), max_size=40), min_size=1, max_size=5)
SCORES = st.integers(-4, 5)
ROW = st.tuples(SCORES, SCORES, SCORES, SCORES, SCORES)
MATRICES = st.none() | st.tuples(ROW, ROW, ROW, ROW, ROW)


def encoded(sequences) -> Letters:
    return encode([np.array(sequence, np.uint8) for sequence in sequences])


@pytest.mark.parametrize("mode", ["global", "semi-global", "local"])
@settings(max_examples=20, deadline=None)
@given(queries=SEQUENCES, subjects=SEQUENCES, gap=st.sampled_from(["linear", "affine"]), matrix=MATRICES)
def test_any_batch_and_matrix(mode, queries, subjects, gap, matrix):
    q, s = encoded(queries), encoded(subjects)
    scheme = Scheme(mode, gap, matrix=matrix)
    expected = reference.scores(q, s, "all", scheme)
    assert np.array_equal(expected, parasail_scores(q, s, "all", scheme))
    for order in ORDERS:
        device = open_device("emulator", thread_order=order)
        for variant in VARIANTS:
            assert np.array_equal(run(device, variant, q, s, "all", scheme).scores, expected), (variant, order)


@pytest.mark.parametrize("mode", ["global", "semi-global", "local"])
@pytest.mark.parametrize("mismatch", [-2, -3])
def test_gaps_beside_gaps(mode, mismatch):
    """Beyond two further letters of gaps a mismatch is dearer than both: AC with GT has no pair then."""
    scheme = Scheme(mode, mismatch=mismatch, gap_open=1)
    queries, subjects = random_batch(5, 7, 90)
    expected = reference.scores(queries, subjects, "all", scheme)
    device = open_device("emulator", thread_order="random")
    for method in packed.methods(scheme):  # local scores as halves, and as integers
        found = engine.run(device, queries, subjects, "all", [method], packed.widths(device, subjects))
        assert np.array_equal(found.scores, expected)


@schemes
def test_the_shapes_of_a_gpu(scheme):
    """32 columns of a thread, where the emulator has 8."""
    queries, subjects = random_batch(2, 9, 100)
    device = open_device("emulator", thread_order="random")
    small = packed.shape_of(device, scheme, 100, every=True)
    shape = replace(small, lanes=4, columns=packed.COLUMNS["cuda"], permuted=2 * small.permuted)
    found = engine.run(device, queries, subjects, "all", packed.methods(scheme, shape), np.array([128]))
    assert np.array_equal(found.scores, reference.scores(queries, subjects, "all", scheme))


@variants
@schemes
def test_subjects_wider_than_a_stage(variant, scheme):
    rng = np.random.default_rng(3)
    queries = encode([rng.choice(BYTES, m) for m in (70, 5, 0, 33)])
    subjects = encode([rng.choice(BYTES, n) for n in (700, 300, 280, 1)])
    device = open_device("emulator", thread_order="reverse")
    for pairs in ("all", "zip"):
        outcome = run(device, variant, queries, subjects, pairs, scheme)
        assert np.array_equal(outcome.scores, reference.scores(queries, subjects, pairs, scheme))


@variants
@pytest.mark.parametrize("gap", ["linear", "affine"])
def test_subjects_a_letter_wider_than_stages(variant, gap):
    rng = np.random.default_rng(4)
    subjects = encode([rng.choice(BYTES, 32 * columns + 1) for columns in (1, 2, 4, 8, 12, 16, 24, 32)])
    queries = encode([rng.choice(BYTES, m) for m in (9, 40)])
    outcome = run(open_device("emulator"), variant, queries, subjects, "all", Scheme("global", gap))
    assert np.array_equal(outcome.scores, reference.scores(queries, subjects, "all", Scheme("global", gap)))


@variants
@pytest.mark.parametrize("gap", ["linear", "affine"])
def test_an_unknown_letter_in_any_column(variant, gap):
    """Gaps cost more than it, so that alignments go through it, and what bytes tell of it is not 0."""
    scheme = Scheme("local", gap, gap_extend=3)
    text = np.random.default_rng(7).choice(BYTES[:4], 60)
    unknown = [np.r_[text[:place], BYTES[8], text[place + 1 :]] for place in range(10, 50)]
    queries, subjects = encode([text, *unknown[10:12]]), encode(unknown)
    outcome = run(open_device("emulator"), variant, queries, subjects, "all", scheme)
    assert np.array_equal(outcome.scores, reference.scores(queries, subjects, "all", scheme))


@variants
@pytest.mark.parametrize("gap", ["linear", "affine"])
def test_a_subjects_end_that_fits_the_beginning_of_a_query_much_longer_than_its_neighbour(variant, gap):
    rng, scheme = np.random.default_rng(5), Scheme("semi-global", gap)
    fits, more, other = (rng.choice(BYTES[:4], letters) for letters in (20, 60, 50))
    queries, subjects = encode([np.concatenate([fits, more]), more[:50]]), encode([np.append(other[:30], fits), other])
    outcome = run(open_device("emulator"), variant, queries, subjects, "zip", scheme)
    assert np.array_equal(outcome.scores, reference.scores(queries, subjects, "zip", scheme))


@pytest.mark.parametrize(("variant", "mode"), [("half2", "semi-global"), ("auto", "global"), ("auto", "local")])
def test_lengths_from_nothing_to_100_000(variant, mode):
    scheme, rng = Scheme(mode), np.random.default_rng(13)
    lengths = [(100_001, 3), (0, 100_001), (4, 100_001), (100_001, 0), (30, 30), (0, 0), (20_000, 5)]
    queries, subjects = (encode([rng.choice(BYTES, n) for n in side]) for side in zip(*lengths, strict=True))
    outcome = run(open_device("emulator"), variant, queries, subjects, "zip", scheme)
    assert np.array_equal(outcome.scores, reference.scores(queries, subjects, "zip", scheme))
    assert sum(outcome.types.values()) == len(lengths)


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["fp32", "half2", "s16x2"])
def test_stages_hand_their_borders_on_without_a_race(variant):
    rng = np.random.default_rng(12)
    queries, subjects = (encode([rng.choice(BYTES, n) for n in lengths]) for lengths in ((37, 80), (900, 450)))
    device = open_device("emulator", thread_order="random", instrument="races")
    for pairs in ("all", "zip"):
        outcome = run(device, variant, queries, subjects, pairs, SCHEMES[3])
        assert np.array_equal(outcome.scores, reference.scores(queries, subjects, pairs, SCHEMES[3]))


@variants
@pytest.mark.parametrize("scheme", SCHEMES[1::2], ids=SCHEME_NAMES[1::2])
def test_warps_of_64_threads(variant, scheme):
    queries, subjects = random_batch(4, 7, 90)
    device = open_device("emulator", thread_order="random", warp_size=64)
    for pairs in ("all", "zip"):
        outcome = run(device, variant, queries, subjects, pairs, scheme)
        assert np.array_equal(outcome.scores, reference.scores(queries, subjects, pairs, scheme))


@pytest.mark.parametrize("mode", ["global", "semi-global", "local"])
@pytest.mark.parametrize(
    ("match", "narrow", "wide"), [(20, "half2", "fp32"), (2**17, "fp32", "int32"), (2**22, "int32", "int64")]
)
def test_a_type_that_is_too_narrow_gives_way(mode, match, narrow, wide):
    """Two copies of a long sequence need more than the type holds, those of a short one do not."""
    rng = np.random.default_rng(5)
    text = rng.choice(BYTES[:4], 140)
    queries = encode([text[:70], text])
    scheme = Scheme(mode, match=match)
    device = open_device("emulator")
    outcome = run(device, "half2", queries, queries, "zip", scheme)
    assert outcome.scores.tolist() == [70 * match, 140 * match]
    assert outcome.types == {narrow: 1, wide: 1}
    assert outcome.scores.dtype == (np.int64 if wide == "int64" else np.int32)
    assert run(device, "auto", queries, queries, "all", scheme).scores.diagonal().tolist() == [70 * match, 140 * match]


def test_a_local_score_beyond_2047_is_computed_again(device):
    """Of long sequences only those that are similar enough reach it: 140 letters at 15 are 2,100."""
    rng = np.random.default_rng(6)
    texts = [rng.choice(BYTES[:4], 140) for _ in range(3)]
    queries = encode(texts)
    scheme = Scheme("local", match=15, mismatch=-10, gap_open=12, gap_extend=3)
    for pairs in ("all", "zip"):
        outcome = run(device, "auto", queries, queries, pairs, scheme)
        assert np.array_equal(outcome.scores, reference.scores(queries, queries, pairs, scheme))
        assert outcome.types == {"s16x2": outcome.scores.size}
        assert outcome.cells == (outcome.scores.size + 3) * 140**2


@pytest.mark.parametrize("variant", ["half2", "auto"])
@pytest.mark.parametrize("order", ORDERS)
def test_batches_larger_than_memory_stream_through(variant, order, monkeypatch):
    monkeypatch.setattr("repro.shuffle.pieces.SMALLEST", 10)
    queries, subjects = random_batch(7, 40, 60)
    device = open_device("emulator", thread_order=order, memory_bytes=40_000)
    for pairs in ("all", "zip", np.random.default_rng(8).integers(0, 40, (90, 2))):
        found = run(device, variant, queries, subjects, pairs, SCHEMES[1]).scores
        assert np.array_equal(found, reference.scores(queries, subjects, pairs, SCHEMES[1]))
    assert device.memory_used < 40_000


@variants
def test_an_index_list_in_any_order(device, variant):
    queries, subjects = random_batch(9, 12, 80)
    pairs = np.random.default_rng(10).integers(0, 12, (31, 2))
    whole = run(device, variant, queries, subjects, "all", SCHEMES[3]).scores
    found = run(device, variant, queries, subjects, pairs, SCHEMES[3]).scores
    assert found.tolist() == whole[pairs[:, 0], pairs[:, 1]].tolist()
    assert run(device, variant, queries, subjects, pairs[:0], SCHEMES[3]).scores.shape == (0,)


@variants
def test_known_scores(device, variant):
    def score(query, subject, **scheme):
        return run(device, variant, letters(query), letters(subject), "all", Scheme(**scheme)).scores.tolist()

    assert score("ACTGA", "ACGA") == [[6]]
    assert score("ACGTN", "ACGTN") == [[7]]  # N equals nothing, itself included
    assert score("acgtACGT", "ACGTacgt") == [[16]]
    assert score("", "AA") == [[-3]]
    assert score("AA", "") == [[-3]]
    assert score("", "") == [[0]]
    assert score("A", "C", mode="semi-global") == [[0]]
    assert score("AAAACG", "TTTTCG", mode="semi-global") == [[0]]  # no floor inside
    assert score("AAAACG", "TTTTCG", mode="local") == [[4]]
    assert score("", "AA", mode="local") == [[0]]
    assert run(device, variant, letters(), letters("A"), "all", Scheme()).scores.shape == (0, 1)


def test_a_matrix_over_all_letters(device):
    queries, subjects = random_batch(11, 9, 70)
    for scheme in SCHEMES:
        scheme = replace(scheme, matrix=MATRIX)
        for variant in ("half2", "auto"):
            found = run(device, variant, queries, subjects, "all", scheme).scores
            assert np.array_equal(found, reference.scores(queries, subjects, "all", scheme))


def test_what_is_no_variant_or_setting():
    device, batch = open_device("emulator"), letters("ACGT")
    with pytest.raises(InputError, match="no variant 'fp64'; choose one of: fp32, half2, s16x2, auto"):
        scores(device, batch, batch, "all", Scheme(), "fp64")
    with pytest.raises(InputError, match="variant fp32: columns = 6 is no multiple of 4"):
        scores(device, batch, batch, "all", Scheme(), "fp32", columns=6)
    assert scores(device, batch, batch, "all", Scheme()).tolist() == [[8]]

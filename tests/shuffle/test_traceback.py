"""Alignments on every device are those of the reference, letter by letter, and add up to their scores."""

import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.device import open_device
from repro.errors import InputError
from repro.shuffle import stored
from repro.shuffle.align import alignments
from repro.shuffle.letters import Letters
from repro.shuffle.scheme import Scheme
from repro.shuffle.units import batches
from repro.shuffle.variants import VARIANTS
from tests.conftest import ORDERS
from tests.shuffle.batches import MATRIX, SCHEME_NAMES, SCHEMES, assert_as_reference, letters, random_batch, schemes

DEVICES = {order: open_device("emulator", thread_order=order, seed=6) for order in ORDERS}
DEVICE = DEVICES["random"]
MODES = ["global", "semi-global", "local"]
TEXT = st.text("ACGTNacgt", max_size=60)


@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_NAMES)
def test_pairs_of_mixed_lengths(device, scheme):
    queries, subjects = random_batch(5, 25, 60)
    assert_as_reference(alignments(device, queries, subjects, "zip", scheme), queries, subjects, "zip", scheme)


@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_NAMES)
def test_all_with_all(device, scheme):
    queries, subjects = random_batch(6, 5, 60)
    outcome = VARIANTS["auto"].run(device, queries, subjects, "all", scheme, True)
    assert outcome.scores.shape == (5, 5)
    assert outcome.cells == queries.lengths.sum() * subjects.lengths.sum()
    assert_as_reference(outcome.alignments, queries, subjects, "all", scheme)


@pytest.mark.parametrize("variant", ["fp32", "half2"])
@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_NAMES)
def test_stored_predecessors_and_hirschbergs_division(device, scheme, variant):
    queries, subjects = random_batch(5, 12, 150)
    found = alignments(device, queries, subjects, "zip", scheme, variant)
    assert_as_reference(found, queries, subjects, "zip", scheme)


@pytest.mark.parametrize("variant", ["fp32", "half2"])
@settings(max_examples=25, deadline=None)
@given(
    pairs=st.lists(st.tuples(st.text("ACGTN", max_size=90), st.text("ACN", max_size=90)), min_size=1, max_size=4),
    mode=st.sampled_from(["global", "semi-global", "local"]),
    match=st.integers(0, 5),
    mismatch=st.integers(-5, 1),
    order=st.sampled_from(ORDERS),
)
def test_any_scores_of_letters(pairs, mode, match, mismatch, order, variant):
    queries, subjects = letters(*(q for q, _ in pairs)), letters(*(s for _, s in pairs))
    scheme = Scheme(mode, match=match, mismatch=mismatch)
    found = alignments(DEVICES[order], queries, subjects, "zip", scheme, variant)
    assert_as_reference(found, queries, subjects, "zip", scheme)


@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ("A", "C" * 200 + "A" + "G" * 100),
        ("T" * 300, "T"),
        ("T" * 3000, "TC"),
        ("ACG", "T" * 400),
        ("A" * 90, "C" * 80),
    ],
)
def test_division_down_to_single_rows(query, subject):
    for mode in ("global", "semi-global", "local"):
        scheme = Scheme(mode)
        found = alignments(DEVICE, letters(query), letters(subject), "zip", scheme, "fp32")
        assert_as_reference(found, letters(query), letters(subject), "zip", scheme)


def test_division_of_subjects_wider_than_a_stage():
    queries, subjects = random_batch(9, 5, 400)
    found = alignments(DEVICE, queries, subjects, "zip", Scheme(), "fp32")
    assert_as_reference(found, queries, subjects, "zip", Scheme())


@pytest.mark.parametrize("variant", ["fp32", "half2"])
def test_gaps_across_rows_that_a_pass_keeps(variant):
    """Letters that the subject lacks, more of them than there are rows of a strip, in front of any column."""
    rng = np.random.default_rng(3)
    subject, more = ("".join(rng.choice(list("ACGT"), length)) for length in (130, 170))
    places = [0, 1, 2, *range(60, 69), 129, 130]
    queries, subjects = letters(*(subject[:p] + more + subject[p:] for p in places)), letters(*[subject] * len(places))
    for mode in MODES:
        scheme = Scheme(mode, match=3)
        found = alignments(DEVICE, queries, subjects, "zip", scheme, variant)
        assert_as_reference(found, queries, subjects, "zip", scheme)


@pytest.mark.parametrize("variant", ["fp32", "half2"])
def test_alignments_that_end_around_a_row_that_a_pass_keeps(variant):
    """Of 200 rows it keeps every fortieth."""
    query = "".join(np.random.default_rng(4).choice(list("ACGT"), 200))
    ends = [39, 40, 41, 42, 80, 81, 82, 121, 161, 200]
    queries, subjects = letters(*[query] * len(ends)), letters(*("T" * 50 + query[:end] for end in ends))
    for mode in MODES:
        found = alignments(DEVICE, queries, subjects, "zip", Scheme(mode), variant)
        assert_as_reference(found, queries, subjects, "zip", Scheme(mode))


def test_scores_beyond_a_float_are_divided_in_integers():
    queries, subjects = random_batch(10, 6, 90)
    for match in (2**20, 2**29):
        scheme = Scheme(match=match)
        outcome = VARIANTS["half2"].run(DEVICE, queries, subjects, "zip", scheme, True, columns=16)
        assert set(outcome.types) & {"int32", "int64"}
        assert_as_reference(outcome.alignments, queries, subjects, "zip", scheme)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), max_size=5), schemes(few_gaps=True), st.sampled_from(ORDERS))
def test_any_scheme(pairs, scheme, order):
    queries, subjects = letters(*(q for q, _ in pairs)), letters(*(s for _, s in pairs))
    found = alignments(DEVICES[order], queries, subjects, "zip", scheme)
    assert_as_reference(found, queries, subjects, "zip", scheme)


@pytest.mark.parametrize("scheme", [Scheme("global"), Scheme("local", "linear"), Scheme("semi-global")], ids=str)
def test_subjects_wider_than_a_stage(scheme):
    queries, subjects = random_batch(9, 6, 1200)
    assert_as_reference(alignments(DEVICE, queries, subjects, "zip", scheme), queries, subjects, "zip", scheme)


@pytest.mark.parametrize(("match", "kind"), [(700, "int32"), (2**29, "int64")])
def test_scores_beyond_16_and_32_bits(device, match, kind):
    queries, subjects = random_batch(10, 8, 60)
    scheme = Scheme(match=match, mismatch=-match, gap_open=match, gap_extend=match // 2)
    outcome = VARIANTS["auto"].run(device, queries, subjects, "zip", scheme, True)
    assert kind in outcome.types
    assert_as_reference(outcome.alignments, queries, subjects, "zip", scheme)


@pytest.mark.parametrize("gap", ["linear", "affine"])
def test_local_alignments_of_a_letter_where_gaps_and_unequal_letters_are_dear(device, gap):
    queries, subjects = letters("GGGA", "T" * 40 + "C", "ACGT"), letters("CCCCA", "G" * 30 + "C" * 9, "TTTTTTTTT")
    scheme = Scheme("local", gap, match=1, mismatch=-40_000, gap_extend=40_000)
    assert_as_reference(alignments(device, queries, subjects, "all", scheme), queries, subjects, "all", scheme)


def test_kinds_of_one_batch_have_words_of_their_own():
    queries = subjects = letters("ACG", "ACGT" * 10, "TG", "GATTACA" * 4)
    for match, kinds in ((700, {"s16x2", "int32"}), (2**26, {"int32", "int64"})):
        scheme = Scheme(match=match, mismatch=-match, gap_open=match, gap_extend=match // 2)
        outcome = VARIANTS["auto"].run(DEVICE, queries, subjects, "all", scheme, True)
        assert set(outcome.types) == kinds
        assert_as_reference(outcome.alignments, queries, subjects, "all", scheme)


def test_an_index_list_and_a_matrix(device):
    queries, subjects = random_batch(11, 9, 60)
    pairs = np.random.default_rng(2).integers(0, 9, (20, 2))
    scheme = Scheme(gap_open=7, gap_extend=3, matrix=MATRIX)
    assert_as_reference(alignments(device, queries, subjects, pairs, scheme), queries, subjects, pairs, scheme)


@pytest.mark.parametrize("gap", ["linear", "affine"])
def test_local_alignments_with_a_matrix_of_small_scores(device, gap):
    queries, subjects = random_batch(14, 40, 60)
    matrix = ((2, -1, 0, -1, -1), (-1, 2, -1, 1, -1), (0, -1, 1, -1, -1), (-1, 0, -1, 3, -1), (1, -1, -1, 0, 1))
    scheme = Scheme("local", gap, matrix=matrix)
    assert_as_reference(alignments(device, queries, subjects, "zip", scheme), queries, subjects, "zip", scheme)


def test_batches_larger_than_memory_stream_through():
    device = open_device("emulator", memory_bytes=60_000)
    queries, subjects = random_batch(12, 40, 60)
    found = alignments(device, queries, subjects, "zip", Scheme())
    assert device.counters.launches > 4
    assert_as_reference(found, queries, subjects, "zip", Scheme())


@pytest.mark.parametrize("scheme", [Scheme(), Scheme("local")], ids=str)
def test_an_alignment_larger_than_memory_is_divided(scheme):
    """Its checkpoints are 138,240 bytes; those of the short ones beside it fit."""
    device = open_device("emulator", memory_bytes=60_000)
    large, small = random_batch(13, 1, 500), random_batch(14, 2, 60)
    queries, subjects = (
        Letters(np.concatenate([a.codes, b.codes]), np.concatenate([a.offsets, len(a.codes) + b.offsets[1:]]))
        for a, b in zip(large, small, strict=True)
    )
    outcome = VARIANTS["auto"].run(device, queries, subjects, "zip", scheme, True)
    assert outcome.types == {"s16x2": 2, "fp32": 1}
    assert_as_reference(outcome.alignments, queries, subjects, "zip", scheme)


ENDS = "ACGTACGT", "TTGCATTGCA"
GAPS = letters("".join(ENDS), ("G" * 50).join(ENDS), "C" * 60 + ENDS[0], ENDS[0] + "T" * 45)


LONG_GAPS = [Scheme("global", "linear"), *(Scheme(mode, gap_open=3, gap_extend=0) for mode in MODES)]


@pytest.mark.parametrize("scheme", LONG_GAPS, ids=[f"{scheme.mode}-{scheme.gap}" for scheme in LONG_GAPS])
def test_gaps_longer_than_a_block_or_a_word(device, scheme):
    assert_as_reference(alignments(device, GAPS, GAPS, "all", scheme), GAPS, GAPS, "all", scheme)


DEAR_GAPS = [Scheme(mode, gap_open=9, gap_extend=2) for mode in ("global", "local")]


def with_scores(scheme: Scheme, match: int, mismatch: int) -> Scheme:
    return Scheme(scheme.mode, scheme.gap, match, mismatch, scheme.gap_open, scheme.gap_extend)


def largest_match(scheme: Scheme) -> int:
    """Up to which bytes tell the edges of a block."""
    few = np.array([40])
    return max(match for match in range(64) if stored.fits(DEVICE, with_scores(scheme, match, -1), few, few)[0])


@pytest.mark.parametrize("scheme", SCHEMES + DEAR_GAPS, ids=lambda scheme: f"{scheme.mode}-{scheme.first}")
def test_the_largest_gains_that_bytes_tell_and_the_first_beyond(scheme):
    """Equal runs with gaps longer than a block between them, and what is nothing alike."""
    parts = "ACGTACGTACGTACGTAC", "TTGCATTNCATGCA"
    texts = letters("".join(parts), ("G" * 30).join(parts), parts[1] * 2, "C" * 39 + "N", parts[0] + "T" * 24 + "N")
    largest = largest_match(scheme)
    assert largest >= 3
    for match, mismatch in ((largest, -largest), (largest, 1), (largest + 1, -1)):
        given = with_scores(scheme, match, mismatch)
        assert_as_reference(alignments(DEVICE, texts, texts, "all", given), texts, texts, "all", given)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), scheme=st.sampled_from(SCHEMES + DEAR_GAPS), seed=st.integers(0, 2**32 - 1))
def test_any_gains_that_bytes_tell(data, scheme, seed):
    match, mismatch = data.draw(st.integers(0, largest_match(scheme))), data.draw(st.integers(-12, 2))
    given = with_scores(scheme, match, mismatch)
    queries, subjects = random_batch(seed, 6, 60)
    assert_as_reference(alignments(DEVICE, queries, subjects, "zip", given), queries, subjects, "zip", given)


def test_long_queries_among_short_ones_have_launches_of_their_own():
    queries, subjects = random_batch(14, 40, 60)
    few = letters("ACGT" * 300, "", "GATTACA" * 40)
    queries = Letters(
        np.concatenate([few.codes, queries.codes]), np.append(few.offsets, few.offsets[-1] + queries.offsets[1:])
    )
    subjects = Letters(subjects.codes, np.concatenate([subjects.offsets, subjects.offsets[-1:].repeat(3)]))
    device = open_device("emulator", memory_bytes=2_000_000)
    for pairs in ("zip", "all"):
        assert_as_reference(alignments(device, queries, subjects, pairs, Scheme()), queries, subjects, pairs, Scheme())


@pytest.mark.parametrize("most", [2, 8])
@pytest.mark.parametrize("scheme", [Scheme("global", "linear"), Scheme("semi-global")], ids=str)
def test_a_block_takes_queries_one_after_the_other(scheme, most, monkeypatch):
    """Of 7 queries, with 19 subjects: two warps of 16 each, 13 of them standing for the last one."""
    monkeypatch.setattr("repro.device.emulator.EmulatedKernel.most_resident_blocks", lambda *_: 1)
    monkeypatch.setattr(stored, "WAVES", 1)
    monkeypatch.setattr(stored, "MOST_QUERIES", most)
    (queries, _), (_, subjects) = random_batch(15, 7, 60, others=False), random_batch(16, 19, 60)
    assert_as_reference(alignments(DEVICE, queries, subjects, "all", scheme), queries, subjects, "all", scheme)


@pytest.mark.parametrize(("mode", "launches"), [("global", 3), ("local", 6)])
def test_queries_with_other_letters_are_computed_with_the_others_where_gains_are_bytes(mode, launches):
    device, scheme = open_device("emulator"), Scheme(mode, "linear")
    queries, subjects = letters("ACGTT", "GATTACANGATTACA", "ACGT" * 5), letters("ACGTTACG", "TTACANG")
    assert_as_reference(alignments(device, queries, subjects, "all", scheme), queries, subjects, "all", scheme)
    assert device.counters.launches == launches


def test_what_a_copy_reads_is_kept_until_its_batch_is_done(monkeypatch):
    """Page-locked memory that is let go is given to the next batch, maybe before it has been copied."""
    monkeypatch.setattr("repro.shuffle.units.MOST_UNITS", 1)
    device = open_device("emulator")
    copy_in, host_array, finish = device.copy_in, device.host_array, device.finish
    of_batches: list[list[weakref.ref]] = [[]]

    def watched_array(shape, dtype):
        assert all(reference() is not None for batch in of_batches for reference in batch)
        return host_array(shape, dtype)

    def watched_copy(array, values, after=()):
        if len(of_batches[-1]) == 2:
            of_batches.append([])
        of_batches[-1].append(weakref.ref(values))
        return copy_in(array, values, after)

    def watched_finish(event):
        of_batches.pop(0)
        finish(event)

    for name, watched in (("host_array", watched_array), ("copy_in", watched_copy), ("finish", watched_finish)):
        monkeypatch.setattr(device, name, watched)
    queries, subjects = letters(*["ACGT"] * 6), letters(*["ACGT" * 80] * 6)
    assert_as_reference(alignments(device, queries, subjects, "zip", Scheme()), queries, subjects, "zip", Scheme())


def test_nothing_against_more_than_a_kernel_takes():
    queries, subjects = letters("", "ACGT" * 80, ""), letters("ACGT" * 80, "", "")
    for mode in MODES:
        found = alignments(DEVICE, queries, subjects, "zip", Scheme(mode))
        assert_as_reference(found, queries, subjects, "zip", Scheme(mode))


def test_empty_sequences_and_batches(device):
    queries, subjects = letters("", "AA", ""), letters("ACG", "", "")
    found = alignments(device, queries, subjects, "zip", Scheme())
    assert (found.score.tolist(), [found.cigar(i) for i in range(3)]) == ([-4, -3, 0], ["3D", "2I", ""])
    assert_as_reference(found, queries, subjects, "zip", Scheme())
    assert len(alignments(device, letters(), letters("A"), "all", Scheme())) == 0


def test_units_of_all_with_all_share_their_query():
    queries = np.repeat([0, 1, 2], 3)
    m, n = np.array([20, 30, 20])[queries], np.tile([10, 12, 90], 3)
    found = list(batches(Scheme(), queries, m, n, True, 10**9, 32))
    members = [pair for batch in found for pair in batch.members.tolist()]
    assert all(queries[a] == queries[b] for a, b in members)
    assert sorted({i for pair in members for i in pair}) == list(range(9))
    assert {batch.lanes for batch in found} == {4, 8}


def test_what_is_no_batch_is_refused(device):
    with pytest.raises(InputError, match="choose one of: fp32, half2, s16x2, auto"):
        alignments(device, letters("A"), letters("A"), "zip", Scheme(), variant="fastest")

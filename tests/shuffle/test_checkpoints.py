"""Alignments of long subjects, each by many warps, are those of the reference, however warps and threads take turns."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.device import open_device
from repro.shuffle import reference
from repro.shuffle.align import alignments, scores
from repro.shuffle.letters import Letters, encode
from repro.shuffle.scheme import Scheme
from repro.shuffle.units import batches, kinds_of, layout_words
from repro.shuffle.variants import VARIANTS
from tests.conftest import NO_GPU, ORDERS
from tests.shuffle.batches import BYTES, SCHEME_NAMES, SCHEMES, assert_as_reference, letters, mutated, random_batch

STAGE = 512  # columns of a warp
DEAR = 20_000  # times the scores: 32 bits for all alignments of up to 10,000 letters
DEVICES = {order: open_device("emulator", thread_order=order, seed=7) for order in ORDERS}
schemes = pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_NAMES)


def dear(scheme: Scheme, factor: int = DEAR) -> Scheme:
    gap_open = None if scheme.gap_open is None else scheme.gap_open * factor
    return replace(
        scheme,
        match=scheme.match * factor,
        mismatch=scheme.mismatch * factor,
        gap_open=gap_open,
        gap_extend=scheme.gap_extend * factor,
    )


def alike(seed: int, count: int, longest: int) -> tuple[Letters, Letters]:
    """Pairs of which one has a tenth of the other's letters changed, and 100 letters in one place more."""
    rng = np.random.default_rng(seed)
    texts = [rng.choice(BYTES, rng.integers(2 * longest // 3, longest)) for _ in range(count)]
    copies = [mutated(rng, np.insert(text, len(text) // 2, text[:100]), 0.1) for text in texts]
    return encode([*texts[::2], *copies[1::2]]), encode([*copies[::2], *texts[1::2]])


@schemes
def test_paths_through_many_stages(device, scheme):
    queries, subjects = alike(1, 2, 1500)
    outcome = VARIANTS["auto"].run(device, queries, subjects, "zip", dear(scheme), True)
    assert outcome.types == {"int32": 2}
    assert_as_reference(outcome.alignments, queries, subjects, "zip", dear(scheme))


TEXT = st.text("ACGTN", min_size=1, max_size=40)
WIDE = st.tuples(TEXT, st.integers(STAGE, 3 * STAGE), st.sampled_from("ACN"), TEXT, st.integers(0, 200))


@schemes
@settings(max_examples=8, deadline=None)
@given(
    pairs=st.lists(st.tuples(TEXT, WIDE), min_size=1, max_size=3),
    match=st.integers(1, 5),
    mismatch=st.integers(-4, 1),
    extend=st.integers(0, 3),
    opening=st.integers(0, 4),
)
def test_any_short_query_with_wide_subjects(scheme, pairs, match, mismatch, extend, opening):
    """Columns of one letter between two texts: every stage hands on what the path may come from."""
    gap_open = None if scheme.gap == "linear" else extend + opening
    given_scheme = dear(replace(scheme, match=match, mismatch=mismatch, gap_open=gap_open, gap_extend=extend))
    queries = letters(*(query + subject[3] for query, subject in pairs))
    subjects = letters(
        *(first + filler * width + last + filler * end for _, (first, width, filler, last, end) in pairs)
    )
    for order in ORDERS:
        found = alignments(DEVICES[order], queries, subjects, "zip", given_scheme)
        assert_as_reference(found, queries, subjects, "zip", given_scheme)


@schemes
def test_of_equal_ends_the_first_is_taken(scheme):
    """A period of four letters: equal scores in many rows and columns, which different threads find."""
    queries = letters("ACGT" * 12, "ACGT" * 200, "C" * 30)
    subjects = letters("ACGT" * 400, "TACG" * 180 + "A", "G" * 200 + "C" * 900)
    assert_as_reference(
        alignments(DEVICES["random"], queries, subjects, "zip", dear(scheme)), queries, subjects, "zip", dear(scheme)
    )


@pytest.mark.parametrize("scheme", [SCHEMES[1], SCHEMES[2]], ids=["global-affine", "semi-global-linear"])
def test_gaps_longer_than_what_is_computed_ahead(scheme):
    rng = np.random.default_rng(3)
    text = rng.choice(BYTES[:4], 900)
    queries = encode([text, np.insert(text, 450, np.full(700, BYTES[0]))])
    subjects = encode([np.insert(text, 450, np.full(700, BYTES[0])), text])
    assert_as_reference(
        alignments(DEVICES["reverse"], queries, subjects, "zip", dear(scheme)), queries, subjects, "zip", dear(scheme)
    )


@pytest.mark.parametrize("scheme", [SCHEMES[3], SCHEMES[4]], ids=["semi-global-affine", "local-linear"])
def test_pairs_in_16_bits_and_launches_of_their_own_for_short_subjects(scheme):
    queries, subjects = alike(5, 5, 1300)
    outcome = VARIANTS["auto"].run(DEVICES["random"], queries, subjects, "zip", scheme, True)
    assert outcome.types == {"s16x2": 5}
    assert_as_reference(outcome.alignments, queries, subjects, "zip", scheme)
    few, others = random_batch(6, 6, 60)
    queries, subjects, scheme = encode([*queries, *few]), encode([*subjects, *others]), replace(scheme, match=40)
    outcome = VARIANTS["auto"].run(DEVICES["random"], queries, subjects, "zip", scheme, True)
    assert outcome.types == {"s16x2": 6, "int32": 5}
    assert_as_reference(outcome.alignments, queries, subjects, "zip", scheme)


def test_64_bits_and_warps_of_64_threads():
    queries, subjects = alike(7, 2, 1500)
    device = open_device("emulator", thread_order="random", warp_size=64)
    scheme = dear(Scheme("local"), 2**29)
    outcome = VARIANTS["auto"].run(device, queries, subjects, "zip", scheme, True)
    assert outcome.types == {"int64": 2}
    assert_as_reference(outcome.alignments, queries, subjects, "zip", scheme)


def test_copies_wait_for_launches_that_may_use_the_memory_they_go_to(monkeypatch):
    """What a batch of other words kept is let go while launches use it: the next one's arrays may lie there."""
    device = open_device("emulator")
    record, copy_in = device.record, device.copy_in
    recorded = []

    def noted_record():
        recorded.append((record(), device.counters.launches))
        return recorded[-1][0]

    def watched_copy(array, values, after=()):
        now = device.counters.launches
        assert any(event is earlier and launches == now for event, launches in recorded for earlier in after)
        return copy_in(array, values, after)

    monkeypatch.setattr(device, "record", noted_record)
    monkeypatch.setattr(device, "copy_in", watched_copy)
    queries = subjects = letters("ACG", "ACGT" * 10, "TG", "GATTACA" * 4)
    scheme = Scheme(match=700, mismatch=-700, gap_open=700, gap_extend=350)
    outcome = VARIANTS["auto"].run(device, queries, subjects, "all", scheme, True)
    assert set(outcome.types) == {"s16x2", "int32"}
    assert_as_reference(outcome.alignments, queries, subjects, "all", scheme)


@pytest.mark.slow
def test_edges_are_handed_on_without_a_race():
    queries, subjects = alike(8, 2, 700)
    device = open_device("emulator", thread_order="random", instrument="races")
    scheme = dear(SCHEMES[3])
    assert_as_reference(alignments(device, queries, subjects, "zip", scheme), queries, subjects, "zip", scheme)


def test_stages_follow_their_left_neighbours_and_long_units_come_first():
    m, n = np.array([900, 30, 800, 700]), np.array([3 * STAGE, STAGE, STAGE + 1, 2 * STAGE])
    scheme = dear(Scheme())
    shared, alone = batches(scheme, np.arange(4), m, n, False, 10**9, 32)
    if len(shared.stages) == 0:
        shared, alone = alone, shared
    assert (alone.members.tolist(), alone.stages.shape) == ([[1]], (0, 2))
    units = shared.members[shared.stages[:, 0], 0].tolist()
    # as if the later stages had 690 and 480, 520 and 455 rows
    assert list(zip(units, shared.stages[:, 1].tolist(), strict=True)) == [
        *((0, 0), (2, 0), (3, 0), (0, 1)),
        *((2, 1), (0, 2), (3, 1)),
    ]


@schemes
def test_an_edge_takes_a_word_for_each_row_of_a_stage_and_kind_of_value(scheme):
    m, n = np.array([100]), np.array([3 * STAGE])
    rows, stripes, gaps = 144, 96, 1 + (scheme.gap == "affine")  # of 9 blocks: the last lane begins 31 steps late
    ends = {"global": 0, "semi-global": 16 * stripes, "local": 9 * stripes}[scheme.mode]
    assert layout_words(scheme, 32, m, n).tolist() == [2 * gaps * stripes * rows + ends + 2 * gaps * rows]


@pytest.mark.cuda
@pytest.mark.skipif(bool(NO_GPU), reason=NO_GPU)
@schemes
def test_alignments_of_up_to_100_000_letters(scheme):
    """They add up to their scores, which are those of another kernel."""
    rng = np.random.default_rng(9)
    texts = [rng.choice(BYTES[:4], length) for length in (100_000, 8_192, 20_000, 9_000, 50_000)]
    copies = [mutated(rng, text, 0.15) for text in texts[:3]] + [rng.choice(BYTES, 12_000), texts[4][20_000:45_000]]
    queries, subjects = encode(texts), encode(copies)
    device = open_device("cuda")
    assert set(kinds_of(scheme, queries.lengths, subjects.lengths)) <= {0, 1}
    found = alignments(device, queries, subjects, "zip", scheme)
    assert np.array_equal(found.score, scores(device, queries, subjects, "zip", scheme))
    assert np.array_equal(reference.rescore(queries, subjects, "zip", scheme, found), found.score)

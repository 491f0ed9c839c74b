"""The division of `fp32` and `half2`: strips, what is divided again, little memory, and types that are exact."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.device import open_device
from repro.shuffle.align import alignments
from repro.shuffle.scheme import Scheme
from repro.shuffle.variants import VARIANTS
from tests.conftest import ORDERS
from tests.shuffle.batches import SCHEMES, letters, random_batch
from tests.shuffle.test_traceback import assert_as_reference

DEVICES = {order: open_device("emulator", thread_order=order, seed=6) for order in ORDERS}
DEVICE = DEVICES["random"]
MODES = ["global", "semi-global", "local"]
GAPS = letters("ACGTACGT" + "G" * 200 + "TTGCA", "A", "C" * 180 + "ACGTACGTTTGCA")


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    longest=st.sampled_from([140, 200, 300]),
    scheme=st.sampled_from(SCHEMES),
    variant=st.sampled_from(["fp32", "half2"]),
    order=st.sampled_from(ORDERS),
)
def test_any_lengths(seed, longest, scheme, variant, order):
    queries, subjects = random_batch(seed, 5, longest)
    found = alignments(DEVICES[order], queries, subjects, "zip", scheme, variant)
    assert_as_reference(found, queries, subjects, "zip", scheme)


@pytest.mark.parametrize("variant", ["fp32", "half2"])
@pytest.mark.parametrize("mode", MODES)
def test_gaps_that_cross_several_strips(mode, variant):
    """They begin and end inside strips, and go along borders."""
    scheme = Scheme(mode, gap_open=3, gap_extend=0)
    found = alignments(DEVICE, GAPS, GAPS, "all", scheme, variant)
    assert_as_reference(found, GAPS, GAPS, "all", scheme)


@pytest.mark.parametrize("mode", MODES)
def test_cells_of_every_pass_are_counted(mode):
    """256 letters: the whole, then stored predecessors of five strips of 43 rows and one of 41.

    What may begin and end anywhere has a pass that finds where, however small it is.
    """
    text = letters("ACGT" * 64)
    outcome = VARIANTS["fp32"].run(DEVICE, text, text, "zip", Scheme(mode), True, columns=16)
    assert outcome.cells == 256**2 + 5 * 43**2 + 41**2
    small = VARIANTS["fp32"].run(DEVICE, letters("ACG"), letters("ACG"), "zip", Scheme(mode), True, columns=16)
    assert small.cells == 9 * (1 + (mode != "global"))


@pytest.mark.parametrize("variant", ["fp32", "half2"])
@pytest.mark.parametrize("mode", MODES)
def test_little_memory_divides_into_two_strips_at_a_time(mode, variant):
    """300 rows: in 150, 75, 38."""
    device = open_device("emulator", memory_bytes=40_000, thread_order="random", seed=1)
    queries, subjects = letters("ACGT" * 75, "CCGT" * 70), letters("ACGGT" * 62, "ACGT" * 60)
    outcome = VARIANTS[variant].run(device, queries, subjects, "zip", Scheme(mode), True, columns=16)
    assert outcome.cells > queries.lengths @ subjects.lengths * 1.7
    assert_as_reference(outcome.alignments, queries, subjects, "zip", Scheme(mode))


def test_a_type_holds_what_rectangles_inside_a_local_matrix_score():
    """Aligned from corner to corner they may score less than any local alignment."""
    queries, subjects = random_batch(3, 4, 400)
    for extend, kind in ((1, "half2"), (5, "fp32")):
        scheme = Scheme("local", gap_open=6, gap_extend=extend)
        outcome = VARIANTS["half2"].run(DEVICE, queries, subjects, "zip", scheme, True, columns=16)
        assert kind in outcome.types
        assert_as_reference(outcome.alignments, queries, subjects, "zip", scheme)


@pytest.mark.parametrize(("columns", "kind"), [(2**14 - 1, "half2"), (2**14, "fp32")])
def test_subjects_whose_columns_need_more_than_16_bits(columns, kind):
    """Free gaps, so that half precision holds the scores: the query's letters lie at both ends."""
    scheme = Scheme(gap_open=0, gap_extend=0, match=1)
    query, subject = letters("ACGTACGTACG"), letters("ACGTAC" + "T" * (columns - 11) + "GTACG")
    outcome = VARIANTS["half2"].run(DEVICE, query, subject, "zip", scheme, True, columns=16)
    assert outcome.types == {kind: 1}
    assert outcome.alignments.cigar(0) == f"6={columns - 11}D5="
    assert_as_reference(outcome.alignments, query, subject, "zip", scheme)

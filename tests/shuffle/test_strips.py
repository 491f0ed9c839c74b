"""strips.cu, many warps to a matrix, gives the reference's scores whatever is drawn, however strips are shared out."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.device import open_device
from repro.shuffle import engine, packed, paper, reference, strips
from repro.shuffle.letters import Letters, encode
from repro.shuffle.paper import KERNELS
from repro.shuffle.parasail_peer import parasail_scores
from repro.shuffle.ranges import fits_as_integers
from repro.shuffle.scheme import Scheme
from repro.shuffle.variants import VARIANTS
from tests.conftest import ORDERS
from tests.shuffle.batches import BYTES, MATRIX, SCHEME_NAMES, SCHEMES, mutated, random_batch

schemes = pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_NAMES)
ANY_WIDTH = np.array([2**20])


def run(device, queries, subjects, pairs, scheme) -> engine.Outcome:
    """By strips whatever they can compute, which is all but empty sequences."""
    methods = [strips.method(device, scheme, preferred=False), paper.method("int32", scheme, 4)]
    return engine.run(device, queries, subjects, pairs, methods, ANY_WIDTH)


def similar(seed: int, letters: int, others: bool = False) -> tuple[Letters, Letters]:
    """Two long sequences that are alike, and two that are not."""
    rng = np.random.default_rng(seed)
    alphabet = BYTES if others else BYTES[:8]
    text = rng.choice(alphabet, letters)
    copy = mutated(rng, text, 0.1)
    if not others:
        copy = np.where(np.isin(copy, BYTES[8:]), BYTES[0], copy)
    return encode([text, rng.choice(alphabet, letters // 2)]), encode([copy, rng.choice(alphabet, letters // 3)])


@schemes
def test_strips_in_any_order_of_threads(device, scheme):
    """Long enough for several rebasings: a strip of 512 columns, 128 rows between two of them."""
    queries, subjects = similar(1, 800)
    for pairs in ("all", "zip"):
        found = run(device, queries, subjects, pairs, scheme)
        assert np.array_equal(found.scores, reference.scores(queries, subjects, pairs, scheme))
        assert found.types == {strips.NAME: found.scores.size}


@schemes
def test_gaps_from_strip_to_strip_in_any_row_and_ends_in_any_part_of_a_strip(scheme):
    rng = np.random.default_rng(8)
    text, more = rng.choice(BYTES[:4], 300), rng.choice(BYTES[:4], 900)
    crossed = [np.concatenate([text[:row], more, text[row:]]) for row in range(148, 152)]
    ends = [np.concatenate([more[: 600 - place], text[:90], more[:place]]) for place in range(0, 600, 90)]
    queries, subjects = encode([*[text] * 4, *[text[:90]] * 7]), encode([*crossed, *ends])
    found = run(open_device("emulator"), queries, subjects, "zip", scheme)
    assert np.array_equal(found.scores, reference.scores(queries, subjects, "zip", scheme))


@pytest.mark.parametrize(
    ("rows", "counts", "first", "share", "expected", "long_items"),
    [
        # 900 and 690 rows, then two alignments of 500 in their order before 480, the second of which goes on with 325
        ([900, 500, 500], [3, 1, 2], 4, 1, [(0, 4), (0, 5), (1, 4), (2, 4), (0, 6), (2, 5)], 6),
        ([900, 800], [4, 2], 0, 1, [(0, 0), (1, 0), (0, 1), (0, 2), (1, 1), (0, 3)], 6),
        # the first list: 3,600 of 5,400 are 67 %, with 800 more 81 %
        ([500, 900, 800], [2, 4, 1], 0, 0.85, [(1, 0), (2, 0), (1, 1), (1, 2), (1, 3), (0, 0), (0, 1)], 5),
        ([500, 900, 800], [2, 4, 1], 0, 0.8, [(1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (0, 0), (0, 1)], 4),
        ([900], [2], 0, 0.7, [(0, 0), (0, 1)], 2),
    ],
)  # fmt: skip
def test_strips_follow_their_left_neighbours_and_long_alignments_come_first(
    rows, counts, first, share, expected, long_items
):
    *found, longer = strips._items(np.array(rows), np.array(counts), first, share)
    assert list(zip(*map(np.ndarray.tolist, found), strict=True)) == expected
    assert longer == long_items


TAKE = """#include "strips_items.cuh"
extern "C" __global__ void take(int* next_item, int* taken, int long_items, int items) {
    while (true) {
        int item = next_of(next_item, long_items, items, is_preferred());
        if (item >= items) return;
        atomicAdd(taken + item, 1);
    }
}
"""


@pytest.fixture(scope="module")
def take(tmp_path_factory):
    folder = tmp_path_factory.mktemp("take")
    shutil.copy(KERNELS / "strips_items.cuh", folder)
    (folder / "take.cu").write_text(TAKE)
    return folder / "take.cu"


def test_every_strip_is_taken_once(device, take):
    kernel = device.compile(take, {"WARPS": 4})["take"]
    for long_items in (0, 30, 93, 100):
        taken = device.zeros(110, np.int32)
        kernel(8, 1, device.zeros(2, np.int32), taken, long_items, 100)
        assert taken.get().tolist() == [1] * 100 + [0] * 10, long_items


@schemes
@pytest.mark.parametrize("letters", [1, 64, 300, 512 + 63, 512 + 257])
def test_first_strips_are_as_narrow_as_they_can_be(scheme, letters):
    """Strips are 512 columns wide and a part of them 256; 600 rows are many more than the lanes of a strip fill."""
    rng = np.random.default_rng(letters)
    subjects = encode([rng.choice(BYTES[:8], letters)])
    queries = encode([mutated(rng, rng.choice(BYTES[:8], 600), 0.1)])
    found = run(open_device("emulator", thread_order="random"), queries, subjects, "all", scheme)
    assert np.array_equal(found.scores, reference.scores(queries, subjects, "all", scheme))


@pytest.mark.parametrize("mode", ["global", "semi-global", "local"])
def test_strips_are_narrower_where_letters_score_more(mode):
    """Half as wide where 15 bits would not hold what lies between the middle of a strip and its edges."""
    queries, subjects = similar(9, 700, others=True)
    scheme = Scheme(mode, match=20, mismatch=-10, gap_open=12, gap_extend=10)
    device = open_device("emulator", thread_order="random")
    assert strips._columns(device, scheme) < strips._columns(device, Scheme(mode))
    found = run(device, queries, subjects, "all", scheme)
    assert np.array_equal(found.scores, reference.scores(queries, subjects, "all", scheme))
    assert found.types == {strips.NAME: 4}


@pytest.mark.parametrize("scheme", [SCHEMES[0], SCHEMES[3], SCHEMES[5]], ids=str)
def test_letters_that_are_none_of_four(scheme):
    queries, subjects = random_batch(2, 7, 600)
    device = open_device("emulator", thread_order="random")
    for given_scheme in (scheme, replace(scheme, matrix=MATRIX)):
        found = run(device, queries, subjects, "all", given_scheme)
        assert np.array_equal(found.scores, reference.scores(queries, subjects, "all", given_scheme))


TEXT = st.lists(st.sampled_from(BYTES[:4].tolist()), min_size=1, max_size=300)
SEQUENCES = st.lists(TEXT, min_size=1, max_size=3)
SCORES = st.integers(-2, 5)  # one specialisation for each mode: no gain is below that of -2
ROW = st.tuples(SCORES, SCORES, SCORES, SCORES, st.just(-2))


@pytest.mark.parametrize("scheme", SCHEMES[1::2], ids=SCHEME_NAMES[1::2])
@settings(max_examples=15, deadline=None)
@given(queries=SEQUENCES, subjects=SEQUENCES, matrix=st.tuples(ROW, ROW, ROW, ROW, st.just((-2,) * 5)))
def test_any_batch_and_matrix(scheme, queries, subjects, matrix):
    scheme = replace(scheme, matrix=matrix)
    q, s = (encode([np.array(text, np.uint8) for text in texts]) for texts in (queries, subjects))
    expected = reference.scores(q, s, "all", scheme)
    assert np.array_equal(expected, parasail_scores(q, s, "all", scheme))
    for order in ORDERS:
        device = open_device("emulator", thread_order=order)
        assert np.array_equal(run(device, q, s, "all", scheme).scores, expected), order


@pytest.mark.parametrize("scheme", [SCHEMES[2], SCHEMES[5]], ids=str)
@pytest.mark.parametrize("memory_bytes", [20_000, 60_000, 150_000])
def test_strips_whose_edges_do_not_fit_follow_in_further_launches(scheme, memory_bytes):
    queries, subjects = similar(3, 900)
    device = open_device("emulator", thread_order="reverse", memory_bytes=memory_bytes)
    found = run(device, queries, subjects, "all", scheme).scores
    assert np.array_equal(found, reference.scores(queries, subjects, "all", scheme))


def test_warps_of_64_threads():
    queries, subjects = similar(4, 700)
    device = open_device("emulator", thread_order="random", warp_size=64)
    found = run(device, queries, subjects, "all", SCHEMES[3]).scores
    assert np.array_equal(found, reference.scores(queries, subjects, "all", SCHEMES[3]))


@pytest.mark.slow
def test_edges_are_handed_on_without_a_race():
    queries, subjects = similar(5, 600)
    device = open_device("emulator", thread_order="random", instrument="races")
    found = run(device, queries, subjects, "all", SCHEMES[3]).scores
    assert np.array_equal(found, reference.scores(queries, subjects, "all", SCHEMES[3]))


def test_auto_divides_long_pairs_of_a_list_and_what_leaves_16_bits():
    device = open_device("emulator")
    queries, subjects = similar(6, 800)
    for pairs, expected in (("zip", {strips.NAME: 1, "s16x2": 1}), ("all", {"s16x2": 4})):
        found = VARIANTS["auto"].run(device, queries, subjects, pairs, Scheme(), False)
        assert np.array_equal(found.scores, reference.scores(queries, subjects, pairs, Scheme()))
        assert found.types == expected
    dear = Scheme("semi-global", match=20, mismatch=-10, gap_open=12, gap_extend=12)
    found = VARIANTS["auto"].run(device, queries, queries, "all", dear, False)
    assert found.scores.diagonal().tolist() == [16_000, 8_000]
    assert found.types == {strips.NAME: 1, "s16x2": 3}


def test_scores_that_no_strip_holds_take_wider_numbers():
    """Between two rebasings 300 a cell are more than 15 bits, and more than a byte."""
    queries, subjects = similar(7, 600)
    scheme = Scheme(match=300)
    found = VARIANTS["auto"].run(open_device("emulator"), queries, subjects, "zip", scheme, False)
    assert np.array_equal(found.scores, reference.scores(queries, subjects, "zip", scheme))
    assert strips.NAME not in found.types


@pytest.mark.parametrize("gap", ["linear", "affine"])
def test_local_scores_as_integers(gap):
    """15 bits where halves have 11: two copies of 150 letters at 20 score 3,000."""
    scheme = Scheme("local", gap, match=20)
    queries, subjects = similar(8, 150, others=True)
    queries = encode([queries[0], queries[1]])
    assert fits_as_integers(scheme, queries.lengths, queries.lengths).all()
    for order in ORDERS:
        device = open_device("emulator", thread_order=order)
        for pairs in ("all", "zip"):
            methods = packed.methods(scheme)[-1:]
            found = engine.run(device, queries, subjects, pairs, methods, packed.widths(device, subjects))
            assert np.array_equal(found.scores, reference.scores(queries, subjects, pairs, scheme))

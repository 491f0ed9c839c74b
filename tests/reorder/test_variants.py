"""Every variant gives the best score and the alignment of the documented tie-break, in every order of threads."""

import numpy as np
import pytest
from Bio.Align import PairwiseAligner
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.device import open_device
from repro.errors import DeviceError, InputError
from repro.reorder.alignment import Alignment
from repro.reorder.numbering import Numbering
from repro.reorder.reference import align, best_score, fill_matrix, trace_back
from repro.reorder.schedule import renumbered_launches, row_major_launches
from repro.reorder.scoring import Scoring
from repro.reorder.variants import KERNELS, RENUMBERED, ROW_MAJOR, VARIANTS, fill

variants = pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.name)
PAPER = Scoring()
scorings = st.builds(Scoring, st.integers(-3, 5), st.integers(-5, 3), st.integers(0, 4))


def letters(text: bytes) -> np.ndarray:
    return np.frombuffer(text, np.uint8)


def run(variant, device, a, b, scoring=PAPER, **given):
    chosen = {"match": scoring.match, "mismatch": scoring.mismatch, "gap": scoring.gap, **given}
    return variant.run(device, a, b, **variant.complete(chosen))


def biopython_score(a: np.ndarray, b: np.ndarray, scoring: Scoring) -> float:
    aligner = PairwiseAligner(
        mode="global", match_score=scoring.match, mismatch_score=scoring.mismatch, gap_score=-scoring.gap
    )
    return aligner.score(a.tobytes(), b.tobytes())


@st.composite
def pairs(draw) -> tuple[np.ndarray, np.ndarray]:
    """Two sequences over 1 to 256 symbols; half of the time the second is the first one with a stretch replaced."""
    symbols = st.integers(0, draw(st.sampled_from([0, 1, 3, 19, 255])))
    text = st.lists(symbols, min_size=1, max_size=draw(st.sampled_from([3, 40, 300]))).map(bytes)
    a = draw(text)
    start, length = draw(st.integers(0, len(a))), draw(st.integers(0, 5))
    b = a[:start] + draw(text)[:5] + a[start + length :] if draw(st.booleans()) else draw(text)
    return letters(a), letters(b)


@variants
@settings(max_examples=50, deadline=None)
@given(pair=pairs(), scoring=scorings, data=st.data())
def test_random_pairs_against_biopython_and_the_reference(variant, pair, scoring, data):
    a, b = pair
    block = {"block_size": data.draw(st.integers(1, 80))} if "block_size" in variant.settings else {}
    matrix = fill_matrix(a, b, scoring)
    for order in ("forward", "reverse", "random"):
        outcome = run(variant, open_device("emulator", thread_order=order), a, b, scoring, **block)
        assert outcome.score == matrix[-1, -1] == biopython_score(a, b, scoring)
        assert outcome.alignment.columns == trace_back(matrix, a, b, scoring)
        assert outcome.alignment.score(a, b, scoring) == outcome.score
        assert outcome.cells == len(a) * len(b)


@settings(max_examples=50, deadline=None)
@given(pair=pairs(), scoring=scorings)
def test_the_references_agree_with_each_other(pair, scoring):
    matrix = fill_matrix(*pair, scoring)
    assert best_score(*pair, scoring) == matrix[-1, -1]
    assert align(*pair, scoring) == trace_back(matrix, *pair, scoring)


@variants
@pytest.mark.parametrize(("m", "n"), [(1, 700), (700, 1), (129, 128), (128, 129), (260, 519), (333, 131)])
def test_shapes_that_fill_squares_strips_and_windows_partly(device, variant, m, n):
    rng = np.random.default_rng(m * 1000 + n)
    a, b = (rng.choice(letters(b"ACGT"), length) for length in (m, n))
    scoring = Scoring(2, -1, 1)
    outcome = run(variant, device, a, b, scoring)
    matrix = fill_matrix(a, b, scoring)
    assert outcome.score == matrix[-1, -1]
    assert outcome.alignment.columns == trace_back(matrix, a, b, scoring)


@variants
@pytest.mark.parametrize("block_size", [32, 64, 1024])
def test_block_sizes_of_the_paper(device, variant, block_size):
    if "block_size" not in variant.settings:
        pytest.skip("a warp per strip, whatever the size")
    rng = np.random.default_rng(block_size)
    a, b = (rng.choice(letters(b"ACGT"), length) for length in (1100, 90))
    assert run(variant, device, a, b, block_size=block_size).score == best_score(a, b, Scoring())


@variants
@pytest.mark.parametrize(
    ("a", "b", "scoring", "score", "cigar"),
    [
        (b"ACTGA", b"ACGA", Scoring(2, -1, 1), 7, "2=1I2="),
        (b"ACGA", b"ACTGA", Scoring(2, -1, 1), 7, "2=1D2="),
        (b"A", b"A", Scoring(), 1, "1="),
        (b"A", b"C", Scoring(), 0, "1X"),
        (b"A", b"C", Scoring(1, -3, 1), -2, "1D1I"),  # up before left, from the end
        (b"AA", b"A", Scoring(), 0, "1I1="),  # diagonally first, from the end
        (b"", b"AA", Scoring(), -2, "2D"),
        (b"AA", b"", Scoring(1, 0, 3), -6, "2I"),
        (b"", b"", Scoring(), 0, ""),
        (b"ACGT" * 100, b"ACGT" * 100, Scoring(), 400, "400="),
        (b"A" * 300, b"C" * 7, Scoring(), -293, "293I7X"),
        (b"\0\xff\0", b"\xff\0\xff", Scoring(1, 0, 0), 2, "1D2=1I"),
        (b"AC" * 40, b"AC" * 40, Scoring(10**6, 0, 10**6), 80 * 10**6, "80="),
    ],
)
def test_known_pairs(device, variant, a, b, scoring, score, cigar):
    outcome = run(variant, device, letters(a), letters(b), scoring)
    assert (outcome.score, outcome.alignment.cigar) == (score, cigar)


@variants
def test_the_traceback_can_be_left_out(device, variant):
    assert run(variant, device, letters(b"ACGTT"), letters(b"ACTT"), traceback=0).alignment is None
    assert run(variant, device, letters(b""), letters(b"A"), traceback=0).alignment is None


@variants
def test_scores_that_32_bits_may_not_hold_are_refused(variant):
    device = open_device("emulator")
    a = np.full(500, ord("A"), np.uint8)
    with pytest.raises(InputError, match=r"scores up to 3,000,000,000 .* 500 and 500 letters .* use smaller scores"):
        run(variant, device, a, a, Scoring(10**6, 0, 10**6))
    assert device.counters.launches == 0
    assert run(variant, device, a, a, Scoring(10**6, 0, 573_741)).score == 500 * 10**6


def test_the_matrix_of_scores_is_that_of_the_reference(device):
    rng = np.random.default_rng(7)
    a, b = (rng.choice(letters(b"ACGT"), length) for length in (61, 45))
    scoring, numbering = Scoring(3, -2, 2), Numbering(61, 45)
    expected = fill_matrix(a, b, scoring)[1:, 1:]
    on_device = device.upload(a), device.upload(b)
    for layout in (ROW_MAJOR, RENUMBERED):
        *_, (matrix, _) = fill(device, *on_device, scoring, layout, 16)
        found = numbering.restore(matrix.get()) if layout.renumbered else matrix.get()
        assert np.array_equal(found, expected), layout.kernel


@pytest.mark.parametrize("block_size", [32, 100])
def test_launches_and_threads(device, block_size):
    a, b = np.full(300, ord("A"), np.uint8), np.full(210, ord("C"), np.uint8)
    for name, launches in (("unoptimised", row_major_launches), ("optimised", renumbered_launches)):
        before = device.counters.copy()
        run(VARIANTS[name], device, a, b, block_size=block_size, traceback=0)
        counted = device.counters.since(before)
        expected = list(launches(300, 210, block_size))
        assert counted.launches == len(expected)
        assert counted.threads == block_size * sum(launch.squares for launch in expected)
        assert (counted.reads, counted.writes) == (1, 2)


def test_memory_is_that_of_the_formulas():
    device = open_device("emulator")
    a, b = np.full(300, ord("A"), np.uint8), np.full(210, ord("C"), np.uint8)
    numbering = Numbering(300, 210)
    allocated = {name: run(variant, device, a, b).allocated_bytes for name, variant in VARIANTS.items()}
    assert allocated["unoptimised"] == 4 * 300 * 210 + 510
    assert allocated["optimised"] - allocated["unoptimised"] == 4 * numbering.extra_words
    words = Numbering(75, 64)  # tiles of 4 x 4, in two strips of 32
    assert allocated["compact"] == 4 * words.words + 4 * 300 + (300 + 256) + 4 + 16
    assert device.memory_used == 0


@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
def test_strips_wait_for_the_edge_of_the_one_to_their_left(order, monkeypatch):
    """Strips on several host threads at once, as a GPU runs them on several multiprocessors."""
    monkeypatch.setattr("repro.device.emulator.INLINE_THREADS", 0)
    rng = np.random.default_rng(5)
    a, b = (rng.choice(letters(b"ACGT"), length) for length in (690, 800))
    outcome = run(VARIANTS["compact"], open_device("emulator", thread_order=order, workers=4), a, b)
    assert outcome.score == best_score(a, b, PAPER)
    assert outcome.alignment.columns == align(a, b, PAPER)


@pytest.mark.parametrize("shared", [1, 8, 17])
@pytest.mark.parametrize("backwards", [False, True])
def test_a_path_may_cross_a_strips_edge_in_the_first_or_last_rows(shared, backwards):
    rng = np.random.default_rng(shared)
    first, rest = (rng.choice(letters(b"ACGT"), length) for length in (shared, 290))
    a, b = np.concatenate([first, rest]), np.concatenate([first, np.full(140 - shared, ord("N"), np.uint8), rest[:150]])
    if backwards:
        a, b = a[::-1].copy(), b[::-1].copy()
    scoring = Scoring(5, -4, 1)
    outcome = run(VARIANTS["compact"], open_device("emulator"), a, b, scoring)
    assert outcome.score == best_score(a, b, scoring)
    assert outcome.alignment.columns == align(a, b, scoring)


def test_every_edge_begins_as_not_yet_written(device):
    edges, next_strip = device.empty(1000, np.int32), device.empty(1, np.int32)
    begin = device.compile(KERNELS / "compact.cu", {"EXCHANGED": False})["reorder_compact_begin"]
    begin(3, 64, edges, 1000, next_strip)
    assert set(edges.get().tolist()) == {-1}
    assert next_strip.get().tolist() == [0]


def test_compact_needs_the_same_memory_whichever_sequence_is_longer():
    device = open_device("emulator")
    a, b = np.full(3000, ord("A"), np.uint8), np.full(90, ord("A"), np.uint8)
    tall, wide = (run(VARIANTS["compact"], device, *pair) for pair in ((a, b), (b, a)))
    assert tall.allocated_bytes == wide.allocated_bytes < 130_000
    assert (tall.score, tall.alignment.cigar) == (90 - 2910, "2910I90=")
    assert (wide.score, wide.alignment.cigar) == (90 - 2910, "2910D90=")


def test_what_does_not_fit_the_memory_is_refused():
    a = np.full(1000, ord("A"), np.uint8)
    assert run(VARIANTS["compact"], open_device("emulator", memory_bytes=10**6), a, a).score == 1000
    for name in ("unoptimised", "optimised"):
        with pytest.raises(DeviceError, match="use a smaller input or a larger memory budget"):
            run(VARIANTS[name], open_device("emulator", memory_bytes=10**6), a, a)


def test_an_alignment_that_is_none_is_found_out():
    a, b = letters(b"ACGT"), letters(b"AGT")
    assert Alignment("=I==").score(a, b, Scoring(5, 0, 2)) == 13
    with pytest.raises(ValueError, match="does not use up"):
        Alignment("===").score(a, b, Scoring())
    with pytest.raises(ValueError, match="calls letters equal"):
        Alignment("==I=").score(a, b, Scoring())


@variants
@pytest.mark.parametrize("instrument", ["races", "sanitize"])
def test_no_access_is_out_of_bounds_or_unordered(variant, instrument):
    rng = np.random.default_rng(3)
    a, b = (rng.choice(letters(b"ACGT"), length) for length in (150, 299))  # two strips of `compact`
    block = {"block_size": 48} if "block_size" in variant.settings else {}
    device = open_device("emulator", thread_order="random", instrument=instrument)
    assert run(variant, device, a, b, **block).score == best_score(a, b, PAPER)

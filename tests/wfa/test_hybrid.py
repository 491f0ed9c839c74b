"""The engines of `hybrid`, each forced at every similarity, against edlib."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from repro.device import open_device
from repro.wfa import bidirectional
from repro.wfa.bidirectional import APART, LONG, SHORT, Bidirectional
from repro.wfa.bit_parallel import MOST_ROWS_OF_TABLE, Problems, solve
from repro.wfa.hybrid import CLOSER_PROBE, PROBE, band_of, by_bit_parallel, estimated_distance, hybrid, probing
from repro.wfa.packing import FURTHER, PackedPair
from tests.conftest import ORDERS
from tests.wfa.test_variants import edlib_distance


@st.composite
def pairs(draw) -> tuple[np.ndarray, np.ndarray]:
    """Strings of 1 to 3,000 letters, from unrelated to identical; each number of bits is a kernel to compile."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    symbols = draw(st.sampled_from([1, 3, 4, 256]))
    longest = draw(st.sampled_from([5, 70, 1100, 3000]))
    a = rng.integers(0, symbols, draw(st.integers(1, longest))).astype(np.uint8)
    if draw(st.booleans()):
        return a, rng.integers(0, symbols, draw(st.integers(1, longest))).astype(np.uint8)
    edits = rng.random(len(a)) < draw(st.sampled_from([0, 0.003, 0.03, 0.3]))
    b = np.where(edits, rng.integers(0, symbols, len(a)), a).astype(np.uint8)
    b = np.delete(b, np.flatnonzero(edits)[:: draw(st.integers(2, 5))])
    return (a, b) if len(b) else (a, a)


@settings(max_examples=60, deadline=None)
@given(pair=pairs(), words=st.sampled_from([1, 2, 4]), order=st.sampled_from(ORDERS), part=st.floats(0, 2))
def test_bit_parallel_strips_in_any_band(pair, words, order, part):
    """Exact in the band of the distance or a wider one; never less than the distance in a narrower one."""
    a, b = pair
    distance = edlib_distance(a.tobytes(), b.tobytes())
    packed = PackedPair(open_device("emulator", thread_order=order), a, b)
    words = max(w for w in (1, 2, 4) if w <= words and w * packed.symbols <= MOST_ROWS_OF_TABLE)
    bound = max(abs(len(a) - len(b)), min(int(distance * part), max(len(a), len(b))))
    found = solve(packed, Problems.whole(packed, bound), words).cost[0]
    assert found == distance if bound >= distance else found >= distance
    assert solve(packed, Problems.whole(packed, distance), words).cost[0] == distance


@pytest.mark.parametrize("edge", [1, 5, 8, 9, 16, 17, 31, 32, 33])
@pytest.mark.parametrize("turned", [False, True])
def test_a_path_along_the_edge_of_the_band(edge, turned):
    """All of it on the first or the last diagonal that a path of its cost can reach."""
    same = np.random.default_rng(edge).integers(0, 4, 4500).astype(np.uint8)
    a, b = np.r_[np.full(edge, 4, np.uint8), same], np.r_[same, np.full(edge, 5, np.uint8)]
    if turned:
        a, b = b, a
    packed = PackedPair(open_device("emulator"), a, b)
    assert solve(packed, Problems.whole(packed, 2 * edge), 1).cost[0] == 2 * edge


@pytest.mark.parametrize(("symbols", "words"), [(65, 4), (129, 2), (4, 3), (4, 0)])
def test_words_that_do_not_fit_are_refused(symbols, words):
    letters = np.arange(symbols, dtype=np.uint8)
    pair = PackedPair(open_device("emulator"), letters, letters)
    with pytest.raises(ValueError, match=f"{words} words of columns for {symbols} letters do not fit"):
        solve(pair, Problems.whole(pair, 0), words)


@pytest.mark.parametrize("symbols", [64, 65, 70, 85, 128, 129, 256])
def test_hybrid_takes_any_number_of_letters(symbols):
    rng = np.random.default_rng(symbols)
    a, b = (rng.permutation(np.arange(600) % symbols).astype(np.uint8) for _ in range(2))
    assert hybrid(open_device("emulator"), a, b).distance == edlib_distance(a.tobytes(), b.tobytes())


@settings(max_examples=60, deadline=None)
@given(pair=pairs(), order=st.sampled_from(ORDERS), first=st.integers(0, 500))
def test_wavefronts_from_both_ends(pair, order, first):
    a, b = pair
    distance = edlib_distance(a.tobytes(), b.tobytes())
    assume(distance < 1200)
    wavefronts = Bidirectional(PackedPair(open_device("emulator", thread_order=order), a, b), max(len(a), len(b)))
    found = wavefronts.advance(first)
    assert found in (None, distance)
    assert found == distance or 2 * first < distance
    assert wavefronts.advance(max(len(a), len(b))) == distance


@settings(max_examples=40, deadline=None)
@given(pair=pairs(), order=st.sampled_from(ORDERS), part=st.floats(0, 1.2), first=st.sampled_from([0, LONG]))
def test_wavefronts_that_advance_apart_for_too_long_begin_again(pair, order, part, first):
    a, b = pair
    distance = edlib_distance(a.tobytes(), b.tobytes())
    assume(distance < 1200)
    wavefronts = Bidirectional(PackedPair(open_device("emulator", thread_order=order), a, b), max(len(a), len(b)))
    met, *_ = wavefronts.probe(first)
    assert met in (None, distance)
    assert wavefronts.advance(max(len(a), len(b)), expected=int(part * distance)) == distance


def test_wavefronts_that_met_while_apart_begin_again(device):
    a, b = (np.random.default_rng(seed).integers(0, 4, 700).astype(np.uint8) for seed in (1, 2))
    distance = edlib_distance(a.tobytes(), b.tobytes())
    assert distance // 2 < 2 * LONG < APART * distance, "two launches apart, and they have met"
    assert Bidirectional(PackedPair(device, a, b), 700).advance(700, expected=distance) == distance


def furthest_rows(a: np.ndarray, b: np.ndarray, columns: int) -> dict[int, int]:
    """The furthest row by diagonal that so many edits reach, cell by cell; negative rows are not reached."""
    rows = {0: 0}
    for column in range(columns + 1):
        before, rows = rows, {}
        for k in range(max(-column, -len(a)), min(column, len(b)) + 1):
            insertion, same, deletion = (before.get(k + step, -2) for step in (-1, 0, 1))
            i = min(max(insertion, same + 1, deletion + 1), len(a), len(b) - k) if column else 0
            while i < min(len(a), len(b) - k) and a[i] == b[i + k]:
                i += 1
            rows[k] = i
    return rows


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("most_of_long", [bidirectional.MOST_OF_LONG, 300])
@pytest.mark.parametrize("apart", [False, True])
def test_wavefronts_have_the_rows_of_every_diagonal(order, most_of_long, apart, monkeypatch):
    """Over the borders of warps, blocks and launches, in both directions, and where a matrix is far wider than high."""
    monkeypatch.setattr(bidirectional, "MOST_OF_LONG", most_of_long)  # then shorter launches take over
    rng = np.random.default_rng(6)
    a, b = (rng.integers(0, 2, length).astype(np.uint8) for length in (1500, 2200))
    for p, t in ((a, b), (b[:7], np.zeros(600, np.uint8))):
        wavefronts = Bidirectional(PackedPair(open_device("emulator", thread_order=order), p, t), 320)
        wavefronts.probe(LONG + SHORT, apart)
        forward, backward = (rows.get().ravel() for rows in wavefronts.rows)
        shift = len(t) - len(p)
        for k, row in furthest_rows(p, t, wavefronts.columns).items():
            assert forward[k - wavefronts.lowest] == row, (k, "forward")
        for k, row in furthest_rows(p[::-1], t[::-1], wavefronts.columns).items():
            assert backward[shift - k - wavefronts.lowest] == row, (k, "backward")


def test_strings_that_meet_in_the_first_column_of_a_launch():
    a, b = np.zeros(1, np.uint8), np.zeros(130, np.uint8)
    assert Bidirectional(PackedPair(open_device("emulator"), a, b), 130).advance(130) == 129


@settings(max_examples=30, deadline=None)
@given(pair=pairs(), order=st.sampled_from(ORDERS), guess=st.integers(0, 4000))
def test_a_wrong_guess_costs_time_but_no_exactness(pair, order, guess):
    a, b = pair
    packed = PackedPair(open_device("emulator", thread_order=order), a, b)
    assert by_bit_parallel(packed, guess)[0].distance == edlib_distance(a.tobytes(), b.tobytes())


@settings(max_examples=60, deadline=None)
@given(pair=pairs(), order=st.sampled_from(ORDERS))
def test_hybrid(pair, order):
    a, b = pair
    outcome = hybrid(open_device("emulator", thread_order=order), a, b)
    assert outcome.distance == edlib_distance(a.tobytes(), b.tobytes())


def test_ends_more_alike_than_the_middle_cost_time_but_no_exactness(monkeypatch):
    """Wavefronts go on because the ends are alike, do not meet in time, and strips take over."""
    monkeypatch.setattr("repro.wfa.hybrid.most_edits_by_wavefronts", lambda longer: 400)
    rng = np.random.default_rng(11)
    a = rng.integers(0, 4, 9000).astype(np.uint8)
    b = np.concatenate([a[:4000], rng.integers(0, 4, 1200).astype(np.uint8), a[5000:]])
    distance = edlib_distance(a.tobytes(), b.tobytes())
    assert distance > 400
    outcome = hybrid(open_device("emulator"), a, b)
    assert outcome.distance == distance
    assert outcome.cells > 9000 * distance // 2, "the strips' cells are counted, too"


@pytest.mark.parametrize("order", ORDERS)
def test_problems_of_a_batch_are_solved_side_by_side(order):
    """Substrings of any size, empty ones too: cost, crossing and the cost above it."""
    rng = np.random.default_rng(3)
    a, b = (rng.integers(0, 4, 8000).astype(np.uint8) for _ in range(2))
    pair = PackedPair(open_device("emulator", thread_order=order), a, b)
    rows, columns = rng.integers(0, 700, (2, 30))
    rows[:4], columns[:4] = [0, 300, 0, 1], [200, 0, 0, 1]
    rows[4], columns[4] = 5000, 4500
    row, column = rng.integers(0, 3000, (2, 30))
    problems = Problems(row, rows, column, columns, np.maximum(rows, columns))
    for words in (1, 2):
        found = solve(pair, problems, words)
        for x in range(30):
            p, t = a[row[x] : row[x] + rows[x]], b[column[x] : column[x] + columns[x]]
            middle, crossing = rows[x] - rows[x] // 2, found.column[x]
            above = edlib_distance(p[:middle].tobytes(), t[:crossing].tobytes())
            assert (found.cost[x], found.above[x]) == (edlib_distance(p.tobytes(), t.tobytes()), above)
            assert found.cost[x] - above == edlib_distance(p[middle:].tobytes(), t[crossing:].tobytes())


def test_problems_and_columns_are_not_limited_by_the_second_axis_of_a_grid():
    """A path of 4.2 million letters is divided into more than 65,535 problems; here the grid is as small as can be."""
    rng = np.random.default_rng(12)
    a, b = (rng.integers(0, 4, 3000).astype(np.uint8) for _ in range(2))
    device = open_device("emulator", thread_order="random")
    device.limits = replace(device.limits, grid=(2**31 - 1, 3, 1))
    row, rows = np.array([0, 900, 2000]), np.array([900, 1100, 1000])
    column, columns = np.array([0, 1000, 2500]), np.array([1000, 1500, 500])
    found = solve(PackedPair(device, a, b), Problems(row, rows, column, columns, np.maximum(rows, columns)), 1)
    expected = [edlib_distance(a[i : i + m].tobytes(), b[j : j + n].tobytes())
                for i, m, j, n in zip(row, rows, column, columns, strict=True)]  # fmt: skip
    assert found.cost.tolist() == expected


@pytest.mark.parametrize("order", ORDERS)
def test_a_path_that_crosses_the_middle_row_far_left_is_found(order):
    """Differences along the row are added up from the right, 4,096 columns at a time; it crosses in the fifth part."""
    a = np.random.default_rng(8).integers(0, 2, 200).astype(np.uint8)
    b = np.concatenate([a, np.full(18_000, 2, np.uint8)])
    pair = PackedPair(open_device("emulator", thread_order=order), a, b)
    rows, columns = np.array([200, 190]), np.array([18_200, 18_150])
    found = solve(pair, Problems(200 - rows, rows, 200 - rows, columns, columns), 1)
    assert found.cost.tolist() == (columns - rows).tolist()
    for row, column, middle, above in zip(200 - rows, found.column, rows - rows // 2, found.above, strict=True):
        p, t = a[row : row + middle], b[row : row + column]
        assert above == edlib_distance(p.tobytes(), t.tobytes())


def test_borders_are_used_again_when_there_are_more_strips_than_borders():
    """As on strings of tens of millions of letters; here for blocks on one multiprocessor."""
    rng = np.random.default_rng(3)
    a, b = (rng.integers(0, 4, 40_000).astype(np.uint8) for _ in range(2))
    distance = edlib_distance(a.tobytes(), b.tobytes())
    for order in ORDERS:
        device = open_device("emulator", thread_order=order, multiprocessors=1)
        pair = PackedPair(device, a, b)
        problems = Problems.whole(pair, distance)
        assert problems.strips(1) == 30
        assert solve(pair, problems, 1).cost[0] == distance


def test_borders_that_are_used_again_lie_within_their_array():
    a, b = np.full(400, 1, np.uint8), np.full(6100, 1, np.uint8)
    device = open_device("emulator", instrument="sanitize", multiprocessors=1)
    assert solve(PackedPair(device, a, b), Problems(0, 400, 0, 6100, 5700), 1).cost[0] == 5700


@pytest.mark.parametrize("symbols", [1, 2, 4, 5, 16, 17, 256])
def test_letters_are_packed_as_tightly_as_they_allow(device, symbols):
    a = np.arange(symbols, dtype=np.uint8)[::-1].repeat(3)
    b = a[:7]
    pair = PackedPair(device, a, b)
    assert pair.bits == {1: 2, 2: 2, 4: 2, 5: 4, 16: 4, 17: 8, 256: 8}[symbols]
    packed, start = pair.codes.get(), 0
    for letters in (a, b, a[::-1], b[::-1]):
        words = packed[start : start + len(letters) * pair.bits // 32 + 2]
        places = np.arange(len(letters)) * pair.bits
        codes = words[places // 32] >> (32 - pair.bits - places % 32).astype(np.uint32) & (2**pair.bits - 1)
        assert codes.tolist() == letters.tolist(), "the letters 0, 1, .. are their own codes"
        assert not words[-(-len(letters) * pair.bits // 32) :].any()
        start += len(words)
    assert len(packed) - start == 32 * (FURTHER + 1), "what a warp reads beyond the last string"


@pytest.mark.parametrize("length", [512, 513, 4607, 4608, 4609, 5000, 8704, 8705, 9000])
def test_runs_that_end_with_a_string_or_within_it(device, length):
    """Around a window of each lane of a warp, 512 letters after the first 16, and eight more of them at once."""
    a = np.random.default_rng(length).integers(0, 4, length).astype(np.uint8)
    other = (a + 1) % 4
    for place in (0, 1, length // 2, length - 536, length - 520, length - 2, length - 1):
        if 0 <= place < length:
            changed = np.r_[a[:place], other[place], a[place + 1 :]]
            assert hybrid(device, a, changed).distance == 1
            assert hybrid(device, a, np.delete(a, place)).distance == 1
    assert hybrid(device, a, np.r_[a, other[-1:]]).distance == 1
    assert hybrid(device, a, a).distance == 0


def test_runs_that_end_at_an_edit_in_any_window_of_a_warp(device):
    a = np.random.default_rng(5).integers(0, 4, 9000).astype(np.uint8)
    b = a.copy()
    b[np.cumsum(24 + 16 * np.arange(32))] ^= 1  # each run ends in a window more than the one before it
    for p, t in ((a, b), (a[::-1].copy(), b[::-1].copy())):
        assert hybrid(device, p, t).distance == edlib_distance(p.tobytes(), t.tobytes()) == 32


def test_letters_that_occur_have_codes_in_their_order(device):
    a, b = (np.array(letters, np.uint8).repeat(300) for letters in ([255, 7, 64], [31, 32, 7]))
    pair = PackedPair(device, a, b)
    assert (pair.symbols, pair.planes, pair.bits) == (5, 3, 4)
    assert pair.code_of.get()[[7, 31, 32, 64, 255]].tolist() == [0, 1, 2, 3, 4]


def estimate(pair: PackedPair, columns: int) -> int:
    """From wavefronts that do not meet in so many columns."""
    met, _, anywhere = probing(pair, columns).probe(columns)
    assert met is None
    return estimated_distance(pair, anywhere)


def test_the_estimate_is_near_the_distance():
    rng = np.random.default_rng(4)
    a = rng.integers(0, 4, 40_000).astype(np.uint8)
    b = np.where(rng.random(40_000) < 0.1, rng.integers(0, 4, 40_000), a).astype(np.uint8)
    distance = edlib_distance(a.tobytes(), b.tobytes())
    pair = PackedPair(open_device("emulator"), a, b)
    assert estimate(pair, PROBE) == pytest.approx(distance, rel=0.1)
    for windows, near in ((1, 0), (4, 200)):
        wavefronts = Bidirectional(pair, 256, windows, near)
        met, at_ends, anywhere = wavefronts.probe(256)
        assert met is None
        assert 40_000 * at_ends == pytest.approx(distance, rel=0.1)
        assert 40_000 * anywhere == pytest.approx(distance, rel=0.1)
        assert wavefronts.advance(len(a)) == distance, "the other windows have no say in it"


@pytest.mark.parametrize("least", [5000, 5001])
def test_a_band_is_guessed_from_more_columns_where_strings_are_long(least, monkeypatch):
    """With strings copied in pieces, as long ones are, and a wider band where fewer columns tell it."""
    monkeypatch.setattr("repro.wfa.packing.LEAST_STAGED", 1000)
    monkeypatch.setattr("repro.wfa.hybrid.LONG", least)
    guesses = []
    monkeypatch.setattr(
        "repro.wfa.hybrid.by_bit_parallel", lambda pair, guess: guesses.append(guess) or by_bit_parallel(pair, guess)
    )
    rng = np.random.default_rng(14)
    a, b = (rng.integers(0, 4, 5000).astype(np.uint8) for _ in range(2))
    distance = edlib_distance(a.tobytes(), b.tobytes())
    device = open_device("emulator", thread_order="random")
    assert hybrid(device, a, b).distance == distance
    columns = CLOSER_PROBE if least == 5000 else PROBE
    assert guesses == [pytest.approx(band_of(distance, columns), rel=0.06)]
    assert band_of(10_000, PROBE) == 10_981
    assert band_of(10_000, CLOSER_PROBE) == 10_395


def test_the_estimate_is_that_of_the_whole_where_the_ends_are_more_alike():
    rng = np.random.default_rng(9)
    a = rng.integers(0, 4, 60_000).astype(np.uint8)
    share = np.where(np.abs(np.arange(60_000) - 30_000) > 27_000, 0.02, 0.3)
    b = np.where(rng.random(60_000) < share, rng.integers(0, 4, 60_000), a).astype(np.uint8)
    pair = PackedPair(open_device("emulator"), a, b)
    assert estimate(pair, 192) == pytest.approx(edlib_distance(a.tobytes(), b.tobytes()), rel=0.1)


def test_windows_that_come_to_the_end_have_no_say_in_the_estimate():
    rng = np.random.default_rng(10)
    a = rng.integers(0, 4, 40_000).astype(np.uint8)
    b = np.where(rng.random(40_000) < 0.01, rng.integers(0, 4, 40_000), a).astype(np.uint8)
    pair = PackedPair(open_device("emulator"), a, b)
    met, _, anywhere = Bidirectional(pair, 128, 4, 100).probe(128)
    assert met is None
    assert 40_000 * anywhere == pytest.approx(edlib_distance(a.tobytes(), b.tobytes()), rel=0.25)


def test_cells_of_the_strips_are_those_of_the_band(device):
    rng = np.random.default_rng(5)
    a, b = (rng.integers(0, 4, 5000).astype(np.uint8) for _ in range(2))
    pair = PackedPair(device, a, b)
    assert Problems.whole(pair, 5000).cells(1) >= 0.75 * 5000**2
    narrow = Problems.whole(pair, 1000).cells(1)
    assert 5000 * 1000 <= narrow <= 5000 * 1000 + 2 * 3 * 1024 * (1024 + 2 * 16)


@settings(max_examples=40, deadline=None)
@given(m=st.integers(1, 5000), n=st.integers(1, 5000), more=st.integers(0, 5000), words=st.sampled_from([1, 2]))
def test_the_numbers_of_one_problem_are_those_of_a_batch(m, n, more, words):
    """Integers and arrays; the band has the diagonals of paths that cost at most the bound."""
    bound = abs(n - m) + more
    one = Problems(0, m, 0, n, bound)
    batch = Problems(*(np.array([value, value]) for value in (0, m, 0, n, bound)))
    cheapest = [abs(k) + abs(n - m - k) for k in (one.low - 1, one.low, one.high, one.high + 1)]
    assert [cost <= bound for cost in cheapest] == [False, True, True, False]
    for name in ("low", "high", "reach", "chunks"):
        assert getattr(batch, name).tolist() == 2 * [getattr(one, name)]
    assert batch.strips(words).tolist() == 2 * [one.strips(words)]
    assert batch.strips_at_once(words) == 2 * one.strips_at_once(words)
    assert batch.cells(words) == 2 * one.cells(words)


@pytest.mark.parametrize(("symbols", "words"), [(2, 2), (5, 1), (17, 1), (100, 2)])
def test_strips_of_every_number_of_planes(symbols, words):
    rng = np.random.default_rng(symbols)
    a, b = (rng.integers(0, symbols, length).astype(np.uint8) for length in (3000, 2500))
    pair = PackedPair(open_device("emulator"), a, b)
    assert solve(pair, Problems.whole(pair, 3000), words).cost[0] == edlib_distance(a.tobytes(), b.tobytes())

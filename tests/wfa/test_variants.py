"""Every variant gives the exact edit distance, on every device and in every thread order."""

import edlib
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from repro.device import open_device
from repro.errors import InputError
from repro.wfa.pyramid import Tile
from repro.wfa.reference import wagner_fischer, wavefront
from repro.wfa.variants import VARIANTS
from tests.conftest import ORDERS

EXAMPLE = b"CACCTGACTTA", b"ACCATGGACTG"  # Fig. 2

variants = pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.name)


def letters(text: bytes) -> np.ndarray:
    return np.frombuffer(text, np.uint8)


def edlib_distance(a: bytes, b: bytes) -> int:
    if not a or not b:
        return len(a) + len(b)  # edlib refuses an empty string
    return edlib.align(a, b)["editDistance"]


@st.composite
def pairs(draw) -> tuple[bytes, bytes]:
    """Strings over 1 to 256 symbols; half of the pairs are a string and an edited copy of it."""
    symbols = st.integers(0, draw(st.sampled_from([0, 1, 3, 19, 255])))
    text = st.lists(symbols, max_size=draw(st.sampled_from([3, 40, 300]))).map(bytes)
    a = draw(text)
    if draw(st.booleans()):
        return a, draw(text)
    start, length = draw(st.integers(0, len(a))), draw(st.integers(0, 5))
    return a, a[:start] + draw(text)[:5] + a[start + length :]


@variants
@settings(max_examples=40, deadline=None)
@given(pair=pairs(), data=st.data())
def test_random_pairs_against_edlib(variant, pair, data):
    """No setting may change a distance; few tile lengths, because each is a kernel of its own to compile."""
    a, b = pair
    chosen = {
        name: data.draw(st.sampled_from([2, 3, 5]) if name == "tile_length" else st.integers(1, 40), label=name)
        for name in variant.settings
    }
    for order in ORDERS:
        device = open_device("emulator", thread_order=order)
        outcome = variant.run(device, letters(a), letters(b), **variant.complete(chosen))
        assert outcome.distance == edlib_distance(a, b)
        if variant.settings:
            reads = -(-device.counters.launches // chosen.get("read_interval", 1))
            assert device.counters.reads == reads


@st.composite
def long_pairs(draw) -> tuple[np.ndarray, np.ndarray]:
    """Strings of 0 to 3,000 letters over 1 to 256 symbols: unrelated, or one and a changed copy of it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    symbols, length, other = draw(st.integers(1, 256)), draw(st.integers(0, 3000)), draw(st.integers(0, 3000))
    a = rng.integers(0, symbols, length).astype(np.uint8)
    changed = draw(st.sampled_from([0, 0.01, 0.1, 1]))
    if changed == 1:
        return a, rng.integers(0, symbols, other).astype(np.uint8)
    b = np.where(rng.random(length) < changed, rng.integers(0, symbols, length), a).astype(np.uint8)
    return a, b[rng.random(length) >= changed / 4]


@pytest.mark.parametrize("variant", [v for v in VARIANTS.values() if v.settings], ids=lambda variant: variant.name)
@settings(max_examples=25, deadline=None)
@given(pair=long_pairs(), order=st.sampled_from(ORDERS), interval=st.sampled_from([1, 100]))
def test_long_random_pairs_against_edlib(variant, pair, order, interval):
    a, b = pair
    device = open_device("emulator", thread_order=order)
    given = {
        name: value for name, value in (("tile_length", 3), ("read_interval", interval)) if name in variant.settings
    }
    outcome = variant.run(device, a, b, **variant.complete(given))
    assert outcome.distance == edlib_distance(a.tobytes(), b.tobytes())
    if "tile_length" in given:  # a band of tiles has 6 columns, of which the next one begins with the last 3
        needed = outcome.distance // 3 + 1
        latest = min(-(-needed // interval) * interval, max(len(a), len(b)) // 3 + 1)
        assert max(1, needed - 1) <= device.counters.launches <= latest


@settings(max_examples=60, deadline=None)
@given(pair=pairs())
def test_the_references_agree_with_edlib(pair):
    a, b = map(letters, pair)
    assert wagner_fischer(a, b) == wavefront(a, b).distance == edlib_distance(*pair)


@variants
@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        (b"", b"", 0),
        (b"", b"ACGT", 4),
        (b"ACGT", b"", 4),
        (b"A", b"A", 0),
        (b"A", b"C", 1),
        (b"ACGT" * 100, b"ACGT" * 100, 0),
        (b"A" * 300, b"C" * 7, 300),
        (b"\0\xff\0", b"\xff\0\xff", 2),
        (b"NNNN", b"ACGT", 4),
        (*EXAMPLE, 5),
    ],
)
def test_known_pairs(device, variant, a, b, distance):
    outcome = variant.run(device, letters(a), letters(b), **variant.complete({}))
    assert outcome.distance == distance


def test_the_worked_example_of_figure_2():
    a, b = map(letters, EXAMPLE)
    assert wavefront(a, b).cells_per_column == [1, 3, 5, 7, 9, 11]
    assert wavefront(a, b, diamond=True).cells_per_column == [1, 3, 5, 7, 7, 1]


@settings(max_examples=60, deadline=None)
@given(pair=pairs())
def test_the_diamond_of_the_reference_is_exact_and_a_part_of_the_pyramid(pair):
    a, b = map(letters, pair)
    whole, diamond = wavefront(a, b), wavefront(a, b, diamond=True)
    assert diamond.distance == whole.distance
    for column, kept in zip(whole.columns, diamond.columns, strict=True):
        assert kept.keys() <= column.keys()


@pytest.mark.parametrize("workgroup_size", [1, 7, 32, 380])
def test_the_baseline_launches_the_worst_case_and_reads_after_each_column(device, workgroup_size):
    a, b = EXAMPLE
    outcome = VARIANTS["baseline"].run(device, letters(a), letters(b), workgroup_size=workgroup_size)
    worst_case = -(-(len(a) + len(b) + 1) // workgroup_size) * workgroup_size
    assert outcome.cells == 36
    counters = device.counters
    assert (counters.launches, counters.reads, counters.writes) == (6, 6, 2)
    assert counters.threads == 6 * worst_case


def test_dynamic_work_items_launch_as_many_threads_as_there_are_cells(device):
    outcome = VARIANTS["dynamic-work-items"].run(device, *map(letters, EXAMPLE), workgroup_size=1)
    assert (outcome.cells, device.counters.threads, device.counters.launches) == (36, 36, 6)


@settings(max_examples=40, deadline=None)
@given(pair=pairs(), interval=st.integers(1, 50))
def test_cells_of_the_column_variants_are_those_of_the_pyramid(pair, interval):
    a, b = map(letters, pair)
    plain = sum(wavefront(a, b).cells_per_column)
    for name in ("baseline", "dynamic-work-items"):
        outcome = VARIANTS[name].run(open_device("emulator"), a, b, workgroup_size=64)
        assert outcome.cells == plain
    device = open_device("emulator")
    outcome = VARIANTS["minimised-reads"].run(device, a, b, workgroup_size=1, read_interval=interval)
    launches = min(-(-(outcome.distance + 1) // interval) * interval, max(len(a), len(b)) + 1)
    assert device.counters.launches == launches
    assert outcome.cells == device.counters.threads
    assert outcome.cells == sum(1 for r in range(launches) for k in range(-min(r, len(a)), min(r, len(b)) + 1))


@settings(max_examples=60, deadline=None)
@given(length=st.integers(2, 9), m=st.integers(0, 60), n=st.integers(0, 60), bands=st.integers(1, 20))
def test_bands_of_tiles_cover_the_pyramid_once(length, m, n, bands):
    """Cell by cell: the diamonds of all bands are disjoint and hold every cell of the columns that are complete."""
    tile = Tile(length, m, n)
    launched = [tile.band(b, -1000, 1000) for b in range(bands)]
    cells = [
        (centre + offset, b * length + s)
        for b, (first, tiles) in enumerate(launched)
        for centre in range(first, first + 2 * length * tiles, 2 * length)
        for s in range(2 * length)
        for offset in range(-min(s, 2 * length - 1 - s), min(s, 2 * length - 1 - s) + 1)
        if -m <= centre + offset <= n
    ]
    assert len(cells) == len(set(cells)) == tile.cells(launched)
    complete = {(k, r) for r in range(bands * length) for k in range(-min(r, m), min(r, n) + 1)}
    assert complete <= set(cells)


@settings(max_examples=40, deadline=None)
@given(pair=pairs(), length=st.sampled_from([2, 3]))
@example(pair=(b"\0\0\1\0\0\0", b"\0\0\0\1\0\0"), length=2)
def test_the_dynamic_diamond_computes_no_more_than_the_parallel_workgroup(pair, length):
    """And no less than the diamond's columns that its bands complete; the distance may lie in the columns begun."""
    a, b = map(letters, pair)
    chosen = {"tile_length": length, "read_interval": 1}
    whole = VARIANTS["parallel-workgroup"].run(open_device("emulator"), a, b, **chosen)
    device = open_device("emulator")
    part = VARIANTS["dynamic-diamond"].run(device, a, b, **chosen)
    assert part.cells <= whole.cells
    complete = device.counters.launches * length
    assert part.cells >= sum(wavefront(a, b, diamond=True).cells_per_column[:complete])


def test_the_diamond_saves_between_1_and_2_times_the_cells():
    """Section 3.2, and 1 + d / n as measured: 1.3 at 70 % similarity."""
    rng = np.random.default_rng(5)
    a = rng.integers(0, 4, 1500).astype(np.uint8)
    b = np.where(rng.random(1500) < 0.4, rng.integers(0, 4, 1500), a).astype(np.uint8)
    whole, part = (
        VARIANTS[name].run(open_device("emulator"), a, b, tile_length=2, read_interval=1)
        for name in ("parallel-workgroup", "dynamic-diamond")
    )
    assert whole.cells / part.cells == pytest.approx(1 + whole.distance / 1500, rel=0.04)


@pytest.mark.parametrize("read_interval", [1, 7, 100, 1000])
def test_a_later_band_never_overwrites_the_distance(device, read_interval):
    """As published, the dynamic diamond read at long intervals returns too large a distance."""
    rng = np.random.default_rng(6)
    a = rng.integers(0, 4, 3000).astype(np.uint8)
    b = np.where(rng.random(3000) < 0.02, rng.integers(0, 4, 3000), a).astype(np.uint8)
    expected = edlib_distance(a.tobytes(), b.tobytes())
    for name in ("parallel-workgroup", "dynamic-diamond"):
        outcome = VARIANTS[name].run(device, a, b, tile_length=5, read_interval=read_interval)
        assert outcome.distance == expected


def test_the_baseline_stores_two_columns():
    device = open_device("emulator", memory_bytes=2 * 4 * (11 + 11 + 1) + 22)
    assert VARIANTS["baseline"].run(device, *map(letters, EXAMPLE), workgroup_size=32).distance == 5


def test_settings_are_checked():
    complete = VARIANTS["baseline"].complete
    assert complete({}) == {"workgroup_size": 380}
    assert complete({"workgroup_size": 64}) == {"workgroup_size": 64}
    with pytest.raises(InputError, match=r"workgroup_size = 0 is not within 1 to 1024"):
        complete({"workgroup_size": 0})
    with pytest.raises(InputError, match=r"no setting 'tile' \(it has: workgroup_size\)"):
        complete({"tile": 1})
    assert VARIANTS["dynamic-diamond"].complete({}) == {"tile_length": 190, "read_interval": 1}

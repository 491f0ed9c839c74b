"""Every variant gives the exact edit distance, on every device and in every thread order."""

import edlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.device import open_device
from repro.errors import InputError
from repro.wfa.reference import wagner_fischer, wavefront
from repro.wfa.variants import VARIANTS

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
@settings(max_examples=60, deadline=None)
@given(pair=pairs(), data=st.data())
def test_random_pairs_against_edlib(variant, pair, data):
    chosen = {
        name: data.draw(st.integers(setting.low, min(setting.high, 64)), label=name)
        for name, setting in variant.settings.items()
    }
    a, b = pair
    for order in ("forward", "reverse", "random"):
        device = open_device("emulator", thread_order=order)
        outcome = variant.run(device, letters(a), letters(b), **variant.complete(chosen))
        assert outcome.distance == edlib_distance(a, b)
        assert outcome.cells == sum(wavefront(letters(a), letters(b)).cells_per_column)


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


def test_the_worked_example_computes_36_cells():
    assert wavefront(*map(letters, EXAMPLE)).cells_per_column == [1, 3, 5, 7, 9, 11]


@pytest.mark.parametrize("workgroup_size", [1, 7, 32, 380])
def test_the_baseline_launches_the_worst_case_and_reads_after_each_column(device, workgroup_size):
    a, b = EXAMPLE
    outcome = VARIANTS["baseline"].run(device, letters(a), letters(b), workgroup_size=workgroup_size)
    worst_case = -(-(len(a) + len(b) + 1) // workgroup_size) * workgroup_size
    assert outcome.cells == 36
    counters = device.counters
    assert (counters.launches, counters.reads, counters.writes) == (6, 6, 2)
    assert counters.threads == 6 * worst_case


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

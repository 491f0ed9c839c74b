"""With instrument="races" two accesses that nothing orders are an error that names word, threads and lines."""

from pathlib import Path

import numpy as np
import pytest

from repro.device import open_device
from repro.errors import DeviceError
from tests.conftest import ORDERS

RACES = Path(__file__).with_name("races.cu")
TILE = r"byte \d+ of shared array tile"

# kernel: grid, block, word, line of one access, line of the other
PLANTED = {
    "between_warps": (1, 64, TILE, 5, 7),
    "within_a_warp": (1, 32, TILE, 12, 14),
    "a_shuffle_orders_nothing": (1, 32, TILE, 20, 23),
    "half_a_warp": (1, 32, r"byte \d+ of dynamic shared memory", 28, 30),
    "read_then_written": (1, 64, "byte 0 of shared array total", 37, 39),
    "between_blocks": (2, 32, r"byte \d+ of 'output', int32\[64\]", 43, 43),
    "counter": (1, 32, r"byte 0 of 'output', int32\[64\]", 48, 48),
    "atomic_and_plain": (1, 32, r"byte 0 of 'output', int32\[64\]", 52, 53),
    "same_value": (1, 32, r"byte 0 of 'output', int32\[64\]", 81, 81),
}


@pytest.fixture(params=ORDERS)
def watched(request):
    return open_device("emulator", thread_order=request.param, instrument="races")


def compiled(device, ordered):
    return device.compile(RACES, {"ORDERED": ordered})


@pytest.mark.parametrize("kernel", PLANTED)
def test_a_planted_race_is_named(watched, kernel):
    grid, block, word, one, other = PLANTED[kernel]
    lines = rf"line {one};.*line {other}|line {other};.*line {one}"
    thread = r"thread \(\d+,0,0\) of block \(\d,0,0\)"
    message = (
        rf"^kernel {kernel}, block \(\d,0,0\): a race on {word}: {thread} (wrote|read) it, "
        rf"(?=(?:{lines}))line \d+; {thread} (writes|reads) it, line \d+; nothing orders them$"
    )
    with pytest.raises(DeviceError, match=message):
        compiled(watched, ordered=False)[kernel](grid, block, watched.zeros(64, np.int32), shared_bytes=128)


@pytest.mark.parametrize("kernel", PLANTED)
def test_the_same_work_in_order_is_no_race(watched, kernel):
    grid, block = PLANTED[kernel][:2]
    compiled(watched, ordered=True)[kernel](grid, block, watched.zeros(64, np.int32), shared_bytes=128)


def test_a_flag_needs_the_fence_before_it(watched):
    for ordered in (True, False):
        ready, output = watched.zeros(1, np.int32), watched.zeros(128, np.int32)
        kernel = compiled(watched, ordered)["flag"]
        if ordered:
            kernel(2, 64, ready, output, cooperative=True)
            assert output.get().tolist() == [*range(1, 65)] * 2
        else:
            with pytest.raises(
                DeviceError, match=r"race on byte \d+ of 'output', int32\[128\]: .* block \(0,0,0\) wrote"
            ):
                kernel(2, 64, ready, output, cooperative=True)


def test_bytes_of_one_word_are_apart(watched):
    compiled(watched, ordered=True)["neighbouring_bytes"](1, 32, watched.zeros(32, np.uint8))
    with pytest.raises(DeviceError, match=r"race on byte \d+ of 'output', uint8\[32\]"):
        compiled(watched, ordered=False)["neighbouring_bytes"](1, 32, watched.zeros(32, np.uint8))


def test_launches_are_ordered(watched):
    output = watched.zeros(64, np.int32)
    for _ in range(3):
        compiled(watched, ordered=True)["between_blocks"](2, 32, output)

"""Blocks that wait for each other, and waits that nobody ends."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from repro.device import open_device
from repro.errors import DeviceError

KERNELS = Path(__file__).with_name("cooperative.cu")


def compiled(device, **changed):
    return device.compile(KERNELS, {"VOLATILE": False, "ENDS": True} | changed)


@pytest.mark.parametrize("blocks", [1, 2, 7])
def test_blocks_of_a_cooperative_launch_take_turns(device, blocks):
    turn, sums = device.zeros(1, np.uint32), device.zeros(32, np.int32)
    compiled(device)["ring"](blocks, 32, turn, sums, 5, cooperative=True)
    assert turn.get().tolist() == [5 * blocks]
    expected = sum(block + 1 + round_ for block in range(blocks) for round_ in range(5))
    assert sums.get().tolist() == [expected] * 32


def test_all_blocks_meet_at_a_barrier_of_the_grid(device):
    arrived = device.zeros(1, np.uint32)
    values = device.upload(np.r_[np.arange(6) * 100, np.zeros(6)].astype(np.int32))
    compiled(device)["grid_barrier"](6, 64, arrived, values, 4, cooperative=True)
    assert values.get()[:6].tolist() == [(block + 4) % 6 * 100 + 4 for block in range(6)]


def test_as_many_blocks_as_are_resident_and_no_more(device):
    kernel = compiled(device)["grid_barrier"]
    most = kernel.most_resident_blocks(256)
    assert most >= 8
    assert kernel.most_resident_blocks(256, 100_000) < most
    arrived, values = device.zeros(1, np.uint32), device.zeros(2 * most, np.int32)
    kernel(most, 256, arrived, values, 2, cooperative=True)
    assert values.get()[:most].tolist() == [2] * most
    with pytest.raises(
        DeviceError, match=rf"{most + 1} blocks of 256 threads cannot wait for each other: .* {most} of"
    ):
        kernel(most + 1, 256, arrived, values, 2, cooperative=True)


def test_a_wait_that_nobody_ends_names_the_waiting_blocks(emulator):
    flag, output = emulator.zeros(1, np.int32), emulator.zeros(9, np.int32)
    message = (
        r"kernel never_set: 8 blocks wait for what nobody does: block \(1,0,0\), thread \(3,0,0\) waits in "
        r"__nanosleep, line 41; block \(2,0,0\), .*; and 4 more blocks"
    )
    with pytest.raises(DeviceError, match=message):
        compiled(emulator)["never_set"](9, 32, flag, output, cooperative=True)


def test_a_block_of_an_ordinary_launch_may_not_wait_for_another(emulator):
    flag = emulator.zeros(1, np.int32)
    message = (
        r"kernel never_agreed, block \(0,0,0\): a wait that nobody ends .*: thread \(\d+,0,0\) waits in .* line 47"
    )
    with pytest.raises(DeviceError, match=message):
        compiled(emulator)["never_agreed"](1, 32, flag)


def test_the_device_works_after_a_wait_was_ended():
    device = open_device("emulator")
    flag, output = device.zeros(1, np.int32), device.zeros(2, np.int32)
    kernel = compiled(device)["never_set"]
    with pytest.raises(DeviceError, match="1 blocks wait"):
        kernel(2, 32, flag, output, cooperative=True)
    flag.set(np.ones(1, np.int32))
    kernel(2, 32, flag, output, cooperative=True)
    assert output.get().tolist() == [1, 1]


WATCHED = ("none", "sanitize", "races")


@pytest.mark.parametrize(("instrument", "through_volatile"), [*product(WATCHED, (False, True)), ("traffic", True)])
def test_a_wait_without_a_pause(instrument, through_volatile):
    """Atomics and volatile reads let the others go on from time to time, so such a wait has an end."""
    device = open_device("emulator", instrument=instrument)
    flag, output = device.zeros(1, np.int32), device.zeros(3, np.int32)
    compiled(device, VOLATILE=through_volatile, ENDS=True)["polls"](3, 1, flag, output, cooperative=True)
    assert output.get().tolist() == [1, 1, 1]
    waits = r"1 blocks wait for what nobody does: block \(1,0,0\), thread \(0,0,0\) polls memory without a pause"
    flag.set(np.zeros(1, np.int32))
    with pytest.raises(DeviceError, match=waits):
        compiled(device, VOLATILE=through_volatile, ENDS=False)["polls"](3, 1, flag, output, cooperative=True)


@pytest.mark.parametrize("instrument", WATCHED)
def test_a_lane_that_polls_a_word_nobody_writes(instrument):
    """As a strip of `hybrid` whose strip above never hands over; the read stands in a header."""
    device = open_device("emulator", instrument=instrument)
    words = device.full(2, np.uint32(0xFFFFFFFF))
    kernel = compiled(device)["hands_on"]
    with pytest.raises(DeviceError, match=r"block \(0,0,0\): a wait that nobody ends .*: thread \(0,0,0\) polls"):
        kernel(1, 32, words)
    words.set(np.array([7, 0xFFFFFFFF], np.uint32))
    kernel(1, 32, words)
    assert words.get().tolist() == [7, 8]


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_blocks_of_an_ordinary_launch_may_wait_for_earlier_ones(workers):
    device = open_device("emulator", workers=workers)
    ticket, done, output = device.zeros(1, np.uint32), device.zeros(1, np.uint32), device.zeros(5000, np.int32)
    compiled(device)["tickets"](5000, 1, ticket, done, output)
    assert done.get().tolist() == [5000]
    assert output.get()[1:7].tolist() == list(range(1, 7))

"""Blocks that wait for each other, and waits that nobody ends."""

from pathlib import Path

import numpy as np
import pytest

from repro.device import open_device
from repro.errors import DeviceError

KERNELS = Path(__file__).with_name("cooperative.cu")


@pytest.mark.parametrize("blocks", [1, 2, 7])
def test_blocks_of_a_cooperative_launch_take_turns(device, blocks):
    turn, sums = device.zeros(1, np.uint32), device.zeros(32, np.int32)
    device.compile(KERNELS)["ring"](blocks, 32, turn, sums, 5, cooperative=True)
    assert turn.get().tolist() == [5 * blocks]
    expected = sum(block + 1 + round_ for block in range(blocks) for round_ in range(5))
    assert sums.get().tolist() == [expected] * 32


def test_all_blocks_meet_at_a_barrier_of_the_grid(device):
    arrived = device.zeros(1, np.uint32)
    values = device.upload(np.r_[np.arange(6) * 100, np.zeros(6)].astype(np.int32))
    device.compile(KERNELS)["grid_barrier"](6, 64, arrived, values, 4, cooperative=True)
    assert values.get()[:6].tolist() == [(block + 4) % 6 * 100 + 4 for block in range(6)]


def test_as_many_blocks_as_are_resident_and_no_more(device):
    kernel = device.compile(KERNELS)["grid_barrier"]
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
        r"__nanosleep, line 40; block \(2,0,0\), .*; and 4 more blocks"
    )
    with pytest.raises(DeviceError, match=message):
        emulator.compile(KERNELS)["never_set"](9, 32, flag, output, cooperative=True)


def test_a_block_of_an_ordinary_launch_may_not_wait_for_another(emulator):
    flag = emulator.zeros(1, np.int32)
    message = (
        r"kernel never_agreed, block \(0,0,0\): a wait that nobody ends .*: thread \(\d+,0,0\) waits in .* line 46"
    )
    with pytest.raises(DeviceError, match=message):
        emulator.compile(KERNELS)["never_agreed"](1, 32, flag)


def test_the_device_works_after_a_wait_was_ended():
    device = open_device("emulator")
    flag, output = device.zeros(1, np.int32), device.zeros(2, np.int32)
    kernel = device.compile(KERNELS)["never_set"]
    with pytest.raises(DeviceError, match="1 blocks wait"):
        kernel(2, 32, flag, output, cooperative=True)
    flag.set(np.ones(1, np.int32))
    kernel(2, 32, flag, output, cooperative=True)
    assert output.get().tolist() == [1, 1]

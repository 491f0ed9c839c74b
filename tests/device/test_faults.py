"""The emulator finds what a GPU hides: each planted fault is an error that names kernel, block and thread."""

from pathlib import Path

import numpy as np
import pytest

from repro.device import open_device
from repro.errors import DeviceError
from tests.device.test_kernels import compiled

FAULTS = Path(__file__).with_name("faults.cu")


@pytest.mark.parametrize(
    ("kernel", "grid", "block", "message"),
    [
        (
            "early_return", 3, 64,
            r"kernel early_return, block \(\d,0,0\): a barrier that not all threads reach: "
            r"thread \(0,0,0\) waits at __syncthreads, line 5; thread \(40,0,0\) has returned",
        ),
        (
            "two_barriers", 1, 64,
            r"different barriers: thread \(\d+,0,0\) .* line 1[13]; thread \(\d+,0,0\) .* line 1[13]",
        ),
        (
            "missing_lane", 1, 32,
            r"thread \(0,0,0\) waits in a shuffle for lanes 0xffffffff, line 19; thread \(7,0,0\) has",
        ),
        (
            "other_operation", 1, 32,
            r"thread \(0,0,0\) waits in a shuffle .* line 23; thread \(16,0,0\) waits in a vote .*24",
        ),
        ("not_named", 1, 32, r"mask does not name the calling lane: thread \((1[6-9]|2\d|3[01]),0,0\)"),
        ("asserts", 1, 32, r"kernel asserts, block \(0,0,0\): assertion failed, line 29: output\[threadIdx.x\] >= 0"),
        ("traps", 1, 32, r"kernel traps, block \(0,0,0\): __trap, line 32"),
    ],
)  # fmt: skip
def test_a_planted_fault_is_named(emulator, kernel, grid, block, message):
    output = emulator.upload(np.full(64, -1, np.int32))
    with pytest.raises(DeviceError, match=message):
        emulator.compile(FAULTS)[kernel](grid, block, output)


def test_the_device_works_after_a_fault(emulator):
    output = emulator.upload(np.full(96, -1, np.int32))
    for _ in range(3):
        with pytest.raises(DeviceError, match="early_return"):
            emulator.compile(FAULTS)["early_return"](500, 64, output)
    given = emulator.upload(np.arange(96, dtype=np.int32))
    compiled(emulator)["reverse_static"](1, 96, given, output)
    assert np.array_equal(output.get(), np.arange(96)[::-1])


def test_a_missing_barrier_changes_the_result_in_some_order():
    given = np.arange(96 * 4, dtype=np.int32)
    wrong = []
    for order in ("forward", "reverse", "random"):
        device = open_device("emulator", thread_order=order)
        output = device.empty(given.shape, np.int32)
        compiled(device, BARRIER=False)["reverse_static"](4, 96, device.upload(given), output)
        wrong.append(not np.array_equal(output.get(), given.reshape(4, 96)[:, ::-1].ravel()))
    assert any(wrong)


def test_a_missing_syncwarp_changes_the_result_in_some_order():
    wrong = []
    for order in ("forward", "reverse", "random"):
        device = open_device("emulator", thread_order=order)
        output = device.empty(32, np.int32)
        compiled(device, WARP_BARRIER=False)["warp_chain"](1, 32, output, 5)
        wrong.append(output.get().tolist() != [*range(5, 32), *[1000] * 5])
    assert any(wrong)


def test_memory_that_nobody_wrote_is_poisoned():
    words = {}
    for order in ("forward", "reverse"):
        device = open_device("emulator", thread_order=order)
        output = device.empty(64, np.int32)
        assert len(set(output.get().tolist())) == 1
        compiled(device)["unwritten"](1, 64, output)
        words[order] = set(output.get().tolist())
    assert words == {"forward": {0x7B7B7B7B}, "reverse": {0xCBCBCBCB - 2**32}}

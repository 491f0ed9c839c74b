"""wgmma reads its operands as the PTX ISA says, bulk copies arrive with their barriers, and what is late shows."""

from pathlib import Path

import numpy as np
import pytest

from repro.device import open_device
from repro.errors import DeviceError

KERNELS = Path(__file__).with_name("wgmma.cu")
ROWS, COLUMNS = 64, 256
SWIZZLED = {1: 128, 2: 64, 3: 32}  # bytes of a row, by mode


def hopper(device):
    """The device, if it has the instruction."""
    if device.compute_capability != (9, 0):
        pytest.skip("not of compute capability 9.0")
    return device


def laid_out(rows: np.ndarray, mode: int) -> np.ndarray:
    """(n, 8) words as they lie in shared memory from a multiple of 1,024 bytes on, as bytes.

    mode 0: pieces of 16 bytes, those of 8 rows together. Else rows of 128, 64 or 32 bytes, of which the operand is the
    first 32; a piece's number is changed by bits of the row's.
    """
    pieces = rows.view(np.uint8).reshape(len(rows), 2, 16)
    if mode == 0:
        return pieces.reshape(-1, 8, 2, 16).swapaxes(1, 2).reshape(-1)
    width = SWIZZLED[mode]
    found = np.zeros((len(rows), width // 16, 16), np.uint8)
    row = np.arange(len(rows))
    permuted = row // (128 // width) % (width // 16)
    for piece in range(2):
        found[row, piece ^ permuted] = pieces[:, piece]
    return found.reshape(-1)


def product(device, mode: int, constants=(), shift: int = 0):
    """What the kernel makes of random operands, B lying `shift` bytes too far, and the right sums."""
    rng = np.random.default_rng(mode)
    a, b = (rng.integers(0, 2**32, (n, 8), dtype=np.uint64).astype(np.uint32) for n in (ROWS, COLUMNS))
    left, right = (laid_out(side, mode) for side in (a, b))
    b_from = -(-len(left) // 1024) * 1024
    operands = np.zeros(b_from + len(right) + shift, np.uint8)
    operands[: len(left)] = left
    operands[b_from + shift :] = right
    thread, i = np.divmod(np.arange(128 * 128), 128)
    row = thread // 32 * 16 + thread % 32 // 4 + i // 2 % 2 * 8
    column = i // 4 * 8 + thread % 4 * 2 + i % 2
    start = rng.integers(-1000, 1000, 128 * 128).astype(np.int32)
    d = device.upload(start)
    kernel = device.compile(KERNELS, {"MODE": mode, "KEPT": 0, "LATE": 0, **dict(constants)})["bits_m64n256k256"]
    stride = 8 * SWIZZLED[mode] if mode else 256
    sizes = len(operands) // 4, b_from // 4, 128, stride
    kernel(1, 128, device.upload(operands.view(np.uint32)), d, *sizes, shared_bytes=len(operands) + 8)
    return d.get(), np.bitwise_count(a[row] & b[column]).sum(axis=-1) + start


@pytest.mark.parametrize("mode", range(4))
def test_operands_lie_as_descriptors_say(device, mode):
    found, expected = product(hopper(device), mode)
    assert np.array_equal(found, expected)


def test_operands_that_lie_elsewhere_give_other_sums():
    found, expected = product(open_device("emulator"), 2, shift=128)
    assert np.mean(found == expected) < 0.1


def test_a_product_that_is_not_waited_for_shows():
    device = open_device("emulator", thread_order="reverse")
    found, expected = product(device, 2, {"KEPT": 1})
    assert not np.array_equal(found, expected)


def bulk_sum(device, slabs, late=0):
    values = np.random.default_rng(6).integers(0, 1000, (slabs, 128), dtype=np.int32)
    output = device.empty(128, np.int32)
    kernel = device.compile(KERNELS, {"MODE": 2, "KEPT": 0, "LATE": late})["bulk_sum"]
    kernel(1, 128, device.upload(values), output, slabs)
    return output.get().tolist(), np.roll(values.sum(axis=0), -4).tolist()


@pytest.mark.parametrize("slabs", [1, 2, 3, 8])
def test_bulk_copies_have_arrived_when_a_phase_is_over(device, slabs):
    found, expected = bulk_sum(hopper(device), slabs)
    assert found == expected


def test_readers_that_a_barrier_does_not_count_are_a_race():
    device = open_device("emulator", instrument="races")
    found, expected = bulk_sum(device, 8)
    assert found == expected
    with pytest.raises(DeviceError, match=r"a race on byte \d+ of shared array stages: thread \(\d,0,0\)"):
        bulk_sum(device, 8, late=8)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (1, r"a wait that nobody ends .*: thread \(0,0,0\) waits in mbarrier.try_wait, line \d+"),
        (2, "an mbarrier gets more arrivals than the 2 it was made for"),
    ],
)
def test_misuse_of_barriers_is_named(more, message):
    kernels = open_device("emulator").compile(KERNELS, {"MODE": 2, "KEPT": 0, "LATE": 0})
    with pytest.raises(DeviceError, match=message):
        kernels["misused"](1, 1, more)

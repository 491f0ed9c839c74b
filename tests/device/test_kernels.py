"""What a kernel computes is the same on every device and in every thread order."""

from pathlib import Path

import numpy as np
import pytest

from repro.device import Device, open_device
from repro.errors import DeviceError

KERNELS = Path(__file__).with_name("kernels.cu")
CONSTANTS = {
    "T": np.int64, "WHOLE": -3, "LARGE": 2**40, "REAL": 0.1, "SINGLE": np.float32(0.1), "BARRIER": True,
    "WARP_BARRIER": True,
}  # fmt: skip


def compiled(device: Device, **changed):
    return device.compile(KERNELS, CONSTANTS | changed)


@pytest.mark.parametrize("dtype", [np.int32, np.float64, np.uint8])
def test_a_type_constant_specialises_the_kernel(device, dtype):
    rng = np.random.default_rng(1)
    a, b = (rng.integers(0, 100, 1003).astype(dtype) for _ in range(2))
    total = device.empty(1003, dtype)
    compiled(device, T=dtype)["add"](4, 256, device.upload(a), device.upload(b), total, 1003)
    assert np.array_equal(total.get(), a + b)


def test_constants_keep_their_types_and_values(device):
    output = device.empty(7, np.float64)
    compiled(device)["constants"](1, 1, output)
    assert output.get().tolist() == [8, -3, 2**40, 0.1, float(np.float32(0.1)), 1, 32]


def test_scalar_arguments_arrive_with_the_type_of_their_parameter(device):
    values = device.upload(np.arange(10, dtype=np.float32))
    compiled(device)["scale"](1, 32, values, 0.5, True, np.int64(2), 3)
    assert values.get().tolist() == [0, 1, -1, -1.5, -2, 5, 6, 7, 8, 9]


def test_bound_launches_do_what_launches_do(device):
    """In turn with launches of other extents; only the numbers that are left are given again."""
    values, others = (device.upload(np.arange(10, dtype=np.float32)) for _ in range(2))
    scale = compiled(device)["scale"]
    bound, other = scale.bind(32, values, 0.5), scale.bind(8, others, 2.0)
    before = device.counters.copy()
    bound(1, True, 2, 3)
    scale(1, 32, values, 10.0, False, 5, 2)
    other(1, False, 0, 8)
    bound(1, False, 2, 1)
    assert values.get().tolist() == [0, 1, -0.5, -1.5, -2, 50, 60, 7, 8, 9]
    assert others.get().tolist() == [0, 2, 4, 6, 8, 10, 12, 14, 8, 9]
    counted = device.counters.since(before)
    assert (counted.launches, counted.threads) == (4, 32 + 32 + 8 + 32)


def test_bound_launches_are_checked(device):
    values = device.zeros(10, np.float32)
    kernels = compiled(device)
    bound = kernels["scale"].bind(32, values, 0.5)
    with pytest.raises(DeviceError, match=r"grid\.x = 0 is not within"):
        bound(0, True, 2, 3)
    with pytest.raises(DeviceError, match=r"\(True, 2, 300\) do not fit its last parameters"):
        bound(1, True, 2, 300)
    with pytest.raises(DeviceError, match="do not fit its last parameters"):
        bound(1, True, 2)
    with pytest.raises(DeviceError, match="bind all arrays"):
        kernels["reverse_static"].bind(32, values.device.zeros(32, np.int32))
    with pytest.raises(DeviceError, match="'values' needs a device array"):
        kernels["scale"].bind(32, 1, 0.5)
    with pytest.raises(DeviceError, match="bind all arrays, and no more than 5"):
        kernels["scale"].bind(32, values, 0.5, True, 2, 3, 4)


def test_shared_memory_is_the_blocks_own(device):
    given = np.random.default_rng(2).integers(0, 1000, 96 * 50, dtype=np.int32)
    reversed_blocks = given.reshape(50, 96)[:, ::-1].ravel()
    for name, shared_bytes in (("reverse_static", 0), ("reverse_dynamic", 96 * 4)):
        output = device.empty(given.shape, np.int32)
        compiled(device)[name](50, 96, device.upload(given), output, shared_bytes=shared_bytes)
        assert np.array_equal(output.get(), reversed_blocks), name


def test_more_than_48_kilobytes_of_dynamic_shared_memory(device):
    given = np.arange(1024, dtype=np.int32)
    output = device.empty(1024, np.int32)
    compiled(device)["reverse_dynamic"](1, 1024, device.upload(given), output, shared_bytes=200_000)
    assert np.array_equal(output.get(), given[::-1])


def test_the_lanes_of_a_warp_meet_at_syncwarp(device):
    output = device.empty(32, np.int32)
    compiled(device)["warp_chain"](1, 32, output, 5)
    assert output.get().tolist() == [*range(5, 32), *[1000] * 5]


@pytest.mark.parametrize("width", [8, 16, 32])
def test_shuffles_stay_within_their_width(device, width):
    given = np.random.default_rng(3).integers(0, 1000, 32, dtype=np.int32)
    output = device.empty((4, 32), np.int32)
    compiled(device)["shuffles"](1, 32, device.upload(given), output, width)
    lane = np.arange(32)
    within, first = lane % width, lane - lane % width
    sources = [
        first + 5,
        np.where(within >= 3, lane - 3, lane),
        np.where(within + 3 < width, lane + 3, lane),
        lane ^ 3,
    ]
    assert np.array_equal(output.get(), given[np.array(sources)])


def test_a_shuffle_moves_eight_bytes(device):
    given = np.random.default_rng(4).random(32)
    output = device.empty(32, np.float64)
    compiled(device)["wide_shuffle"](1, 32, device.upload(given), output)
    assert np.array_equal(output.get(), given[::-1])


def test_parts_of_a_warp_shuffle_independently(device):
    output = device.empty(32, np.int32)
    compiled(device)["half_warps"](1, 32, output)
    pair_sums = np.arange(32) // 2 * 4 + 1
    assert output.get().tolist() == np.where(np.arange(32) < 16, pair_sums * 4, pair_sums * 16).tolist()


@pytest.mark.parametrize("threads", [32, 64])
@pytest.mark.parametrize("seed", range(3))
def test_votes_and_reductions(device, threads, seed):
    given = np.random.default_rng(seed).integers(0, 2, threads, dtype=np.int32) | (seed == 2)
    output = device.empty((threads, 8), np.uint32)
    compiled(device)["votes"](1, threads, device.upload(given), output)
    lane = np.arange(threads)
    for warp in range(0, threads, 32):
        bits = given[warp : warp + 32]
        ballot = int((bits.astype(np.uint64) << np.arange(32, dtype=np.uint64)).sum())
        largest = int((bits + lane[warp : warp + 32]).max())
        equal = np.where(bits, bits.sum(), 32 - bits.sum())
        for mine, same in zip(output.get()[warp : warp + 32].tolist(), equal.tolist(), strict=True):
            assert mine == [
                ballot, bits.any(), bits.all(), same, given.sum(), given.any(), given.all(), largest,
            ]  # fmt: skip


def test_atomics_of_many_blocks(device):
    integers = device.upload(np.zeros(5, np.int32))
    wide, real = device.zeros(1, np.uint64), device.zeros(1, np.float32)
    compiled(device)["atomics"](100, 62, integers, wide, real)
    assert integers.get().tolist() == [6200, 6199, -61, 0, 12400]
    assert wide.get().tolist() == [6200 << 33]
    assert real.get().tolist() == [3100]


def test_bit_intrinsics(device):
    rng = np.random.default_rng(5)
    x, y = (np.r_[rng.integers(0, 2**32, 30), edge].astype(np.uint32) for edge in ([0, 1], [0, 2**31]))
    output = device.empty((9, 32), np.int32)
    compiled(device)["bits"](1, 32, device.upload(x), device.upload(y), output, 32)
    rows = output.get().view(np.uint32).tolist()
    for i, (low, high) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        both = high << 32 | low
        octets = both.to_bytes(8, "little")
        assert [row[i] for row in rows] == [
            low.bit_count(),
            32 - low.bit_length(),
            (low & -low).bit_length(),
            int(f"{low:032b}"[::-1], 2),
            (both << 7 >> 32) & 0xFFFFFFFF,
            (both >> 7) & 0xFFFFFFFF,
            low,
            int.from_bytes([octets[0], octets[5], octets[2], octets[7]], "little"),
            both.bit_count(),
        ]


def test_a_fence_orders_writes_before_the_ticket(device):
    given = np.random.default_rng(6).integers(0, 1000, 32 * 40, dtype=np.int32)
    partial, tickets, total = device.empty(40, np.int32), device.zeros(1, np.uint32), device.empty(1, np.int32)
    compiled(device)["last_block_sums"](40, 32, device.upload(given), partial, tickets, total)
    assert total.get().tolist() == [given.sum()]


def test_indices_of_three_axes(device):
    output = device.empty((4, 3, 2, 3, 4, 5), np.int32)
    compiled(device)["where"]((2, 3, 4), (5, 4, 3), output)
    z, y, x, c, b, a = np.indices(output.shape)
    assert np.array_equal(output.get(), a + 10 * b + 100 * c + 1000 * x + 10000 * y + 100000 * z)


def test_a_warp_of_64_lanes_as_on_amd():
    for order in ("forward", "reverse", "random"):
        device = open_device("emulator", warp_size=64, thread_order=order)
        given = np.random.default_rng(7).random(64)
        output = device.empty(64, np.float64)
        compiled(device)["wide_shuffle"](1, 64, device.upload(given), output)
        assert np.array_equal(output.get(), given[::-1])
        bits = np.random.default_rng(8).integers(0, 2, 64, dtype=np.int32)
        ballots = device.empty((64, 8), np.uint64)
        compiled(device)["votes"](1, 64, device.upload(bits), ballots)
        assert ballots.get()[:, 0].tolist() == [sum(int(bit) << lane for lane, bit in enumerate(bits))] * 64


def test_blocks_wait_for_what_earlier_ones_write_past_the_first_cache(device):
    blocks = 6000
    words = device.upload(np.full((blocks, 4), -1, np.int32))
    compiled(device)["block_chain"](blocks, 1, words, device.zeros(1, np.uint32))
    assert np.array_equal(words.get(), np.outer(np.arange(1, blocks + 1), [1, 2, 3, 4]))

"""Half precision rounds as numpy's float16 does, to the last bit, denormals, infinities and overflow included."""

from pathlib import Path

import numpy as np

KERNELS = Path(__file__).with_name("half.cu")
NAN = 0x7FFF


def same_nan(halves):
    """The halves' bits, with one pattern for what is not a number."""
    return np.where(np.isnan(halves), NAN, halves.view(np.uint16))


def test_arithmetic_of_pairs(device):
    edges = np.array([0, 1, 2, 0x3FF, 0x400, 0x3C00, 0x3C01, 0x6800, 0x6801, 0x7BFF, 0x7C00, NAN], np.uint16)
    edges = np.concatenate([edges, edges | 0x8000])
    rng = np.random.default_rng(5)
    a, b = (np.concatenate([grid.ravel(), rng.integers(0, 2**16, 40_000)]).astype(np.uint16)
            for grid in np.meshgrid(edges, edges))  # fmt: skip
    x, y = a.view(np.float16), b.view(np.float16)
    with np.errstate(all="ignore"):
        expected = [x + y, x - y, x * y]
    larger = np.where((x == y) & np.signbit(x), y, np.where(x == y, x, np.fmax(x, y)))  # 0 is larger than -0
    smaller = np.where((x == y) & np.signbit(y), y, np.where(x == y, x, np.fmin(x, y)))
    output = device.empty((6, len(a) // 2), np.uint32)
    words = [device.upload(values.view(np.uint32)) for values in (a, b)]
    device.compile(KERNELS)["pairs"](len(a) // 256 + 1, 128, *words, output, len(a) // 2)
    found = output.get().view(np.float16)
    for row, values in enumerate([*expected, larger, smaller]):
        assert np.array_equal(same_nan(found[row]), same_nan(values)), row
    assert np.array_equal(found[5].view(np.uint16), np.where(x > y, 0xFFFF, 0))


def test_conversions_round_to_nearest_even(device):
    every = np.arange(2**16, dtype=np.uint16).view(np.float16).astype(np.float32)
    finite = np.sort(every[np.isfinite(every)])
    halfway = (finite[1:] + finite[:-1]) / 2
    given = np.concatenate([every, halfway, np.nextafter(halfway, np.float32(np.inf)), np.nextafter(halfway, -1e9)])
    given = np.concatenate([given, np.array([65519.9, 65520, -65520, 1e30, 1e-30, -1e-9], np.float32)])
    given = np.ascontiguousarray(given[: len(given) // 2 * 2], np.float32)
    with np.errstate(all="ignore"):
        expected = given.astype(np.float16)
    halves, widened = device.empty(len(given), np.uint16), device.empty(len(given), np.float32)
    device.compile(KERNELS)["conversions"](
        len(given) // 256 + 1, 128, device.upload(given), halves, widened, len(given)
    )
    assert np.array_equal(same_nan(halves.get().view(np.float16)), same_nan(expected))
    assert np.array_equal(widened.get(), expected.astype(np.float32), equal_nan=True)

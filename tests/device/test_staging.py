"""Ordinary memory passes to a GPU through a few pieces of page-locked memory."""

import numpy as np

from tests.device.driver import run_with_driver

COPY = """
import numpy as np
from repro.device.cuda_staging import _copy_parts, _copy_through

for size in (1, 99, 100, 101, 299, 300, 301, 1234):
    source = np.random.default_rng(size).integers(0, 256, size, np.uint8)
    target, slots, events = np.zeros(size + 1, np.uint8), np.zeros((3, 100), np.uint8), np.zeros(3, np.int64)
    addresses = np.array([events.ctypes.data + 8 * slot for slot in range(3)], np.uintp)
    assert _copy_through(np.uintp(target.ctypes.data), source, slots, addresses, np.uintp(0)) == 0
    assert target.tolist() == [*source.tolist(), 0]
    pieces = (size + 99) // 100
    assert events.tolist() == [len(range(slot, pieces, 3)) for slot in range(3)]
assert _copy_through(np.uintp(0), source, slots, addresses, np.uintp(0)) == 700
events[1] = -1
target[:] = 0
assert _copy_through(np.uintp(target.ctypes.data), source, slots, addresses, np.uintp(0)) == 400
assert target.tolist() == [*source[:100].tolist(), *[0] * (size - 99)]

target[:] = events[:] = 0
first, last = np.array([900, 500, 0], np.uintp), np.array([size, 900, 500], np.uintp)
addresses_of = np.uintp(target.ctypes.data), np.uintp(source.ctypes.data)
assert _copy_parts(*addresses_of, first, last, addresses, np.uintp(0)) == 0
assert target.tolist() == [*source.tolist(), 0]
assert events.tolist() == [1, 1, 1]
assert _copy_parts(np.uintp(0), addresses_of[1], first[2:], last[2:], addresses, np.uintp(0)) == 700
assert events.tolist() == [1, 1, 1]
"""


def test_pieces_pass_in_order_and_errors_end_them(tmp_path):
    run_with_driver(COPY, tmp_path)


def test_values_may_be_changed_when_they_are_on_their_way(device):
    targets = [device.empty((70, 50_000), np.float32) for _ in range(3)]
    values, events = np.empty((70, 50_000), np.float32), []
    for number, target in enumerate(targets):
        values[...] = np.arange(70)[:, None] + 100 * number
        events.append(device.stage_in(target, values, [device.record()], sharing=1 + number))
    values[...] = -1
    for number, (target, event) in enumerate(zip(targets, events, strict=True)):
        device.wait(event)
        assert np.array_equal(target.get(), np.broadcast_to(np.arange(70)[:, None] + 100.0 * number, (70, 50_000)))
    assert device.counters.writes == 3

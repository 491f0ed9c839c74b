"""Ordinary memory passes to a GPU through a few pieces of page-locked memory."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from repro.device.toolchain import compiler

COPY = """
import numpy as np
from repro.device.cuda_staging import _copy_through

def copied(source, target, events, threads=2, context=1):
    addresses = np.array([[events[thread, slot:].ctypes.data for slot in range(2)] for thread in range(2)], np.uintp)
    places = np.zeros((2, 2, 100), np.uint8), addresses, np.uintp(0), np.uintp(context)
    return _copy_through(np.uintp(target if isinstance(target, int) else target.ctypes.data), source, *places, threads)

for size, pieces in {1: (1, 0), 2: (1, 1), 99: (1, 1), 200: (1, 1), 201: (2, 1), 600: (3, 3), 1234: (7, 6)}.items():
    for threads in (1, 2):
        source = np.random.default_rng(size).integers(0, 256, size, np.uint8)
        target, events = np.zeros(size + 1, np.uint8), np.zeros((2, 2), np.int64)
        assert copied(source, target, events, threads) == 0
        assert target.tolist() == [*source.tolist(), 0]
        of_threads = pieces if threads == 2 else ((size + 99) // 100, 0)
        assert events.tolist() == [[(count + 1) // 2, count // 2] for count in of_threads]
assert copied(source, target, events, context=0) == 201
assert copied(source[:1], 0, events) == 700
events[1, 1] = -1
target[:] = 0
assert copied(source, target, events) == 400
assert target[:100].tolist() == source[:100].tolist()
assert target[300:400].tolist() == [0] * 100
"""


def test_every_thread_passes_its_pieces_and_errors_end_them(tmp_path):
    """With what stands in for the driver."""
    source = Path(__file__).with_name("libcuda.cpp")
    subprocess.run([compiler()[0], "-shared", "-fPIC", "-o", tmp_path / "libcuda.so.1", source], check=True)
    environment = os.environ | {"LD_LIBRARY_PATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", COPY], check=True, env=environment)


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

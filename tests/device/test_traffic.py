"""Sectors, transactions and bank passes against what can be counted by hand."""

import csv
import importlib.util
from pathlib import Path

import numpy as np
import pytest

from repro.device import open_device
from repro.device.traffic import Place, Traffic
from repro.errors import DeviceError
from tests.conftest import ORDERS

KERNELS = Path(__file__).with_name("traffic.cu")
ROOT = Path(__file__).parents[2]


@pytest.fixture(params=ORDERS)
def counting(request):
    return open_device("emulator", thread_order=request.param, instrument="traffic")


def traffic(device, kernel, grid, block, *arguments, pitch=33):
    arguments = [device.upload(given) if isinstance(given, np.ndarray) else given for given in arguments]
    with device.record_traffic() as log:
        device.compile(KERNELS, {"PITCH": pitch})[kernel](grid, block, *arguments)
    return log


@pytest.mark.parametrize(
    ("stride", "offset", "sectors", "transactions"),
    [(1, 0, 4, 1), (1, 1, 5, 2), (2, 0, 8, 2), (8, 0, 32, 8), (32, 0, 32, 32), (32, 31, 32, 32), (0, 5, 1, 1)],
)
def test_strides(counting, stride, offset, sectors, transactions):
    warps = 6
    given = np.zeros(64 * 3 * 32 + 32, np.float32)
    log = traffic(counting, "copy_strided", 3, 64, given, given.copy(), stride, offset)
    expected = Traffic(warps, 32 * warps, sectors * warps, transactions * warps)
    assert log.total("copy_strided", "global", "load") == expected
    assert log.total("copy_strided", "global", "store") == Traffic(warps, 32 * warps, 4 * warps, warps)
    assert log.rows[Place("copy_strided", "line 5", "global", "load")] == expected


def test_the_last_warp_is_partial(counting):
    given = np.zeros(72, np.uint8)
    log = traffic(counting, "copy_bytes", 1, 72, given, given.copy())
    assert log.total("copy_bytes", "global", "load") == Traffic(3, 72, 3, 3)


def test_a_vector_is_one_access(counting):
    given = np.zeros(1024, np.float32)
    log = traffic(counting, "copy_whole_vectors", 1, 64, given, given.copy(), 1)
    assert log.total("copy_whole_vectors", "global", "load") == Traffic(2, 64, 32, 8)
    assert log.total("copy_whole_vectors", "global", "store") == Traffic(2, 64, 34, 10)


@pytest.mark.parametrize(("pitch", "passes"), [(32, 32), (33, 1), (34, 2), (36, 4), (48, 16)])
def test_bank_conflicts_of_a_transposition(counting, pitch, passes):
    given = np.arange(64 * 96, dtype=np.float32)
    log = traffic(counting, "transpose", (3, 2), (32, 8), given, np.zeros_like(given), 96, 64, pitch=pitch)
    requests = 64 * 96 // 32
    assert log.total("transpose", "shared", "load") == Traffic(requests, 64 * 96, passes=passes * requests)
    assert log.total("transpose", "shared", "store") == Traffic(requests, 64 * 96, passes=requests)
    assert log.total("transpose", "global", "load") == Traffic(requests, 64 * 96, 4 * requests, requests)


def test_lanes_that_leave_a_loop_early_meet_the_others_again(counting):
    rounds = 5
    given = np.zeros(32 * 4 * (rounds + 1), np.int32)
    log = traffic(counting, "uneven", 1, 32, given, given.copy(), rounds)
    inner = log.rows[Place("uneven", "line 37", "global", "load")]
    assert inner == Traffic(4 * rounds, (32 + 24 + 16 + 8) * rounds, 4 * 4 * rounds, 4 * rounds)
    assert log.rows[Place("uneven", "line 38", "global", "load")] == Traffic(rounds, 16 * rounds, 4 * rounds, rounds)


def test_atomics_are_counted_apart(counting):
    given = np.repeat(np.arange(8, dtype=np.uint8), 4)
    log = traffic(counting, "histogram", 1, 32, given, np.zeros(8, np.int32), 32)
    assert log.total("histogram", "global", "atomic") == Traffic(1, 32, 1, 1)


def test_counters_of_a_gpu():
    """Those that ncu read on an NVIDIA H200."""
    spec = importlib.util.spec_from_file_location("traffic_against_ncu", ROOT / "benchmarks" / "traffic_against_ncu.py")
    comparison = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(comparison)
    counted = {(case, name): count for case, counts in comparison.emulated() for name, count in counts.items()}
    with (ROOT / "resources/measured/h200/devices/traffic.csv").open() as file:
        measured = {(row["case"], row["counter"]): int(row["gpu"]) for row in csv.DictReader(file)}
    assert counted == measured


def test_an_ordinary_device_counts_nothing():
    with pytest.raises(DeviceError, match=r"instrument='traffic'"), open_device("emulator").record_traffic():
        pass

from collections.abc import Callable
from itertools import count

import pytest

from repro.bench.measure import Seconds, measure
from repro.device import Device, open_device
from repro.errors import DeviceError


def launching(device: Device, times: int) -> Callable[[], str]:
    def run() -> str:
        device.counters.launches += times
        return "result"

    return run


def test_seconds_are_smallest_median_and_largest() -> None:
    assert Seconds.of([4.0, 1.0, 2.0, 100.0]) == Seconds(1.0, 3.0, 100.0)


def test_counters_are_those_of_one_run_without_the_warm_up() -> None:
    device = open_device("emulator")
    measured = measure(device, launching(device, 7), 3, launching(device, 1000))
    assert measured.counters == {"launches": 7, "threads": 0, "reads": 0, "writes": 0}
    assert measured.result == "result"
    assert measured.repetitions == 3


@pytest.mark.parametrize(("kind", "runs"), [("emulator", 3), ("cuda", 6)])
def test_a_gpu_runs_apart_for_total_and_kernel_time(kind: str, runs: int) -> None:
    device = open_device("emulator")
    device.kind = kind
    done = []
    measure(device, lambda: done.append(1), 3, lambda: None)
    assert len(done) == runs


def test_repetitions_that_differ_are_an_error() -> None:
    numbers = count()
    with pytest.raises(DeviceError, match="repetitions of one run differ: \\[0, 1\\]"):
        measure(open_device("emulator"), lambda: next(numbers), 2, lambda: None)

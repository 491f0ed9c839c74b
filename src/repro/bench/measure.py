"""How a run is timed: one untimed run per specialisation, then repetitions for total and for kernel time."""

import statistics
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar

from repro.device import Device, KernelTimes
from repro.errors import DeviceError

Result = TypeVar("Result")


@dataclass(frozen=True)
class Seconds:
    """Smallest, median and largest of the repetitions, in seconds."""

    min: float
    median: float
    max: float

    @classmethod
    def of(cls, seconds: list[float]) -> "Seconds":
        """Of at least one measured value."""
        return cls(min(seconds), statistics.median(seconds), max(seconds))


@dataclass(frozen=True)
class Measurement(Generic[Result]):
    """What was measured of one run: the same for every variant and system."""

    result: Result
    repetitions: int
    total_seconds: Seconds
    kernel_seconds: Seconds
    compile_seconds: float
    counters: dict[str, int]

    def fields(self) -> dict[str, Any]:
        """The row's columns, nested as they are written."""
        return {
            "repetitions": self.repetitions,
            "total_seconds": asdict(self.total_seconds),
            "kernel_seconds": asdict(self.kernel_seconds),
            "compile_seconds": self.compile_seconds,
            "counters": self.counters,
        }


def measure(
    device: Device, run: Callable[[], Result], repetitions: int, warm_up: Callable[[], object]
) -> Measurement[Result]:
    """Measure `run`: host input to host output, so that its total time has the transfers in it.

    warm_up: a short run of the same specialisation (it compiles and loads the kernels), not timed.
    repetitions: timed runs for the total time, and as many with an event around every launch for the kernel time: the
    events cost time, so the two are not taken from the same run, except on the emulator, where they cost nothing.
    Raises DeviceError when two repetitions differ in result or counters.
    """
    compiled_before = device.compile_seconds
    warm_up()
    device.synchronize()
    totals: list[float] = []
    kernels: list[float] = []
    results: list[Result] = []
    counts: list[dict[str, int]] = []
    for timed in ("both",) if device.kind == "emulator" else ("total", "kernels"):
        for _ in range(repetitions):
            before = device.counters.copy()
            with nullcontext(KernelTimes()) if timed == "total" else device.record_kernel_times() as times:
                started = time.perf_counter()
                results.append(run())
                device.synchronize()
                elapsed = time.perf_counter() - started
            if timed != "kernels":
                totals.append(elapsed)
            if timed != "total":
                kernels.append(times.total)
            counts.append(asdict(device.counters.since(before)))
    if any(other != results[0] for other in results) or any(other != counts[0] for other in counts):
        raise DeviceError(f"{device.name}: repetitions of one run differ: {results}, {counts}")
    return Measurement(
        results[0],
        repetitions,
        Seconds.of(totals),
        Seconds.of(kernels),
        device.compile_seconds - compiled_before,
        counts[0],
    )

"""One more run of a variant that is watched: seconds of its launches (Fig. 5), and a time line of a few (Fig. 6)."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from repro.device import Array, BoundKernel, Device, Kernel, KernelTimes
from repro.device.in_turn import InTurn
from repro.device.kernel import Extent

TIMELINE_LAUNCHES = 24
Span = tuple[float, float]  # begin and end, in seconds


@dataclass(frozen=True)
class Trace:
    """What was seen of one run.

    launch, seconds: numbers of launches at equal distances, from 0, and the median device time of the launches around
    each. first: the first launch of the time line. launching, running: of each of its launches, when the host asked
    for it and when the device ran it; reading: of each read among them, when the host waited for it. Their seconds
    begin with the first launch of the time line; the two clocks are set so that no launch runs before it is asked for.
    Where launches are asked for together, here each is asked for by itself.
    """

    launch: list[int]
    seconds: list[float]
    first: int
    launching: list[Span]
    running: list[Span]
    reading: list[Span]


class _Watch:
    """When the host launched and read."""

    def __init__(self) -> None:
        self.launches: list[Span] = []
        self.reads: list[Span] = []


class _WatchedArray:
    """An array whose `get` is watched."""

    def __init__(self, array: Array, watch: _Watch) -> None:
        self.array = array
        self._watch = watch

    def __getitem__(self, index: Any) -> "_WatchedArray":
        return _WatchedArray(self.array[index], self._watch)

    def get(self) -> Any:
        began = time.perf_counter()
        values = self.array.get()
        self._watch.reads.append((began, time.perf_counter()))
        return values


class _WatchedDevice:
    """What the host loops of the paper's variants use of a device; launches and reads are watched."""

    def __init__(self, device: Device, watch: _Watch) -> None:
        self._device = device
        self._watch = watch

    def compile(self, *given: Any) -> dict[str, "_WatchedKernel"]:
        return {name: _WatchedKernel(kernel, self._watch) for name, kernel in self._device.compile(*given).items()}

    def empty(self, *given: Any) -> _WatchedArray:
        return _WatchedArray(self._device.empty(*given), self._watch)

    def upload(self, values: Any) -> _WatchedArray:
        return _WatchedArray(self._device.upload(values), self._watch)

    def mapped_word(self) -> _WatchedArray:
        return _WatchedArray(self._device.mapped_word(), self._watch)

    def in_turn(self, launches: Any) -> InTurn:
        return InTurn(launches)


class _WatchedKernel:
    """A kernel whose bound launches are watched."""

    def __init__(self, kernel: Kernel, watch: _Watch) -> None:
        self._kernel = kernel
        self._watch = watch

    def bind(self, block: Extent, *arguments: Any, shared_bytes: int = 0) -> "_WatchedLaunch":
        given = [argument.array if isinstance(argument, _WatchedArray) else argument for argument in arguments]
        return _WatchedLaunch(self._kernel.bind(block, *given, shared_bytes=shared_bytes), self._watch)


class _WatchedLaunch:
    """A bound kernel whose launches are watched."""

    def __init__(self, bound: BoundKernel, watch: _Watch) -> None:
        self.kernel, self.rest = bound.kernel, bound.rest
        self._bound = bound
        self._watch = watch

    def __call__(self, blocks: int, *numbers: int) -> None:
        began = time.perf_counter()
        self._bound(blocks, *numbers)
        self._watch.launches.append((began, time.perf_counter()))


def trace(device: Device, run: Callable[[Any], object], points: int) -> dict[str, Any]:
    """Run once, watched; the fields of a `Trace`.

    run: called with what stands for the device. points: how many launches `launch` names at most.
    """
    watch = _Watch()
    with device.record_kernel_times() as times:
        run(_WatchedDevice(device, watch))
    parts = np.array_split(np.array(times.seconds), min(points, len(times.seconds)))
    middles = np.cumsum([len(part) for part in parts]) - [(len(part) + 1) // 2 for part in parts]
    return asdict(Trace(middles.tolist(), [float(np.median(part)) for part in parts], **_timeline(watch, times)))


def _timeline(watch: _Watch, times: KernelTimes) -> dict[str, Any]:
    """Launches near the middle of the run, from just after a read if there is one near.

    They are those of nine stretches that took the median time: now and then the host is interrupted.
    """
    launches = len(watch.launches)
    most = max(0, launches - TIMELINE_LAUNCHES)
    near = [min(most, max(0, most // 2 + k * TIMELINE_LAUNCHES)) for k in range(-4, 5)]
    stretches = {_after_a_read(watch, first) for first in near}
    ended = {first: watch.launches[min(first + TIMELINE_LAUNCHES, launches) - 1][1] for first in stretches}
    by_time = sorted(stretches, key=lambda first: ended[first] - watch.launches[first][0])
    first = by_time[len(by_time) // 2]
    chosen = slice(first, min(first + TIMELINE_LAUNCHES, launches))
    launching = watch.launches[chosen]
    following = [asked for asked, _ in watch.launches[chosen.stop :][:1]]
    starts, seconds = times.starts[chosen], times.seconds[chosen]
    zero = launching[0][0]
    later = max(asked - start for (asked, _), start in zip(launching, starts, strict=True))
    running = [(start + later - zero, start + later - zero + took) for start, took in zip(starts, seconds, strict=True)]
    return {
        "first": first,
        "launching": [(began - zero, ended - zero) for began, ended in launching],
        "running": running,
        "reading": [(b - zero, e - zero) for b, e in watch.reads if b >= zero and all(b < end for end in following)],
    }


def _after_a_read(watch: _Watch, launch: int) -> int:
    """The first launch after the last read before a launch; that launch itself where nothing was read before."""
    before = [end for _, end in watch.reads if end <= watch.launches[launch][0]]
    return next(k for k, (began, _) in enumerate(watch.launches) if began >= before[-1]) if before else launch

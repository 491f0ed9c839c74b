"""The emulator: CUDA kernels compiled for the CPU, one fiber per CUDA thread, blocks spread over host threads.

It is built to find faults rather than to hide them: the order of threads is a parameter, memory starts poisoned,
and a barrier or warp operation that not all threads reach is an error that names them.
"""

import ctypes
import os
import platform
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock, RLock
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import DTypeLike, NDArray

from repro.device.abi import Launch
from repro.device.base import Device, Event, KernelTimes, Lent
from repro.device.host_memory import HostMemory
from repro.device.kernel import Array, Extent, Extents, Kernel, MappedWord
from repro.device.late_copies import CopyStream, Point
from repro.device.source import Constants, Parameter, load_source
from repro.device.toolchain import Instrument, build_module, chosen_instrument, compiler, emulated_text, name_places
from repro.device.traffic import TrafficLog
from repro.errors import DeviceError

ThreadOrder = Literal["forward", "reverse", "random"]
MOST_WORKERS = 16
MAY_WAIT = re.compile(r"__nanosleep|volatile|__ldcv|\batomic")  # whether a wait has an end is seen in the arrays
INLINE_THREADS = 4096  # below this many CUDA threads, waking other host threads costs more than it saves


def host_threads() -> int:
    """How many host threads may run blocks."""
    return min(len(os.sched_getaffinity(0)), MOST_WORKERS)


class Module:
    """One compiled module. Each host thread that works on a launch borrows a loaded copy of its own.

    A copy's shared memory is its static data, so it serves one block at a time.
    """

    def __init__(self, image: bytes) -> None:
        self._image = image
        self._free: list[ctypes.CDLL] = []
        self._lock = Lock()

    def run(self, kernel: str, launch: Launch) -> None:
        """Take blocks of the launch until none is left."""
        with self._lock:
            copy = self._free.pop() if self._free else None
        copy = copy or self._load()
        if prepare := getattr(copy, "repro_prepare", None):
            prepare()
        getattr(copy, f"repro_launch_{kernel}")(ctypes.byref(launch))
        with self._lock:
            self._free.append(copy)

    @contextmanager
    def file(self) -> Iterator[Path]:
        """The module as a file of its own, while it is needed."""
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "module.so"
            path.write_bytes(self._image)
            yield path

    def _load(self) -> ctypes.CDLL:
        # The dynamic loader gives the same file the same memory, so each copy is loaded from a file of its own.
        with self.file() as path:
            return ctypes.CDLL(str(path))


@cache
def load_module(image: bytes) -> Module:
    """The module of a library's content, shared by all emulated devices of the process."""
    return Module(image)


class EmulatedKernel(Kernel):
    """A kernel of the emulator."""

    device: "Emulator"

    def __init__(
        self, device: "Emulator", name: str, parameters: list[Parameter], module: Module, needs_memory_table: bool
    ) -> None:
        super().__init__(device, name, parameters)
        self._module = module
        self._needs_memory_table = needs_memory_table

    def most_resident_blocks(self, block: Extent, shared_bytes: int = 0) -> int:
        """As many as an NVIDIA H200 would hold per multiprocessor, were registers no limit."""
        threads = int(np.prod(block))
        per_multiprocessor = min(32, 2048 // (-(-threads // 32) * 32), 233_472 // (shared_bytes + 1024))
        return self.device.multiprocessors * per_multiprocessor

    def _launch(self, grid: Extents, block: Extents, shared_bytes: int) -> None:
        device = self.device
        blocks = grid[0] * grid[1] * grid[2]
        threads = blocks * block[0] * block[1] * block[2]
        alone = threads < INLINE_THREADS or self._cooperative or device.instrument != "none"
        workers = 1 if alone else min(device.workers, blocks)
        launch = Launch(grid=grid, block=block, shared_bytes=shared_bytes, order=device.order, seed=device.next_seed())
        launch.arguments = self._arguments_address
        launch.cooperative = self._cooperative
        launch.workers = workers
        launch.chunk = max(1, min(64, blocks // (8 * workers)))
        if self._needs_memory_table:
            table = device.memory.table(self._named_pointers())
            launch.memories, launch.memory_count = table, len(table)
        started = time.perf_counter()
        others = [device.pool.submit(self._module.run, self.name, launch) for _ in range(workers - 1)]
        self._module.run(self.name, launch)
        for other in others:
            other.result()
        device.note_time(time.perf_counter() - started)
        if device.traffic_log is not None:
            device.traffic_log.add(self.name, launch, self._module.file)
        if launch.failed:
            with self._module.file() as library:
                raise DeviceError(name_places(launch.error.decode(errors="replace"), library))

    def _named_pointers(self) -> dict[int, str]:
        values = self._layout.unpack_from(self._values)
        return {value: p.name for value, p in zip(values, self.parameters, strict=True) if p.pointer}


class Emulator(Device):
    """The CPU standing in for a GPU.

    thread_order: in which order runnable threads are resumed. seed: of the random order. warp_size: 32, or 64 as on
    AMD. workers: host threads that run blocks. multiprocessors: how many a cooperative launch may fill.
    instrument: what every launch is watched for: "sanitize", "races" or "traffic" (see docs/emulator.md), else what
    $REPRO_INSTRUMENT says.
    """

    kind = "emulator"

    def __init__(
        self,
        index: int = 0,
        memory_bytes: int | None = None,
        thread_order: ThreadOrder = "forward",
        seed: int = 0,
        warp_size: Literal[32, 64] = 32,
        workers: int | None = None,
        multiprocessors: int = 4,
        instrument: Instrument | None = None,
    ) -> None:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        super().__init__(index, memory_bytes or total // 2, warp_size)
        self.name = f"emulator ({platform.machine()} CPU)"
        self.thread_order = thread_order
        self.order = get_args(ThreadOrder).index(thread_order)
        self.workers = workers or host_threads()
        self.pool = ThreadPoolExecutor(max(1, self.workers - 1))
        self.multiprocessors = multiprocessors
        self.instrument = instrument or chosen_instrument()
        self.memory = HostMemory()
        self.traffic_log: TrafficLog | None = None
        self._first_began = 0.0
        self._random = np.random.default_rng(seed)
        # Of its own, so that copies that other threads begin leave the seeds of launches as they are.
        lateness, lock = np.random.default_rng(seed), RLock()
        late = (lambda: False, lambda: True, lambda: bool(lateness.integers(2)))[self.order]
        self._copies_in, self._copies_out = CopyStream(late, lock), CopyStream(late, lock)

    @contextmanager
    def record_traffic(self) -> Iterator[TrafficLog]:
        """Count what every launch inside the block asks of memory. Raises DeviceError without instrument="traffic"."""
        if self.instrument != "traffic":
            raise DeviceError("memory traffic is counted by a device opened with instrument='traffic'")
        self.traffic_log = log = TrafficLog()
        try:
            yield log
        finally:
            self.traffic_log = None

    def next_seed(self) -> int:
        """A new seed for each launch, so that no two random orders are alike."""
        return int(self._random.integers(2**31))

    def note_time(self, seconds: float) -> None:
        """Add the host time of a launch that has just ended to the times being recorded."""
        if (times := self._times) is not None:
            began = time.perf_counter() - seconds
            if not times.seconds:
                self._first_began = began
            times.seconds.append(seconds)
            times.starts.append(began - self._first_began)

    def describe(self) -> dict[str, Any]:
        """The CPU, the compiler and the host threads that stand in for the GPU."""
        return {
            "device": self.name,
            "kind": self.kind,
            "compiler": compiler()[1],
            "workers": self.workers,
            "thread_order": self.thread_order,
            "warp_size": self.warp_size,
            "instrument": self.instrument,
        }

    def synchronize(self) -> None:
        """Launches return when they have finished."""

    def host_array(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Host memory like any other, but known as page-locked."""
        array = np.empty(shape, dtype)
        self.page_lock(array)
        return array

    def mapped_word(self) -> MappedWord:
        """Known to those who watch what kernels access."""
        return MappedWord(self, self.memory.allocate((1,), np.dtype(np.int32), 0))

    def copy_in(self, array: Array, values: NDArray[Any], after: Sequence[Event] = ()) -> Event:
        """At once in forward order, as late as allowed in reverse order, either in random order."""
        self.counters.writes += 1
        return self._copies_in.add(lambda: self._upload(array, values), after)

    def stage_in(self, array: Array, values: NDArray[Any], after: Sequence[Event] = (), sharing: int = 1) -> Event:
        """As `copy_in`, of a copy."""
        return self.copy_in(array, np.array(values), after)

    def copy_out(self, array: Array, values: NDArray[Any], after: Sequence[Event] = ()) -> Event:
        """As for `copy_in`."""
        self.counters.reads += 1
        return self._copies_out.add(lambda: np.copyto(values, array.data), after)

    def lend(self, array: Array, outside: bool) -> Lent:
        """Those of other processes do not reach it."""
        return Lent.of(array)

    def borrow(self, lent: Lent) -> Array | None:
        """What lies at its address."""
        if not lent.is_ours:
            return None
        memory = (ctypes.c_ubyte * lent.nbytes).from_address(lent.pointer)
        return Array(self, np.ctypeslib.as_array(memory).view(lent.dtype).reshape(lent.shape), lent.pointer)

    def copy_across(self, array: Array, source: Array, after: Sequence[Event] = ()) -> Event:
        """As for `copy_in`."""
        return self.copy_in(array, source.data, after)

    def record(self) -> Event:
        """Launches have finished when they return."""
        return Point()

    def wait(self, event: Event) -> None:
        """The copies up to the event are made."""
        event.happen()

    def finish(self, event: Event) -> None:
        """As `wait`."""
        event.happen()

    def _lock_pages(self, start: int, nbytes: int) -> Callable[[int], object] | None:
        return lambda start: None

    def _compile(self, path: Path, constants: Constants, parameters: dict[str, list[Parameter]]) -> dict[str, Kernel]:
        source = load_source(path)
        started = time.perf_counter()
        image = build_module(source, emulated_text(source, constants, self.warp_size), self.instrument)
        self.compile_seconds += time.perf_counter() - started
        module = load_module(image)
        needs_table = self.instrument != "none" or any(MAY_WAIT.search(text) for text in source.files().values())
        return {name: EmulatedKernel(self, name, found, module, needs_table) for name, found in parameters.items()}

    def _allocate(self, shape: int | tuple[int, ...], dtype: np.dtype) -> NDArray[Any]:
        # The same three patterns as for shared memory: large positive, large negative, random.
        poison = (0x7B, 0xCB, self.next_seed() & 0xFF)[self.order]
        return self.memory.allocate(shape, dtype, poison)

    def _owner(self, data: NDArray[Any]) -> Any:
        return data if data.base is None else data.base

    def _pointer(self, data: NDArray[Any]) -> int:
        return data.ctypes.data

    def _fill(self, array: Array, value: np.generic) -> None:
        array.data[...] = value

    def _upload(self, array: Array, values: NDArray[Any]) -> None:
        array.data[...] = values

    def _download(self, array: Array) -> NDArray[Any]:
        return np.array(array.data)

    def _collect_times(self, times: KernelTimes) -> None:
        pass

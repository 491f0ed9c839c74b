"""NVIDIA GPUs through CuPy: NVRTC compiles the kernels, CUDA events time them."""

import ctypes
import importlib.util
import math
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from repro.device.base import Device, Event, KernelTimes, Lent, Limits
from repro.device.cuda_errors import errors_of, explain
from repro.device.cuda_kernel import CudaKernel
from repro.device.cuda_lending import Lending
from repro.device.in_turn import InTurn
from repro.device.kernel import Array, BoundKernel, Kernel
from repro.device.nvrtc import load_module
from repro.device.page_locking import allocated_by_numpy, is_page_locked, keep_locked
from repro.device.source import Constants, Parameter, load_source
from repro.errors import DeviceError

if TYPE_CHECKING:
    from repro.device.cuda_staging import Staging

MOST_OPEN_EVENTS = 8192
MOST_POOLED_BYTES = 65536  # of page-locked memory that is kept for the next who asks; to lock it takes long
FOR_ALL_GPUS = 1  # cudaHostRegisterPortable


def why_unavailable() -> str:
    """Why no GPU can be used and what to do, in a sentence; empty where one can."""
    if importlib.util.find_spec("cupy") is None:
        return "CuPy is not installed: for an NVIDIA GPU, pip install '.[cuda13]' ('.[cuda12]' for drivers below 580)"
    import cupy

    try:
        if cupy.cuda.runtime.getDeviceCount():
            return ""
    except cupy.cuda.runtime.CUDARuntimeError as error:
        if "NoDevice" not in str(error) and "InsufficientDriver" not in str(error):
            return f"CUDA does not answer ({error}); check that nvidia-smi works here"
    return (
        "No NVIDIA GPU found: see that nvidia-smi lists one and CUDA_VISIBLE_DEVICES names it, or use --device emulator"
    )


def device_count() -> int:
    """How many GPUs CUDA_VISIBLE_DEVICES leaves visible."""
    return int(_cupy().cuda.runtime.getDeviceCount())


def _cupy() -> ModuleType:
    import cupy

    return cupy  # type: ignore[no-any-return]


class Cuda(Device):
    """One NVIDIA GPU."""

    kind = "cuda"

    def __init__(self, index: int = 0, memory_bytes: int | None = None) -> None:
        cupy = _cupy()
        self.cupy = cupy
        self._device = cupy.cuda.Device(index)
        self._device.use()
        with errors_of(f"GPU {index}"):
            free, _ = cupy.cuda.runtime.memGetInfo()
            properties = cupy.cuda.runtime.getDeviceProperties(index)
            self._launch_on(cupy.cuda.Stream(non_blocking=True))
        super().__init__(index, memory_bytes or free)
        self.properties = properties
        self.compute_capability = properties["major"], properties["minor"]
        self.name = properties["name"].decode()
        self.limits = Limits(
            tuple(properties["maxGridSize"]),
            tuple(properties["maxThreadsDim"]),
            properties["maxThreadsPerBlock"],
            properties["sharedMemPerBlockOptin"],
        )
        self.last_launch: CudaKernel | None = None
        self._open_events: list[tuple[Any, Any]] = []
        self._first_event: Any = None
        self._lending = Lending(self)
        # Where a GPU walks the host's page tables (Grace), it reads ordinary memory itself, as late as page-locked one.
        self._stages_pageable = not properties.get("pageableMemoryAccessUsesHostPageTables", 0)
        self._staging: Staging | None = None
        self._copy_streams = {way: cupy.cuda.Stream(non_blocking=True) for way in ("in", "out")}
        self._lanes: dict[int, Any] = {}  # streams beside that of the launches

    def describe(self) -> dict[str, Any]:
        """Name, UUID, driver, runtime, compute capability, multiprocessors and clocks."""
        runtime = self.cupy.cuda.runtime
        return {
            "device": self.name,
            "kind": self.kind,
            "uuid": _uuid(self.index),
            "driver": runtime.driverGetVersion(),
            "runtime": runtime.runtimeGetVersion(),
            "compiler": "NVRTC " + ".".join(map(str, self.cupy.cuda.nvrtc.getVersion())),
            "compute_capability": ".".join(map(str, self.compute_capability)),
            "multiprocessors": self.properties["multiProcessorCount"],
            **_clocks(self.index),
        }

    def synchronize(self) -> None:
        """Wait for the streams of launches; a failed launch is raised here."""
        with errors_of(self.name, self):
            for stream in (self.stream, *self._lanes.values()):
                stream.synchronize()

    def host_array(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Page-locked memory, returned when the last reference to the array goes."""
        runtime = self.cupy.cuda.runtime
        count = math.prod(shape if isinstance(shape, tuple) else (shape,))
        nbytes = max(1, count * np.dtype(dtype).itemsize)
        if nbytes <= MOST_POOLED_BYTES:
            with errors_of(self.name, self), self._device:
                pooled = self.cupy.cuda.alloc_pinned_memory(nbytes)
            return np.frombuffer(pooled, dtype, count).reshape(shape)
        with errors_of(self.name, self), self._device:
            pointer = runtime.hostAlloc(nbytes, runtime.hostAllocDefault)
        memory = (ctypes.c_ubyte * nbytes).from_address(pointer)
        keep_locked(memory, pointer, nbytes, _even_after_a_fault(runtime, runtime.freeHost))
        return np.ctypeslib.as_array(memory)[: count * np.dtype(dtype).itemsize].view(dtype).reshape(shape)

    def copy_in(self, array: Array, values: NDArray[Any], after: Sequence[Event] = ()) -> Event:
        """On a stream of its own."""
        self.counters.writes += 1
        runtime = self.cupy.cuda.runtime
        return self._copy("in", array.pointer, values.ctypes.data, array, runtime.memcpyHostToDevice, after)

    def copy_in_parts(
        self, array: Array, values: NDArray[Any], starts: Sequence[int], after: Sequence[Event] = ()
    ) -> list[Event]:
        """By compiled code."""
        from repro.device.cuda_staging import copy_parts  # numba takes long to import

        self.counters.writes += len(starts)
        with errors_of(self.name, self), self._device:
            return copy_parts(self, array, values, starts, after, self._copy_streams["in"])

    def stage_in(self, array: Array, values: NDArray[Any], after: Sequence[Event] = (), sharing: int = 1) -> Event:
        """On the stream of copies in."""
        from repro.device.cuda_staging import Staging  # numba takes long to import

        self.counters.writes += 1
        with errors_of(self.name, self), self._device:
            self._staging = self._staging or Staging(self)
            return self._staging.copy_in(array, values, after, sharing, self._copy_streams["in"])

    def copy_out(self, array: Array, values: NDArray[Any], after: Sequence[Event] = ()) -> Event:
        """On a stream of its own."""
        self.counters.reads += 1
        runtime = self.cupy.cuda.runtime
        return self._copy("out", values.ctypes.data, array.pointer, array, runtime.memcpyDeviceToHost, after)

    def lend(self, array: Array, outside: bool) -> Lent:
        """By its address in this process, by a handle in others."""
        with errors_of(self.name, self), self._device:
            return self._lending.lend(array, outside)

    def borrow(self, lent: Lent) -> Array | None:
        """By its address, or by the handle."""
        with self._device:
            return self._lending.borrow(lent)

    def copy_across(self, array: Array, source: Array, after: Sequence[Event] = ()) -> Event:
        """On the stream of copies in."""
        self.counters.writes += 1
        kind = self.cupy.cuda.runtime.memcpyDefault
        return self._copy("in", array.pointer, source.pointer, array, kind, after)

    def _copy(self, way: str, to: int, source: int, array: Array, kind: int, after: Sequence[Event]) -> Event:
        stream = self._copy_streams[way]
        with errors_of(self.name, self), self._device:
            for earlier in after:
                stream.wait_event(earlier)
            self.cupy.cuda.runtime.memcpyAsync(to, source, array.nbytes, kind, stream.ptr)
            event: Event = stream.record(self.cupy.cuda.Event(block=self.patient, disable_timing=True))
            return event

    def make_current(self) -> None:
        """Let this thread's launches and events be this device's, whichever it worked with before."""
        self.cupy.cuda.runtime.setDevice(self.index)

    def record(self) -> Event:
        """An event on the stream of the launches."""
        with errors_of(self.name, self):
            self.make_current()
            event: Event = self.stream.record(self.cupy.cuda.Event(block=self.patient, disable_timing=True))
            return event

    def wait(self, event: Event) -> None:
        """The stream of the launches waits."""
        self.stream.wait_event(event)

    @contextmanager
    def aside(self, lane: int) -> Iterator[None]:
        """On a stream for each lane."""
        if self._times is not None:
            yield
            return
        before, outside = self.record(), self.stream
        if lane not in self._lanes:
            self._lanes[lane] = self.cupy.cuda.Stream(non_blocking=True)
        self._launch_on(self._lanes[lane])
        self.wait(before)
        try:
            yield
        finally:
            self._launch_on(outside)

    def _launch_on(self, stream: Any) -> None:
        self.stream, self.stream_pointer = stream, stream.ptr

    def finish(self, event: Event) -> None:
        """The host waits."""
        with errors_of(self.name, self):
            event.synchronize()

    def in_turn(self, launches: Sequence[BoundKernel]) -> InTurn:
        """By compiled code."""
        from repro.device.cuda_in_turn import CudaInTurn  # numba takes long to import, and few launch so often

        return CudaInTurn(self, launches)

    def mark(self) -> Any:
        """An event before a launch whose time is recorded."""
        if len(self._open_events) >= MOST_OPEN_EVENTS and self._times is not None:
            self._collect_times(self._times)
        event = self.cupy.cuda.Event()
        event.record(self.stream)
        return event

    def close(self, start: Any) -> None:
        """The event after a launch that `mark` began."""
        end = self.cupy.cuda.Event()
        end.record(self.stream)
        self._open_events.append((start, end))

    def _compile(self, path: Path, constants: Constants, parameters: dict[str, list[Parameter]]) -> dict[str, Kernel]:
        source = load_source(path)
        started = time.perf_counter()
        with self._device, tempfile.TemporaryDirectory() as folder:
            module = load_module(self.cupy, source, constants, Path(folder))
            kernels: dict[str, Kernel] = {n: CudaKernel(self, n, found, module) for n, found in parameters.items()}
        self.compile_seconds += time.perf_counter() - started
        return kernels

    def _lock_pages(self, start: int, nbytes: int) -> Callable[[int], object] | None:
        runtime = self.cupy.cuda.runtime
        with self._device:
            try:
                runtime.hostRegister(start, nbytes, FOR_ALL_GPUS)
            except runtime.CUDARuntimeError:
                return None
        return _even_after_a_fault(runtime, runtime.hostUnregister)

    # Without context managers of Python's own where small problems take most of their time.
    def _allocate(self, shape: int | tuple[int, ...], dtype: np.dtype) -> Any:
        try:
            with self._device, self.stream:
                return self.cupy.empty(shape, dtype)
        except Exception as error:
            raise explain(self.name, error, self) from None

    def _pointer(self, data: Any) -> int:
        return int(data.data.ptr)

    def _fill(self, array: Array, value: np.generic) -> None:
        content = value.tobytes()
        try:
            self.make_current()
            if array.contiguous and content.count(content[0]) == len(content):  # in a fifth of the time
                self.cupy.cuda.runtime.memsetAsync(array.pointer, content[0], array.nbytes, self.stream_pointer)
            else:
                with self._device, self.stream:
                    array.data.fill(value)
        except Exception as error:
            raise explain(self.name, error, self) from None

    def _upload(self, array: Array, values: NDArray[Any]) -> None:
        runtime = self.cupy.cuda.runtime
        try:
            self.make_current()
            if array.contiguous:
                source, way = values.ctypes.data, runtime.memcpyHostToDevice
                runtime.memcpyAsync(array.pointer, source, array.nbytes, way, self.stream_pointer)
                if self._stages_pageable and allocated_by_numpy(values) is not None and not is_page_locked(values):
                    return  # the runtime has read it all
            else:
                array.data.set(values, stream=self.stream)
            self.stream.synchronize()
        except Exception as error:
            raise explain(self.name, error, self) from None

    def _download(self, array: Array) -> NDArray[Any]:
        if not array.contiguous:
            with errors_of(self.name, self), self._device:
                values: NDArray[Any] = array.data.get(stream=self.stream, blocking=True)
                return values
        # The runtime's own calls: a loop that reads one word after every launch waits for nothing else.
        values = np.empty(array.shape, array.dtype)
        runtime = self.cupy.cuda.runtime
        try:
            runtime.memcpyAsync(
                values.ctypes.data, array.pointer, array.nbytes, runtime.memcpyDeviceToHost, self.stream_pointer
            )
            runtime.streamSynchronize(self.stream_pointer)
        except Exception as error:
            raise explain(self.name, error, self) from None
        return values

    def _collect_times(self, times: KernelTimes) -> None:
        self.synchronize()
        elapsed = self.cupy.cuda.get_elapsed_time
        if self._open_events and not times.seconds:
            self._first_event = self._open_events[0][0]
        times.starts += [elapsed(self._first_event, start) / 1e3 for start, _ in self._open_events]
        times.seconds += [elapsed(start, end) / 1e3 for start, end in self._open_events]
        self._open_events.clear()


def _uuid(index: int) -> str:
    """From the driver: the property that CuPy has ends at the first byte of 0."""
    found = (ctypes.c_ubyte * 16)()
    status = ctypes.CDLL("libcuda.so.1").cuDeviceGetUuid(found, index)
    if status:
        raise DeviceError(f"GPU {index}: the driver does not tell its UUID (CUDA error {status})")
    return bytes(found).hex()


def _even_after_a_fault(runtime: Any, release: Callable[[int], object]) -> Callable[[int], object]:
    """What releases memory of the host, though a launch has failed, after which every call answers its error."""

    def quietly(start: int) -> None:
        with suppress(runtime.CUDARuntimeError):
            release(start)

    return quietly


def _clocks(index: int) -> dict[str, int]:
    """Clock rates in MHz as the driver reports them now and at most."""
    runtime = _cupy().cuda.runtime
    kilohertz = {
        "sm_clock_max_mhz": runtime.deviceGetAttribute(13, index),
        "memory_clock_max_mhz": runtime.deviceGetAttribute(36, index),
    }
    return {name: value // 1000 for name, value in kilohertz.items()}

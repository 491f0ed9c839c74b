"""What every device offers: memory with a budget, compiled kernels, counters and clocks."""

import ctypes
import math
import struct
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from repro.device.source import Constants, Parameter, load_source
from repro.errors import DeviceError

Extent = int | tuple[int, ...]
Event = Any  # a point in the work of a device; what it is depends on the device
Extents = tuple[int, int, int]


@dataclass(frozen=True)
class Limits:
    """The largest launch a device takes; the defaults are those of compute capability 9.0."""

    grid: tuple[int, int, int] = (2**31 - 1, 65535, 65535)
    block: tuple[int, int, int] = (1024, 1024, 64)
    threads_per_block: int = 1024
    shared_bytes: int = 232_448


@dataclass
class Counters:
    """Counts that do not depend on the machine: what the papers' claims about launches and reads rest on."""

    launches: int = 0
    threads: int = 0
    reads: int = 0
    writes: int = 0

    def since(self, earlier: "Counters") -> "Counters":
        """What was counted after `earlier`, a copy taken before."""
        return Counters(**{name: value - getattr(earlier, name) for name, value in asdict(self).items()})

    def copy(self) -> "Counters":
        """The counts as they stand now."""
        return Counters(**asdict(self))


@dataclass
class KernelTimes:
    """Seconds of device time of each launch, in the order of the launches.

    starts: when each launch began, in seconds after the first.
    """

    seconds: list[float] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)

    @property
    def total(self) -> float:
        """Their sum in seconds."""
        return math.fsum(self.seconds)


class Array:
    """An array in a device's memory; its memory returns to the budget when the last reference goes."""

    def __init__(self, device: "Device", data: Any, pointer: int) -> None:
        self.device = device
        self.data = data
        self.pointer = pointer
        self.dtype: np.dtype = data.dtype
        self.shape: tuple[int, ...] = data.shape
        self.nbytes: int = data.nbytes
        self.contiguous: bool = data.flags.c_contiguous

    def __getitem__(self, index: int | slice | EllipsisType | tuple[int | slice, ...]) -> "Array":
        """A view of the same memory (an integer index keeps its axis, so the view stays an array)."""
        parts = index if isinstance(index, tuple) else (index,)
        kept = tuple(slice(part, part + 1 or None) if isinstance(part, int) else part for part in parts)
        view = self.data[kept]
        return Array(self.device, view, self.device._pointer(view))

    def get(self) -> NDArray[Any]:
        """A copy in host memory, after all launches so far; counts as one read."""
        self.device.counters.reads += 1
        return self.device._download(self)

    def set(self, values: NDArray[Any]) -> None:
        """Overwrite with host values of the same shape and dtype; counts as one write."""
        if values.shape != self.shape or values.dtype != self.dtype:
            raise DeviceError(
                f"cannot copy {values.dtype}{list(values.shape)} into a device array {self.dtype}{list(self.shape)}"
            )
        self.device.counters.writes += 1
        self.device._upload(self, np.ascontiguousarray(values))


class Kernel(ABC):
    """A compiled kernel; call it with grid, block and arguments."""

    def __init__(self, device: "Device", name: str, parameters: Sequence[Parameter]) -> None:
        self.device = device
        self.name = name
        self.parameters = parameters
        # Arguments are packed into one buffer whose addresses never change: thousands of launches follow each other
        # at a few microseconds each, and the host must not be what they wait for.
        codes = ["P" if parameter.pointer else parameter.dtype.char for parameter in parameters]
        self._layout = struct.Struct("@" + "".join(codes))
        self._values = ctypes.create_string_buffer(max(1, self._layout.size))
        offsets = [
            struct.calcsize("@" + "".join(codes[: i + 1])) - struct.calcsize(codes[i]) for i in range(len(codes))
        ]
        start = ctypes.addressof(self._values)
        self._arguments = (ctypes.c_void_p * max(1, len(codes)))(*(start + offset for offset in offsets))
        self._arguments_address = ctypes.addressof(self._arguments)
        self._checked: tuple[Extent, Extent, int, bool] | None = None
        self._cooperative = False
        self._extents: tuple[Extents, Extents] = (1, 1, 1), (1, 1, 1)
        self._threads = 1

    def __call__(
        self,
        grid: Extent,
        block: Extent,
        *arguments: Array | float | np.generic,
        shared_bytes: int = 0,
        cooperative: bool = False,
    ) -> None:
        """Launch asynchronously.

        grid, block: blocks and threads per axis (x[, y[, z]]). arguments: one per parameter, device arrays for
        pointers and numbers for scalars. shared_bytes: dynamic shared memory per block. cooperative: all blocks are
        resident at once, so that they may wait for each other, pausing with __nanosleep in the waiting loop.
        Raises DeviceError when a number is out of range or an argument does not fit its parameter.
        """
        if self._checked != (grid, block, shared_bytes, cooperative):
            self._check_extents(grid, block, shared_bytes, cooperative)
        if len(arguments) != len(self.parameters):
            raise DeviceError(f"kernel {self.name}: {len(arguments)} arguments for {len(self.parameters)} parameters")
        values = [
            self._pointer(argument, parameter) if parameter.pointer else argument
            for argument, parameter in zip(arguments, self.parameters, strict=True)
        ]
        try:
            self._layout.pack_into(self._values, 0, *values)
        except (struct.error, TypeError, OverflowError):
            raise DeviceError(self._misfit(arguments)) from None
        counters = self.device.counters
        counters.launches += 1
        counters.threads += self._threads
        self._launch(*self._extents, shared_bytes)

    def _check_extents(self, grid: Extent, block: Extent, shared_bytes: int, cooperative: bool) -> None:
        grid3, block3 = _three(grid), _three(block)
        limits = self.device.limits
        for what, extent, largest in (("grid", grid3, limits.grid), ("block", block3, limits.block)):
            for axis, value, limit in zip("xyz", extent, largest, strict=True):
                if not 1 <= value <= limit:
                    raise DeviceError(f"kernel {self.name}: {what}.{axis} = {value} is not within 1 to {limit}")
        threads = math.prod(block3)
        if threads > limits.threads_per_block:
            raise DeviceError(
                f"kernel {self.name}: {threads} threads per block are more than {limits.threads_per_block}"
            )
        if not 0 <= shared_bytes <= limits.shared_bytes:
            raise DeviceError(
                f"kernel {self.name}: {shared_bytes} bytes of shared memory are more than {limits.shared_bytes}"
            )
        blocks = math.prod(grid3)
        if cooperative and blocks > (most := self.most_resident_blocks(block3, shared_bytes)):
            raise DeviceError(
                f"kernel {self.name}: {blocks} blocks of {threads} threads cannot wait for each other: "
                f"{self.device.name} holds {most} of them at once"
            )
        self._extents = grid3, block3
        self._threads = blocks * threads
        self._cooperative = cooperative
        self._checked = grid, block, shared_bytes, cooperative

    def _pointer(self, argument: Array | float | np.generic, parameter: Parameter) -> int:
        if (
            isinstance(argument, Array)
            and argument.device is self.device
            and argument.dtype == parameter.dtype
            and argument.contiguous
        ):
            return argument.pointer
        where = f"kernel {self.name}: '{parameter.name}'"
        if not isinstance(argument, Array):
            raise DeviceError(f"{where} needs a device array, not {type(argument).__name__}")
        if argument.device is not self.device:
            raise DeviceError(f"{where} lies on {argument.device.name}, the kernel runs on {self.device.name}")
        if argument.dtype != parameter.dtype:
            raise DeviceError(f"{where} is {argument.dtype}, the kernel reads {parameter.dtype}")
        raise DeviceError(f"{where} is not contiguous")

    def _misfit(self, arguments: Sequence[Array | float | np.generic]) -> str:
        """Which argument could not be packed, and why."""
        for argument, parameter in zip(arguments, self.parameters, strict=True):
            if parameter.pointer:
                continue
            if isinstance(argument, Array):
                return f"kernel {self.name}: '{parameter.name}' is a number, not an array"
            try:
                struct.pack(parameter.dtype.char, argument)
            except (struct.error, TypeError, OverflowError):
                return f"kernel {self.name}: '{parameter.name}' = {argument} does not fit {parameter.dtype}"
        return f"kernel {self.name}: the arguments do not fit"

    @abstractmethod
    def most_resident_blocks(self, block: Extent, shared_bytes: int = 0) -> int:
        """How many blocks of this size the device holds at once: the largest grid of a cooperative launch."""

    @abstractmethod
    def _launch(self, grid: Extents, block: Extents, shared_bytes: int) -> None: ...


def _three(extent: Extent) -> Extents:
    given = (extent,) if isinstance(extent, int) else tuple(extent)
    x, y, z = (*given, 1, 1)[:3]
    return int(x), int(y), int(z)


class Device(ABC):
    """Where kernels run. Open one with `repro.device.open_device`.

    kind: "cuda" or "emulator". name: what figures and rows show. memory_bytes: the budget for arrays.
    """

    kind: str
    name: str
    limits = Limits()

    def __init__(self, index: int, memory_bytes: int, warp_size: int = 32) -> None:
        self.index = index
        self.memory_bytes = memory_bytes
        self.memory_used = 0
        self.warp_size = warp_size
        self.counters = Counters()
        self.compile_seconds = 0.0
        self._modules: dict[tuple[Path, str], dict[str, Kernel]] = {}
        self._times: KernelTimes | None = None

    def compile(self, path: Path, constants: Constants | None = None) -> dict[str, Kernel]:
        """The kernels of a .cu file by name, specialised by typed constants.

        A constant becomes a `constexpr` of its Python or numpy type; a numpy scalar type becomes `using NAME =`.
        WARP_SIZE and FULL_MASK are always defined. Compiled modules are cached on disk and in memory.
        """
        constants = dict(constants or {})
        key = path, repr(sorted(constants.items()))
        if key not in self._modules:
            source = load_source(path)
            types = {**constants, "WarpMask": np.uint64 if self.warp_size == 64 else np.uint32}
            parameters = {name: source.parameters(name, types) for name in source.kernels}
            self._modules[key] = self._compile(path, constants, parameters)
        return self._modules[key]

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> Array:
        """Uninitialised memory (the emulator poisons it). Raises DeviceError when the budget does not allow it."""
        dtype = np.dtype(dtype)
        nbytes = math.prod(shape if isinstance(shape, tuple) else (shape,)) * dtype.itemsize
        if self.memory_used + nbytes > self.memory_bytes:
            raise DeviceError(
                f"{self.name}: {nbytes:,} bytes wanted, {self.memory_bytes - self.memory_used:,} of "
                f"{self.memory_bytes:,} free; use a smaller input or a larger memory budget"
            )
        data = self._allocate(shape, dtype)
        self.memory_used += nbytes
        array = Array(self, data, self._pointer(data))
        weakref.finalize(self._owner(data), self._release, nbytes)
        return array

    def zeros(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> Array:
        """Memory set to zero."""
        return self.full(shape, np.dtype(dtype).type(0))

    def full(self, shape: int | tuple[int, ...], value: np.generic) -> Array:
        """Memory set to `value`, whose dtype is the array's; counts neither as a write nor as a launch."""
        array = self.empty(shape, value.dtype)
        self._fill(array, value)
        return array

    def upload(self, values: NDArray[Any]) -> Array:
        """A copy of a host array on the device; counts as one write."""
        array = self.empty(values.shape, values.dtype)
        array.set(values)
        return array

    @contextmanager
    def record_kernel_times(self) -> Iterator[KernelTimes]:
        """Measure the device time of every launch inside the block; complete when the block ends."""
        self._times = times = KernelTimes()
        try:
            yield times
            self._collect_times(times)
        finally:
            self._times = None

    @abstractmethod
    def host_array(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Host memory that copies beside kernels run from and to: page-locked where the device is a GPU."""

    @abstractmethod
    def copy_in(self, array: Array, values: NDArray[Any], after: Sequence[Event] = ()) -> Event:
        """Begin to copy host values into a contiguous array once the events have happened; counts as one write.

        Copies in run one after the other, beside launches and copies out. values: from `host_array`, not to be changed
        before the event that is returned. A launch that reads the array comes after `wait`.
        """

    @abstractmethod
    def copy_out(self, array: Array, values: NDArray[Any], after: Sequence[Event] = ()) -> Event:
        """Begin to copy a contiguous array into host values once the events have happened; counts as one read."""

    @abstractmethod
    def record(self) -> Event:
        """The event that all launches so far have finished."""

    @abstractmethod
    def wait(self, event: Event) -> None:
        """Let the launches from now on begin after the event; the host goes on."""

    @abstractmethod
    def finish(self, event: Event) -> None:
        """Let the host wait for the event; errors of what came before it are raised here."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """What identifies the device in a row's provenance: name, driver, clocks, compiler."""

    @abstractmethod
    def synchronize(self) -> None:
        """Wait until every launch so far has finished; errors of those launches are raised here."""

    def _release(self, nbytes: int) -> None:
        self.memory_used -= nbytes

    def _owner(self, data: Any) -> Any:
        """The object that lives as long as the memory does."""
        return data

    @abstractmethod
    def _compile(
        self, path: Path, constants: Constants, parameters: dict[str, list[Parameter]]
    ) -> dict[str, Kernel]: ...

    @abstractmethod
    def _allocate(self, shape: int | tuple[int, ...], dtype: np.dtype) -> Any: ...

    @abstractmethod
    def _pointer(self, data: Any) -> int: ...

    @abstractmethod
    def _fill(self, array: Array, value: np.generic) -> None: ...

    @abstractmethod
    def _upload(self, array: Array, values: NDArray[Any]) -> None: ...

    @abstractmethod
    def _download(self, array: Array) -> NDArray[Any]: ...

    @abstractmethod
    def _collect_times(self, times: KernelTimes) -> None: ...

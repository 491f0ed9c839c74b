"""What every device offers: memory with a budget, compiled kernels, counters and clocks."""

import math
import os
import platform
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from repro.device.in_turn import InTurn
from repro.device.kernel import Array, BoundKernel, Kernel, MappedWord
from repro.device.page_locking import allocated_by_numpy, is_page_locked, keep_locked
from repro.device.source import Constants, Parameter, load_source
from repro.errors import DeviceError

Event = Any  # a point in the work of a device; what it is depends on the device


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


@dataclass(frozen=True)
class Lent:
    """An array that other devices may copy, of this process or of another one of this machine.

    process: who owns it. device: the number of its device. handle: of the memory that it lies in from `offset` on, for
    other processes; empty where they cannot reach it.
    """

    process: tuple[str, int]
    device: int
    pointer: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    handle: bytes = b""
    offset: int = 0

    @classmethod
    def of(cls, array: Array, handle: bytes = b"", offset: int = 0) -> "Lent":
        """Of an array of this process."""
        return cls(this_process(), array.device.index, array.pointer, array.shape, array.dtype, handle, offset)

    @property
    def nbytes(self) -> int:
        """Of the array."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def is_ours(self) -> bool:
        """Whether its pointer is one of this process."""
        return self.process == this_process()

    @property
    def is_of_this_machine(self) -> bool:
        """Whether its owner runs on the same system."""
        return self.process[0] == this_process()[0]


@cache
def _system() -> str:
    """What tells this run of the operating system from others."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    return boot.read_text().strip() if boot.exists() else platform.node()


def this_process() -> tuple[str, int]:
    """What tells it from others, of other machines too."""
    return _system(), os.getpid()


class Device(ABC):
    """Where kernels run. Open one with `repro.device.open_device`.

    kind: "cuda" or "emulator". name: what figures and rows show. memory_bytes: the budget for arrays.
    compute_capability: which instructions its kernels may use; the emulator has those of 9.0. patient: whether the host
    sleeps while it waits for events, which it then notices later, and leaves its core to others.
    """

    kind: str
    name: str
    limits = Limits()
    compute_capability = (9, 0)
    patient = False

    def __init__(self, index: int, memory_bytes: int, warp_size: int = 32) -> None:
        self.index = index
        self.memory_bytes = memory_bytes
        self.memory_used = 0
        self.warp_size = warp_size
        self.counters = Counters()
        self.compile_seconds = 0.0
        self._modules: dict[tuple[Path, frozenset[Any]], dict[str, Kernel]] = {}
        self._times: KernelTimes | None = None

    def compile(self, path: Path, constants: Constants | None = None) -> dict[str, Kernel]:
        """The kernels of a .cu file by name, specialised by typed constants.

        A constant becomes a `constexpr` of its Python or numpy type; a numpy scalar type becomes `using NAME =`.
        WARP_SIZE and FULL_MASK are always defined. Compiled modules are cached on disk and in memory.
        """
        constants = constants or {}
        key = path, frozenset((name, type(value), value) for name, value in constants.items())
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
                f"{self.memory_bytes:,} free; use a smaller input or a larger memory budget, where one is set"
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

    def in_turn(self, launches: Sequence[BoundKernel]) -> InTurn:
        """What launches bound kernels of this device many times, round and round, at little cost to the host.

        launches: with as many int32 left in each, and nothing else. Raises DeviceError for others.
        """
        return InTurn(launches)

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

    def mapped_word(self) -> MappedWord:
        """A word of the host that kernels of this device reach at its address; not of the budget."""
        return MappedWord(self, self.host_array(1, np.int32))

    def page_lock(self, values: NDArray[Any]) -> None:
        """Let copies beside kernels run from an array, too, for as long as its memory lives.

        Nothing happens where numpy did not allocate the memory or the system refuses; see `is_page_locked`. It takes
        about 50 ms a gigabyte.
        """
        owner = allocated_by_numpy(values)
        if owner is None or owner.nbytes == 0 or is_page_locked(owner):
            return
        if unlock := self._lock_pages(owner.ctypes.data, owner.nbytes):
            keep_locked(owner, owner.ctypes.data, owner.nbytes, unlock)

    @abstractmethod
    def copy_in(self, array: Array, values: NDArray[Any], after: Sequence[Event] = ()) -> Event:
        """Begin to copy host values into a contiguous array once the events have happened; counts as one write.

        Copies in run one after the other, beside launches and copies out. values: page-locked, not to be changed
        before the event that is returned. A launch that reads the array comes after `wait`.
        """

    def copy_in_parts(
        self, array: Array, values: NDArray[Any], starts: Sequence[int], after: Sequence[Event] = ()
    ) -> list[Event]:
        """As `copy_in`, the last rows first; every part is a write and has an event.

        starts: the first row of each part, descending to 0.
        """
        ends = (len(values), *starts)
        return [
            self.copy_in(array[start:end], values[start:end], after) for start, end in zip(starts, ends, strict=False)
        ]

    @abstractmethod
    def stage_in(self, array: Array, values: NDArray[Any], after: Sequence[Event] = (), sharing: int = 1) -> Event:
        """As `copy_in` for ordinary memory, which may be changed when this returns; one thread at a time may call it.

        sharing: how many devices of the host such copies go to at a time, whose threads share its cores.
        """

    @abstractmethod
    def copy_out(self, array: Array, values: NDArray[Any], after: Sequence[Event] = ()) -> Event:
        """Begin to copy a contiguous array into host values once the events have happened; counts as one read."""

    @abstractmethod
    def lend(self, array: Array, outside: bool) -> Lent:
        """What another device of this machine needs to reach a contiguous array, which its owner has to keep.

        outside: whether devices of other processes are to reach it, too.
        """

    @abstractmethod
    def borrow(self, lent: Lent) -> Array | None:
        """What was lent as an array for `copy_across` alone; None where this device does not reach it."""

    @abstractmethod
    def copy_across(self, array: Array, source: Array, after: Sequence[Event] = ()) -> Event:
        """As `copy_in` for what `borrow` gave, in one order with copies in."""

    @abstractmethod
    def record(self) -> Event:
        """The event that all launches so far have finished."""

    @abstractmethod
    def wait(self, event: Event) -> None:
        """Let the launches from now on begin after the event; the host goes on."""

    @contextmanager
    def aside(self, lane: int) -> Iterator[None]:
        """Let launches of the block come after all before it in their lane and outside, and run beside those after it.

        Nothing waits for them but what waits for an event that is recorded in the block, and `synchronize`; what they
        read is to be left alone until then. Where launches are timed, and on the emulator, nothing runs beside them.
        """
        yield

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
    def _lock_pages(self, start: int, nbytes: int) -> Callable[[int], object] | None:
        """What unlocks the memory from an address on, now that it is page-locked; None where the system refuses."""

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

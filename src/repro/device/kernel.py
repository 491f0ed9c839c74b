"""Arrays in a device's memory, and kernels: what their launches check, count and pack."""

import ctypes
import math
import struct
from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from repro.device.source import Parameter
from repro.errors import DeviceError

if TYPE_CHECKING:
    from repro.device.base import Device

Extent = int | tuple[int, ...]
Extents = tuple[int, int, int]
UNWRITTEN = np.iinfo(np.int32).max


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
        if isinstance(index, slice):  # most are, and take half the time
            view = self.data[index]
        else:
            parts = index if isinstance(index, tuple) else (index,)
            view = self.data[tuple(slice(part, part + 1 or None) if isinstance(part, int) else part for part in parts)]
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


class MappedWord(Array):
    """An int32 of the host that kernels write and the host looks at without a copy; UNWRITTEN at first.

    `Device.mapped_word` returns it. What a kernel stores by `__stwt` is on its way at once.
    """

    def __init__(self, device: "Device", data: NDArray[Any]) -> None:
        super().__init__(device, data, data.ctypes.data)
        data[:] = UNWRITTEN

    def get(self) -> NDArray[Any]:
        """Its value after all launches so far; counts as one read."""
        self.device.counters.reads += 1
        self.device.synchronize()
        return np.array(self.data)


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
        self.offsets = [
            struct.calcsize("@" + "".join(codes[: i + 1])) - struct.calcsize(codes[i]) for i in range(len(codes))
        ]
        start = ctypes.addressof(self._values)
        self._arguments = (ctypes.c_void_p * max(1, len(codes)))(*(start + offset for offset in self.offsets))
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

    def bind(self, block: Extent, *arguments: Array | float | np.generic, shared_bytes: int = 0) -> "BoundKernel":
        """The kernel with its block and first arguments given once and for all, for loops of many short launches.

        All arrays must be among them; they live as long as what is returned. Raises DeviceError as a launch does.
        """
        rest = self.parameters[len(arguments) :]
        if len(arguments) > len(self.parameters) or any(parameter.pointer for parameter in rest):
            raise DeviceError(f"kernel {self.name}: bind all arrays, and no more than {len(self.parameters)} arguments")
        return BoundKernel(self, block, arguments, shared_bytes)

    def launched_with(self, extents: tuple[Extents, Extents]) -> None:
        """Tell of a launch that `__call__` did not make: its grid and block, not cooperative; the next is checked."""
        self._checked, self._cooperative, self._extents = None, False, extents

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


class BoundKernel:
    """What `Kernel.bind` returns; call it with the grid and the arguments that are left, numbers all.

    block: threads by axis. rest: the parameters that are left.
    """

    def __init__(self, kernel: Kernel, block: Extent, arguments: tuple[Any, ...], shared_bytes: int) -> None:
        kernel._check_extents(1, block, shared_bytes, False)
        self.kernel, self._arguments, self.shared_bytes = kernel, arguments, shared_bytes
        self.rest = kernel.parameters[len(arguments) :]
        self._leading = [
            kernel._pointer(argument, parameter) if parameter.pointer else argument
            for argument, parameter in zip(arguments, kernel.parameters, strict=False)
        ]
        self.block, self._block_threads = kernel._extents[1], kernel._threads
        self._grid: Extent = 1
        self._extents, self._threads = kernel._extents, kernel._threads
        self._most_blocks = kernel.device.limits.grid[0]

    def packed(self) -> bytes:
        """All arguments as the kernel takes them, those that are left as 0."""
        return self.kernel._layout.pack(*self._leading, *[0] * len(self.rest))

    def __call__(self, grid: Extent, *numbers: float | np.generic) -> None:
        """Launch asynchronously, as `Kernel` does."""
        kernel = self.kernel
        if grid != self._grid:
            if isinstance(grid, int) and 1 <= grid <= self._most_blocks:  # many loops change only this
                self._extents, self._threads = ((grid, 1, 1), self.block), grid * self._block_threads
            else:
                kernel._check_extents(grid, self.block, self.shared_bytes, False)
                self._extents, self._threads = kernel._extents, kernel._threads
            self._grid = grid
        kernel.launched_with(self._extents)
        try:
            kernel._layout.pack_into(kernel._values, 0, *self._leading, *numbers)
        except (struct.error, TypeError, OverflowError):
            raise DeviceError(f"kernel {kernel.name}: {numbers} do not fit its last parameters") from None
        counters = kernel.device.counters
        counters.launches += 1
        counters.threads += self._threads
        kernel._launch(*self._extents, self.shared_bytes)


def _three(extent: Extent) -> Extents:
    given = (extent,) if isinstance(extent, int) else tuple(extent)
    x, y, z = (*given, 1, 1)[:3]
    return int(x), int(y), int(z)

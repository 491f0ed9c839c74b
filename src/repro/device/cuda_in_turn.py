"""Many short launches in a row by compiled code: through Python each would cost the host longer than the GPU."""

import ctypes
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from repro.device.cuda_kernel import CudaKernel
from repro.device.in_turn import InTurn
from repro.device.kernel import Array, BoundKernel

if TYPE_CHECKING:
    from repro.device.cuda import Cuda

ctypes.CDLL("libcuda.so.1", ctypes.RTLD_GLOBAL)  # where the compiler of numba looks for its functions
_u32, _pointer = types.uint32, types.uintp


def _driver(name: str, *arguments: Any) -> Any:
    return types.ExternalFunction(name, types.int32(*arguments))


_launch_kernel = _driver("cuLaunchKernel", _pointer, *[_u32] * 7, *[_pointer] * 3)
_copy_to_host = _driver("cuMemcpyDtoHAsync_v2", *[_pointer] * 4)
_synchronize = _driver("cuStreamSynchronize", _pointer)


@njit(cache=True)
def _launch(kernels: Any, stream: Any, kernel: Any, blocks: Any, numbers: Any) -> Any:
    """What the driver answers.

    kernels: of each the function; threads by axis and shared bytes; the address of its arguments' addresses; its
    arguments in 32-bit words; and the first of those words that is one of a launch's numbers.
    """
    functions, extents, arguments, words, left = kernels
    for y in range(len(numbers)):
        words[kernel, left[kernel] + y] = numbers[y]
    x, y, z, shared = extents[kernel]
    return _launch_kernel(functions[kernel], blocks, 1, 1, x, y, z, shared, stream, arguments[kernel], 0)


@njit(cache=True)
def _launch_all(kernels: Any, stream: Any, first: Any, blocks: Any, numbers: Any) -> Any:
    """How many launches the driver took."""
    for x in range(len(blocks)):
        if _launch(kernels, stream, (first + x) % len(kernels[0]), blocks[x], numbers[x]):
            return x
    return len(blocks)


@njit(cache=True)
def _launch_until(
    kernels: Any, stream: Any, first: Any, blocks: Any, numbers: Any, least: Any, seen: Any, word: Any, to: Any
) -> Any:
    """How many launches were made and read, and whether the last word was at least so large.

    seen: addresses on the device, by the kernel. word: where it is read to, of the address `to`.
    """
    for x in range(len(blocks)):
        kernel = (first + x) % len(kernels[0])
        if (
            _launch(kernels, stream, kernel, blocks[x], numbers[x])
            or _copy_to_host(to, seen[kernel], 4, stream)
            or _synchronize(stream)
        ):
            return x, False
        if word[0] >= least:
            return x + 1, True
    return len(blocks), False


class CudaInTurn(InTurn):
    """On one GPU."""

    def __init__(self, device: "Cuda", launches: Sequence[BoundKernel]) -> None:
        super().__init__(launches)
        self._device = device
        kernels = [cast(CudaKernel, launch.kernel) for launch in launches]
        packed = [launch.packed() for launch in launches]
        values = np.zeros((len(launches), -(-max(map(len, packed)) // 8)), np.int64)
        for row, arguments in zip(values.view(np.uint8), packed, strict=True):
            row[: len(arguments)] = np.frombuffer(arguments, np.uint8)
        self._addresses = [
            np.array(kernel.offsets, np.uint64) + np.uint64(row.ctypes.data)
            for kernel, row in zip(kernels, values, strict=True)
        ]
        self._kernels = (
            np.array([kernel.function for kernel in kernels], np.uint64),
            np.array([(*launch.block, launch.shared_bytes) for launch in launches], np.uint32),
            np.array([addresses.ctypes.data for addresses in self._addresses], np.uint64),
            values.view(np.int32),
            np.array([len(arguments) // 4 - len(launches[0].rest) for arguments in packed]),
        )
        self._word = np.zeros(1, np.int32)
        self._threads = np.array([math.prod(launch.block) for launch in launches])
        for kernel, launch in zip(kernels, launches, strict=True):
            kernel.allow_shared(launch.shared_bytes)

    def __call__(self, blocks: NDArray[np.int64], numbers: NDArray[np.int32], first: int = 0) -> None:
        """As on any device, and so where launches are timed or something is wrong with one."""
        device, launched = self._device, 0
        if self._fits(blocks, numbers):
            device.make_current()
            launched = _launch_all(self._kernels, device.stream_pointer, first, blocks, numbers)
            self._count(blocks[:launched], first)
        super().__call__(blocks[launched:], numbers[launched:], first + launched)

    def until(
        self, least: int, seen: Sequence[Array], blocks: NDArray[np.int64], numbers: NDArray[np.int32], first: int = 0
    ) -> int | None:
        """As on any device."""
        device, launched, found = self._device, 0, False
        if self._fits(blocks, numbers) and all(word.dtype == np.int32 and word.nbytes == 4 for word in seen):
            device.make_current()
            addresses = np.array([word.pointer for word in seen], np.uint64)
            read = self._word, self._word.ctypes.data
            launched, found = _launch_until(
                self._kernels, device.stream_pointer, first, blocks, numbers, least, addresses, *read
            )
            self._count(blocks[:launched], first)
            device.counters.reads += launched
        if found:
            return launched - 1
        rest = super().until(least, seen, blocks[launched:], numbers[launched:], first + launched)
        return None if rest is None else launched + rest

    def _fits(self, blocks: NDArray[np.int64], numbers: NDArray[np.int32]) -> bool:
        return (
            self._device._times is None
            and numbers.dtype == np.int32
            and numbers.shape == (len(blocks), len(self.launches[0].rest))
            and len(blocks) > 0
            and 1 <= blocks.min() <= blocks.max() <= self._device.limits.grid[0]
        )

    def _count(self, blocks: NDArray[np.int64], first: int) -> None:
        kernels = (first + np.arange(len(blocks))) % len(self.launches)
        counters = self._device.counters
        counters.launches += len(blocks)
        counters.threads += int(self._threads[kernels] @ blocks)
        if len(blocks):
            self._device.last_launch = cast(CudaKernel, self.launches[kernels[-1]].kernel)

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
from repro.device.kernel import BoundKernel

if TYPE_CHECKING:
    from repro.device.cuda import Cuda

ctypes.CDLL("libcuda.so.1", ctypes.RTLD_GLOBAL)  # where the compiler of numba looks for its functions
_u32, _pointer = types.uint32, types.uintp
_signature = types.int32(_pointer, *[_u32] * 7, *[_pointer] * 3)
_launch_kernel: Any = types.ExternalFunction("cuLaunchKernel", _signature)


@njit(cache=True)
def _launch_all(kernels: Any, stream: Any, blocks: Any, numbers: Any, kernel: Any) -> Any:
    """How many launches the driver took.

    kernels: of each the function; threads by axis and shared bytes; the address of its arguments' addresses; its
    arguments in 32-bit words; and the first of those words that is one of a launch's numbers. kernel: the first one.
    """
    functions, extents, arguments, words, left = kernels
    for x in range(len(blocks)):
        for y in range(numbers.shape[1]):
            words[kernel, left[kernel] + y] = numbers[x, y]
        threads_x, threads_y, threads_z, shared = extents[kernel]
        failed = _launch_kernel(
            functions[kernel], blocks[x], 1, 1, threads_x, threads_y, threads_z, shared, stream, arguments[kernel], 0
        )
        if failed:
            return x
        kernel = (kernel + 1) % len(functions)
    return len(blocks)


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
        self._threads = np.array([math.prod(launch.block) for launch in launches])
        for kernel, launch in zip(kernels, launches, strict=True):
            kernel.allow_shared(launch.shared_bytes)

    def __call__(self, blocks: NDArray[np.int64], numbers: NDArray[np.int32], first: int = 0) -> None:
        """As on any device, and so where launches are timed or something is wrong with one."""
        device, kernels, launched = self._device, len(self.launches), 0
        fits = numbers.dtype == np.int32 and numbers.shape == (len(blocks), len(self.launches[0].rest))
        if fits and device._times is None and 1 <= blocks.min() <= blocks.max() <= device.limits.grid[0]:
            device.make_current()
            launched = _launch_all(self._kernels, device.stream_pointer, blocks, numbers, first % kernels)
            threads = self._threads[(first + np.arange(launched)) % kernels]
            device.counters.launches += launched
            device.counters.threads += int(threads @ blocks[:launched])
            device.last_launch = cast(CudaKernel, self.launches[(first + launched - 1) % kernels].kernel)
        super().__call__(blocks[launched:], numbers[launched:], first + launched)

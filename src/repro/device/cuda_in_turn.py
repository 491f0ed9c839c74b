"""Many short launches in a row by compiled code: through Python each would cost the host longer than the GPU."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from repro.device.compiled_driver import copy_to_host, launch_kernel, synchronize, wait_for_word
from repro.device.cuda_graphs import NODES, Graphs
from repro.device.cuda_kernel import CudaKernel
from repro.device.in_turn import InTurn
from repro.device.kernel import UNWRITTEN, Array, BoundKernel, MappedWord

if TYPE_CHECKING:
    from repro.device.cuda import Cuda


@njit(cache=True)
def _launch_all(kernels: Any, stream: Any, first: Any, blocks: Any, numbers: Any) -> Any:
    """How many launches the driver took."""
    for x in range(len(blocks)):
        if launch_kernel(kernels, stream, (first + x) % len(kernels[0]), blocks[x], numbers[x]):
            return x
    return len(blocks)


@njit(cache=True)
def _launch_until(kernels: Any, stream: Any, first: Any, blocks: Any, numbers: Any, every: Any, read: Any) -> Any:
    """How many launches were made and read after, and whether the last word was wanted.

    read: the word, int32 of shape (1,); from where on the device it is copied, 0 where each launch is to write it; and
    which are wanted, the least and one more than the most.
    """
    word, source, least, beyond = read
    made = 0
    for x in range(len(blocks)):
        if not source:
            word[0] = UNWRITTEN
        if launch_kernel(kernels, stream, (first + x) % len(kernels[0]), blocks[x], numbers[x]):
            return made, False
        if (x + 1) % every and x + 1 < len(blocks):
            continue
        if not source:
            failed = wait_for_word(word, stream)
        else:
            failed = copy_to_host(word.ctypes.data, source, 4, stream) or synchronize(stream)
        if failed:
            return made, False
        made = x + 1
        if least <= word[0] < beyond:
            return made, True
    return made, False


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
        self._graphs = Graphs(device, self._kernels)
        self._word = np.zeros(1, np.int32)
        self._threads = np.array([math.prod(launch.block) for launch in launches])
        for kernel, launch in zip(kernels, launches, strict=True):
            kernel.allow_shared(launch.shared_bytes)

    def __call__(self, blocks: NDArray[np.int64], numbers: NDArray[np.int32], first: int = 0) -> None:
        """As on any device, and so where launches are timed or something is wrong with one."""
        device, launched = self._device, 0
        if self._fits(blocks, numbers):
            device.make_current()
            launched = self._graphs.replay(blocks, numbers, first)
            rest = first + launched, blocks[launched:], numbers[launched:]
            launched += _launch_all(self._kernels, device.stream_pointer, *rest)
            self._count(blocks[:launched], first)
        super().__call__(blocks[launched:], numbers[launched:], first + launched)

    def until(
        self,
        wanted: range,
        seen: Array,
        blocks: NDArray[np.int64],
        numbers: NDArray[np.int32],
        first: int = 0,
        every: int = 1,
    ) -> tuple[int, int | None]:
        """As on any device; by graphs where they hold the launches between two reads."""
        device, made = self._device, 0
        mapped = isinstance(seen, MappedWord)
        if every < (2 if mapped else NODES) and seen.dtype == np.int32 and self._fits(blocks, numbers):
            device.make_current()
            word, source = (seen.data, 0) if mapped else (self._word, seen.pointer)
            read = word, np.uintp(source), wanted.start, wanted.stop
            made, found = _launch_until(self._kernels, device.stream_pointer, first, blocks, numbers, every, read)
            self._count(blocks[:made], first)
            device.counters.reads += -(-made // every)
            if found:
                device.synchronize()  # the kernel may have written the word and go on
                return made, int(word[0])
        more, last = super().until(wanted, seen, blocks[made:], numbers[made:], first + made, every)
        return made + more, last

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
            last = self.launches[kernels[-1]]
            kernel = cast(CudaKernel, last.kernel)
            kernel.launched_with(((int(blocks[-1]), 1, 1), last.block))
            self._device.last_launch = kernel

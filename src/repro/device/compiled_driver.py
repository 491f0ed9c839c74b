"""The driver's functions for compiled loops, which call them without Python; each answers 0 or CUDA's code of an error.

Handles and addresses are integers. Kernels is a tuple of arrays, by kernel: the function; threads by axis and shared
bytes; the address of its arguments' addresses; its arguments in 32-bit words; and the first of those words that is one
of a launch's numbers, which are the last arguments.
"""

import ctypes
from typing import Any

import numpy as np
from numba import njit, types

from repro.device.kernel import UNWRITTEN

ctypes.CDLL("libcuda.so.1", ctypes.RTLD_GLOBAL)  # where the compiler of numba looks for its functions
_u32, _u64, _pointer = types.uint32, types.uint64, types.uintp


def _driver(name: str, *arguments: Any) -> Any:
    return types.ExternalFunction(name, types.int32(*arguments))


_launch = _driver("cuLaunchKernel", _pointer, *[_u32] * 7, *[_pointer] * 3)
copy_to_host = _driver("cuMemcpyDtoHAsync_v2", *[_pointer] * 4)
copy_to_device = _driver("cuMemcpyHtoDAsync_v2", *[_pointer] * 4)
record_event = _driver("cuEventRecord", *[_pointer] * 2)
wait_for_event = _driver("cuEventSynchronize", _pointer)
synchronize = _driver("cuStreamSynchronize", _pointer)
_query = _driver("cuStreamQuery", _pointer)
create_graph = _driver("cuGraphCreate", _pointer, _u32)
add_node = _driver("cuGraphAddKernelNode_v2", *[_pointer] * 3, _u64, _pointer)
instantiate = _driver("cuGraphInstantiateWithFlags", *[_pointer] * 2, _u64)
set_node = _driver("cuGraphExecKernelNodeSetParams_v2", *[_pointer] * 3)
launch_graph = _driver("cuGraphLaunch", *[_pointer] * 2)

_NOT_READY = 600
NODE_WORDS = 9  # of 64 bits, of the driver's CUDA_KERNEL_NODE_PARAMS


@njit(cache=True)
def _give(kernels: Any, kernel: Any, numbers: Any) -> Any:
    for x in range(len(numbers)):
        kernels[3][kernel, kernels[4][kernel] + x] = numbers[x]


@njit(cache=True)
def launch_kernel(kernels: Any, stream: Any, kernel: Any, blocks: Any, numbers: Any) -> Any:
    """One launch of a kernel."""
    _give(kernels, kernel, numbers)
    x, y, z, shared = kernels[1][kernel]
    return _launch(kernels[0][kernel], blocks, 1, 1, x, y, z, shared, stream, kernels[2][kernel], 0)


@njit(cache=True)
def wait_for_word(word: Any, stream: Any) -> Any:
    """Wait until a kernel has written a `MappedWord` or all launches have finished.

    word: int32 of shape (1,), loaded again after every call, as the compiler does not know what that does.
    """
    status = _NOT_READY
    while status == _NOT_READY and word[0] == UNWRITTEN:
        status = _query(stream)
    return 0 if status == _NOT_READY else status


@njit(cache=True)
def describe(kernels: Any, kernel: Any, blocks: Any, numbers: Any, node: Any) -> Any:
    """Write the launch into `node`, uint64 of shape (NODE_WORDS,)."""
    _give(kernels, kernel, numbers)
    x, y, z, shared = kernels[1][kernel]
    half = np.uint64(1 << 32)
    node[0] = kernels[0][kernel]
    node[1] = np.uint64(blocks) + half
    node[2] = np.uint64(1) + np.uint64(x) * half
    node[3] = np.uint64(y) + np.uint64(z) * half
    node[4] = np.uint64(shared)
    node[5] = kernels[2][kernel]

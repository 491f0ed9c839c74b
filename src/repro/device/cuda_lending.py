"""Arrays of one GPU that others of this process, and processes beside it, copy from."""

import ctypes
import weakref
from contextlib import suppress
from typing import TYPE_CHECKING

from repro.device.base import Lent
from repro.device.kernel import Array

if TYPE_CHECKING:
    from repro.device.cuda import Cuda


class Lending:
    """What a GPU, which is the current one, lends and borrows."""

    def __init__(self, device: "Cuda") -> None:
        self._device = device
        self._reached = {device.index}  # GPUs

    def lend(self, array: Array, outside: bool) -> Lent:
        """As `Device.lend`: other processes reach the allocation that it lies in by a handle, which takes long to make.

        The handle is empty where the system does not share memory.
        """
        if not outside:
            return Lent.of(array)
        runtime = self._device.cupy.cuda.runtime
        base, size = ctypes.c_uint64(), ctypes.c_size_t()
        address_range = ctypes.CDLL("libcuda.so.1").cuMemGetAddressRange_v2
        failed = address_range(ctypes.byref(base), ctypes.byref(size), ctypes.c_uint64(array.pointer))
        try:
            handle = b"" if failed else runtime.ipcGetMemHandle(base.value)
        except runtime.CUDARuntimeError:
            handle = b""
        return Lent.of(array, handle, array.pointer - base.value)

    def borrow(self, lent: Lent) -> Array | None:
        """As `Device.borrow`: by its address, or by the handle."""
        cupy = self._device.cupy
        runtime = cupy.cuda.runtime
        if lent.is_ours:
            pointer, opened = lent.pointer, None
            self._reach(lent.device)
        elif lent.handle and lent.is_of_this_machine:
            try:
                opened = runtime.ipcOpenMemHandle(lent.handle)
            except runtime.CUDARuntimeError:
                return None
            pointer = opened + lent.offset
        else:
            return None
        memory = cupy.cuda.UnownedMemory(pointer, lent.nbytes, lent, self._device.index)
        data = cupy.ndarray(lent.shape, lent.dtype, cupy.cuda.MemoryPointer(memory, 0))
        if opened is not None:
            weakref.finalize(data, runtime.ipcCloseMemHandle, opened).atexit = False
        return Array(self._device, data, pointer)

    def _reach(self, other: int) -> None:
        """Let copies from another GPU go the direct way, where there is one."""
        if other in self._reached:
            return
        runtime = self._device.cupy.cuda.runtime
        if runtime.deviceCanAccessPeer(self._device.index, other):
            with suppress(runtime.CUDARuntimeError):  # it is enabled already
                runtime.deviceEnablePeerAccess(other)
        self._reached.add(other)

"""Copies from ordinary memory to a GPU: compiled threads move it into page-locked memory, from which the bus takes it.

The driver's own copies of ordinary memory use one thread and reach a quarter of the bus. Python takes no part between
the pieces, as threads that wait for its lock would take longer than the pieces do.
"""

import ctypes
from collections.abc import Sequence
from contextlib import nullcontext
from threading import Lock
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from repro.device.base import Event
from repro.device.kernel import Array
from repro.errors import DeviceError

if TYPE_CHECKING:
    from repro.device.cuda import Cuda

PIECE = 1 << 23  # bytes
SLOTS = 4  # pieces of page-locked memory, which stay in the processor's cache
COPIERS = 12  # threads at most: one of them reaches an eighth of the bus

ctypes.CDLL("libcuda.so.1", ctypes.RTLD_GLOBAL)  # where the compiler of numba looks for its functions
_pointer = types.uintp
_copy_in: Any = types.ExternalFunction("cuMemcpyHtoDAsync_v2", types.int32(_pointer, _pointer, _pointer, _pointer))
_record: Any = types.ExternalFunction("cuEventRecord", types.int32(_pointer, _pointer))
_finish: Any = types.ExternalFunction("cuEventSynchronize", types.int32(_pointer))


@numba.njit(parallel=True, nogil=True, cache=True)
def _copy_through(target: Any, source: Any, slots: Any, events: Any, stream: Any) -> Any:
    """What the driver answers, 0 where all is under way.

    target: an address on the device. source: bytes. slots: (slots, bytes). events: of each slot, to be waited for.
    """
    piece, failed = slots.shape[1], 0
    for number in range((len(source) + piece - 1) // piece):
        start, slot = number * piece, number % len(slots)
        failed = _finish(events[slot])
        if failed:
            break
        values = source[start : start + piece]
        staged = slots[slot][: len(values)]
        for i in numba.prange(len(values)):
            staged[i] = values[i]
        failed = _copy_in(target + start, staged.ctypes.data, len(values), stream)
        if failed:
            break
        failed = _record(events[slot], stream)
        if failed:
            break
    return failed


class Staging:
    """The page-locked memory of a GPU through which ordinary memory passes, for one thread at a time."""

    def __init__(self, device: "Cuda") -> None:
        self._device = device
        self._slots = device.host_array((SLOTS, PIECE), np.uint8)
        self._events = [device.cupy.cuda.Event(disable_timing=True) for _ in range(SLOTS)]
        self._addresses = np.array([event.ptr for event in self._events], np.uintp)

    def copy_in(self, array: Array, values: NDArray[Any], after: Sequence[Event], sharing: int, stream: Any) -> Event:
        """As `Device.stage_in`, on a stream."""
        for earlier in after:
            stream.wait_event(earlier)
        source = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        with _COPYING if _serves_one_at_a_time() else nullcontext():
            before = numba.get_num_threads()
            numba.set_num_threads(max(1, min(COPIERS, before // sharing)))
            failed = _copy_through(np.uintp(array.pointer), source, self._slots, self._addresses, np.uintp(stream.ptr))
            numba.set_num_threads(before)
        if failed:
            raise DeviceError(
                f"{self._device.name}: copying {values.nbytes:,} bytes to it failed (CUDA error {failed})"
            )
        event: Event = stream.record(self._device.cupy.cuda.Event(disable_timing=True))
        return event


_COPYING = Lock()


def _serves_one_at_a_time() -> bool:
    """Whether what runs Numba's threads here must not be called by two threads at a time, or is not known yet."""
    try:
        return bool(numba.threading_layer() == "workqueue")  # type: ignore[attr-defined]
    except ValueError:
        return True

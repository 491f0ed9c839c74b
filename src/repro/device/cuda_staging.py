"""Copies from ordinary memory to a GPU: compiled threads move it into page-locked memory, from which the bus takes it.

The driver's own copies of ordinary memory use one thread and reach a quarter of the bus. Python takes no part between
the pieces, as threads that wait for its lock would take longer than the pieces do.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from threading import Lock
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numpy.typing import NDArray

from repro.device.base import Event
from repro.device.compiled_driver import copy_memory, copy_to_device, record_event, use_context, wait_for_event
from repro.device.kernel import Array
from repro.errors import DeviceError

if TYPE_CHECKING:
    from repro.device.cuda import Cuda

PIECE = 1 << 22  # bytes
SLOTS = 2  # pieces of page-locked memory of a thread
COPIERS = 12  # threads at most: one of them reaches an eighth of the bus


@numba.njit(nogil=True, cache=True)
def _copy_share(
    target: Any, source: Any, slots: Any, events: Any, stream: Any, first: Any, step: Any, piece: Any
) -> Any:
    """Every `step`-th piece from the first one on, through the slots of a thread; as `_copy_through`."""
    for number, start in enumerate(range(first * piece, len(source), step * piece)):
        slot = number % len(slots)
        staged, size = slots[slot].ctypes.data, min(piece, len(source) - start)
        failed = wait_for_event(events[slot])
        if failed:
            return failed
        copy_memory(staged, source.ctypes.data + start, size)
        failed = copy_to_device(target + start, staged, size, stream)
        if failed:
            return failed
        failed = record_event(events[slot], stream)
        if failed:
            return failed
    return 0


@numba.njit(parallel=True, nogil=True, cache=True)
def _copy_through(target: Any, source: Any, slots: Any, events: Any, stream: Any, context: Any, threads: Any) -> Any:
    """What the driver answers, 0 where all is under way. Threads meet at the end alone: none waits for a slower one.

    target: an address on the device. source: bytes. slots: (threads or more, slots, bytes). events: of each slot, to be
    waited for. context: of the device.
    """
    piece = max(1, min(slots.shape[2], (len(source) + threads - 1) // threads))
    failed = 0
    for thread in numba.prange(threads):
        answer = use_context(context)
        if answer == 0:
            answer = _copy_share(target, source, slots[thread], events[thread], stream, thread, threads, piece)
        failed = max(failed, answer)
    return failed


class Staging:
    """The page-locked memory of a GPU through which ordinary memory passes, for one thread at a time."""

    def __init__(self, device: "Cuda") -> None:
        self._device = device
        self._slots = device.host_array((COPIERS, SLOTS, PIECE), np.uint8)
        self._events = [device.cupy.cuda.Event(disable_timing=True) for _ in range(COPIERS * SLOTS)]
        self._addresses = np.array([event.ptr for event in self._events], np.uintp).reshape(COPIERS, SLOTS)
        self._context = np.uintp(device.cupy.cuda.driver.ctxGetCurrent())

    def copy_in(self, array: Array, values: NDArray[Any], after: Sequence[Event], sharing: int, stream: Any) -> Event:
        """As `Device.stage_in`, on a stream."""
        for earlier in after:
            stream.wait_event(earlier)
        source = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        with _COPYING if _serves_one_at_a_time() else nullcontext():
            before = numba.get_num_threads()
            threads = max(1, min(COPIERS, before // sharing))
            numba.set_num_threads(threads)
            places = self._slots, self._addresses, np.uintp(stream.ptr), self._context
            failed = _copy_through(np.uintp(array.pointer), source, *places, threads)
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

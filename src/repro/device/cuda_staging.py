"""Copies to a GPU in many pieces. Python takes no part between them: to wait for its lock would take longer than they.

Ordinary memory is moved by compiled threads into page-locked memory, from which the bus takes it: the driver's own
copies of it use one thread and reach a quarter of the bus.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from threading import Lock
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numpy.typing import NDArray

from repro.device.base import Event
from repro.device.compiled_driver import copy_to_device, record_event, wait_for_event
from repro.device.kernel import Array
from repro.errors import DeviceError

if TYPE_CHECKING:
    from repro.device.cuda import Cuda

PIECE = 1 << 23  # bytes
SLOTS = 4  # pieces of page-locked memory, which stay in the processor's cache
COPIERS = 12  # threads at most: one of them reaches an eighth of the bus


@numba.njit(nogil=True, cache=True)
def _copy_parts(target: Any, source: Any, starts: Any, ends: Any, events: Any, stream: Any) -> Any:
    """As `_copy_through`, from page-locked memory. source: its address. starts, ends: of the parts, in bytes."""
    for part in range(len(starts)):
        start = starts[part]
        failed = copy_to_device(target + start, source + start, ends[part] - start, stream)
        if not failed:
            failed = record_event(events[part], stream)
        if failed:
            return failed
    return 0


def copy_parts(
    device: "Cuda", array: Array, values: NDArray[Any], starts: Sequence[int], after: Sequence[Event], stream: Any
) -> list[Event]:
    """As `Device.copy_in_parts`, on a stream of the device."""
    for earlier in after:
        stream.wait_event(earlier)
    events = [device.cupy.cuda.Event(block=device.patient, disable_timing=True) for _ in starts]
    row_bytes = values.nbytes // len(values)
    first = np.array(starts, np.uintp) * np.uintp(row_bytes)
    last = np.append(np.uintp(values.nbytes), first[:-1])
    addresses = np.array([event.ptr for event in events], np.uintp)
    target, source = np.uintp(array.pointer), np.uintp(values.ctypes.data)
    _raise(device, values, _copy_parts(target, source, first, last, addresses, np.uintp(stream.ptr)))
    return events


def _raise(device: "Cuda", values: NDArray[Any], failed: int) -> None:
    if failed:
        raise DeviceError(f"{device.name}: copying {values.nbytes:,} bytes to it failed (CUDA error {failed})")


@numba.njit(parallel=True, nogil=True, cache=True)
def _copy_through(target: Any, source: Any, slots: Any, events: Any, stream: Any) -> Any:
    """What the driver answers, 0 where all is under way.

    target: an address on the device. source: bytes. slots: (slots, bytes). events: of each slot, to be waited for.
    """
    piece, failed = slots.shape[1], 0
    for number in range((len(source) + piece - 1) // piece):
        start, slot = number * piece, number % len(slots)
        failed = wait_for_event(events[slot])
        if failed:
            break
        values = source[start : start + piece]
        staged = slots[slot][: len(values)]
        for i in numba.prange(len(values)):
            staged[i] = values[i]
        failed = copy_to_device(target + start, staged.ctypes.data, len(values), stream)
        if failed:
            break
        failed = record_event(events[slot], stream)
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
        _raise(self._device, values, failed)
        event: Event = stream.record(self._device.cupy.cuda.Event(disable_timing=True))
        return event


_COPYING = Lock()


def _serves_one_at_a_time() -> bool:
    """Whether what runs Numba's threads here must not be called by two threads at a time, or is not known yet."""
    try:
        return bool(numba.threading_layer() == "workqueue")  # type: ignore[attr-defined]
    except ValueError:
        return True

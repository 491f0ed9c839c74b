"""Page-locked memory of the host, which a GPU reads and writes fast, and what copies into it."""

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from repro.device import Device, Event

COPIERS = 12  # threads at most: one of them reaches an eighth of the bus


class Host:
    """Page-locked memory that grows to the largest array it has held."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._bytes = device.host_array(0, np.uint8)

    def array(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """An array in it, which replaces the one before."""
        size = math.prod(shape) * dtype.itemsize
        if self._bytes.size < size:
            self._bytes = self._device.host_array(size, np.uint8)
        return self._bytes[:size].view(dtype).reshape(shape)


class Slot:
    """Page-locked memory that grows to the largest array it has held. copied: when it may be changed."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._host = Host(device)
        self.copied: Event | None = None

    def take(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Memory for other values, once those before are on the device."""
        if self.copied is not None:
            self._device.finish(self.copied)
        return self._host.array(shape, dtype)


class Received(Slot):
    """Page-locked memory for vectors of another rank. values: those in it, until they are uploaded."""

    values: NDArray[Any] | None = None

    def take(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """As `Slot.take`."""
        self.values = super().take(shape, dtype)
        return self.values

    def free(self, values: NDArray[Any]) -> None:
        """Called when nothing more is uploaded of these values."""
        if self.values is values:
            self.values = None


def copy(target: NDArray[Any], source: NDArray[Any], processes: int) -> None:
    """Copy an array of rows into another; processes: that share the cores of the host."""
    flat = (np.ascontiguousarray(array).reshape(-1).view(np.uint8) for array in (target, source))
    before = numba.get_num_threads()
    numba.set_num_threads(max(1, min(COPIERS, before // processes)))
    _copy_bytes(*flat)
    numba.set_num_threads(before)


@numba.njit(parallel=True, nogil=True, cache=True)
def _copy_bytes(target: Any, source: Any) -> None:
    for i in numba.prange(len(target)):
        target[i] = source[i]

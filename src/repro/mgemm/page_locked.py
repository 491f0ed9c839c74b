"""Page-locked memory of the host, which a GPU reads and writes fast."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.device import Device, Event


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


class Received:
    """Page-locked memory for vectors of another rank. values: those in it, until they are uploaded. copied: the event
    after which they may be replaced."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._host = Host(device)
        self.values: NDArray[Any] | None = None
        self.copied: Event = None

    def take(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Memory for other values, once those before are on the device."""
        if self.copied is not None:
            self._device.finish(self.copied)
        self.values = self._host.array(shape, dtype)
        return self.values

    def free(self, values: NDArray[Any]) -> None:
        """Called when nothing more is uploaded of these values."""
        if self.values is values:
            self.values = None

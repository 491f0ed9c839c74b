"""Arrays of an emulated device: aligned as on a GPU, apart from each other, and known by address."""

import ctypes
import weakref
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from repro.device.abi import Memory

ALIGNMENT = 256  # of a device allocation
BORDER = 4096  # bytes on both sides that belong to no array, so that running over an end is seen


class HostMemory:
    """The live arrays of one emulated device."""

    def __init__(self) -> None:
        self._live: dict[int, tuple[int, str]] = {}

    def allocate(self, shape: int | tuple[int, ...], dtype: np.dtype, poison: int) -> NDArray[np.generic]:
        """An array of bytes `poison`; its owner is a larger buffer around it."""
        count = int(np.prod(shape))
        nbytes = count * dtype.itemsize
        owner = np.empty(nbytes + 2 * BORDER + ALIGNMENT, np.uint8)
        start = -owner.ctypes.data % ALIGNMENT + BORDER
        data = owner[start : start + nbytes]
        data[:] = poison
        address = data.ctypes.data
        self._live[address] = address + nbytes, f"{dtype}[{count}]"
        weakref.finalize(owner, self._live.pop, address)
        return data.view(dtype).reshape(shape)

    def table(self, parameters: Mapping[int, str]) -> "ctypes.Array[Memory]":
        """All live arrays by address; those that a parameter of a launch points into carry its name."""
        table = (Memory * len(self._live))()
        for row, (begin, (end, kind)) in zip(table, sorted(self._live.items()), strict=True):
            names = [f"'{name}'" for pointer, name in parameters.items() if begin <= pointer < end]
            row.begin, row.end, row.name = begin, end, f"{' or '.join(names) or 'an array'}, {kind}".encode()[:111]
        return table

"""Memory of the host that is page-locked: copies beside kernels run from it and to it, at the full rate of the bus."""

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ENDS: dict[int, int] = {}  # of the page-locked memory of this process, by where it begins


def is_page_locked(values: NDArray[Any]) -> bool:
    """Whether an array, without gaps, lies in memory that a device of this process has page-locked."""
    start, end = values.ctypes.data, values.ctypes.data + values.nbytes
    return any(first <= start and end <= last for first, last in _ENDS.copy().items())


def keep_locked(owner: Any, start: int, nbytes: int, unlock: Callable[[int], object]) -> None:
    """Know memory as page-locked for as long as its owner lives; then `unlock` is called with where it begins."""
    _ENDS[start] = start + nbytes
    weakref.finalize(owner, _give_back, start, unlock).atexit = False  # with the process it goes anyway


def _give_back(start: int, unlock: Callable[[int], object]) -> None:
    del _ENDS[start]
    unlock(start)


def allocated_by_numpy(values: NDArray[Any]) -> NDArray[Any] | None:
    """The array that numpy allocated the memory of `values` for; None where it is from elsewhere."""
    owner: Any = values
    while isinstance(owner, np.ndarray):
        owner, array = owner.base, owner
    return array if owner is None and array.flags.owndata else None

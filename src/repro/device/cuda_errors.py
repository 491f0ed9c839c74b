"""What CUDA's errors say to a user, and what to try."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from repro.errors import DeviceError

# CUDA's codes after which the context's work and memory are gone.
LOST = frozenset({46, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 999})
TOO_LARGE = frozenset({701, 720})


class Launching(Protocol):
    """A device that knows the kernel it launched last, None before the first launch."""

    last_launch: Any


def explain(what: str, error: Exception, device: Launching | None = None) -> Exception:
    """The DeviceError that a CUDA error becomes, with what to try; any other exception as it is."""
    from cupy import cuda

    if isinstance(error, cuda.memory.OutOfMemoryError):
        return DeviceError(f"{what}: the GPU is out of memory ({error}); use a smaller input or free the card")
    if not isinstance(error, cuda.runtime.CUDARuntimeError | cuda.driver.CUDADriverError):
        return error
    if error.status in TOO_LARGE:
        return DeviceError(f"{what}: {error}; use fewer threads per block, less shared memory or a smaller grid")
    if error.status not in LOST:
        return DeviceError(f"{what}: {error}")
    last = f", by the launch of {device.last_launch} or an earlier one" if device and device.last_launch else ""
    return DeviceError(
        f"{what}: {error}{last}; what it held is lost: go on with another device or start again, and run the smallest "
        "failing case with REPRO_INSTRUMENT=sanitize on the emulator, or under compute-sanitizer, to see where"
    )


@contextmanager
def errors_of(what: str, device: Launching | None = None) -> Iterator[None]:
    """Raise errors of CUDA as `explain` has them.

    what: was done. device: whose last launch is named where it may be the cause.
    """
    try:
        yield
    except Exception as error:
        raise explain(what, error, device) from None

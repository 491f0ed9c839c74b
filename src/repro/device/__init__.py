"""Where kernels run: one NVIDIA GPU through CuPy, or the CPU standing in for one."""

import re
from typing import Any

from repro.device import cuda
from repro.device.base import Counters, Device, Event, KernelTimes, Limits
from repro.device.emulator import Emulator
from repro.device.kernel import Array, BoundKernel, Kernel
from repro.errors import DeviceError, InputError

__all__ = [
    "Array", "BoundKernel", "Counters", "Device", "Event", "Kernel", "KernelTimes", "Limits", "open_device",
    "open_devices",
]  # fmt: skip


def open_devices(spec: str = "auto", memory_bytes: int | None = None, **emulator: Any) -> list[Device]:
    """The devices that `spec` names.

    spec: "auto" (all GPUs, else the emulator), "cuda" (all GPUs), "cuda:N" (the N-th, from 0), or "emulator".
    memory_bytes: the budget of each. emulator: `thread_order`, `seed`, `warp_size` and `workers` of an emulated device.
    Raises InputError for another spec, DeviceError where there is no such GPU.
    """
    kind, _, number = spec.partition(":")
    if not re.fullmatch(r"auto|cuda(:\d+)?|emulator", spec):
        raise InputError(f"device '{spec}': choose auto, cuda, cuda:N or emulator")
    if kind == "emulator" or (kind == "auto" and cuda.why_unavailable()):
        return [Emulator(0, memory_bytes, **emulator)]
    if reason := cuda.why_unavailable():
        raise DeviceError(reason)
    count = cuda.device_count()
    if number and int(number) >= count:
        raise DeviceError(f"device '{spec}': there are {count} GPUs, numbered from 0")
    return [cuda.Cuda(index, memory_bytes) for index in ([int(number)] if number else range(count))]


def open_device(spec: str = "auto", memory_bytes: int | None = None, **emulator: Any) -> Device:
    """The first of `open_devices`."""
    return open_devices(spec, memory_bytes, **emulator)[0]

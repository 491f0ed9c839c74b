"""Transfers between host and device beside the kernels: vectors go in, the last first, and results come out in pieces.

Vectors lie in ordinary memory, which a GPU reads slowly. Threads copy them, piece by piece, into a few pieces of
page-locked memory, which stay in the processor's cache, and from which they go on at the speed of the bus.
"""

import math
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numba
import numpy as np
from numpy.typing import NDArray

from repro.device import Array, Device, Event
from repro.mgemm.blocks import Block
from repro.mgemm.engine import Engine

T = TypeVar("T")

PIECE = 1 << 24  # bytes of vectors that go in at a time
SLOTS = 4  # pieces of page-locked memory
COPIERS = 12  # threads at most: one of them reaches an eighth of the bus
RAW_SHARE = 8  # the part of a device's memory that vectors may take as they come in, before they are arranged
RESULTS = 3  # that are under way


class Transfers:
    """The memory through which an engine's vectors and results pass, which is kept: getting it takes long.

    ranks: that share the cores of the host. threads: those among them that share this process.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self.ranks = self.threads = 1
        self._slots = deque(_Slot(device) for _ in range(SLOTS))
        self._raw = _Raw(device)
        self._out = [_Host(device) for _ in range(RESULTS)]
        self._received: list[_Received] = []
        self._coming: Callable[[], Upload | None] = lambda: None

    def receiver(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Page-locked memory for vectors from another rank, which is used again after their upload."""
        free = next((one for one in self._received if one.values is None), None)
        if free is None:
            free = _Received(self.device)
            self._received.append(free)
        return free.take(shape, dtype)

    def upload(self, engine: Engine, values: NDArray[Any]) -> "Upload":
        """Begin what `Engine.upload` does; the device's work goes on beside it."""
        engine.check(values)
        if before := self._coming():
            before[:]
        received = next((one for one in self._received if one.values is values), None)
        upload = Upload(self, engine, values, self._raw, received)
        self._coming = weakref.ref(upload)
        return upload

    def send(self, values: NDArray[Any], raw: Array, after: Event) -> Event:
        """Copy values to the device; the host goes on when they may be changed."""
        slot = self._slots[0]
        self._slots.rotate(-1)
        host = slot.take(values.shape, values.dtype)
        _copy(host, values, self.ranks)
        slot.copied = self.device.copy_in(raw, host, [after])
        return slot.copied

    def download(self, work: Iterable[tuple[T, Callable[[], Array]]]) -> Iterator[tuple[T, NDArray[Any]]]:
        """Launch one piece of work after another, and give what each computed on the host, in their order.

        work: something that names the piece, and what launches it and returns the result. A result lies in memory that
        is used again: it is valid until the one after it is asked for.
        """
        under_way: deque[tuple[T, Array, NDArray[Any], Event]] = deque()
        for number, (name, launch) in enumerate(work):
            result = launch()
            launched = self.device.record()
            host = self._out[number % RESULTS].array(result.shape, result.dtype)
            under_way.append((name, result, host, self.device.copy_out(result, host, [launched])))
            if len(under_way) == RESULTS:
                yield self._finished(under_way)
        while under_way:
            yield self._finished(under_way)

    def _finished(self, under_way: "deque[tuple[T, Array, NDArray[Any], Event]]") -> tuple[T, NDArray[Any]]:
        name, _, host, copied = under_way.popleft()
        self.device.finish(copied)
        return name, host


class Upload:
    """Vectors on their way to a device, the last first; a slice is a block of those that it asks for.

    Vectors pass through raw memory in at most two halves: all at once where there is memory for them, else in parts of
    which the next comes in while one is arranged. block: where they will be. arranged: the event after which those that
    were asked for so far are there.
    """

    def __init__(
        self, transfers: Transfers, engine: Engine, values: NDArray[Any], raw: "_Raw", received: "_Received | None"
    ) -> None:
        """values: as `Engine.upload` takes them. received: they lie in page-locked memory, which is to be freed."""
        self._transfers = transfers
        self._engine = engine
        self._values = values
        self._received = received
        self.block = engine.new_block(*values.shape)
        piece = PIECE * max(1, transfers.threads // 2)  # between copies, Python's threads wait for each other
        self._rows = max(1, min(len(values), piece // (values.shape[1] * values.itemsize)))
        self._raw = raw
        self._part = raw.take(values.shape, values.dtype, self._rows)
        self._starts = range((len(values) - 1) // self._rows * self._rows, -1, -self._rows)
        self._sent = 0  # pieces
        self._there = len(values)  # the first vector that is arranged
        self.arranged: Event = None
        self._copied: Event = None
        if received:
            weakref.finalize(self, received.free, values)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, part: slice) -> Block:
        """The vectors, once they are there for launches from now on."""
        first, _, _ = part.indices(len(self))
        while self._there > first:
            self._arrange(max(first, (self._there - 1) // self._part * self._part))
        return self.block[part]

    def _arrange(self, first: int) -> None:
        """Have the vectors from this one on arranged, of the part that is coming in."""
        device, end = self._transfers.device, self._there
        while self._sent == 0 or self._starts[self._sent - 1] > first:
            self._send()
        start = self._starts[self._sent - 1]
        device.wait(self._copied)
        self._engine.fill(self.block[start:end], self._raw_of(start, end))
        self.arranged = self._raw.last = self._raw.used[start // self._part % 2] = device.record()
        self._there = start
        if start == 0 and self._received:
            self._received.free(self._values)

    def _send(self) -> None:
        """Let the next piece go to the device."""
        start = self._starts[self._sent]
        end = min(start + self._rows, len(self))
        raw, free = self._raw_of(start, end), self._raw.used[start // self._part % 2]
        if self._received:
            self._copied = self._transfers.device.copy_in(raw, self._values[start:end], [free])
            self._received.copied = self._copied
        else:
            self._copied = self._transfers.send(self._values[start:end], raw, free)
        self._sent += 1

    def _raw_of(self, start: int, end: int) -> Array:
        """Memory for vectors of one part."""
        part = start // self._part
        first = start - (part - part % 2) * self._part
        return self._raw.array[first : first + end - start]


class _Host:
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


class _Raw:
    """Memory of the device for vectors as they come in. used: when its halves may be changed. last: when all may be."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._array: Array | None = None
        self.used: list[Event] = []
        self.last: Event = None

    @property
    def array(self) -> Array:
        """What `take` has seen to."""
        assert self._array is not None
        return self._array

    def take(self, shape: tuple[int, ...], dtype: np.dtype[Any], piece: int) -> int:
        """Have memory for vectors of a type, or for two parts of them, and return how many are a part.

        piece: vectors that are to lie in the same part.
        """
        vectors, elements = shape
        most = self._device.memory_bytes // RAW_SHARE // (elements * dtype.itemsize)
        part = vectors if vectors <= most else max(1, most // 2 // piece) * piece
        rows = vectors if part == vectors else 2 * part
        kept = self._array
        if kept is None or (kept.dtype, kept.shape[1]) != (dtype, elements) or kept.shape[0] < rows:
            self._array = None
            self._array = self._device.empty((rows, elements), dtype)
            self.last = self._device.record()  # launches before may still use the memory for what it was
        self.used = [self.last] * 2
        return part


class _Slot:
    """Page-locked memory that grows to the largest array it has held. copied: when it may be changed."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._host = _Host(device)
        self.copied: Event | None = None

    def take(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Memory for other values, once those before are on the device."""
        if self.copied is not None:
            self._device.finish(self.copied)
        return self._host.array(shape, dtype)


class _Received(_Slot):
    """Page-locked memory for vectors of another rank. values: those in it, until they are uploaded."""

    values: NDArray[Any] | None = None

    def take(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """As `_Slot.take`."""
        self.values = super().take(shape, dtype)
        return self.values

    def free(self, values: NDArray[Any]) -> None:
        """Called when nothing more is uploaded of these values."""
        if self.values is values:
            self.values = None


_COPYING = Lock()


def _copy(target: NDArray[Any], source: NDArray[Any], ranks: int) -> None:
    """Copy an array of rows into another, as one of so many ranks that share the host's cores."""
    flat = (np.ascontiguousarray(array).reshape(-1).view(np.uint8) for array in (target, source))
    with _COPYING if _serves_one_at_a_time() else nullcontext():
        before = numba.get_num_threads()
        numba.set_num_threads(max(1, min(COPIERS, before // ranks)))
        _copy_bytes(*flat)
        numba.set_num_threads(before)


def _serves_one_at_a_time() -> bool:
    """Whether what runs Numba's threads here must not be called by two threads at a time, or is not known yet."""
    try:
        return bool(numba.threading_layer() == "workqueue")  # type: ignore[attr-defined]
    except ValueError:
        return True


@numba.njit(parallel=True, nogil=True, cache=True)
def _copy_bytes(target: Any, source: Any) -> None:
    for i in numba.prange(len(target)):
        target[i] = source[i]


_OF_ENGINE: "WeakKeyDictionary[Engine, Transfers]" = WeakKeyDictionary()


def transfers_of(engine: Engine) -> Transfers:
    """The engine's."""
    if engine not in _OF_ENGINE:
        _OF_ENGINE[engine] = Transfers(engine.device)
    return _OF_ENGINE[engine]

"""Transfers between host and device beside the kernels: vectors go in, the last first, and results come out in pieces.

Vectors best lie in page-locked memory, from which all may go off at once. Others, and those for which there is no room
yet, a thread for each device lets go, beside those that launch.
"""

import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from threading import Condition
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from repro.device import Array, Device, Event
from repro.device.page_locking import is_page_locked
from repro.mgemm.blocks import Block
from repro.mgemm.engine import Engine
from repro.mgemm.page_locked import Host, Received
from repro.mgemm.sender import at_work, sender_of

T = TypeVar("T")

PIECE = 1 << 25  # bytes of vectors that go in at a time
RAW_SHARE = 8  # the part of a device's memory that vectors may take as they come in, before they are arranged
RESULTS = 3  # that are under way
LANES = 2  # of pieces that are computed side by side, so that the end of one keeps no multiprocessor idle


class Transfers:
    """The memory through which an engine's vectors and results pass, which is kept: getting it takes long.

    rank: whose it is. sharing: devices of the host that vectors go to at a time, of other processes too.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self.rank, self.sharing = 0, 1
        self._raw = _Raw(device)
        self._out = [Host(device) for _ in range(RESULTS)]
        self._received: list[Received] = []
        self._coming: Callable[[], Upload | None] = lambda: None

    def receiver(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Page-locked memory for vectors from another rank, which is used again after their upload."""
        free = next((one for one in self._received if one.values is None), None)
        if free is None:
            free = Received(self.device)
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

    def download(self, work: Iterable[tuple[T, Callable[[], Array], bool]]) -> Iterator[tuple[T, NDArray[Any]]]:
        """Launch one piece of work after another, and give what each computed on the host, in their order.

        work: something that names the piece, what launches it and returns the result, and whether it may run beside the
        pieces next to it. A result lies in memory that is used again: it is valid until the one after it is asked for.
        """
        under_way: deque[tuple[T, Array, NDArray[Any], Event]] = deque()
        for number, (name, launch, apart) in enumerate(work):
            with self.device.aside(number % LANES) if apart else nullcontext():
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

    Those of this rank go off at once, those that came from another one, into page-locked memory, when they are asked
    for. They pass through raw memory in at most two halves: all at once where there is memory for them, else in parts
    of which the next comes in while one is arranged. block: where they will be. arranged: the event after which those
    that were asked for so far are there.
    """

    def __init__(
        self, transfers: Transfers, engine: Engine, values: NDArray[Any], raw: "_Raw", received: Received | None
    ) -> None:
        """values: as `Engine.upload` takes them; page-locked ones are to be left alone until `complete` returns.

        received: the memory in which they lie, which is to be freed.
        """
        self.device = transfers.device
        self.rank = transfers.rank
        self._transfers = transfers
        self._engine = engine
        self._values = values
        self._received = received
        self.block = engine.new_block(*values.shape)
        self._locked = received is not None or is_page_locked(values)
        self._rows = max(1, min(len(values), PIECE // (values.shape[1] * values.itemsize)))
        self._raw = raw
        self._part = raw.take(values.shape, values.dtype, self._rows)
        self._used: dict[int, Event] = {}  # by part: when those of it that were asked for are arranged
        self._free = raw.last
        self._starts = range((len(values) - 1) // self._rows * self._rows, -1, -self._rows)
        self._copied: list[Event] = []  # of every piece that is sent
        self._there = len(values)  # the first vector that is arranged
        self.arranged: Event = None
        self._changed = Condition()
        self._error: BaseException | None = None
        if received:
            weakref.finalize(self, received.free, values)
        elif self._locked and self._part == len(values):
            self._copied = self.device.copy_in_parts(self._raw_of(0, len(values)), values, self._starts, [self._free])
        else:
            sender_of(self.device).add(self)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, part: slice) -> Block:
        """The vectors, once they are there for launches from now on."""
        first, _, _ = part.indices(len(self))
        while self._there > first:
            self._arrange(max(first, (self._there - 1) // self._part * self._part))
        return self.block[part]

    def complete(self) -> None:
        """Have all vectors on the device, or on their way through memory of the device's own."""
        self[:]
        self.device.finish(self._copied[-1])

    def _arrange(self, first: int) -> None:
        """Have the vectors from this one on arranged, of the part that is coming in."""
        end = self._there
        pieces = (len(self) - 1) // self._rows + 1 - first // self._rows
        start = self._starts[pieces - 1]
        self.device.wait(self._sent(pieces))
        self._engine.fill(self.block[start:end], self._raw_of(start, end))
        self.arranged = self._raw.last = self._used[start // self._part] = self.device.record()
        self._there = start
        if self._received is None:
            if self.may_go_on():
                sender_of(self.device).add(self)
        elif start == 0:
            self._received.free(self._values)

    def _sent(self, pieces: int) -> Event:
        """The event after which so many pieces are on the device; the last may be on its way when this returns.

        The others are there: ranks whose vectors come later leave Python to those that can launch.
        """
        while self._received and len(self._copied) < pieces:
            self._received.copied = self._send()
            self._copied.append(self._received.copied)
        with self._changed:
            self._changed.wait_for(lambda: self._error or len(self._copied) >= pieces)
            if self._error:
                raise self._error
        if pieces > 1:
            self.device.finish(self._copied[pieces - 2])
        return self._copied[pieces - 1]

    def may_go_on(self) -> bool:
        """Whether there is a next piece, and what was in its half of the raw memory before is arranged."""
        if self._error or len(self._copied) == len(self._starts):
            return False
        return self._there <= (self._starts[len(self._copied)] // self._part + 2) * self._part

    def send(self) -> None:
        """Let the next piece go to the device; an error is raised where it is waited for."""
        try:
            self._copied.append(self._send())
        except BaseException as error:
            self._error = error
        with self._changed:
            self._changed.notify_all()

    def _send(self) -> Event:
        start = self._starts[len(self._copied)]
        end = min(start + self._rows, len(self))
        raw, free = self._raw_of(start, end), self._used.get(start // self._part + 2, self._free)
        if self._locked:
            return self.device.copy_in(raw, self._values[start:end], [free])
        return self.device.stage_in(raw, self._values[start:end], [free], max(self._transfers.sharing, at_work()))

    def _raw_of(self, start: int, end: int) -> Array:
        """Memory for vectors of one part."""
        part = start // self._part
        first = start - (part - part % 2) * self._part
        return self._raw.array[first : first + end - start]


class _Raw:
    """Memory of the device for vectors as they come in. last: when it may be changed."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._array: Array | None = None
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
        return part


_OF_ENGINE: "WeakKeyDictionary[Engine, Transfers]" = WeakKeyDictionary()


def transfers_of(engine: Engine) -> Transfers:
    """The engine's."""
    if engine not in _OF_ENGINE:
        _OF_ENGINE[engine] = Transfers(engine.device)
    return _OF_ENGINE[engine]

"""Transfers between host and device beside the kernels: vectors go in and results come out in pieces."""

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from repro.device import Array, Device, Event
from repro.mgemm.blocks import Block
from repro.mgemm.engine import Engine

T = TypeVar("T")

PIECE = 1 << 25  # bytes of vectors that go in at a time
SLOTS = 3  # pieces under way
COPIERS = 4  # host threads that fill page-locked memory: one of them reaches a fraction of the bus


class Transfers:
    """The memory through which an engine's vectors and results pass, which is kept: getting it takes long."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._copiers = ThreadPoolExecutor(COPIERS)
        self._into = [_In(device) for _ in range(SLOTS)]
        self._out = [_Host(device) for _ in range(SLOTS)]
        self._received: list[_Received] = []

    def receiver(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Page-locked memory for vectors from another rank, which is used again after their upload."""
        free = next((one for one in self._received if one.values is None), None)
        if free is None:
            free = _Received(self._device)
            self._received.append(free)
        return free.take(shape, dtype)

    def upload(self, engine: Engine, values: NDArray[Any]) -> Block:
        """What `Engine.upload` gives, without waiting for what the device computes, which goes on meanwhile."""
        engine.check(values)
        vectors, elements = values.shape
        block = engine.new_block(vectors, elements)
        rows = max(1, min(vectors, PIECE // (elements * values.itemsize)))
        received = next((one for one in self._received if one.values is values), None)
        for number, start in enumerate(range(0, vectors, rows)):
            piece = values[start : start + rows]
            into = self._into[number % SLOTS]
            raw = into.copy(piece if received else into.staged(piece, self._fill))
            engine.fill(block[start : start + len(piece)], raw)
            into.used = self._device.record()
            if received:
                received.copied = into.copied
        if received:
            received.values = None
        return block

    def download(self, work: Iterable[tuple[T, Callable[[], Array]]]) -> Iterator[tuple[T, NDArray[Any]]]:
        """Launch one piece of work after another, and give what each computed on the host, in their order.

        work: something that names the piece, and what launches it and returns the result. A result lies in memory that
        is used again: it is valid until the one after it is asked for.
        """
        under_way: deque[tuple[T, Array, NDArray[Any], Event]] = deque()
        for number, (name, launch) in enumerate(work):
            result = launch()
            launched = self._device.record()
            host = self._out[number % SLOTS].array(result.shape, result.dtype)
            under_way.append((name, result, host, self._device.copy_out(result, host, [launched])))
            if len(under_way) == SLOTS:
                yield self._finished(under_way)
        while under_way:
            yield self._finished(under_way)

    def _finished(self, under_way: "deque[tuple[T, Array, NDArray[Any], Event]]") -> tuple[T, NDArray[Any]]:
        name, _, host, copied = under_way.popleft()
        self._device.finish(copied)
        return name, host

    def _fill(self, target: NDArray[Any], source: NDArray[Any]) -> None:
        parts = zip(np.array_split(target, COPIERS), np.array_split(source, COPIERS), strict=True)
        list(self._copiers.map(lambda pair: np.copyto(*pair), parts))


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


class _Received:
    """Page-locked memory for vectors of another rank.

    values: those in it, until they are uploaded. copied: the event after which they are on the device.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self._host = _Host(device)
        self.values: NDArray[Any] | None = None
        self.copied: Event | None = None

    def take(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Memory for other values, once those before are on the device."""
        if self.copied is not None:
            self._device.finish(self.copied)
        self.values = self._host.array(shape, dtype)
        return self.values


class _In:
    """A piece of vectors on its way in: page-locked memory, and memory of the device.

    copied: the event after which the first may be changed. used: that after which the second may be.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self._host = _Host(device)
        self._raw: Array | None = None
        self.copied: Event | None = None
        self.used: Event | None = None

    def staged(self, values: NDArray[Any], fill: Callable[[NDArray[Any], NDArray[Any]], None]) -> NDArray[Any]:
        """The values in page-locked memory, into which `fill` copies them."""
        if self.copied is not None:
            self._device.finish(self.copied)
        host = self._host.array(values.shape, values.dtype)
        fill(host, values)
        return host

    def copy(self, host: NDArray[Any]) -> Array:
        """Page-locked values on the device, for launches from now on."""
        if self._raw is None or self._raw.shape[1] != host.shape[1] or len(host) > self._raw.shape[0]:
            self._raw = self._device.empty(host.shape, host.dtype)
            self.used = self._device.record()  # launches before may still use the memory for what it was
        raw = self._raw[: len(host)]
        self.copied = self._device.copy_in(raw, host, [self.used])
        self._device.wait(self.copied)
        return raw


_OF_ENGINE: "WeakKeyDictionary[Engine, Transfers]" = WeakKeyDictionary()


def transfers_of(engine: Engine) -> Transfers:
    """The engine's."""
    if engine not in _OF_ENGINE:
        _OF_ENGINE[engine] = Transfers(engine.device)
    return _OF_ENGINE[engine]

"""Copies of ordinary host memory to a GPU through page-locked pieces that several host threads fill side by side."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from repro.device.cuda import Cuda

LEAST_BYTES = 1 << 22  # worth waking threads for
PIECE_BYTES = 1 << 20
PIECES_PER_THREAD = 2
MOST_THREADS = 8


class Staging:
    """The pieces of one device, made once: to lock 16 MB takes longer than to copy them.

    The driver copies ordinary memory by one thread, at a fifth of the bus's speed.
    """

    def __init__(self, device: "Cuda") -> None:
        self._device = device
        self._threads = min(MOST_THREADS, len(os.sched_getaffinity(0)))
        self._pool = ThreadPoolExecutor(self._threads)
        shape = (self._threads, PIECES_PER_THREAD, PIECE_BYTES)
        self._pieces = device.host_array(shape, np.uint8)
        self._sent: dict[tuple[int, int], Any] = {}  # the event after which a piece may be filled again

    def copy(self, to: int, values: NDArray[Any]) -> None:
        """Copy contiguous values to an address of the device, in its stream of launches.

        When this returns they have been read, but perhaps not all arrived.
        """
        source = values.reshape(-1).view(np.uint8)
        sent = [self._pool.submit(self._send, to, source, thread) for thread in range(self._threads)]
        for part in sent:
            part.result()

    def _send(self, to: int, source: NDArray[np.uint8], thread: int) -> None:
        device, runtime = self._device, self._device.cupy.cuda.runtime
        device.make_current()
        for turn, start in enumerate(range(thread * PIECE_BYTES, len(source), self._threads * PIECE_BYTES)):
            slot = thread, turn % PIECES_PER_THREAD
            if slot in self._sent:
                self._sent[slot].synchronize()
            part = source[start : start + PIECE_BYTES]
            piece = self._pieces[slot][: len(part)]
            np.copyto(piece, part)
            way = runtime.memcpyHostToDevice
            runtime.memcpyAsync(to + start, piece.ctypes.data, len(part), way, device.stream_pointer)
            self._sent[slot] = device.stream.record(device.cupy.cuda.Event(disable_timing=True))

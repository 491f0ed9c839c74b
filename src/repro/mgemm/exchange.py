"""How blocks of vectors travel between ranks: those of the next step while this one is computed (section 4)."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import zip_longest
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from repro.mgemm.ranks import Communicator, Request
from repro.mgemm.schedule import Decomposition, Step, is_repeated, part

Block = TypeVar("Block")


class Exchange(Generic[Block]):
    """The steps of a rank, each with the blocks that it takes its vectors from.

    Every rank sends its own vectors to the rank that needs them next, at the same place of the other axes, and keeps a
    block for as long as the steps that follow each other need it. All ranks with the same p_r are at the same offsets,
    so that nobody asks for anything. received: vectors that came from other ranks so far.
    """

    def __init__(
        self,
        communicator: Communicator,
        decomposition: Decomposition,
        steps: list[Step],
        own: NDArray[Any],
        vectors: int,
        upload: Callable[[NDArray[Any]], Block],
        memory: Callable[[tuple[int, ...], np.dtype[Any]], NDArray[Any]] = np.empty,
    ) -> None:
        """own: (vectors, fields) of this rank. vectors: how many there are in all.

        upload: makes a block of vectors. memory: where vectors of others are received, until they are uploaded.
        """
        self.received = 0
        self._communicator = communicator
        self._decomposition = decomposition
        self._field, self._block, self._row = decomposition.place(communicator.rank)
        self._steps = steps
        self._own = own
        self._vectors = vectors
        self._upload = upload
        self._memory = memory

    def __iter__(self) -> Iterator[tuple[Step, tuple[Block, ...]]]:
        """Steps in their order, without those in which this rank has nothing to compute."""
        waiter = ThreadPoolExecutor(1)  # messages move on while somebody waits for them
        try:
            yield from self._steps_with_blocks(waiter)
        finally:
            waiter.shutdown(wait=False)  # after an error, another rank may never answer

    def _steps_with_blocks(self, waiter: Executor) -> Iterator[tuple[Step, tuple[Block, ...]]]:
        held = {0: self._upload(self._own)}
        incoming, arrived = self._begin(self._steps[0], held, waiter) if self._steps else ({}, None)
        for step, following in zip_longest(self._steps, self._steps[1:]):
            if arrived:
                arrived.result()
            for offset, buffer in incoming.items():
                self.received += len(buffer)
                held[offset] = self._upload(buffer)
            incoming, arrived = self._begin(following, held, waiter) if following else ({}, None)
            if not is_repeated(step, self._block, self._decomposition.vectors):
                yield step, tuple(held[offset] for offset in (0, *step.offsets))
            needed = following.offsets if following else ()
            held = {offset: block for offset, block in held.items() if offset == 0 or offset in needed}

    def _begin(
        self, step: Step, held: dict[int, Block], waiter: Executor
    ) -> "tuple[dict[int, NDArray[Any]], Future[None]]":
        """Begin to receive the blocks of a step that are not held, and to send ours to those who need it."""
        blocks = self._decomposition.vectors
        incoming: dict[int, NDArray[Any]] = {}
        requests: list[Request] = []
        for offset in step.offsets:
            if offset in held:
                continue
            source, receiver = (self._block + offset) % blocks, (self._block - offset) % blocks
            if not is_repeated(step, self._block, blocks):
                shape = len(part(self._vectors, blocks, source)), self._own.shape[1]
                incoming[offset] = self._memory(shape, self._own.dtype)
                requests.append(self._communicator.Irecv(incoming[offset], self._rank(source), offset))
            if not is_repeated(step, receiver, blocks):
                requests.append(self._communicator.Isend(self._own, self._rank(receiver), offset))
        return incoming, waiter.submit(_wait, requests)

    def _rank(self, block: int) -> int:
        return self._decomposition.rank(self._field, block, self._row)


def _wait(requests: list[Request]) -> None:
    for request in requests:
        request.Wait()

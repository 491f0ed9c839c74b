"""How blocks of vectors travel between ranks: those of the next step while this one is computed (section 4)."""

from collections.abc import Callable, Iterator
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
    ) -> None:
        """own: (vectors, fields) of this rank. vectors: how many there are in all. upload: makes a block of vectors."""
        self.received = 0
        self._communicator = communicator
        self._decomposition = decomposition
        self._field, self._block, self._row = decomposition.place(communicator.rank)
        self._steps = steps
        self._own = own
        self._vectors = vectors
        self._upload = upload

    def __iter__(self) -> Iterator[tuple[Step, tuple[Block, ...]]]:
        """Steps in their order, without those in which this rank has nothing to compute."""
        held = {0: self._upload(self._own)}
        incoming, sent = self._begin(self._steps[0], held) if self._steps else ({}, [])
        for step, following in zip_longest(self._steps, self._steps[1:]):
            for offset, (buffer, request) in incoming.items():
                request.Wait()
                self.received += len(buffer)
                held[offset] = self._upload(buffer)
            for request in sent:
                request.Wait()
            incoming, sent = self._begin(following, held) if following else ({}, [])
            if not is_repeated(step, self._block, self._decomposition.vectors):
                yield step, tuple(held[offset] for offset in (0, *step.offsets))
            needed = following.offsets if following else ()
            held = {offset: block for offset, block in held.items() if offset == 0 or offset in needed}

    def _begin(
        self, step: Step, held: dict[int, Block]
    ) -> tuple[dict[int, tuple[NDArray[Any], Request]], list[Request]]:
        """Begin to receive the blocks of a step that are not held, and to send ours to those who need it."""
        blocks = self._decomposition.vectors
        incoming, sent = {}, []
        for offset in step.offsets:
            if offset in held:
                continue
            source, receiver = (self._block + offset) % blocks, (self._block - offset) % blocks
            if not is_repeated(step, self._block, blocks):
                shape = len(part(self._vectors, blocks, source)), self._own.shape[1]
                buffer = np.empty(shape, self._own.dtype)
                incoming[offset] = buffer, self._communicator.Irecv(buffer, self._rank(source), offset)
            if not is_repeated(step, receiver, blocks):
                sent.append(self._communicator.Isend(self._own, self._rank(receiver), offset))
        return incoming, sent

    def _rank(self, block: int) -> int:
        return self._decomposition.rank(self._field, block, self._row)

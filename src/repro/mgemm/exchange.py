"""How blocks of vectors travel between ranks: those of the next step while this one is computed (section 4)."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import zip_longest
from typing import Any, Generic, Protocol, TypeVar

from repro.mgemm.ranks import Request
from repro.mgemm.schedule import Decomposition, Step, is_repeated, part

Block = TypeVar("Block", covariant=True)


class Carrier(Protocol[Block]):
    """What takes vectors from rank to rank.

    at_once: whether ours may go off before all of them are on the device.
    """

    at_once: bool

    @property
    def own(self) -> Block:
        """The vectors of this rank."""

    def expect(self, rank: int, vectors: int, tag: int) -> "Incoming[Block]":
        """Begin to get those of a rank, of which there are so many."""

    def give(self, rank: int, tag: int) -> Request:
        """Begin to give our own to a rank."""

    def complete(self) -> None:
        """Called before others are waited for, so that none waits for what this rank has not begun."""

    def abandon(self) -> None:
        """Let no thread of this rank wait for `complete` any more."""

    def close(self) -> None:
        """Called when this rank has all its results."""


class Incoming(Protocol[Block]):
    """Vectors of another rank on their way."""

    def Wait(self) -> Any:
        """Return when `take` may be called; on a thread beside those that launch."""

    def take(self) -> Block:
        """The vectors, for launches from now on."""


class Exchange(Generic[Block]):
    """The steps of a rank, each with the blocks that it takes its vectors from.

    Every rank gives its own vectors to the rank that needs them next, at the same place of the other axes, and keeps a
    block for as long as the steps that follow each other need it. All ranks with the same p_r are at the same offsets,
    so that nobody asks for anything. received: vectors that came from other ranks so far.
    """

    def __init__(
        self, carrier: Carrier[Block], decomposition: Decomposition, rank: int, steps: list[Step], vectors: int
    ) -> None:
        """steps: of the rank. vectors: how many there are in all."""
        self.received = 0
        self._carrier = carrier
        self._decomposition = decomposition
        self._field, self._block, self._row = decomposition.place(rank)
        self._steps = steps
        self._vectors = vectors
        # Messages move on while somebody waits for them; what arrives is not to wait for what is given.
        self._arriving, self._giving = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self._given: list[Future[None]] = []

    def __iter__(self) -> Iterator[tuple[Step, tuple[Block, ...]]]:
        """Steps in their order, without those in which this rank has nothing to compute."""
        try:
            yield from self._steps_with_blocks()
            for given in self._given:
                given.result()
        finally:
            self._carrier.abandon()
            for waiter in (self._arriving, self._giving):
                waiter.shutdown(wait=False)  # after an error, another rank may never answer

    def _steps_with_blocks(self) -> Iterator[tuple[Step, tuple[Block, ...]]]:
        held = {0: self._carrier.own}
        incoming, arrived = self._begin(self._steps[0], held) if self._steps else ({}, None)
        for step, following in zip_longest(self._steps, self._steps[1:]):
            if self._given or arrived:
                self._carrier.complete()
            if arrived:
                arrived.result()
            for offset, block in incoming.items():
                self.received += self._size(offset)
                held[offset] = block.take()
            # Before the first launch nothing is begun that would only wait for it.
            later = step is self._steps[0] and not step.offsets and not self._carrier.at_once
            if following and not later:
                incoming, arrived = self._begin(following, held)
            if not is_repeated(step, self._block, self._decomposition.vectors):
                yield step, tuple(held[offset] for offset in (0, *step.offsets))
            if following and later:
                incoming, arrived = self._begin(following, held)
            needed = following.offsets if following else ()
            held = {offset: block for offset, block in held.items() if offset == 0 or offset in needed}

    def _begin(self, step: Step, held: dict[int, Block]) -> "tuple[dict[int, Incoming[Block]], Future[None] | None]":
        """Begin to get the blocks of a step that are not held, and to give ours to those who need it, if any."""
        blocks = self._decomposition.vectors
        incoming: dict[int, Incoming[Block]] = {}
        given: list[Request] = []
        for offset in step.offsets:
            if offset in held:
                continue
            receiver = (self._block - offset) % blocks
            if not is_repeated(step, self._block, blocks):
                incoming[offset] = self._carrier.expect(self._rank(offset), self._size(offset), offset)
            if not is_repeated(step, receiver, blocks):
                given.append(self._carrier.give(self._rank(-offset), offset))
        if given:
            self._given.append(self._giving.submit(_wait, given))
        return incoming, self._arriving.submit(_wait, [*incoming.values()]) if incoming else None

    def _size(self, offset: int) -> int:
        """Vectors of the block so many further on."""
        blocks = self._decomposition.vectors
        return len(part(self._vectors, blocks, (self._block + offset) % blocks))

    def _rank(self, offset: int) -> int:
        """The rank that has it."""
        return self._decomposition.rank(self._field, (self._block + offset) % self._decomposition.vectors, self._row)


def _wait(requests: Sequence[Request]) -> None:
    for request in requests:
        request.Wait()

"""What takes blocks of vectors from rank to rank: messages, or copies from device to device on one machine."""

from concurrent.futures import Future
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.device import Array, Device, Event
from repro.device.base import Lent, this_process
from repro.device.page_locking import is_page_locked
from repro.mgemm.blocks import Block
from repro.mgemm.engine import Engine
from repro.mgemm.exchange import Carrier
from repro.mgemm.ranks import Communicator, LocalCommunicator, Request
from repro.mgemm.transfers import Transfers, Upload, transfers_of

Vectors = Block | Upload


def carrier_of(communicator: Communicator, engine: Engine, own: NDArray[Any], sources: list[int]) -> Carrier[Vectors]:
    """Copies where every rank reaches the memory of those that it gets vectors from, else messages.

    Within a process it does, and ranks begin without waiting for each other. own: the vectors of this rank. sources:
    the ranks that this one may get vectors from.
    """
    device, transfers = engine.device, transfers_of(engine)
    transfers.rank = communicator.rank
    # Where many wait, the cores are for those that copy vectors; page-locked ones are copied by none.
    device.patient = communicator.size > 1 and not is_page_locked(own)
    upload = transfers.upload(engine, own)
    if communicator.size == 1:
        return Messages(communicator, transfers, engine, upload, own)
    if isinstance(communicator, LocalCommunicator):
        return Copies(communicator, engine, upload, own.shape[1])
    system, process = this_process()
    places = communicator.allgather((system, process, device.index))
    transfers.sharing = len({place for place in places if place[0] == system})
    lent = communicator.allgather(_lent(upload, outside=True))
    borrowed = {}
    for rank in sources:
        arrays = _borrowed(device, lent[rank])
        if len(arrays) == len(lent[rank]):
            borrowed[rank] = arrays
    if all(communicator.allgather(len(borrowed) == len(sources))):
        return Copies(communicator, engine, upload, own.shape[1], borrowed)
    return Messages(communicator, transfers, engine, upload, own)


def _lent(upload: Upload, outside: bool) -> list[Lent]:
    """Data and sums of our block, for other ranks."""
    return [upload.device.lend(array, outside) for array in (upload.block.data, upload.block.all_totals)]


def _borrowed(device: Device, lent: list[Lent]) -> list[Array]:
    """Those of another rank that the device reaches."""
    return [array for array in map(device.borrow, lent) if array is not None]


class Messages:
    """Vectors are sent from and to the memory of hosts."""

    at_once = True

    def __init__(
        self,
        communicator: Communicator,
        transfers: Transfers,
        engine: Engine,
        upload: Upload,
        vectors: NDArray[Any],
    ) -> None:
        """upload: of `vectors`, which are this rank's."""
        self.own = upload
        self._communicator = communicator
        self._transfers = transfers
        self._engine = engine
        self._vectors = vectors

    def expect(self, rank: int, vectors: int, tag: int) -> "_Message":
        """As `Carrier.expect`."""
        values = self._transfers.receiver((vectors, self._vectors.shape[1]), self._vectors.dtype)
        return _Message(self._communicator.Irecv(values, rank, tag), values, self._transfers, self._engine)

    def give(self, rank: int, tag: int) -> Request:
        """As `Carrier.give`."""
        return self._communicator.Isend(self._vectors, rank, tag)

    def complete(self) -> None:
        """Messages are under way already."""

    def abandon(self) -> None:
        """No thread waits for this rank."""

    def close(self) -> None:
        """Nobody needs what this rank holds; nothing goes on behind the caller's back."""
        self.own.complete()


class _Message:
    def __init__(self, request: Request, values: NDArray[Any], transfers: Transfers, engine: Engine) -> None:
        self._request = request
        self._values = values
        self._transfers = transfers
        self._engine = engine

    def Wait(self) -> None:
        """As `Incoming.Wait`."""
        self._request.Wait()

    def take(self) -> Upload:
        """As `Incoming.take`."""
        return self._transfers.upload(self._engine, self._values)


class Copies:
    """Vectors are copied from where they lie arranged on the other rank's device; messages say when they are there."""

    at_once = False

    def __init__(
        self,
        communicator: Communicator,
        engine: Engine,
        upload: Upload,
        elements: int,
        borrowed: dict[int, list[Array]] | None = None,
    ) -> None:
        """elements: of a vector. borrowed: data and sums of others' blocks; where there is none, messages lend them."""
        self.own = upload
        self._communicator = communicator
        self._engine = engine
        self._elements = elements
        self._borrowed = borrowed
        self._complete: Future[Event] = Future()

    def expect(self, rank: int, vectors: int, tag: int) -> "_Copy":
        """As `Carrier.expect`."""
        block = self._engine.new_block(vectors, self._elements)
        message = self._message()
        request = self._communicator.Irecv(message, rank, tag)
        source = None if self._borrowed is None else self._borrowed[rank]
        return _Copy(request, self._engine, block, message, source)

    def give(self, rank: int, tag: int) -> "_Promise":
        """As `Carrier.give`."""
        message = self._message()
        if self._borrowed is None:
            message[0] = _lent(self.own, outside=False)
        return _Promise(self._communicator, self._engine, self._complete, message, rank, tag)

    def _message(self) -> NDArray[Any]:
        return np.zeros(1, object if self._borrowed is None else np.uint8)

    def complete(self) -> None:
        """See to it that our own vectors are on the device."""
        if not self._complete.done():
            self.own[:]
            self._complete.set_result(self.own.arranged)

    def abandon(self) -> None:
        """As `Carrier.abandon`."""
        self._complete.cancel()

    def close(self) -> None:
        """Keep our own vectors until no rank needs them any more."""
        self.own.complete()
        self._communicator.allgather(None)


class _Promise:
    def __init__(
        self,
        communicator: Communicator,
        engine: Engine,
        complete: "Future[Event]",
        message: NDArray[Any],
        rank: int,
        tag: int,
    ) -> None:
        self._communicator = communicator
        self._engine = engine
        self._complete = complete
        self._message = message, rank, tag

    def Wait(self) -> None:
        """Say that our vectors are on the device, once they are."""
        self._engine.device.finish(self._complete.result())
        self._communicator.Isend(*self._message).Wait()


class _Copy:
    def __init__(
        self,
        request: Request,
        engine: Engine,
        block: Block,
        message: NDArray[Any],
        source: list[Array] | None,
    ) -> None:
        """source: what was borrowed; None where the message lends it."""
        self._request = request
        self._device = engine.device
        self._block = block
        self._message = message
        self._source = source
        self._free = self._device.record()  # launches before may still use the memory for what it was

    def Wait(self) -> None:
        """As `Incoming.Wait`."""
        self._request.Wait()

    def take(self) -> Block:
        """As `Incoming.take`."""
        arrays = _borrowed(self._device, self._message[0]) if self._source is None else self._source
        for target, source in zip((self._block.data, self._block.all_totals), arrays, strict=True):
            copied = self._device.copy_across(target, source, [self._free])
        self._device.wait(copied)
        return self._block

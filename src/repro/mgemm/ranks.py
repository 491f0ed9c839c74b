"""Ranks that pass messages: those of MPI, or threads of this process that stand in for them.

`Communicator` is the part of mpi4py's that is used here, under the same names, so that MPI.COMM_WORLD is one. One rank
needs no MPI.
"""

import os
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from threading import Condition
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from repro.errors import InputError, ReproError
from repro.launcher import ranks_started, speaks_for_all

T = TypeVar("T")

INTERRUPTED = 130  # exit status, as of a shell: 128 and the number of SIGINT


class Request(Protocol):
    """A message under way."""

    def Wait(self) -> Any:
        """Return when the buffer may be used again."""


class Communicator(Protocol):
    """A group of ranks."""

    @property
    def rank(self) -> int:
        """The number of this rank, from 0."""

    @property
    def size(self) -> int:
        """How many ranks there are."""

    def Isend(self, buf: NDArray[Any], dest: int, tag: int) -> Request:
        """Begin to send an array, which is not to be changed before the request is waited for."""

    def Irecv(self, buf: NDArray[Any], source: int, tag: int) -> Request:
        """Begin to receive into an array of the same size."""

    def Ireduce(self, sendbuf: NDArray[Any], recvbuf: NDArray[Any] | None, *, root: int) -> Request:
        """Begin to add the arrays of all ranks into that of the root."""

    def Split(self, color: int, key: int) -> "Communicator":
        """The group of the ranks with the same colour, in the order of their keys."""

    def allgather(self, sendobj: Any) -> list[Any]:
        """What every rank gave, in the order of the ranks, to all of them."""

    def gather(self, sendobj: Any) -> list[Any] | None:
        """What every rank gave, in the order of the ranks, to rank 0; None to the others."""

    def bcast(self, obj: Any) -> Any:
        """What rank 0 gave, to all."""

    def Free(self) -> None:
        """Give back what a group from `Split` took."""

    def Abort(self, errorcode: int) -> None:
        """End all ranks."""


def world() -> Communicator:
    """All ranks that this process was started among: MPI's under mpirun or srun, else itself alone.

    Raises InputError where several ranks were started and mpi4py is not installed, or MPI cannot be used by threads.
    """
    started = ranks_started()
    if started == 1:
        return LocalCommunicator(_World(), "world", 0, 1)
    if find_spec("mpi4py") is None:
        raise _of_all(InputError(f"{started} ranks were started, which need mpi4py: pip install '.[mpi]'"))
    from mpi4py import MPI

    if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        raise _of_all(InputError("this MPI was built without MPI_THREAD_MULTIPLE; use another: pip install '.[mpi]'"))
    communicator: Communicator = MPI.COMM_WORLD
    return communicator


def _of_all(error: InputError) -> InputError | SystemExit:
    """What a rank raises for an error that every rank has: one of them shows it."""
    return error if speaks_for_all() else SystemExit(error.exit_code)


def run_threads(count: int, work: Callable[[Communicator], T]) -> list[T]:
    """Run `work` as each of `count` ranks in threads of this process, and return their results by rank.

    An error in one of them ends the others where they wait for it, and is raised.
    """
    shared = _World()

    def run(rank: int) -> T:
        try:
            return work(LocalCommunicator(shared, "world", rank, count))
        except BaseException as error:
            shared.fail(error)
            raise

    with ThreadPoolExecutor(count) as pool:
        futures = [pool.submit(run, rank) for rank in range(count)]
    if shared.error is not None:
        raise shared.error
    return [future.result() for future in futures]


def together(communicator: Communicator, work: Callable[[], T]) -> T:
    """Run `work` on every rank and return its result; where it fails on one, all end, and one shows its error.

    Raises the error of the first rank that has one, there, and SystemExit with its exit code on the others.
    """
    result, error = None, None
    try:
        result = work()
    except Exception as raised:
        error = raised
    codes = communicator.allgather(error and getattr(error, "exit_code", 2))
    failed = [rank for rank, code in enumerate(codes) if code is not None]
    if not failed:
        return cast(T, result)
    if error is not None and failed[0] == communicator.rank:
        raise error
    raise SystemExit(codes[failed[0]])


@contextmanager
def interrupted_together(communicator: Communicator) -> Iterator[None]:
    """End all ranks where one is interrupted, for the others would wait for it."""
    try:
        yield
    except KeyboardInterrupt:
        if communicator.size > 1:
            communicator.Abort(INTERRUPTED)
        raise


@contextmanager
def ended_together(communicator: Communicator, clean_up: Callable[[], None] = lambda: None) -> Iterator[None]:
    """End all ranks where one fails on its own or is interrupted, after `clean_up`."""
    with interrupted_together(communicator):
        try:
            yield
        except BaseException as error:
            clean_up()
            if communicator.size == 1 or isinstance(error, KeyboardInterrupt):
                raise
            if not isinstance(error, ReproError | MemoryError | OSError):
                traceback.print_exception(error)
            print(f"repro: rank {communicator.rank}: {error}", file=sys.stderr, flush=True)
            communicator.Abort(getattr(error, "exit_code", 2))


class _Meeting:
    """Where the parts of ranks come together, and are combined once, by the first that waits when all are there."""

    def __init__(self) -> None:
        self.parts: dict[Hashable, Any] = {}
        self.taken = self.done = False
        self.result: Any = None


class _World:
    """What the ranks of a process share."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self._meetings: dict[Hashable, _Meeting] = {}
        self._changed = Condition()

    def fail(self, error: BaseException) -> None:
        """Let no rank wait for one that has ended by an error; the first error counts."""
        with self._changed:
            self.error = self.error or error
            self._changed.notify_all()

    def post(self, where: Hashable, who: Hashable, part: Any) -> _Meeting:
        """Bring a part."""
        with self._changed:
            meeting = self._meetings.setdefault(where, _Meeting())
            meeting.parts[who] = part
            self._changed.notify_all()
            return meeting

    def wait(self, where: Hashable, meeting: _Meeting, count: int, combine: Callable[[dict[Any, Any]], Any]) -> Any:
        """The combination of all parts."""
        with self._changed:
            self._changed.wait_for(lambda: self.error or len(meeting.parts) == count)
            first = not meeting.taken
            meeting.taken = True
            if first and not self.error:
                del self._meetings[where]
        if first and not self.error:
            meeting.result = combine(meeting.parts)  # without the lock: copies of other messages go on
            with self._changed:
                meeting.done = True
                self._changed.notify_all()
        with self._changed:
            self._changed.wait_for(lambda: self.error or meeting.done)
            if self.error:
                raise ConnectionAbortedError("another rank has ended") from self.error
            return meeting.result


class _LocalRequest:
    def __init__(self, wait: Callable[[], Any]) -> None:
        self._wait = wait

    def Wait(self) -> Any:
        """Return when the buffer may be used again."""
        return self._wait()


class LocalCommunicator:
    """A group of ranks that are threads of this process.

    Messages are copied as late as their buffers are promised to be left alone, so that a promise that is broken shows.
    """

    def __init__(self, shared: _World, name: Hashable, rank: int, size: int) -> None:
        self.rank = rank
        self.size = size
        self._shared = shared
        self._name = name
        self._posted: Counter[Hashable] = Counter()

    def Isend(self, buf: NDArray[Any], dest: int, tag: int) -> Request:
        """As `Communicator.Isend`."""
        return self._begin(("message", self.rank, dest, tag), "sent", buf, 2, _copy)

    def Irecv(self, buf: NDArray[Any], source: int, tag: int) -> Request:
        """As `Communicator.Irecv`."""
        return self._begin(("message", source, self.rank, tag), "received", buf, 2, _copy)

    def Ireduce(self, sendbuf: NDArray[Any], recvbuf: NDArray[Any] | None, *, root: int) -> Request:
        """As `Communicator.Ireduce`; adds in the order of the ranks."""

        def add(parts: dict[int, tuple[NDArray[Any], NDArray[Any]]]) -> None:
            total = parts[0][0].copy()
            for rank in range(1, self.size):
                total += parts[rank][0]
            parts[root][1][...] = total

        return self._begin("reduce", self.rank, (sendbuf, recvbuf), self.size, add)

    def Split(self, color: int, key: int) -> Communicator:
        """As `Communicator.Split`."""
        given = self.allgather((color, key))
        number = self._posted["split"] = self._posted["split"] + 1
        members = sorted((k, rank) for rank, (c, k) in enumerate(given) if c == color)
        name = (self._name, "split", number, color)
        return LocalCommunicator(self._shared, name, members.index((key, self.rank)), len(members))

    def allgather(self, sendobj: Any) -> list[Any]:
        """As `Communicator.allgather`."""

        def in_order(parts: dict[int, Any]) -> list[Any]:
            return [parts[rank] for rank in range(self.size)]

        gathered: list[Any] = self._begin("gather", self.rank, sendobj, self.size, in_order).Wait()
        return list(gathered)

    def gather(self, sendobj: Any) -> list[Any] | None:
        """As `Communicator.gather`."""
        gathered = self.allgather(sendobj)
        return None if self.rank else gathered

    def bcast(self, obj: Any) -> Any:
        """As `Communicator.bcast`."""
        return self.allgather(obj)[0]

    def Free(self) -> None:
        """Nothing is to be given back."""

    def Abort(self, errorcode: int) -> None:
        """End the process at once."""
        os._exit(errorcode)

    def _begin(self, what: Hashable, who: Hashable, part: Any, count: int, combine: Callable[[Any], Any]) -> Request:
        """Bring a part to the next meeting of its kind."""
        number = self._posted[what, who] = self._posted[what, who] + 1
        where = (self._name, what, number)
        meeting = self._shared.post(where, who, part)
        return _LocalRequest(lambda: self._shared.wait(where, meeting, count, combine))


def _copy(parts: dict[str, NDArray[Any]]) -> None:
    np.copyto(parts["received"], parts["sent"])

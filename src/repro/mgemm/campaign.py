"""What a rank computes: the similarities of its steps, in tiles that come out while the next are computed.

Three things go on at a time: the device computes, vectors and results pass between it and the host (`Transfers`), and
vectors pass between ranks (`Exchange`); where vectors are cut along their fields, sums are added up between ranks too.
"""

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.errors import InputError
from repro.mgemm.carriers import Vectors, carrier_of
from repro.mgemm.chunks import Chunk, chunks_of
from repro.mgemm.engine import Engine
from repro.mgemm.exchange import Exchange
from repro.mgemm.metrics import as_bytes, field_sums, quotients2, quotients3
from repro.mgemm.problem import Problem
from repro.mgemm.ranks import Communicator, Request
from repro.mgemm.schedule import Decomposition, Tile, blocks_of, part, steps_of_rank, work_of
from repro.mgemm.transfers import transfers_of

Result = tuple[Tile, NDArray[Any]]


def own_part(values: NDArray[Any], decomposition: Decomposition, rank: int) -> NDArray[Any]:
    """The vectors and fields that a rank holds of all, (vectors, fields); of packed bits, fields are words.

    Raises InputError where there are more ranks along an axis than vectors or fields.
    """
    check_decomposition(decomposition, *values.shape)
    field, block, _ = decomposition.place(rank)
    shape = values.shape
    vectors, fields = part(shape[0], decomposition.vectors, block), part(shape[1], decomposition.fields, field)
    return np.ascontiguousarray(values[vectors.start : vectors.stop, fields.start : fields.stop])


def distribute(communicator: Communicator, decomposition: Decomposition, values: NDArray[Any] | None) -> NDArray[Any]:
    """What `own_part` gives every rank of the values that rank 0 has; the others give None."""
    shape, dtype = communicator.bcast(None if values is None else (values.shape, values.dtype))
    if values is not None:
        for rank in range(1, communicator.size):
            communicator.Isend(own_part(values, decomposition, rank), rank, 0).Wait()
        return own_part(values, decomposition, 0)
    field, block, _ = decomposition.place(communicator.rank)
    vectors, fields = part(shape[0], decomposition.vectors, block), part(shape[1], decomposition.fields, field)
    own = np.empty((len(vectors), len(fields)), dtype)
    communicator.Irecv(own, 0, 0).Wait()
    return own


def check_decomposition(decomposition: Decomposition, vectors: int, fields: int) -> None:
    """Raise InputError where there are more ranks along an axis than vectors or fields (words of packed bits)."""
    for axis, ranks, what, count in (
        ("n_pv", decomposition.vectors, "vectors", vectors),
        ("n_pf", decomposition.fields, "fields (for bits: words of 32)", fields),
    ):
        if ranks > count:
            raise InputError(f"{axis} = {ranks}: there are {count} {what}; give fewer ranks")


def similarities_of_rank(
    communicator: Communicator, engine: Engine, own: NDArray[Any], problem: Problem
) -> Iterator[Result]:
    """Compute the similarities that the schedule gives this rank, as tiles with their values, (rows, columns).

    own: what `own_part` gives, to be left alone until all tiles are taken; `Device.page_lock` lets it go to the device
    faster. Values are of the engine's precision, or bytes, and valid until the next tile is asked for. All ranks must
    take all their tiles. The order of tiles is that of the schedule; those of pairs come in parts.
    """
    decomposition = problem.decomposition
    field, _, row = decomposition.place(communicator.rank)
    steps = steps_of_rank(problem.way, decomposition, row)
    sources = [decomposition.rank(field, block, row) for block in range(decomposition.vectors)]
    transfers = transfers_of(engine)
    carrier = carrier_of(communicator, engine, own, sources)
    chunks = _chunks(
        engine, Exchange(carrier, decomposition, communicator.rank, steps, problem.vectors), problem, communicator.rank
    )
    if decomposition.fields > 1:
        computed = transfers.download((chunk, chunk.numerators, chunk.apart) for chunk in chunks)
        yield from _reduced(communicator, engine, computed, own, problem)
    else:
        for chunk, values in transfers.download((chunk, chunk.similarities, chunk.apart) for chunk in chunks):
            yield from chunk.cut(values)
    carrier.close()


def _chunks(engine: Engine, exchange: Exchange[Vectors], problem: Problem, rank: int) -> Iterator[Chunk]:
    """The chunks of a rank's steps in their order; the vectors of a step are waited for with its first chunk."""
    decomposition = problem.decomposition
    _, block, _ = decomposition.place(rank)
    for step, blocks in exchange:
        work = work_of(step, block, problem.vectors, decomposition.vectors, problem.stage, problem.stages)
        numbers = blocks_of(step, block, decomposition.vectors)
        ranges = [part(problem.vectors, decomposition.vectors, number) for number in numbers]
        held = list(zip(ranges, blocks, strict=True))
        yield from chunks_of(engine, step.number // decomposition.rows, work, held, problem.as_bytes)


def _reduced(
    communicator: Communicator,
    engine: Engine,
    computed: Iterator[tuple[Chunk, NDArray[Any]]],
    own: NDArray[Any],
    problem: Problem,
) -> Iterator[Result]:
    """Add the numerators of the ranks that hold the fields of the same vectors; one of them keeps the results.

    That is, for the n-th step of a rank, the one with p_f = n mod n_pf. They are added up while the next are computed.
    """
    decomposition = problem.decomposition
    field, block, row = decomposition.place(communicator.rank)
    sums = _all_sums(communicator, decomposition, own)
    together = communicator.Split(decomposition.rank(0, block, row), field)
    under_way: deque[tuple[Chunk, NDArray[Any], NDArray[Any] | None, Request]] = deque()
    for chunk, values in computed:
        numerators = chunk.whole_numerators(values)
        root = chunk.number % decomposition.fields
        total = np.empty_like(numerators) if field == root else None
        under_way.append((chunk, numerators, total, together.Ireduce(numerators, total, root=root)))
        if len(under_way) > 1:
            yield from _quotients(engine, sums, *under_way.popleft())
    while under_way:
        yield from _quotients(engine, sums, *under_way.popleft())
    together.Free()


def _all_sums(communicator: Communicator, decomposition: Decomposition, own: NDArray[Any]) -> NDArray[Any]:
    """The sums of all vectors, (n_v,), over the fields of all ranks."""
    given = communicator.allgather(field_sums(own))
    return np.concatenate(
        [
            np.sum([given[decomposition.rank(field, block, 0)] for field in range(decomposition.fields)], axis=0)
            for block in range(decomposition.vectors)
        ]
    )


def _quotients(
    engine: Engine,
    sums: NDArray[Any],
    chunk: Chunk,
    _: NDArray[Any],
    total: NDArray[Any] | None,
    request: Request,
) -> Iterator[Result]:
    request.Wait()
    for tile, numerators in chunk.cut(total) if total is not None else ():
        rows, columns = (sums[part.start : part.stop] for part in (tile.rows, tile.columns))
        if tile.pivot is None:
            values = quotients2(numerators, rows, columns, engine.precision)
        else:
            values = quotients3(numerators, rows[:, None], sums[tile.pivot], columns[None], engine.precision)
        yield tile, as_bytes(values) if chunk.as_bytes else values

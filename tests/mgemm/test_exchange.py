"""Every rank gets the vectors its steps need, once, and no others."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import SimpleNamespace

import numpy as np
import pytest

from repro.mgemm.exchange import Exchange
from repro.mgemm.ranks import run_threads
from repro.mgemm.schedule import Decomposition, blocks_of, part, steps_of_rank

VECTORS = 11


class InHosts:
    """Blocks are arrays of the host, and pass as messages. taken: those that came."""

    def __init__(self, communicator, own, at_once=True):
        self.own = own
        self.at_once = at_once
        self.taken = []
        self.completed = False
        self._communicator = communicator

    def expect(self, rank, vectors, tag):
        values = np.empty((vectors, self.own.shape[1]), self.own.dtype)
        request = self._communicator.Irecv(values, rank, tag)
        request.take = lambda: self.taken.append(values) or values
        return request

    def give(self, rank, tag):
        return self._communicator.Isend(self.own, rank, tag)

    def complete(self):
        self.completed = True

    def abandon(self):
        assert self.completed or not self.taken


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("way", [2, 3])
@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 4, 1), (1, 5, 2), (2, 3, 1), (1, 2, 3), (1, 4, 7)])
def test_blocks_of_every_step(way, shape, at_once):
    decomposition = Decomposition(*shape)
    values = np.arange(VECTORS * 4, dtype=np.float32).reshape(VECTORS, 4)

    def block_values(field, block):
        vectors, fields = part(VECTORS, shape[1], block), part(4, shape[0], field)
        return values[vectors.start : vectors.stop, fields.start : fields.stop]

    def work(communicator):
        field, block, row = decomposition.place(communicator.rank)
        steps = steps_of_rank(way, decomposition, row)
        carrier = InHosts(communicator, np.ascontiguousarray(block_values(field, block)), at_once)
        exchange = Exchange(carrier, decomposition, communicator.rank, steps, VECTORS)
        done = []
        for step, blocks in exchange:
            assert carrier.completed or not step.offsets  # own vectors come in beside the first products
            assert done or not carrier.completed or step.offsets
            expected = [block_values(field, one) for one in blocks_of(step, block, shape[1])]
            assert all(np.array_equal(*pair) for pair in zip(blocks, expected, strict=True))
            done.append(step)
        assert exchange.received == sum(map(len, carrier.taken))
        return done, [int(one[0, 0]) for one in carrier.taken], steps

    for rank, (done, received, steps) in enumerate(run_threads(decomposition.ranks, work)):
        _, block, _ = decomposition.place(rank)
        skipped = [step for step in steps if step not in done]
        assert all(way == 2 and 2 * step.offsets[0] == shape[1] and 2 * block >= shape[1] for step in skipped)
        assert [step for step in steps if step in done] == done
        if way == 2:  # no block is needed twice
            assert len(received) == len(set(received)) == sum(bool(step.offsets) for step in done)
        else:  # a block stays while steps that follow each other need it
            needed = [set(step.offsets) for step in steps]
            assert len(received) == sum(
                len(now - before) for before, now in zip([set(), *needed], needed, strict=False)
            )


@pytest.mark.parametrize("at_once", [True, False])
def test_nothing_is_begun_before_the_first_launches_that_has_to_wait_for_them(at_once):
    begun = []

    class Noting(InHosts):
        def expect(self, rank, vectors, tag):
            begun.append(("from", rank))
            return SimpleNamespace(Wait=lambda: None, take=lambda: "theirs")

        def give(self, rank, tag):
            begun.append(("to", rank))
            return SimpleNamespace(Wait=lambda: None)

    decomposition = Decomposition(1, 5, 1)
    carrier = Noting(None, "ours", at_once)
    steps = iter(Exchange(carrier, decomposition, 0, steps_of_rank(2, decomposition, 0), VECTORS))
    next(steps)
    assert begun == ([("from", 1), ("to", 4)] if at_once else [])
    assert next(steps)[1] == ("ours", "theirs")
    assert begun == [("from", 1), ("to", 4), ("from", 2), ("to", 3)]  # those of the next step are on their way
    assert len(list(steps)) == 1


def test_a_step_begins_when_its_blocks_are_there_whether_or_not_others_have_ours():
    class Apart(InHosts):
        def expect(self, rank, vectors, tag):
            return SimpleNamespace(Wait=lambda: None, take=lambda: "theirs")

        def give(self, rank, tag):
            return SimpleNamespace(Wait=taken.wait)

    taken, decomposition = Event(), Decomposition(1, 3, 1)
    carrier = Apart(None, "ours")
    steps = iter(Exchange(carrier, decomposition, 0, steps_of_rank(2, decomposition, 0), VECTORS))
    assert next(steps)[1] == ("ours",)
    assert next(steps)[1] == ("ours", "theirs")
    assert carrier.completed
    ended = ThreadPoolExecutor(1).submit(list, steps)
    with pytest.raises(TimeoutError):
        ended.result(timeout=0.05)  # ours are to be kept until they are taken
    taken.set()
    assert ended.result(timeout=60) == []

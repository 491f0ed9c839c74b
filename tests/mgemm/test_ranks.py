"""Ranks in threads pass messages as MPI's do; under mpirun the same work runs on MPI itself."""

import numpy as np
import pytest

from repro.device import open_device
from repro.errors import DeviceError, InputError
from repro.launcher import speaks_for_all
from repro.mgemm.campaign import own_part, similarities_of_rank
from repro.mgemm.engine import Engine
from repro.mgemm.metrics import Metric
from repro.mgemm.problem import Problem
from repro.mgemm.ranks import run_threads, together, world
from repro.mgemm.schedule import Decomposition

VARIABLES = [
    ("PMI_SIZE", "PMI_RANK"),
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
]


def exchange(communicator):
    """Every operation that is used; returns what MPI's standard says it gives."""
    rank, size = communicator.rank, communicator.size
    received = np.zeros(3, np.float32)
    own = np.full(3, rank, np.float32)
    requests = [
        communicator.Irecv(received, (rank + 1) % size, 5),
        communicator.Isend(own, (rank - 1) % size, 5),
    ]
    for request in requests:
        request.Wait()
    pairs = communicator.Split(rank // 2, -rank)
    total = np.zeros(2, np.uint32) if pairs.rank == pairs.size - 1 else None
    pairs.Ireduce(np.array([rank, 1], np.uint32), total, root=pairs.size - 1).Wait()
    return (
        received.tolist(),
        (pairs.rank, pairs.size),
        None if total is None else total.tolist(),
        communicator.allgather(rank * 10),
        communicator.gather(rank),
        communicator.bcast(f"from {rank}"),
    )


EXPECTED = [
    ([1.0] * 3, (1, 2), [1, 2], [0, 10, 20], [0, 1, 2], "from 0"),
    ([2.0] * 3, (0, 2), None, [0, 10, 20], None, "from 0"),
    ([0.0] * 3, (0, 1), [2, 1], [0, 10, 20], None, "from 0"),
]


def test_threads_pass_messages():
    assert run_threads(3, exchange) == EXPECTED


def test_messages_of_one_tag_keep_their_order():
    def work(communicator):
        if communicator.rank == 0:
            for request in [communicator.Isend(np.array([n]), 1, 0) for n in range(5)]:
                request.Wait()
            return []
        buffers = [np.zeros(1, int) for _ in range(5)]
        for request in reversed([communicator.Irecv(buffer, 0, 0) for buffer in buffers]):
            request.Wait()
        return [int(buffer[0]) for buffer in buffers]

    assert run_threads(2, work)[1] == list(range(5))


def test_a_buffer_that_is_changed_too_early_shows():
    def work(communicator):
        data = np.array([1])
        if communicator.rank == 0:
            request = communicator.Isend(data, 1, 0)
            data[0] = 2
            communicator.bcast(None)
            request.Wait()
        else:
            communicator.bcast(None)
            communicator.Irecv(data, 0, 0).Wait()
        return int(data[0])

    assert run_threads(2, work) == [2, 2]


def test_an_error_of_one_rank_ends_the_others():
    def work(communicator):
        if communicator.rank == 1:
            raise InputError("no such vector")
        communicator.Irecv(np.zeros(1), 1, 0).Wait()

    with pytest.raises(InputError, match="no such vector"):
        run_threads(3, work)


def test_one_rank_needs_no_mpi(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "mpi4py", None)
    alone = world()
    assert (alone.rank, alone.size, alone.bcast(3), alone.gather(4), alone.Split(0, 0).size) == (0, 1, 3, [4], 1)


@pytest.mark.parametrize(("size", "_"), VARIABLES)
def test_several_ranks_without_mpi4py_are_refused(monkeypatch, size, _):
    monkeypatch.setenv(size, "4")
    monkeypatch.setattr("repro.mgemm.ranks.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"4 ranks were started, which need mpi4py: pip install '.\[mpi\]'"):
        world()


@pytest.mark.parametrize(("size", "rank"), VARIABLES)
def test_an_error_of_all_ranks_is_raised_by_the_first(monkeypatch, size, rank):
    monkeypatch.setenv(size, "4")
    monkeypatch.setattr("repro.mgemm.ranks.find_spec", lambda name: None)
    monkeypatch.setenv(rank, "0")
    assert speaks_for_all()
    with pytest.raises(InputError, match="4 ranks were started"):
        world()
    monkeypatch.setenv(rank, "3")
    assert not speaks_for_all()
    with pytest.raises(SystemExit) as ended:
        world()
    assert ended.value.code == 2


@pytest.mark.parametrize(("size", "rank"), VARIABLES)
def test_launchers_variables_that_are_empty_or_no_numbers(monkeypatch, size, rank):
    for value in ("", "0", "1"):
        monkeypatch.setenv(size, value)
        monkeypatch.setenv(rank, "3")  # left from another program
        assert (world().size, speaks_for_all()) == (1, True)
    for value in ("x", "1.5", "9" * 5000):
        monkeypatch.setenv(size, value)
        with pytest.raises(
            InputError, match=f"^{size}='{value[:3]}.* in the environment is no number of ranks; unset it$"
        ):
            world()


def test_a_device_that_fails_on_one_rank_ends_the_others():
    values = np.random.default_rng(1).integers(0, 9, (9, 40)).astype(np.float32)
    problem = Problem(9, 2, 1, 0, Decomposition(1, 3, 1))

    def work(communicator):
        device = open_device("emulator", 60_000 if communicator.rank == 1 else None, workers=1)
        engine = Engine(device, Metric.CZEKANOWSKI, np.float32, "naive")
        own = own_part(values, problem.decomposition, communicator.rank)
        return sum(tile.count for tile, _ in similarities_of_rank(communicator, engine, own, problem))

    with pytest.raises(DeviceError, match="use a smaller input or a larger memory budget"):
        run_threads(3, work)


def test_together_shows_one_error():
    def work(communicator):
        def fail():
            if communicator.rank:
                raise InputError(f"bad on {communicator.rank}")
            return "fine"

        assert together(communicator, lambda: communicator.rank) == communicator.rank
        try:
            together(communicator, fail)
        except InputError as error:
            return str(error)
        except SystemExit as end:
            return end.code

    assert run_threads(3, work) == [2, "bad on 1", 2]

"""Every decomposition, stage split, thread order and device gives the same similarities, each from the right rank."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest

from repro.device import cuda, open_device
from repro.device.emulator import Emulator
from repro.errors import InputError
from repro.mgemm.campaign import own_part, similarities_of_rank
from repro.mgemm.checksum import Checksum
from repro.mgemm.engine import Engine
from repro.mgemm.metrics import Metric, as_bytes
from repro.mgemm.problem import Problem
from repro.mgemm.ranks import run_threads
from repro.mgemm.reference import all_indices, similarities
from repro.mgemm.results import flat, indices
from repro.mgemm.schedule import Decomposition

VECTORS, FIELDS = 23, 70
ORDERS = ("forward", "reverse", "random")
# n_pf, n_pv, n_pr: 16 decompositions, on 1, 2, 3, 4 and 6 ranks.
DECOMPOSITIONS = [
    (1, 1, 1),
    *[(2, 1, 1), (1, 2, 1), (1, 1, 2)],
    *[(3, 1, 1), (1, 3, 1), (1, 1, 3)],
    *[(4, 1, 1), (1, 4, 1), (1, 1, 4), (2, 2, 1), (1, 2, 2), (2, 1, 2)],
    *[(1, 6, 1), (2, 3, 1), (1, 3, 2)],
]


def vectors_of(dtype):
    rng = np.random.default_rng(8)
    if dtype == np.uint32:
        return rng.integers(0, 2**32, (VECTORS, 5), np.uint32)
    return rng.integers(0, 200, (VECTORS, FIELDS)).astype(dtype)


def run(values, problem, order="random", variant="naive", precision=None, kind="emulator"):
    """The checksum, the values in lexicographic order, and the number of results of each rank."""
    metric = Metric.SORENSON if values.dtype == np.uint32 else Metric.CZEKANOWSKI

    def work(communicator):
        if kind == "cuda":
            device = open_device(f"cuda:{communicator.rank % cuda.device_count()}")
        else:
            device = open_device("emulator", thread_order=order, seed=communicator.rank, workers=1)
        engine = Engine(device, metric, values.dtype, variant, precision)
        own = own_part(values, problem.decomposition, communicator.rank)
        checksum, found = Checksum(), []
        for tile, part in similarities_of_rank(communicator, engine, own, problem):
            assert part.shape == (len(tile.rows), len(tile.columns))
            assert tile.count
            checksum.add(tile, part, len(values))
            found.append((indices(tile), flat(tile, part).copy()))
        return checksum.total, found

    ranks = run_threads(problem.decomposition.ranks, work)
    every = [piece for _, found in ranks for piece in found]
    index = np.concatenate([piece[0] for piece in every])
    value = np.concatenate([piece[1] for piece in every])
    order = np.lexsort(index.T[::-1])
    assert problem.stages > 1 or np.array_equal(index[order], all_indices(len(values), problem.way))
    return (
        Checksum(sum(checksum for checksum, _ in ranks)),
        value[order],
        [sum(len(v) for _, v in found) for _, found in ranks],
    )


@cache
def checksum_of_one_rank(way):
    return run(vectors_of(np.float32), Problem(VECTORS, way, 1, 0, Decomposition()))[0]


@pytest.mark.parametrize("shape", DECOMPOSITIONS, ids=str)
@pytest.mark.parametrize("way", [2, 3])
def test_every_decomposition_gives_the_reference_and_one_checksum(way, shape):
    values = vectors_of(np.float32)
    problem = Problem(VECTORS, way, 1, 0, Decomposition(*shape))
    checksum, found, counts = run(values, problem, ORDERS[sum(shape) % 3])
    assert checksum == checksum_of_one_rank(way)
    assert np.array_equal(found, similarities(values, all_indices(VECTORS, way), np.float32))
    assert counts == [problem.count_of(rank) for rank in range(problem.decomposition.ranks)]


@pytest.mark.parametrize("shape", [(1, 2, 1), (1, 4, 1), (2, 2, 1), (1, 3, 2)], ids=str)
@pytest.mark.parametrize("way", [2, 3])
def test_vectors_pass_as_messages_where_devices_do_not_reach_each_other(monkeypatch, way, shape):
    monkeypatch.setattr("repro.device.emulator.Emulator.borrow", lambda self, lent: None)
    _as_apart(monkeypatch, way, shape)


@pytest.mark.parametrize("shape", [(1, 4, 1), (2, 2, 1), (1, 3, 2)], ids=str)
@pytest.mark.parametrize("way", [2, 3])
def test_ranks_of_other_processes_agree_on_copies_first(monkeypatch, way, shape):
    borrowed, real = [], Emulator.borrow
    monkeypatch.setattr(Emulator, "borrow", lambda self, lent: (borrowed.append(lent), real(self, lent))[1])
    _as_apart(monkeypatch, way, shape)
    assert len(borrowed) == len(ORDERS) * 2 * np.prod(shape) * shape[1]  # of all that they may get vectors from


def _as_apart(monkeypatch, way, shape):
    """Compute with ranks that treat each other as other processes."""
    monkeypatch.setattr("repro.mgemm.carriers.LocalCommunicator", type(None))
    values = vectors_of(np.float32)
    for order in ORDERS:
        _, found, _ = run(values, Problem(VECTORS, way, 1, 0, Decomposition(*shape)), order)
        assert np.array_equal(found, similarities(values, all_indices(VECTORS, way), np.float32))


@pytest.mark.parametrize("failing", range(3))
@pytest.mark.parametrize("taken", [0, 1, 2])
def test_a_rank_that_ends_midway_ends_the_others(failing, taken):
    values = vectors_of(np.float32)
    problem = Problem(VECTORS, 3, 1, 0, Decomposition(1, 3, 1))

    def work(communicator):
        engine = Engine(open_device("emulator", workers=1), Metric.CZEKANOWSKI, np.float32, "naive")
        own = own_part(values, problem.decomposition, communicator.rank)
        for number, _ in enumerate(similarities_of_rank(communicator, engine, own, problem)):
            if communicator.rank == failing and number == taken:
                raise InputError("no more")

    with pytest.raises(InputError, match="no more"):
        run_threads(3, work)


@pytest.mark.parametrize("way", [2, 3])
@pytest.mark.parametrize("dtype", [np.float64, np.uint8, np.uint32], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("order", ORDERS)
def test_types_and_orders(way, dtype, order):
    values = vectors_of(dtype)
    every = all_indices(VECTORS, way)
    for precision in [np.float64] if dtype == np.float64 else [np.float32, np.float64]:
        expected = similarities(values, every, precision)
        checksums = set()
        for shape in [(1, 1, 1), (2, 3, 1), (1, 2, 2)]:
            checksum, found, _ = run(
                values, Problem(VECTORS, way, 1, 0, Decomposition(*shape)), order, precision=precision
            )
            assert np.array_equal(found, expected)
            checksums.add(checksum)
        assert len(checksums) == 1


@pytest.mark.parametrize("way", [2, 3])
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 2, 1), (1, 3, 2)], ids=str)
def test_stages_together_are_the_whole(way, shape):
    values, decomposition = vectors_of(np.float32), Decomposition(*shape)
    whole, _, _ = run(values, Problem(VECTORS, way, 1, 0, decomposition))
    stages = [run(values, Problem(VECTORS, way, 3, stage, decomposition)) for stage in range(3)]
    assert sum(checksum.total for checksum, _, _ in stages) == whole.total
    assert all(sum(counts) for _, _, counts in stages)


@pytest.mark.parametrize("way", [2, 3])
@pytest.mark.parametrize("shape", [(1, 2, 1), (2, 1, 1)], ids=str)
def test_values_in_bytes(way, shape):
    values = vectors_of(np.float32)
    problem = Problem(VECTORS, way, 1, 0, Decomposition(*shape), as_bytes=True)
    metric_values = similarities(values, all_indices(VECTORS, way), np.float32)

    def work(communicator):
        engine = Engine(open_device("emulator", workers=1), Metric.CZEKANOWSKI, np.float32, "naive")
        own = own_part(values, problem.decomposition, communicator.rank)
        return [
            (indices(tile), flat(tile, part).copy())
            for tile, part in similarities_of_rank(communicator, engine, own, problem)
        ]

    found = {
        tuple(i): v for rank in run_threads(2, work) for index, part in rank for i, v in zip(index, part, strict=True)
    }
    expected = dict(zip(map(tuple, all_indices(VECTORS, way)), as_bytes(metric_values), strict=True))
    assert found == expected


@pytest.mark.parametrize("way", [2, 3])
def test_many_small_chunks(monkeypatch, way):
    """Results and vectors pass in pieces that are used again and again, and vectors are compared as they come in."""
    monkeypatch.setattr("repro.mgemm.chunks.MOST_BYTES", 256)
    monkeypatch.setattr("repro.mgemm.products.MULTIPROCESSORS", 1)
    monkeypatch.setattr("repro.mgemm.transfers.PIECE", 600)
    monkeypatch.setattr("repro.mgemm.transfers.RAW_SHARE", open_device("emulator").memory_bytes // 3000)
    values = vectors_of(np.float32)
    for order in ORDERS:
        for shape in [(1, 1, 1), (1, 2, 1), (2, 1, 1)]:
            _, found, _ = run(values, Problem(VECTORS, way, 1, 0, Decomposition(*shape)), order)
            assert np.array_equal(found, similarities(values, all_indices(VECTORS, way), np.float32))


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 1, 1), (2, 2, 1)], ids=str)
@pytest.mark.parametrize("way", [2, 3])
def test_doubles_are_within_the_bound_that_is_promised(way, shape):
    """As docs/mgemm.md says; vectors i and j with unequal i mod 3 and j mod 3 have nothing in common."""
    rng = np.random.default_rng(2)
    values = rng.random((VECTORS, FIELDS)) * 10.0 ** rng.integers(-8, 8, (VECTORS, FIELDS))
    values[np.arange(VECTORS)[:, None] % 3 != np.arange(FIELDS) % 3] = 0
    _, found, _ = run(values, Problem(VECTORS, way, 1, 0, Decomposition(*shape)), variant="auto")
    v = values.astype(np.longdouble)[all_indices(VECTORS, way)]
    n = sum(v[:, list(pair)].min(axis=1).sum(axis=1) for pair in combinations(range(way), 2))
    n -= v.min(axis=1).sum(axis=1) if way == 3 else 0
    exact = (2 if way == 2 else 1.5) * n / v.sum(axis=(1, 2))
    assert found.min() == 0
    assert (abs(found - exact) <= (FIELDS if way == 2 else 3 * (FIELDS + 1)) * 2.0**-52).all()


@pytest.mark.parametrize("way", [2, 3])
@pytest.mark.parametrize("vectors", [1, 2, 3])
def test_few_vectors(way, vectors):
    values = vectors_of(np.float32)[:vectors]
    if len(all_indices(vectors, way)):
        _, found, _ = run(values, Problem(vectors, way, 1, 0, Decomposition(1, vectors, 1)))
        assert np.array_equal(found, similarities(values, all_indices(vectors, way), np.float32))


@pytest.mark.parametrize("way", [2, 3])
def test_all_kernels_and_devices_agree(device, way):
    values = vectors_of(np.float32)
    engine = Engine(device, Metric.CZEKANOWSKI, np.float32)
    problem = Problem(VECTORS, way, 1, 0, Decomposition())

    def work(communicator):
        checksum = Checksum()
        for tile, part in similarities_of_rank(communicator, engine, values, problem):
            checksum.add(tile, part, VECTORS)
        return checksum

    assert run_threads(1, work) == [run(values, problem)[0]]


def test_bands_of_a_triangle_are_computed_side_by_side(device, monkeypatch):
    """While vectors come in, again and again; as many as fill a GPU."""
    vectors, fields = (6000, 2000) if device.kind == "cuda" else (300, 20)
    if device.kind == "emulator":
        monkeypatch.setattr("repro.mgemm.products.MULTIPROCESSORS", 1)
    monkeypatch.setattr("repro.mgemm.chunks.BAND_BYTES", 1)
    values = np.random.default_rng(5).integers(0, 200, (vectors, fields)).astype(np.float32)
    engine = Engine(device, Metric.CZEKANOWSKI, np.float32)
    block = engine.upload(values)
    whole = engine.quotients2(engine.pairs(block, block), block, block).get()
    lanes, aside = [], device.aside
    monkeypatch.setattr(device, "aside", lambda lane: (lanes.append(lane), aside(lane))[1])

    def work(communicator):
        bands = 0
        for tile, part in similarities_of_rank(
            communicator, engine, values, Problem(vectors, 2, 1, 0, Decomposition())
        ):
            expected = whole[tile.rows.start : tile.rows.stop, tile.columns.start : tile.columns.stop]
            assert np.array_equal(flat(tile, part), flat(tile, expected))
            bands += 1
        return bands

    for _ in range(3):
        lanes.clear()
        (bands,) = run_threads(1, work)
        assert bands >= 3
        assert lanes == [band % 2 for band in range(bands)]


@pytest.mark.parametrize("locked", [False, True])
@pytest.mark.parametrize("kind", ["emulator", pytest.param("cuda", marks=pytest.mark.cuda)])
def test_ranks_that_share_devices_give_what_one_does(kind, locked, monkeypatch):
    """Again and again, with pieces that are computed side by side."""
    if kind == "cuda" and cuda.why_unavailable():
        pytest.skip("no GPU")
    monkeypatch.setattr("repro.mgemm.chunks.BAND_BYTES", 1)
    vectors, fields = (9000, 1500) if kind == "cuda" else (300, 20)
    problem = Problem(vectors, 2, 1, 0, Decomposition(1, 4, 1))
    values = np.random.default_rng(6).integers(0, 200, (vectors, fields)).astype(np.float32)
    engine = Engine(open_device(kind), Metric.CZEKANOWSKI, np.float32)
    block = engine.upload(values)
    whole = engine.quotients2(engine.pairs(block, block), block, block).get()
    devices = cuda.device_count() if kind == "cuda" else 1

    def work(communicator):
        device = open_device(f"cuda:{communicator.rank % devices}" if kind == "cuda" else kind)
        own = own_part(values, problem.decomposition, communicator.rank).copy()
        if locked:
            device.page_lock(own)
        engine, count = Engine(device, Metric.CZEKANOWSKI, np.float32), 0
        for _ in range(3):
            for tile, part in similarities_of_rank(communicator, engine, own, problem):
                expected = whole[tile.rows.start : tile.rows.stop, tile.columns.start : tile.columns.stop]
                assert np.array_equal(flat(tile, part), flat(tile, expected))
                count += tile.count
        return count

    assert sum(run_threads(4, work)) == 3 * vectors * (vectors - 1) // 2


@pytest.mark.parametrize("locked", [False, True])
@pytest.mark.parametrize("ranks", [1, 2])
def test_the_host_is_patient_where_others_need_its_cores(ranks, locked):
    """As those do that copy vectors from ordinary memory."""
    values, decomposition = vectors_of(np.float32), Decomposition(1, ranks, 1)

    def work(communicator):
        engine = Engine(open_device("emulator", workers=1), Metric.CZEKANOWSKI, np.float32, "naive")
        own = own_part(values, decomposition, communicator.rank).copy()
        if locked:
            engine.device.page_lock(own)
        list(similarities_of_rank(communicator, engine, own, Problem(VECTORS, 2, 1, 0, decomposition)))
        return engine.device.patient

    assert run_threads(ranks, work) == [ranks > 1 and not locked] * ranks


def test_more_ranks_than_vectors_or_fields_are_refused():
    values = vectors_of(np.uint32)
    with pytest.raises(InputError, match="n_pv = 24: there are 23 vectors; give fewer ranks"):
        own_part(values, Decomposition(1, 24, 1), 0)
    with pytest.raises(InputError, match=r"n_pf = 6: there are 5 fields \(for bits: words of 32\); give fewer ranks"):
        own_part(values, Decomposition(6, 1, 1), 0)

"""Vectors come in piece by piece, the last first, whatever became of those before them."""

import numpy as np
import pytest

from repro.device import open_device
from repro.mgemm import transfers as module
from repro.mgemm.engine import Engine
from repro.mgemm.metrics import Metric
from repro.mgemm.transfers import transfers_of

FIELDS = 40
ROW = 4 * FIELDS


def vectors(count, seed=0):
    return np.random.default_rng(seed).integers(1, 99, (count, FIELDS)).astype(np.float32)


@pytest.fixture(params=["forward", "reverse", "random"])
def engine(request, monkeypatch):
    """Pieces of two vectors and raw memory for seven."""
    device = open_device("emulator", thread_order=request.param)
    monkeypatch.setattr(module, "PIECE", 2 * ROW + 5)
    monkeypatch.setattr(module, "RAW_SHARE", device.memory_bytes // (7 * ROW + 9))
    return Engine(device, Metric.CZEKANOWSKI, np.float32, "naive")


@pytest.mark.parametrize("locked", [False, True])
@pytest.mark.parametrize("count", [1, 2, 5, 7, 8, 9, 100, 101])
def test_more_vectors_than_the_memory_they_pass_through(engine, count, locked):
    values = vectors(count)
    if locked:
        engine.device.page_lock(values)
    transfers = transfers_of(engine)
    upload = transfers.upload(engine, values)
    for first in (count - 1, count // 2, 0):
        part = upload[first:count]
        assert part.sums.tolist() == values[first:].sum(axis=1).tolist()
        block = engine.upload(values[first:])
        assert np.array_equal(engine.pairs(part, part).get(), engine.pairs(block, block).get())
    assert len(upload) == count


@pytest.mark.parametrize("dropped", [True, False])
@pytest.mark.parametrize("first", [90, 7])
def test_an_upload_after_one_that_was_not_completed(engine, dropped, first):
    transfers = transfers_of(engine)
    old, new = vectors(100), vectors(31, 1)
    before = transfers.upload(engine, old)
    before[first:]
    if dropped:
        del before
    upload = transfers.upload(engine, new)
    assert upload[:].sums.tolist() == new.sum(axis=1).tolist()
    if not dropped:
        assert before[:].sums.tolist() == old.sum(axis=1).tolist()


def test_page_locked_vectors_are_read_where_they_lie(engine, monkeypatch):
    monkeypatch.setattr(engine.device, "stage_in", None)
    for count in (6, 100):  # with and without memory for all of them
        values = vectors(count)
        engine.device.page_lock(values)
        upload = transfers_of(engine).upload(engine, values)
        upload.complete()
        sums = values.sum(axis=1)
        values[...] = -1
        assert upload[:].sums.tolist() == sums.tolist()


def test_launches_are_made_when_all_but_the_last_piece_that_they_need_is_there(engine, monkeypatch):
    values, device, copied, waited = vectors(7), engine.device, [], []
    device.page_lock(values)
    copy_in, finish = device.copy_in, device.finish
    monkeypatch.setattr(device, "copy_in", lambda *given: (copied.append(copy_in(*given)), copied[-1])[1])
    monkeypatch.setattr(device, "finish", lambda event: (waited.append(copied.index(event)), finish(event)))
    upload = transfers_of(engine).upload(engine, values)
    for first, expected in ((6, []), (5, [0]), (0, [0, 2])):
        upload[first:]
        assert waited == expected


def test_vectors_from_other_ranks_are_not_copied_again(engine):
    transfers = transfers_of(engine)
    memory = set()
    for seed in range(4):
        values = transfers.receiver((30, FIELDS), np.dtype(np.float32))
        memory.add(values.ctypes.data)
        values[...] = vectors(30, seed)
        upload = transfers.upload(engine, values)
        if seed % 2 == 0:
            assert upload[:].sums.tolist() == vectors(30, seed).sum(axis=1).tolist()
        del upload  # of the others, nothing was asked for
    assert len(memory) == 1


def test_other_vectors_take_the_memory_of_those_before(engine):
    for count, fields in [(20, FIELDS), (20, 7), (3, 300), (50, FIELDS)]:
        values = np.full((count, fields), 2, np.float32)
        assert transfers_of(engine).upload(engine, values)[:].sums.tolist() == [2 * fields] * count

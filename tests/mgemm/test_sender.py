"""Vectors go to a device on a thread of its own, those of the first rank first."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event, get_ident

import numpy as np
import pytest

from repro.device import open_device
from repro.errors import DeviceError
from repro.mgemm.engine import Engine
from repro.mgemm.metrics import Metric
from repro.mgemm.sender import _SENDERS, Sender, at_work, sender_of
from repro.mgemm.transfers import transfers_of


class Pieces:
    """So many pieces of a rank, the first of which waits; more go off where there is room."""

    def __init__(self, rank, count, log, first=None, room=99):
        self.rank, self.left, self.room = rank, count, room
        self._log, self._first = log, first

    def may_go_on(self):
        return self.left > 0 and self.room > 0

    def send(self):
        if self._first:
            assert self._first.wait(60)
        self.left -= 1
        self.room -= 1
        self._log.append((self.rank, get_ident()))


def finished(sender):
    """Wait until nothing is left to do."""
    sender._thread.submit(lambda: None).result(60)


def test_the_first_rank_is_served_first_between_pieces():
    sender, log, start = Sender(), [], Event()
    late = Pieces(2, 3, log, start)
    sender.add(late)
    sender.add(Pieces(3, 1, log))
    sender.add(Pieces(0, 2, log))
    start.set()
    finished(sender)
    assert [rank for rank, _ in log] in ([2, 0, 0, 2, 2, 3], [0, 0, 2, 2, 2, 3])
    assert len({thread for _, thread in log} - {get_ident()}) == 1


def test_what_has_no_room_is_left_until_it_is_added_again():
    sender, log = Sender(), []
    waiting = Pieces(0, 5, log, room=2)
    sender.add(waiting)
    finished(sender)
    assert waiting.left == 3
    waiting.room = 1
    for _ in range(3):
        sender.add(waiting)  # twice in the list would send what there is no room for
    finished(sender)
    assert waiting.left == 2


def test_many_threads_add_again_and_again():
    sender, log = Sender(), []
    uploads = [Pieces(rank, 40, log, room=1) for rank in range(6)]

    def drive(upload):
        while upload.left:
            upload.room = 1
            sender.add(upload)

    with ThreadPoolExecutor(len(uploads)) as pool:
        list(pool.map(drive, uploads))
    finished(sender)
    assert sorted(rank for rank, _ in log) == sorted(rank for rank in range(6) for _ in range(40))


def test_a_device_has_one_sender_whoever_opened_it():
    first, second = open_device("emulator"), open_device("emulator")
    assert sender_of(first) is sender_of(second)


def test_senders_that_are_at_work_share_the_cores(monkeypatch):
    monkeypatch.setitem(_SENDERS, ("emulator", 98), Sender())
    monkeypatch.setitem(_SENDERS, ("emulator", 99), Sender())
    before, start = at_work(), Event()
    for number in (98, 99):
        _SENDERS["emulator", number].add(Pieces(0, 2, [], start))
        assert at_work() == before + number - 97
    start.set()
    for number in (98, 99):
        finished(_SENDERS["emulator", number])
    assert at_work() == before


@pytest.mark.parametrize("others", [0, 3])
def test_ordinary_memory_is_copied_by_so_many_threads_as_others_leave(monkeypatch, others):
    device = open_device("emulator", workers=1)
    engine = Engine(device, Metric.CZEKANOWSKI, np.float32, "naive")
    sharing, real = [], device.stage_in
    monkeypatch.setattr(
        device, "stage_in", lambda array, values, after, share: (sharing.append(share), real(array, values, after))[1]
    )
    monkeypatch.setattr("repro.mgemm.transfers.at_work", lambda: others)
    transfers_of(engine).upload(engine, np.ones((30, 8), np.float32))[:]
    assert sharing == [max(1, others)]


def test_an_error_of_a_copy_is_raised_where_it_is_waited_for(monkeypatch):
    device = open_device("emulator", workers=1)
    engine = Engine(device, Metric.CZEKANOWSKI, np.float32, "naive")
    monkeypatch.setattr("repro.mgemm.transfers.PIECE", 4 * 8 * 10)
    sent, real = [], device.stage_in

    def stage_in(array, values, after, sharing):
        sent.append(len(values))
        if len(sent) > 1:
            raise DeviceError("the bus is gone")
        return real(array, values, after, sharing)

    monkeypatch.setattr(device, "stage_in", stage_in)
    upload = transfers_of(engine).upload(engine, np.ones((30, 8), np.float32))
    with pytest.raises(DeviceError, match="the bus is gone"):
        upload[:]
    assert sent == [10, 10]

"""Copies beside kernels come when they are waited for, in their order, and not before."""

import ctypes
import gc
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from queue import Queue
from unittest.mock import MagicMock

import numpy as np
import pytest

from repro.device import Device, cuda, open_device, open_devices
from repro.device.page_locking import is_page_locked

KERNELS = Path(__file__).with_name("kernels.cu")
CONSTANTS = {
    "T": np.int64, "WHOLE": -3, "LARGE": 2**40, "REAL": 0.1, "SINGLE": np.float32(0.1), "BARRIER": True,
    "WARP_BARRIER": True,
}  # fmt: skip


def add(device: Device, a, b, total) -> None:
    device.compile(KERNELS, CONSTANTS | {"T": np.int32})["add"](1, 32, a, b, total, 32)


def host(device: Device, values) -> np.ndarray:
    array = device.host_array(32, np.int32)
    array[:] = values
    return array


def test_a_ring_of_copies_in_launches_and_copies_out(device):
    ones = device.upload(np.ones(32, np.int32))
    slots = [device.empty(32, np.int32) for _ in range(2)]
    results = [device.empty(32, np.int32) for _ in range(2)]
    given = [host(device, np.arange(32) * step) for step in range(6)]
    found = [host(device, -1) for _ in given]
    computed, copied = [device.record()] * 2, [device.record()] * 2
    for step, values in enumerate(given):
        slot = step % 2
        arrived = device.copy_in(slots[slot], values, [computed[slot]])
        device.wait(arrived)
        device.wait(copied[slot])
        add(device, slots[slot], ones, results[slot])
        computed[slot] = device.record()
        copied[slot] = device.copy_out(results[slot], found[step], [computed[slot]])
    for event in copied:
        device.finish(event)
    assert [values.tolist() for values in found] == [(values + 1).tolist() for values in given]
    assert (device.counters.writes, device.counters.reads) == (1 + 6, 6)


def test_the_emulator_may_copy_in_as_late_as_the_launch_waits_for_it(emulator):
    slot = emulator.upload(np.zeros(32, np.int32))
    total = emulator.empty(32, np.int32)
    arrived = emulator.copy_in(slot, host(emulator, 7))
    add(emulator, slot, slot, total)
    early = {"forward": {14}, "reverse": {0}, "random": {0, 14}}[emulator.thread_order]
    assert total.get()[0] in early
    emulator.wait(arrived)
    add(emulator, slot, slot, total)
    assert total.get().tolist() == [14] * 32


def test_copies_that_one_thread_begins_and_another_waits_for(device):
    """Neither is lost, nor made twice or before those that were begun earlier."""
    total, begun = device.upload(np.zeros(32, np.int32)), Queue()
    given = [host(device, step) for step in range(300)]
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(lambda: [begun.put(device.copy_in(total, values)) for values in given])
        for step in range(len(given)):
            device.wait(begun.get())
            assert total.get()[0] >= step
        done.result()
    assert total.get().tolist() == [299] * 32


def test_an_array_is_page_locked_for_as_long_as_it_lives(device):
    values = np.arange(3_000_000).reshape(3, -1)
    assert not is_page_locked(values)
    device.page_lock(values[1])
    device.page_lock(values)  # it is already
    assert is_page_locked(values)
    assert is_page_locked(values[2:])
    assert is_page_locked(device.host_array(100_000, np.int8))
    target = device.empty(values.shape, values.dtype)
    device.finish(device.copy_in(target, values))
    assert np.array_equal(target.get(), values)
    start, nbytes = values.ctypes.data, values.nbytes
    del values
    gc.collect()
    again = np.ctypeslib.as_array((ctypes.c_ubyte * nbytes).from_address(start))
    assert not is_page_locked(again)


def test_memory_that_numpy_did_not_allocate_is_not_page_locked(device):
    for values in (np.frombuffer(bytearray(1 << 20)), np.empty(0)):
        device.page_lock(values)
        assert not is_page_locked(values) or values.size == 0


@pytest.mark.parametrize("refused", [False, True])
def test_a_gpu_that_refuses_or_has_failed_is_no_error_of_page_locking(monkeypatch, refused):
    raised = []
    monkeypatch.setattr("sys.unraisablehook", raised.append)
    gpu = cuda.Cuda.__new__(cuda.Cuda)
    gpu.cupy, gpu._device = MagicMock(), MagicMock()
    runtime = gpu.cupy.cuda.runtime
    runtime.CUDARuntimeError = OSError
    runtime.hostRegister.side_effect = OSError if refused else None
    runtime.hostUnregister.side_effect = OSError
    values = np.zeros(1000)
    start = values.ctypes.data
    gpu.page_lock(values)
    assert is_page_locked(values) != refused
    assert runtime.hostRegister.call_args.args == (start, 8000, 1)
    del values
    assert [call.args for call in runtime.hostUnregister.call_args_list] == [(start,)] * (not refused)
    assert not raised


def test_an_array_is_uploaded_before_page_locked_memory_is_changed(device):
    values = np.arange(5_000_000)
    device.page_lock(values)
    array = device.upload(values)
    values[:] = -1
    assert np.array_equal(array.get(), np.arange(5_000_000))


@pytest.mark.parametrize("starts", [[0], [60, 30, 0], range(66, -1, -1)])
def test_parts_are_copied_in_from_the_last_on_and_each_has_an_event(device, starts):
    values = device.host_array((67, 50_000), np.int32)
    values[...] = np.arange(67)[:, None]
    target = device.full((67, 50_000), np.int32(-1))
    events = device.copy_in_parts(target, values, starts, [device.record()])
    assert len(events) == len(starts)
    for start, event in zip(starts, events, strict=True):
        device.wait(event)
        assert np.array_equal(target[start:].get(), values[start:])
    assert device.counters.writes == len(starts)


def test_launches_aside_come_after_those_before_and_an_event_tells_their_end(device):
    """Each lane adds a term that grows to a sum of its own."""
    term, sums = device.upload(np.zeros(32, np.int32)), [device.upload(np.zeros(32, np.int32)) for _ in range(2)]
    found = [host(device, -1) for _ in range(40)]
    for step, values in enumerate(found):
        add(device, term, device.upload(np.ones(32, np.int32)), term)
        with device.aside(step % 2):
            add(device, sums[step % 2], term, sums[step % 2])
            launched = device.record()
        device.finish(device.copy_out(sums[step % 2], values, [launched]))
    device.synchronize()
    assert [int(values[-1]) for values in found] == [sum(range(step + 1, 0, -2)) for step in range(40)]


def test_launches_aside_are_timed_one_after_another(device):
    total = device.upload(np.zeros(32, np.int32))
    with device.record_kernel_times() as times:
        for lane in (0, 1, 0):
            with device.aside(lane):
                add(device, total, device.upload(np.ones(32, np.int32)), total)
    assert total.get().tolist() == [3] * 32
    assert len(times.seconds) == 3
    ends = np.add(times.starts, times.seconds)
    assert all(ends[:-1] <= np.add(times.starts[1:], 1e-6))


def test_a_copy_waits_for_its_events_and_for_the_copies_before_it(emulator):
    first, second = (emulator.upload(np.zeros(32, np.int32)) for _ in range(2))
    out = host(emulator, -1)
    emulator.copy_in(first, host(emulator, 1))
    arrived = emulator.copy_in(second, host(emulator, 2))
    emulator.finish(emulator.copy_out(second, out, [arrived]))
    assert out.tolist() == [2] * 32
    assert first.get().tolist() == [1] * 32


def test_a_device_copies_what_another_lends(emulator):
    other = open_device("emulator", thread_order=emulator.thread_order)
    source = other.upload(np.arange(12, dtype=np.int32).reshape(3, 4))
    target = emulator.upload(np.zeros((2, 4), np.int32))
    borrowed = emulator.borrow(other.lend(source[1:], outside=False))
    emulator.wait(emulator.copy_across(target, borrowed, [emulator.record()]))
    assert target.get().tolist() == [[4, 5, 6, 7], [8, 9, 10, 11]]
    assert emulator.borrow(replace(other.lend(source, outside=True), process=("elsewhere", 1))) is None


def _copied(lent):
    """What a process of its own reads of an array that is lent to it."""
    device = open_device("cuda")
    borrowed = device.borrow(lent)
    target = device.empty(lent.shape, lent.dtype)
    device.wait(device.copy_across(target, borrowed, [device.record()]))
    return target.get()


@pytest.mark.cuda
@pytest.mark.parametrize("shape", [(3, 5), (1 << 20,), (7, 1 << 18)])
def test_another_process_copies_what_a_gpu_lends(shape):
    if cuda.why_unavailable():
        pytest.skip("no GPU")
    device = open_device("cuda")
    values = np.random.default_rng(1).integers(0, 99, shape)
    _others = [device.upload(values) for _ in range(2)]
    source = device.upload(values + 1)
    device.synchronize()
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert np.array_equal(pool.submit(_copied, device.lend(source, outside=True)).result(), values + 1)
        assert np.array_equal(pool.submit(_copied, device.lend(source[1:], outside=True)).result(), values[1:] + 1)


@pytest.mark.cuda
def test_gpus_of_one_process_copy_from_each_other():
    if cuda.why_unavailable() or cuda.device_count() < 2:
        pytest.skip("fewer than two GPUs")
    first, second = open_devices("cuda")[:2]
    source, target = first.upload(np.arange(1 << 20)), second.empty(1 << 20, np.int64)
    for _ in range(2):
        second.wait(second.copy_across(target, second.borrow(first.lend(source, outside=False)), [second.record()]))
        assert np.array_equal(target.get(), np.arange(1 << 20))


def test_arrays_larger_than_the_pieces_in_which_they_are_copied_arrive_whole(device):
    values = np.random.default_rng(1).integers(0, 256, (3, 6_000_001), dtype=np.uint8)
    arrays = [device.upload(values) for _ in range(2)]  # the second through pieces that are used again
    values_before = values.copy()
    values[:] = 0
    assert all(np.array_equal(array.get(), values_before) for array in arrays)


@pytest.mark.parametrize(
    ("values", "staged", "waits"),
    [
        (np.zeros(2), True, False),
        (np.zeros((2, 2))[1], True, False),
        (np.zeros(2), False, True),
        (np.frombuffer(bytearray(16)), True, True),  # which may be page-locked
    ],
)
def test_a_gpus_upload_is_waited_for_unless_the_runtime_has_read_the_values(values, staged, waits):
    gpu = cuda.Cuda.__new__(cuda.Cuda)
    gpu.cupy, gpu.stream, gpu.stream_pointer = MagicMock(), MagicMock(), 7
    gpu.index, gpu.name, gpu._stages_pageable = 0, "a GPU", staged
    gpu._upload(MagicMock(contiguous=True), values)
    assert gpu.cupy.cuda.runtime.memcpyAsync.call_count == 1
    assert gpu.stream.synchronize.called == waits


@pytest.mark.parametrize("shape", [0, 5, (3, 4)])
def test_host_arrays_have_the_shape_and_type_that_was_asked_for(device, shape):
    array = device.host_array(shape, np.float32)
    array[...] = 2.5
    assert array.shape == np.empty(shape).shape
    assert array.dtype == np.float32
    assert (array == 2.5).all()


@pytest.mark.cuda
def test_gpus_take_turns_in_one_process():
    """Each launch and event goes to its own GPU, whichever was opened or used last."""
    if cuda.why_unavailable() or cuda.device_count() < 2:
        pytest.skip("fewer than two GPUs")
    devices = open_devices("cuda")
    for turn in range(2):
        for device in devices:
            total = device.empty(100, np.int64)
            kernel = device.compile(KERNELS, CONSTANTS)["add"]
            ones = device.upload(np.full(100, turn + 1))
            kernel(1, 128, ones, ones, total, 100)
            device.finish(device.record())
            assert total.get().tolist() == [2 * turn + 2] * 100

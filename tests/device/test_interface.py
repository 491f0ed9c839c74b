"""What a device refuses, counts and accounts for."""

import gc
import importlib.util
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from repro.device import Counters, open_device, open_devices
from repro.device.toolchain import compiler
from repro.errors import DeviceError, InputError
from tests.conftest import NO_GPU
from tests.device.small_runs import RUNS
from tests.device.test_kernels import compiled


@pytest.mark.parametrize(
    ("grid", "block", "shared_bytes", "message"),
    [
        (0, 32, 0, r"kernel where: grid.x = 0 is not within 1 to \d+"),
        ((1, 65536), 32, 0, r"kernel where: grid.y = 65536 is not within 1 to 65535"),
        (1, (1, 1, 65), 0, r"kernel where: block.z = 65 is not within 1 to 64"),
        (1, (32, 33), 0, r"kernel where: 1056 threads per block are more than 1024"),
        (1, 32, 10**6, r"kernel where: 1000000 bytes of shared memory are more than \d+"),
    ],
)
def test_a_launch_out_of_range_is_refused(device, grid, block, shared_bytes, message):
    output = device.empty(64, np.int32)
    with pytest.raises(DeviceError, match=message):
        compiled(device)["where"](grid, block, output, shared_bytes=shared_bytes)
    assert device.counters.launches == 0


def test_arguments_are_checked(device):
    kernels = compiled(device, T=np.int32)
    whole = device.zeros((4, 6), np.int32)
    other = open_device("emulator").zeros(4, np.int32)
    for arguments, message in [
        ((whole, whole, whole), r"kernel add: 3 arguments for 4 parameters"),
        ((whole, whole, device.zeros(4, np.int64), 4), r"kernel add: 'sum' is int64, the kernel reads int32"),
        ((whole, whole[:, 1:3], whole, 4), r"kernel add: 'b' is not contiguous"),
        ((whole, other, whole, 4), r"kernel add: 'b' lies on emulator .*, the kernel runs on"),
        ((whole, 3, whole, 4), r"kernel add: 'b' needs a device array, not int"),
        ((whole, whole, whole, whole), r"kernel add: 'count' is a number, not an array"),
        ((whole, whole, whole, 2**31), r"kernel add: 'count' = 2147483648 does not fit int32"),
        ((whole, whole, whole, 1.5), r"kernel add: 'count' = 1.5 does not fit int32"),
    ]:
        with pytest.raises(DeviceError, match=message):
            kernels["add"](1, 32, *arguments)


def test_views_share_the_memory(device):
    whole = device.upload(np.arange(12, dtype=np.int32).reshape(3, 4))
    assert whole[1].get().tolist() == [[4, 5, 6, 7]]
    assert whole[-1, 2:].get().tolist() == [[10, 11]]
    compiled(device, T=np.int32)["add"](1, 32, whole[0], whole[1], whole[2], 4)
    assert whole.get()[2].tolist() == [4, 6, 8, 10]


def test_set_wants_the_same_shape_and_type(device):
    array = device.zeros(4, np.int32)
    for values in (np.zeros(5, np.int32), np.zeros(4, np.int64)):
        with pytest.raises(DeviceError, match=r"cannot copy int\d\d\[\d\] into a device array int32\[4\]"):
            array.set(values)
    array.set(np.arange(8, dtype=np.int32)[::2])
    assert array.get().tolist() == [0, 2, 4, 6]


def test_the_memory_budget_is_enforced_and_returns():
    device = open_device("emulator", memory_bytes=1000)
    kept = device.zeros(100, np.int32)
    view = kept[10:]
    with pytest.raises(DeviceError, match=r"604 bytes wanted, 600 of 1,000 free"):
        device.empty(151, np.int32)
    assert device.memory_used == 400
    del kept
    gc.collect()
    assert device.memory_used == 400, "a view keeps the memory"
    del view
    gc.collect()
    assert device.memory_used == 0
    assert device.zeros(250, np.int32).nbytes == 1000


def test_memory_returns_after_launches_and_copies(device):
    """On a GPU too, where the memory is CuPy's: the budget of a later run depends on it."""
    before = device.memory_used
    RUNS["reorder"](device)
    assert device.memory_used == before
    host = device.host_array(10, np.float32)
    array = device.zeros(10, np.float32)
    device.finish(device.copy_out(array, host))
    assert device.memory_used == before + 40
    del array
    assert device.memory_used == before


def test_counters(device):
    array = device.upload(np.arange(40, dtype=np.int32))
    before = device.counters.copy()
    for _ in range(3):
        compiled(device, T=np.int32)["add"]((2, 2), 16, array, array, array, 0)
    array.get()
    array.set(np.zeros(40, np.int32))
    assert device.counters.since(before) == Counters(launches=3, threads=192, reads=1, writes=1)


@pytest.mark.parametrize("timed", [False, True])
def test_launches_in_turn(device, timed):
    """Each with its own blocks and numbers; the first one is counted round and round."""
    add = compiled(device, T=np.int32)["add"]
    one = device.upload(np.ones(40, np.int32))
    arrays = device.zeros(40, np.int32), device.zeros(40, np.int32)
    x, y = arrays
    in_turn = device.in_turn([add.bind(16, x, one, y), add.bind(8, y, one, x)])
    before, threads, expected = device.counters.copy(), 0, np.zeros((2, 40), np.int32)
    with device.record_kernel_times() if timed else nullcontext():
        for first, launches in ((0, 3), (3, 2), (2, 103)):  # a GPU makes many of them by graphs, and the rest without
            counts = np.random.default_rng(launches).integers(1, 41, launches)
            ways = (first + np.arange(launches)) % 2
            blocks = -(-counts // np.where(ways, 8, 16))
            in_turn(blocks, counts.astype(np.int32)[:, np.newaxis], first)
            threads += int((blocks * np.where(ways, 8, 16)).sum())
            for way, count in zip(ways, counts, strict=True):
                expected[1 - way, :count] = expected[way, :count] + 1
    assert device.counters.since(before) == Counters(launches=108, threads=threads)
    assert [array.get().tolist() for array in arrays] == expected.tolist()
    with pytest.raises(DeviceError, match=r"kernel add: grid.x = 0 is not within 1 to"):
        in_turn(np.array([1, 0]), np.array([[40], [40]], np.int32))
    with pytest.raises(DeviceError, match="kernel add: bind all but as many int32 as of the other kernels"):
        device.in_turn([add.bind(16, x, one, y), add.bind(16, x, one, y, 40)])


@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize("every", [1, 3, 30])
@pytest.mark.parametrize("mapped", [False, True])
def test_launches_in_turn_until_a_word_is_wanted(device, timed, every, mapped):
    """Each counts on from where the other was; the word is not written, and not waited for in vain, before 50."""
    count_on = compiled(device, T=np.int32)["count_on"]
    x, y = device.zeros(1, np.int32), device.zeros(1, np.int32)
    word = device.mapped_word() if mapped else device.zeros(1, np.int32)
    in_turn = device.in_turn([count_on.bind(1, x, y, word), count_on.bind(1, y, x, word)])
    least, blocks = np.full((100, 1), 50, np.int32), np.ones(100, np.int64)
    before = device.counters.copy()
    with device.record_kernel_times() if timed else nullcontext():
        launched = -(-50 // every) * every
        assert in_turn.until(range(1, 99), word, blocks, least, 0, every) == (launched, launched)
        reads = launched // every
        assert device.counters.since(before) == Counters(launches=launched, threads=launched, reads=reads)
        assert in_turn.until(range(5), word, blocks[:7], least[:7], launched, every) == (7, None)
        assert in_turn.until(range(7, 300), word, blocks, least, launched + 7, 1) == (1, launched + 8)
    reads += -(-7 // every) + 1
    assert device.counters.since(before) == Counters(launches=launched + 8, threads=launched + 8, reads=reads)


def test_kernel_times_hold_one_value_per_launch(device):
    array = device.zeros(32, np.int32)
    kernel = compiled(device, T=np.int32)["add"]
    with device.record_kernel_times() as times:
        for _ in range(5):
            kernel(1, 32, array, array, array, 32)
    kernel(1, 32, array, array, array, 32)
    assert len(times.seconds) == len(times.starts) == 5
    assert all(0 < seconds < 1 for seconds in times.seconds)
    assert times.starts[0] == 0
    ends = [start + seconds for start, seconds in zip(times.starts, times.seconds, strict=True)]
    assert all(end <= start for end, start in zip(ends, times.starts[1:], strict=False))
    assert times.total == pytest.approx(sum(times.seconds))


def test_a_source_that_does_not_compile_is_named_with_its_line(device, tmp_path):
    source = tmp_path / "broken.cu"
    source.write_text('extern "C" __global__ void broken(int* output) {\n    output[0] = missing;\n}\n')
    with pytest.raises(DeviceError, match=r"broken.cu does not compile: .*broken.cu.*2.*missing"):
        device.compile(source)


def test_a_source_must_declare_a_kernel_of_known_types(device, tmp_path):
    for text, message in [
        ("int x;", 'no kernel found; declare it extern "C" __global__ void'),
        ('extern "C" __global__ void k(Strange* x) {}', r"kernel k: parameter 'Strange\* x' has no known type"),
    ]:
        source = tmp_path / f"{len(text)}.cu"
        source.write_text(text)
        with pytest.raises(DeviceError, match=message):
            device.compile(source)


def test_a_compiled_module_is_reused_until_its_source_or_header_changes(tmp_path, monkeypatch):
    monkeypatch.setenv("REPRO_CACHE", str(tmp_path / "cache"))

    def libraries() -> int:
        return len(list((tmp_path / "cache").glob("*.module")))

    # A source is read once per process, so each step has a directory of its own with the same names in it.
    for index, (value, constant, expected) in enumerate([(1, 0, 1), (1, 0, 1), (2, 0, 2), (2, 5, 3)]):
        source = tmp_path / str(index) / "same" / "names" / "kernel.cu"
        source.parent.mkdir(parents=True)
        source.with_name("value.cuh").write_text(f"#define VALUE {value}\n")
        source.write_text(
            '#include "value.cuh"\nextern "C" __global__ void k(int* output) { *output = VALUE + CONSTANT; }\n'
        )
        device = open_device("emulator")
        output = device.empty(1, np.int32)
        device.compile(source, {"CONSTANT": constant})["k"](1, 1, output)
        assert output.get()[0] == value + constant
        assert libraries() == expected
        assert not list((tmp_path / "cache").glob("*.module-part")), "nothing half-written is left"


def test_open_device():
    (device,) = open_devices("emulator", memory_bytes=100)
    assert (device.index, device.kind, device.memory_bytes) == (0, "emulator", 100)
    for spec in ("gpu", "cuda:x", "auto:1", "emulator:2", ""):
        with pytest.raises(InputError, match=f"^device '{spec}': choose auto, cuda, cuda:N or emulator$"):
            open_device(spec)


@pytest.mark.skipif(not NO_GPU, reason="there is a GPU")
def test_without_a_gpu_auto_is_the_emulator_and_cuda_says_why():
    assert open_device().kind == "emulator"
    with pytest.raises(DeviceError, match=r"CuPy is not installed|No NVIDIA GPU found|CUDA does not answer"):
        open_device("cuda")


def test_the_floor_of_the_emulators_speed():
    """Half the floor of `make bench`, because other tests run beside this one."""
    path = Path(__file__).parents[2] / "benchmarks" / "emulator_floor.py"
    spec = importlib.util.spec_from_file_location("emulator_floor", path)
    floor = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(floor)
    assert floor.cells_per_second(np.random.default_rng(0)) > 50e6
    assert floor.nanoseconds_per_thread() < 200


def test_full_and_zeros(device):
    assert device.full((2, 3), np.int16(-7)).get().tolist() == [[-7] * 3] * 2
    assert device.full(3, ~np.uint64(0)).get().tolist() == [2**64 - 1] * 3
    zeros = device.zeros(2, np.float64)
    assert (zeros.dtype, zeros.get().tolist()) == (np.float64, [0, 0])
    assert (device.counters.writes, device.counters.launches) == (0, 0)


def test_a_compiler_that_fails_is_named(monkeypatch):
    monkeypatch.setenv("CXX", "false")
    compiler.cache_clear()
    try:
        with pytest.raises(DeviceError, match="false --version fails: set CXX to a C"):
            compiler()
    finally:
        compiler.cache_clear()

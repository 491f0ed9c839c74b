"""The emulator: CUDA kernels compiled for the CPU, one fiber per CUDA thread, blocks spread over host threads.

It is built to find faults rather than to hide them: the order of threads is a parameter, memory starts poisoned,
and a barrier or warp operation that not all threads reach is an error that names them.
"""

import ctypes
import os
import platform
import re
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from repro.device.base import Array, Device, Extents, Kernel, KernelTimes
from repro.device.cache import cached_file
from repro.device.source import Constants, Parameter, declare, load_source
from repro.errors import DeviceError

ThreadOrder = Literal["forward", "reverse", "random"]
HEADERS = Path(__file__).parent / "emulated_cuda"
STACK_BYTES = 64 * 1024
FLAGS = (
    "-std=c++17 -O3 -shared -fPIC -fvisibility=hidden -fno-exceptions -fno-rtti -fno-strict-aliasing -fno-plt "
    "-ffp-contract=off -Wall -Wno-unknown-pragmas -Wno-unused-function -Wno-unused-variable "
    f"-Werror=frame-larger-than={STACK_BYTES // 2}"
).split()
MOST_WORKERS = 16
INLINE_THREADS = 4096  # below this many CUDA threads, waking other host threads costs more than it saves


class _Launch(ctypes.Structure):
    """Mirror of `Launch` in emulated_cuda/block.hpp."""

    _fields_ = [
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("shared_bytes", ctypes.c_uint64),
        ("arguments", ctypes.c_void_p),
        ("order", ctypes.c_uint32),
        ("chunk", ctypes.c_uint32),
        ("seed", ctypes.c_uint64),
        ("next_block", ctypes.c_uint64),
        ("failed", ctypes.c_uint32),
        ("error", ctypes.c_char * 1020),
    ]


@cache
def compiler() -> tuple[str, str]:
    """The C++ compiler's command ($CXX, else g++, c++ or clang++) and its version line."""
    for command in filter(None, (os.environ.get("CXX"), "g++", "c++", "clang++")):
        if shutil.which(command):
            version = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
            return command, version.splitlines()[0]
    raise DeviceError("no C++ compiler found: install g++ (Debian: apt install g++), or set CXX to one")


def host_threads() -> int:
    """How many host threads may run blocks."""
    return min(len(os.sched_getaffinity(0)), MOST_WORKERS)


class Module:
    """One compiled module. Each host thread that works on a launch borrows a loaded copy of its own.

    A copy's shared memory is its static data, so it serves one block at a time.
    """

    def __init__(self, library: Path) -> None:
        self._library = library
        self._free: list[ctypes.CDLL] = []
        self._lock = Lock()

    def run(self, kernel: str, launch: _Launch) -> None:
        """Take blocks of the launch until none is left."""
        with self._lock:
            copy = self._free.pop() if self._free else None
        copy = copy or self._load()
        getattr(copy, f"repro_launch_{kernel}")(ctypes.byref(launch))
        with self._lock:
            self._free.append(copy)

    def _load(self) -> ctypes.CDLL:
        # The dynamic loader gives the same file the same memory, so each copy is loaded from a file of its own.
        with tempfile.TemporaryDirectory() as directory:
            return ctypes.CDLL(shutil.copy(self._library, directory))


@cache
def load_module(library: Path) -> Module:
    """The module of a library file, shared by all emulated devices of the process."""
    return Module(library)


class EmulatedKernel(Kernel):
    """A kernel of the emulator."""

    device: "Emulator"

    def __init__(self, device: "Emulator", name: str, parameters: list[Parameter], module: Module) -> None:
        super().__init__(device, name, parameters)
        self._module = module

    def _launch(self, grid: Extents, block: Extents, shared_bytes: int) -> None:
        device = self.device
        blocks = grid[0] * grid[1] * grid[2]
        threads = blocks * block[0] * block[1] * block[2]
        workers = 1 if threads < INLINE_THREADS else min(device.workers, blocks)
        launch = _Launch(grid=grid, block=block, shared_bytes=shared_bytes, order=device.order, seed=device.next_seed())
        launch.arguments = self._arguments_address
        launch.chunk = max(1, min(64, blocks // (8 * workers)))
        started = time.perf_counter()
        others = [device.pool.submit(self._module.run, self.name, launch) for _ in range(workers - 1)]
        self._module.run(self.name, launch)
        for other in others:
            other.result()
        device.note_time(time.perf_counter() - started)
        if launch.failed:
            raise DeviceError(launch.error.decode())


class Emulator(Device):
    """The CPU standing in for a GPU.

    thread_order: in which order runnable threads are resumed. seed: of the random order. warp_size: 32, or 64 as on
    AMD. workers: host threads that run blocks.
    """

    kind = "emulator"

    def __init__(
        self,
        index: int = 0,
        memory_bytes: int | None = None,
        thread_order: ThreadOrder = "forward",
        seed: int = 0,
        warp_size: Literal[32, 64] = 32,
        workers: int | None = None,
    ) -> None:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        super().__init__(index, memory_bytes or total // 2, warp_size)
        self.name = f"emulator ({platform.machine()} CPU)"
        self.thread_order = thread_order
        self.order = get_args(ThreadOrder).index(thread_order)
        self.workers = workers or host_threads()
        self.pool = ThreadPoolExecutor(max(1, self.workers - 1))
        self._random = np.random.default_rng(seed)

    def next_seed(self) -> int:
        """A new seed for each launch, so that no two random orders are alike."""
        return int(self._random.integers(2**31))

    def note_time(self, seconds: float) -> None:
        """Add a launch's host time to the times being recorded."""
        if self._times is not None:
            self._times.seconds.append(seconds)

    def describe(self) -> dict[str, Any]:
        """The CPU, the compiler and the host threads that stand in for the GPU."""
        return {
            "device": self.name,
            "kind": self.kind,
            "compiler": compiler()[1],
            "workers": self.workers,
            "thread_order": self.thread_order,
            "warp_size": self.warp_size,
        }

    def synchronize(self) -> None:
        """Launches return when they have finished."""

    def _compile(self, path: Path, constants: Constants, parameters: dict[str, list[Parameter]]) -> dict[str, Kernel]:
        source = load_source(path)
        command, version = compiler()
        text = (
            f"#define REPRO_STACK_BYTES {STACK_BYTES}\n#define REPRO_WARP_SIZE {self.warp_size}\n"
            f'#include "cuda.hpp"\n{declare(constants)}#line 1 "{source.label}"\n{_emulated(source.text)}\n'
            + "".join(f"REPRO_LAUNCHER({name})\n" for name in source.kernels)
        )

        def build(output: Path) -> None:
            arguments = [
                command,
                *FLAGS,
                f"-I{HEADERS}",
                f"-I{path.parent}",
                "-x",
                "c++",
                "-",
                "-o",
                str(output),
            ]
            done = subprocess.run(arguments, input=text, capture_output=True, text=True, check=False)
            if done.returncode:
                raise DeviceError(f"{source.label} does not compile: {_first_error(done.stderr)}")

        started = time.perf_counter()
        headers = [header.read_text() for header in sorted(HEADERS.glob("*.hpp"))]
        library = cached_file([text, source.digest(), *headers, version, *FLAGS, platform.machine()], ".so", build)
        self.compile_seconds += time.perf_counter() - started
        module = load_module(library)
        return {name: EmulatedKernel(self, name, found, module) for name, found in parameters.items()}

    def _allocate(self, shape: int | tuple[int, ...], dtype: np.dtype) -> NDArray[Any]:
        data = np.empty(shape, dtype)
        # The same three patterns as for shared memory: large positive, large negative, random.
        poison = (0x7B, 0xCB, self.next_seed() & 0xFF)[self.order]
        data.reshape(-1).view(np.uint8)[:] = poison
        return data

    def _pointer(self, data: NDArray[Any]) -> int:
        return data.ctypes.data

    def _fill(self, array: Array, value: np.generic) -> None:
        array.data[...] = value

    def _upload(self, array: Array, values: NDArray[Any]) -> None:
        array.data[...] = values

    def _download(self, array: Array) -> NDArray[Any]:
        return np.array(array.data)

    def _collect_times(self, times: KernelTimes) -> None:
        pass


def _emulated(text: str) -> str:
    """Dynamic shared memory is a pointer to the block's buffer; everything else compiles as it stands."""
    pattern = r"extern\s+__shared__\s+(?:__align__\(\d+\)\s+)?([\w\s]+?)\s+(\w+)\s*\[\s*\]\s*;"
    return re.sub(pattern, r"\1* const \2 = reinterpret_cast<\1*>(::repro::block.dynamic_shared);", text)


def _first_error(stderr: str) -> str:
    lines = stderr.splitlines()
    return next((line for line in lines if "error:" in line), lines[0] if lines else "the compiler said nothing")

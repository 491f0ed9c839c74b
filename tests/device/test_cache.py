"""The cache of compiled modules: damaged entries, several processes at once, bounds, clearing."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from repro.cli import main
from repro.device import cache, open_device
from repro.device.cache import cached, clear_cache

KERNEL = 'extern "C" __global__ void k(int* output) { output[threadIdx.x] = 3 * threadIdx.x; }\n'


@pytest.fixture
def directory(tmp_path, monkeypatch):
    monkeypatch.setenv("REPRO_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def entries(directory: Path) -> list[Path]:
    return sorted(directory.iterdir())


@pytest.mark.parametrize(
    "damage",
    [
        lambda entry: entry[: len(entry) // 2],
        lambda entry: b"",
        lambda entry: entry[:500] + bytes([entry[500] ^ 1]) + entry[501:],
        lambda entry: entry + b"\0",
    ],
    ids=["half", "empty", "a bit", "a byte more"],
)
def test_a_damaged_entry_is_built_again(directory, tmp_path, damage):
    path = tmp_path / "kernel.cu"
    path.write_text(KERNEL)

    def run():
        device = open_device("emulator")
        output = device.empty(8, np.int32)
        device.compile(path)["k"](1, 8, output)
        return output.get().tolist(), device.compile_seconds

    assert run()[0] == [0, 3, 6, 9, 12, 15, 18, 21]
    (entry,) = entries(directory)
    whole = entry.read_bytes()
    entry.write_bytes(damage(whole))
    assert run()[0] == [0, 3, 6, 9, 12, 15, 18, 21]
    assert len(entry.read_bytes()) == len(whole)
    assert run()[1] < 0.2, "found in the cache, not compiled"


def test_processes_that_build_the_same_at_once(directory, tmp_path):
    path = tmp_path / "kernel.cu"
    path.write_text(KERNEL)
    program = (
        "import sys; from pathlib import Path; import numpy as np; from repro.device import open_device\n"
        "device = open_device('emulator'); output = device.empty(4, np.int32)\n"
        "device.compile(Path(sys.argv[1]))['k'](1, 4, output); print(output.get().tolist())"
    )
    command = [sys.executable, "-c", program, str(path)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[0] for process in running] == ["[0, 3, 6, 9]\n"] * 3
    assert [entry.suffix for entry in entries(directory)] == [".module"]


def test_what_was_used_longest_ago_goes_first(directory, monkeypatch):
    monkeypatch.setattr(cache, "MOST_BYTES", 3 * (100 + 32))
    for name in "abc":
        cached([name], lambda: bytes(100))
        time.sleep(0.02)
    assert len(entries(directory)) == 3
    cached(["a"], lambda: pytest.fail("still there"))
    time.sleep(0.02)
    cached(["d"], lambda: bytes(100))
    assert len(entries(directory)) == 3
    for name in "acd":
        cached([name], lambda: pytest.fail("still there"))
    assert cached(["b"], lambda: b"again") == b"again"


def test_what_a_killed_process_left_is_removed_after_an_hour(directory):
    directory.mkdir()
    for name, age in (("old.module-part", 3700), ("new.module-part", 60)):
        (directory / name).write_bytes(b"half")
        os.utime(directory / name, (time.time() - age,) * 2)
    cached(["a"], lambda: b"whole")
    assert [entry.name for entry in entries(directory) if entry.suffix == ".module-part"] == ["new.module-part"]


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("REPRO_CACHE", str(tmp_path / "file"))
    assert cached(["a"], lambda: b"built") == b"built"
    assert clear_cache() == (0, 0)


def test_clearing(directory, capsys):
    for name in "ab":
        cached([name], lambda: bytes(100))
    (directory / "notes.txt").write_text("not ours")
    assert main(["devices", "--clear-cache"]) == 0
    assert capsys.readouterr().out == f"removed 2 compiled modules (264 bytes) from {directory}\n"
    assert [entry.name for entry in entries(directory)] == ["notes.txt"]

"""On a GPU: a failed launch, too little memory and a lost device are errors that name the kernel and what to try."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from repro.device import open_device
from repro.errors import DeviceError
from tests.conftest import NO_GPU

pytestmark = [pytest.mark.cuda, pytest.mark.skipif(bool(NO_GPU), reason=NO_GPU)]
FAULTS = Path(__file__).with_name("cuda_faults.cu")

AFTER_A_FAULT = """
import sys
from pathlib import Path
import numpy as np
from repro.device import open_device
from repro.errors import DeviceError

path, name = Path(sys.argv[1]), sys.argv[2]
gpu = open_device("cuda")
output = gpu.zeros(64, np.int32)
gpu.compile(path)[name]((2, 3), 32, output if name == "traps" else 64)
for attempt in (output.get, lambda: gpu.zeros(10, np.int32), gpu.synchronize):
    try:
        attempt()
    except DeviceError as error:
        print(error)
other = open_device("emulator")
output = other.zeros(64, np.int32)
other.compile(path)["fills"](2, 32, output, 64)
print("emulator", output.get().tolist() == list(range(64)))
"""

IN_TURN = """
import sys
from pathlib import Path
import numpy as np
from repro.device import open_device
from repro.errors import DeviceError

gpu = open_device("cuda")
word, blocks, numbers = gpu.mapped_word(), np.full(9, 2), np.arange(9, dtype=np.int32)[:, np.newaxis]
in_turn = gpu.in_turn([gpu.compile(Path(sys.argv[1]))["tells_or_traps"].bind(32, word)])
print(in_turn.until(range(4, 5), word, blocks, numbers))
try:
    in_turn.until(range(7, 9), word, blocks, numbers)
except DeviceError as error:
    print(error)
"""


def lines_of(script: str, *arguments: str) -> list[str]:
    """What it prints in a process of its own."""
    command = [sys.executable, "-c", script, str(FAULTS), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_word_that_a_fault_leaves_unwritten_is_not_waited_for():
    told, error = lines_of(IN_TURN)
    assert told == "(5, 4)"
    assert error.startswith("kernel tells_or_traps, grid (2, 1, 1), block (32, 1, 1): ")
    assert "by the launch of kernel tells_or_traps, grid (2, 1, 1)" in error


@pytest.mark.parametrize(("kernel", "what"), [("traps", "launch failure|unspecified"), ("writes_nowhere", "illegal")])
def test_a_lost_gpu_is_named_and_the_process_goes_on(kernel, what):
    lines = lines_of(AFTER_A_FAULT, kernel)
    assert lines[-1] == "emulator True"
    assert len(lines) >= 2
    for line in lines[:-1]:
        assert f"by the launch of kernel {kernel}, grid (2, 3, 1), block (32, 1, 1) or an earlier one" in line
        assert "REPRO_INSTRUMENT=sanitize" in line
    assert any(word in lines[0] for word in what.split("|"))


def test_too_little_memory_on_the_card():
    device = open_device("cuda", memory_bytes=2**60)
    with pytest.raises(DeviceError, match=r"the GPU is out of memory .*; use a smaller input"):
        device.empty(2**45, np.uint8)
    output = device.zeros(64, np.int32)
    device.compile(FAULTS)["fills"](2, 32, output, 64)
    assert output.get().tolist() == list(range(64))


def test_a_launch_with_too_many_resources_is_named_and_the_next_one_works():
    device = open_device("cuda")
    kernel = device.compile(FAULTS)["fills"]
    output = device.zeros(64, np.int32)
    kernel._checked = ((1, 1), (2048,), 0, False)  # past the check that every launch makes
    kernel._extents = (1, 1, 1), (2048, 1, 1)
    with pytest.raises(DeviceError, match=r"kernel fills, grid \(1, 1, 1\), block \(2048, 1, 1\): .*invalid"):
        kernel((1, 1), (2048,), output, 64)
    kernel(2, 32, output, 64)
    assert output.get().tolist() == list(range(64))

"""The emulator's aarch64 code, compiled by a cross compiler and run under qemu."""

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from repro.device.source import load_source
from repro.device.toolchain import BASE, HEADERS, OPTIONS, STACK_BYTES, emulated_text
from tests.device.test_kernels import CONSTANTS, KERNELS

COMPILER, RUNNER = "aarch64-linux-gnu-g++", "qemu-aarch64"
if platform.machine() == "aarch64":
    COMPILER, RUNNER = "g++", "env"
MISSING = [command for command in (COMPILER, RUNNER) if not shutil.which(command)]


@pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)} not found (Debian: g++-aarch64-linux-gnu, qemu-user)")
def test_kernels_on_aarch64(tmp_path):
    main = Path(__file__).with_name("aarch64_main.cpp").read_text()
    program = tmp_path / "kernels"
    options = [*BASE.split(), *OPTIONS["none"].split(), f"-DREPRO_STACK_BYTES={STACK_BYTES[False]}", "-static"]
    command = [COMPILER, *options, f"-I{HEADERS}", "-x", "c++", "-", "-o", str(program)]
    text = emulated_text(load_source(KERNELS), CONSTANTS, 32) + main
    subprocess.run(command, input=text, text=True, check=True)
    done = subprocess.run([RUNNER, str(program)], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout == "right\n", done.stdout + done.stderr
    assert done.returncode == 0

"""Python that runs with what stands in for the driver (libcuda.cpp): compiled loops without a GPU."""

import os
import subprocess
import sys
from pathlib import Path

from repro.device.toolchain import compiler


def run_with_driver(script: str, folder: Path) -> None:
    """Run it in a process of its own. folder: for the driver, and what Numba compiles."""
    source = Path(__file__).with_name("libcuda.cpp")
    subprocess.run([compiler()[0], "-shared", "-fPIC", "-o", folder / "libcuda.so.1", source], check=True)
    environment = os.environ | {"LD_LIBRARY_PATH": str(folder), "NUMBA_CACHE_DIR": str(folder)}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment, timeout=300)

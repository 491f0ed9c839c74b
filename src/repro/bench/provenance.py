"""Where a row comes from: commit, packages, host, device and the code that was measured."""

import hashlib
import platform
import re
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

import repro

PACKAGE = Path(repro.__file__).parent


def code_hash(*packages: str) -> str:
    """SHA-256 over the source files of parts of `repro`, e.g. ("wfa", "device", "bench").

    As a parameter of a rule it makes Snakemake run again what was computed by older code.
    """
    digest = hashlib.sha256()
    for package in packages:
        for path in sorted((PACKAGE / package).rglob("*")):
            if path.suffix in (".py", ".cu", ".cuh", ".hpp", ".yaml"):
                digest.update(str(path.relative_to(PACKAGE)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@cache
def commit() -> str:
    """The git commit of the source, with -dirty when tracked files differ from it; "unknown" outside a checkout."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


@cache
def packages() -> dict[str, str]:
    """Versions of repro and of what it runs with, as far as installed: its dependencies, CuPy and MPI."""
    required = [Requirement(text) for text in metadata.requires("repro") or []]
    names = {"repro"} | {r.name for r in required if not re.search("extra == .(test|dev)", str(r.marker))}
    installed = {found.name.lower(): found.version for found in metadata.distributions()}
    return {name: installed[name.lower()] for name in sorted(names) if name.lower() in installed}


@cache
def cpu() -> str:
    """The host CPU's model name, or its architecture where the kernel does not tell."""
    try:
        match = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        match = None
    return match[1] if match else platform.machine()


def provenance(command: str, device_before: dict[str, Any], device_after: dict[str, Any]) -> dict[str, Any]:
    """The provenance of a row that was measured just now.

    command: what to type to measure it again. device_before, device_after: `Device.describe()` around the runs.
    """
    return {
        "commit": commit(),
        "command": command,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "packages": packages(),
        "cpu": cpu(),
        "device_before": device_before,
        "device_after": device_after,
    }

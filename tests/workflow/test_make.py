"""What `make` says before there is an environment; nothing is installed here."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "bin").mkdir()
    for tool in ("sh", "make", "flock"):
        found = shutil.which(tool)
        assert found is not None
        (tmp_path / "bin" / tool).symlink_to(found)
    return tmp_path


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(folder / "bin"), "HOME": os.environ["HOME"]}
    return subprocess.run(
        ["make", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def command(folder: Path, name: str, script: str) -> None:
    path = folder / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_no_compiler_is_one_line(folder: Path) -> None:
    done = make(folder, "run")
    assert done.returncode == 2
    assert "no C++ compiler found: install one (Debian: apt install g++), or set CXX to one" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (folder / ".venv").exists()


def test_an_unfit_python_is_one_line(folder: Path) -> None:
    command(folder, "g++", "exit 0")
    command(folder, "python3", "exit 1")  # how 3.10 and 3.14 answer the question whether they fit
    done = make(folder, "run")
    assert done.returncode == 2
    assert "is Python 3.11, 3.12 or 3.13 with venv: install one" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (folder / ".venv").exists()


def test_two_runs_at_once_are_one_too_many(folder: Path) -> None:
    (folder / ".venv").mkdir()
    (folder / ".venv" / "installed-run-").touch()
    flock = str(folder / "bin" / "flock")
    (folder / "workflow").mkdir()
    command(folder, "sleep", f'exec {shutil.which("sleep")} "$@"')
    holder = subprocess.Popen([flock, ".run.lock", "sleep", "30"], cwd=folder, start_new_session=True)
    try:
        while subprocess.run([flock, "--nonblock", ".run.lock", "true"], cwd=folder, check=False).returncode == 0:
            pass
        done = make(folder, "run")
    finally:
        os.killpg(holder.pid, 15)
        holder.wait()
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == "another run is at work in this folder; wait for it or stop it"

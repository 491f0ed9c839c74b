"""What `make` says before there is an environment; nothing is installed here."""

import os
import shutil
import subprocess
import time
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


@pytest.fixture
def installed(folder: Path) -> Path:
    """A folder whose Snakemake writes its process and waits."""
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "installed-run-").touch()
    (folder / "workflow").mkdir()
    shutil.copy(ROOT / "workflow" / "run.sh", folder / "workflow")
    for name in ("find", "sleep"):
        command(folder, name, f'exec {shutil.which(name)} "$@"')
    command(folder, "../.venv/bin/snakemake", "echo $$ >started.partial; mv started.partial started; exec sleep 60")
    command(folder, "mv", f'exec {shutil.which("mv")} "$@"')
    return folder


def started(folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """`make run` in the background, and the process of its Snakemake."""
    environment = {"PATH": str(folder / "bin"), "HOME": os.environ["HOME"]}
    run = subprocess.Popen(["make", "run"], cwd=folder, env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while not (folder / "started").exists():
        assert time.monotonic() < deadline, "make run did not begin"
        time.sleep(0.01)
    return run, int((folder / "started").read_text())


def test_two_runs_at_once_are_one_too_many(installed: Path) -> None:
    first, snakemake = started(installed)
    try:
        done = make(installed, "run")
    finally:
        first.terminate()
        first.wait(20)
    assert done.returncode == 2
    said = f"another run, process {snakemake}, is at work in this folder; wait for it or stop it"
    assert done.stderr.splitlines()[0] == said


def test_a_signal_to_make_ends_the_run(installed: Path) -> None:
    run, snakemake = started(installed)
    run.terminate()
    assert run.wait(20) != 0
    deadline = time.monotonic() + 20
    while Path(f"/proc/{snakemake}/cmdline").exists():
        assert time.monotonic() < deadline, "Snakemake goes on"
        time.sleep(0.01)

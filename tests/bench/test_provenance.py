import subprocess
from pathlib import Path

import pytest

from repro.bench import provenance


def test_code_hash_follows_the_files_of_the_packages_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance, "PACKAGE", tmp_path)
    for package in ("wfa", "report"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "kernel.cu").write_text("one")
    before = provenance.code_hash("wfa")
    (tmp_path / "report" / "kernel.cu").write_text("two")
    assert provenance.code_hash("wfa") == before
    (tmp_path / "wfa" / "kernel.cu").write_text("two")
    assert provenance.code_hash("wfa") != before


def test_commit_says_whether_tracked_files_were_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*arguments: str) -> str:
        who = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
        done = subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    monkeypatch.setattr(provenance, "PACKAGE", tmp_path)
    git("init")
    (tmp_path / "file").write_text("one")
    git("add", "file")
    git("commit", "-m", "first")
    head = git("rev-parse", "HEAD")
    assert provenance.commit.__wrapped__() == head
    (tmp_path / "file").write_text("two")
    assert provenance.commit.__wrapped__() == f"{head}-dirty"


def test_commit_outside_a_checkout_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance, "PACKAGE", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert provenance.commit.__wrapped__() == "unknown"


def test_packages_are_those_of_a_run() -> None:
    found = provenance.packages()
    assert {"repro", "numpy", "edlib"} <= set(found)
    assert not {"pytest", "ruff"} & set(found)

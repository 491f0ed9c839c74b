"""`repro apsp` writes distances, predecessors and names, prints paths, and says in a line what is wrong."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from repro.apsp.variants import VARIANTS
from repro.cli import main

EDGES = "a b 1\nb c 2\nc a 4\na c 9\nd d 1\n"


@pytest.fixture
def edges(tmp_path: Path) -> Path:
    path = tmp_path / "graph.txt"
    path.write_text(EDGES)
    return path


def apsp(*arguments: str | Path) -> int:
    return main(["apsp", *map(str, arguments), "--device", "emulator"])


def test_distances_predecessors_and_names_are_written(edges: Path, tmp_path: Path, capsys):
    output, before = tmp_path / "distances.npy", tmp_path / "before.npy"
    assert apsp(edges, "-o", output, "--predecessors", before) == 0
    inf = np.inf
    assert np.load(output).tolist() == [[0, 1, 3, inf], [6, 0, 2, inf], [4, 5, 0, inf], [inf, inf, inf, 0]]
    assert np.load(before).tolist() == [[-9999, 0, 1, -9999], [2, -9999, 1, -9999], [2, 0, -9999, -9999], [-9999] * 4]
    assert (tmp_path / "distances.names.txt").read_text() == "a\nb\nc\nd\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "before.names.txt", "before.npy", "distances.names.txt", "distances.npy", "graph.txt",
    ]  # fmt: skip
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_path_is_printed(edges: Path, capsys, variant: str):
    assert apsp(edges, "--path", "b", "a", "--variant", variant) == 0
    assert capsys.readouterr().out == "distance 6.0\npath b c a\n"
    assert apsp(edges, "--path", "b", "a", "--undirected", "--dtype", "int16") == 0
    assert capsys.readouterr().out == "distance 1\npath b a\n"
    assert apsp(edges, "--path", "a", "d") == 0
    assert capsys.readouterr().out == "no path from a to d\n"


def test_little_memory_takes_more_rounds_and_leaves_nothing_behind(tmp_path: Path, capsys):
    weights = np.full((300, 300), np.inf)
    weights[np.arange(300), (np.arange(300) + 1) % 300] = 1
    np.save(tmp_path / "ring.npy", weights)
    output = tmp_path / "distances.npy"
    assert apsp(tmp_path / "ring.npy", "-o", output, "--memory", "1500000") == 0
    assert np.array_equal(np.load(output), (np.arange(300) - np.arange(300)[:, None]) % 300)
    assert capsys.readouterr().err.splitlines() == [f"round {done} of 3" for done in (1, 2, 3)]
    assert not list(tmp_path.glob(".*"))


def test_a_single_round_says_nothing(edges: Path, tmp_path: Path, capsys):
    assert apsp(edges, "-o", tmp_path / "distances.npy", "--variant", "out-of-core") == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("unwritable", ["distances.npy", "before.npy", "before.names.txt"])
def test_when_one_file_cannot_be_written_there_is_none(edges: Path, tmp_path: Path, capsys, unwritable: str):
    (tmp_path / "out" / unwritable).mkdir(parents=True)
    before = {path: path.stat().st_mtime for path in tmp_path.rglob("*")}
    files = [tmp_path / "out" / name for name in ("distances.npy", "before.npy")]
    assert apsp(edges, "-o", files[0], "--predecessors", files[1]) == 2
    assert (
        capsys.readouterr().err == f"repro: {tmp_path / 'out' / unwritable}: is a directory; give the name of a file\n"
    )
    assert {path: path.stat().st_mtime for path in tmp_path.rglob("*")} == before


def test_a_disk_that_fills_up_leaves_nothing(edges: Path, tmp_path: Path, capsys, monkeypatch):
    """The predecessors no longer fit when the distances are written already."""

    def full(path: Path, text: str) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", full)
    assert apsp(edges, "-o", tmp_path / "d.npy", "--predecessors", tmp_path / "p.npy", "--variant", "staged") == 2
    assert "No space left on device" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["graph.txt"]


def test_a_disk_without_room_for_the_blocks_is_one_line(edges: Path, tmp_path: Path, capsys, monkeypatch):
    def full(handle: int, offset: int, size: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    assert apsp(edges, "-o", tmp_path / "d.npy", "--variant", "out-of-core") == 2
    assert capsys.readouterr().err == f"repro: {tmp_path / '.d.npy.unfinished'}: No space left on device\n"
    assert [path.name for path in tmp_path.iterdir()] == ["graph.txt"]


@pytest.mark.parametrize("name", ["graph.gr", "graph.mtx", "graph.tsv", "graph.npy"])
def test_a_web_page_is_no_graph(tmp_path: Path, capsys, name: str):
    path = tmp_path / name
    path.write_text("\n<!DOCTYPE html>\n<html><body>404</body></html>\n")
    assert apsp(path, "--path", "a", "b") == 2
    found = "is an HTML or XML page, not data; download the file itself"
    assert capsys.readouterr().err == f"repro: {path}: line 2: {found}\n"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([], 2, "nothing to write or print: give -o, --predecessors or --path"),
        (["-o", "distances.csv"], 2, "distances.csv: the result is a NumPy array; let the name end in .npy"),
        (
            ["--path", "a", "b", "--variant", "q"],
            2,
            f"no variant 'q'; choose one of: {', '.join(VARIANTS)}",
        ),
        (
            ["--path", "a", "b", "--dtype", "real"],
            2,
            "distances cannot be real; choose float32, float64, int32 or int16",
        ),
        (["--path", "a", "x"], 2, "{edges}: there is no node 'x'"),
        (
            ["--path", "a", "b", "--dtype", "int8"],
            2,
            "distances cannot be int8; choose float32, float64, int32 or int16",
        ),
        (
            ["--path", "a", "b", "--memory", "1000"],
            3,
            "out-of-core needs 180,228 bytes of device memory for 4 vertices, 1,000 are allowed: "
            "give a larger memory budget",
        ),
    ],
)
def test_an_error_is_one_line(edges: Path, capsys, arguments: list[str], status: int, message: str):
    assert apsp(edges, *arguments) == status
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", f"repro: {message.format(edges=edges)}\n")


def test_a_negative_cycle_is_named_and_nothing_is_written(tmp_path: Path, capsys):
    path = tmp_path / "graph.txt"
    path.write_text("x y 1\ny z -3\nz x 1\n")
    assert apsp(path, "-o", tmp_path / "distances.npy") == 2
    assert capsys.readouterr().err == (
        f"repro: {path}: a cycle through node x has a negative length: there are no shortest paths\n"
    )
    assert [found.name for found in tmp_path.iterdir()] == ["graph.txt"]

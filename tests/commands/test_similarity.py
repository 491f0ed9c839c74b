"""`repro similarity` prints, writes and sums similarities, alone and as ranks, and says in a line what is wrong."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from repro.cli import main
from repro.device import cuda
from repro.device.emulator import Emulator
from repro.errors import DeviceError
from repro.inputs.vectors.files import write_vectors
from repro.inputs.vectors.synthetic import random_vectors
from repro.mgemm.files import RankFile, read_results
from repro.mgemm.reference import all_indices

MPIRUN = Path(sys.executable).parent / "mpirun"
needs_mpi = pytest.mark.skipif(
    not (MPIRUN.exists() and find_spec("mpi4py")), reason="MPI is not installed: pip install '.[mpi]'"
)
EXAMPLE = "tree,x,y\noak,1,2\nash,3,4\nelm,2,1\nfir,4,3\n"


@pytest.fixture
def example(tmp_path: Path) -> Path:
    path = tmp_path / "trees.csv"
    path.write_text(EXAMPLE)
    return path


@pytest.fixture
def thirty(tmp_path: Path) -> Path:
    path = tmp_path / "thirty.npy"
    np.save(path, random_vectors("integers", 30, 40, 5).values.astype(np.float64))
    return path


def similarity(*arguments: str | Path, metric: str = "czekanowski") -> int:
    return main(["similarity", *map(str, arguments), "--metric", metric, "--device", "emulator"])


def command(count: int, *arguments: str | Path, metric: str, device: str | None) -> list[str]:
    launcher = [MPIRUN, "-n", count] if count > 1 else []
    code = "import sys; from repro.cli import main; sys.exit(main())"
    given = [*arguments, "--metric", metric, *(["--device", device] if device else [])]
    return [*map(str, [*launcher, sys.executable, "-c", code, "similarity", *given])]


def ranks(
    count: int, *arguments: str | Path, metric: str = "czekanowski", device: str | None = "emulator"
) -> subprocess.CompletedProcess:
    return subprocess.run(
        command(count, *arguments, metric=metric, device=device),
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def start(count: int, *arguments: str | Path) -> subprocess.Popen:
    return subprocess.Popen(
        command(count, *arguments, metric="czekanowski", device="emulator"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        # In the background of a shell, tests ignore interrupts, and so would what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


def test_the_table_of_pairs(example: Path, tmp_path: Path, capsys):
    assert similarity(example, "--way", "2") == 0
    expected = "i\tj\tvalue\noak\tash\t0.6\noak\telm\t0.6666666666666666\noak\tfir\t0.6\nash\telm\t0.6\n"
    expected += "ash\tfir\t0.8571428571428571\nelm\tfir\t0.6\n"
    assert capsys.readouterr().out == expected
    assert similarity(example, "--way", "2", "-o", tmp_path / "out.tsv") == 0
    assert capsys.readouterr().out == ""
    assert (tmp_path / "out.tsv").read_text() == expected


def test_a_dash_is_standard_output(example: Path, tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert similarity(example, "--way", "2", "-o", "-", "--checksum") == 0
    *table, checksum = capsys.readouterr().out.splitlines()
    assert (len(table), checksum) == (7, "0-82898256547-645082804690974176")
    assert similarity(example, "--way", "2", "--format", "byte", "-o", "-") == 2
    assert capsys.readouterr().err == "repro: --format byte writes a folder: name it with -o\n"
    assert list(tmp_path.iterdir()) == [example]
    assert similarity(example, "--way", "2", "-o", "./-") == 0
    assert (tmp_path / "-").read_text().splitlines() == table


def test_the_table_of_triples_at_or_above_a_threshold(example: Path, capsys):
    assert similarity(example, "--way", "3", "--threshold", "0.7", "--precision", "single") == 0
    value = str(np.float32(13.5) / np.float32(17))
    assert capsys.readouterr().out == f"i\tj\tk\tvalue\noak\tash\tfir\t{value}\nash\telm\tfir\t{value}\n"


@pytest.mark.parametrize(
    ("arguments", "digits"),
    [
        (["--way", "2"], "0-82898256547-645082804690974176"),
        (["--way", "3"], "0-84749404949-5538720434861296"),
        (["--way", "2", "--precision", "single"], "0-82898259151-467525993536421888"),
        (["--way", "3", "--precision", "single", "--stages", "3"], "0-84749404939-366334863235612672"),
    ],
)
def test_the_worked_checksums(example: Path, capsys, arguments, digits):
    assert similarity(example, *arguments, "--checksum") == 0
    assert capsys.readouterr().out == f"{digits}\n"


@pytest.mark.parametrize("ending", [".npy", ".csv", ".f64"])
def test_vectors_go_to_the_device_from_page_locked_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending):
    vectors, path = random_vectors("integers", 9, 5, 1), tmp_path / f"nine{ending}"
    write_vectors(path, vectors)
    monkeypatch.setattr(Emulator, "stage_in", None)  # how ordinary memory would go
    raw = ("--fields", "5") if ending == ".f64" else ()
    assert similarity(path, "--way", "2", "--stages", "2", *raw, "-o", tmp_path / "out.tsv") == 0


def test_the_checksum_alone_keeps_no_results(example: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setattr("repro.mgemm.output.flat", None)
    assert similarity(example, "--way", "2", "--checksum") == 0
    assert capsys.readouterr().out == "0-82898256547-645082804690974176\n"


def test_floats_agree_with_scipy(tmp_path: Path, capsys):
    values = np.random.default_rng(3).random((12, 50))
    np.save(tmp_path / "v.npy", values)
    assert similarity(tmp_path / "v.npy", "--way", "2") == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line.split("\t")[:2] for line in lines] == all_indices(12, 2).astype(str).tolist()
    assert np.allclose([float(line.split("\t")[2]) for line in lines], 1 - pdist(values, "braycurtis"), rtol=1e-13)


@pytest.mark.parametrize(("way", "count"), [("2", 780), ("3", 9880)])
def test_no_value_is_below_0(tmp_path: Path, capsys, way, count):
    values = np.random.default_rng(3).random((40, 101))
    values[np.arange(40)[:, None] % 3 != np.arange(101) % 3] = 0  # most pairs have nothing in common
    np.save(tmp_path / "v.npy", values)
    assert similarity(tmp_path / "v.npy", "--way", way, "--threshold", "0") == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + count


def test_what_double_precision_loses_single_precision_keeps(tmp_path: Path, capsys):
    (tmp_path / "v.csv").write_text("1e18,1\n3,4\n")
    for precision, value in (("double", "0.0"), ("single", "8e-18")):
        assert similarity(tmp_path / "v.csv", "--way", "2", "--precision", precision) == 0
        assert capsys.readouterr().out.splitlines()[1:] == [f"0\t1\t{value}"]


def test_sorenson_and_vectors_of_zeros(tmp_path: Path, capsys):
    (tmp_path / "bits.tsv").write_text("a\t1\t1\t0\nb\t0\t1\t1\nc\t0\t0\t0\nd\t0\t0\t0\n")
    assert similarity(tmp_path / "bits.tsv", "--way", "2", metric="sorenson") == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "a\tb\t0.5", "a\tc\t0.0", "a\td\t0.0", "b\tc\t0.0", "b\td\t0.0", "c\td\t0.0",
    ]  # fmt: skip


def test_a_stage_alone(thirty: Path, capsys):
    whole = []
    for stage in range(3):
        assert similarity(thirty, "--way", "3", "--stages", "3", "--stage", stage) == 0
        lines = capsys.readouterr().out.splitlines()[1:]
        assert len(lines) > 1000
        whole += lines
    assert similarity(thirty, "--way", "3") == 0
    assert sorted(whole) == sorted(capsys.readouterr().out.splitlines()[1:])


@pytest.mark.parametrize(("format", "scale"), [("float32", 1), ("byte", 255)])
def test_a_folder_of_binary_files(thirty: Path, tmp_path: Path, capsys, format, scale):
    assert similarity(thirty, "--way", "2", "--format", format, "-o", tmp_path / "out", "--stages", "2") == 0
    assert capsys.readouterr() == ("", "repro: stage 0 of 2 is complete\nrepro: stage 1 of 2 is complete\n")
    parts = [part for stage in range(2) for part in read_results(tmp_path / "out", stage)]
    found = {tuple(i): v for index, value in parts for i, v in zip(index.tolist(), value.tolist(), strict=True)}
    expected = 1 - pdist(np.load(thirty), "braycurtis")
    assert list(map(list, sorted(found))) == all_indices(30, 2).tolist()
    assert np.allclose([found[key] / scale for key in sorted(found)], expected, atol=0.501 / 255 if scale > 1 else 1e-7)
    shutil.rmtree(tmp_path / "out")
    assert similarity(thirty, "--way", "2", "--format", format, "-o", tmp_path / "out", "--threshold", "0.7") == 0
    ((index, value),) = read_results(tmp_path / "out", 0)
    assert index.tolist() == all_indices(30, 2)[expected >= 0.7].tolist()
    assert np.allclose(value / scale, expected[expected >= 0.7], atol=0.501 / 255 if scale > 1 else 1e-7)


def test_jobs_fill_a_folder_stage_by_stage(thirty: Path, tmp_path: Path, capsys):
    arguments = thirty, "--way", "3", "--format", "float32", "-o", tmp_path / "out", "--stages", "2", "--checksum"
    sums = []
    for stage in ("1", "0", "1"):
        assert similarity(*arguments, "--stage", stage) == 0
        sums.append([int(digit) for digit in capsys.readouterr().out.split("-")])
    assert sums[0] == sums[2]
    assert similarity(thirty, "--way", "3", "--checksum") == 0
    whole = [int(digit) for digit in capsys.readouterr().out.split("-")]
    total = sum(digit << 60 * (2 - place) for part in sums[:2] for place, digit in enumerate(part))
    assert total == sum(digit << 60 * (2 - place) for place, digit in enumerate(whole))
    assert similarity(thirty, "--way", "2", *arguments[3:]) == 2
    assert capsys.readouterr().err == (
        f"repro: {tmp_path / 'out'}: holds similarities with way 3, not 2; give another folder, or remove this one\n"
    )


def test_what_is_missing_of_a_folder_is_computed_again(thirty: Path, tmp_path: Path, capsys):
    arguments = thirty, "--way", "3", "--format", "float32", "-o", tmp_path / "out", "--stages", "4", "--checksum"
    assert similarity(*arguments) == 0
    checksum = capsys.readouterr().out
    written = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    (tmp_path / "out" / "similarities.stage-1.rank-0.f32").unlink()
    (tmp_path / "out" / "similarities.stage-2.rank-0.f32").write_bytes(b"abc")
    (tmp_path / "out" / "stage-3.json").write_text("{")
    assert similarity(*arguments) == 0
    assert capsys.readouterr() == (
        checksum,
        "".join(f"repro: stage {stage} of 4 is complete\n" for stage in (1, 2, 3)),
    )
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == written


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (EXAMPLE, ["--way", "2", "--format", "byte"], "--format byte writes a folder: name it with -o"),
        (
            EXAMPLE,
            ["--way", "2", "--stages", "2", "--stage", "2"],
            "--stage 2: stages count from 0 and --stages is 2; give one of them",
        ),
        (EXAMPLE, ["--way", "2", "--stages", "9" * 20], f"--stages {'9' * 20}: give at most 1000000"),
        (
            EXAMPLE,
            ["--way", "2", "--threshold", "nan"],
            "--threshold nan: similarities lie from 0 to 1; give such a number",
        ),
        (
            EXAMPLE,
            ["--way", "2", "--decomposition", "1,2,1"],
            "--decomposition 1,2,1: takes 2 ranks, 1 were started; start it under mpirun -n 2",
        ),
        (
            "oak,1,-2\nash,3,4\n",
            ["--way", "2"],
            "{file}: line 1, vector oak, field 2: -2; give a finite number of 0 or more",
        ),
        (
            "oak,1,nan\nash,3,4\n",
            ["--way", "2"],
            "{file}: line 1, vector oak, field 2: nan; give a finite number of 0 or more",
        ),
        (
            "oak,1e200,1\nash,3,4\n",
            ["--way", "2", "--precision", "single"],
            "{file}: line 1, vector oak: its sum is too large for float32; scale the vectors down",
        ),
        ("oak,1,2\nash,3,4\n", ["--way", "3"], "{file}: holds 2 vectors; --way 3 needs 3 or more"),
        ("oak,1,2\n", ["--way", "2"], "{file}: holds 1 vector; --way 2 needs 2 or more"),
        (EXAMPLE, ["--way", "2", "-o", "{file}"], "{file}: is read already; give the output another name"),
    ],
)
def test_an_error_is_one_line(tmp_path: Path, capsys, text, arguments, message):
    file = tmp_path / "trees.csv"
    file.write_text(text)
    assert similarity(file, *(argument.format(file=file) for argument in arguments)) == 2
    assert capsys.readouterr() == ("", f"repro: {message.format(file=file)}\n")
    assert list(tmp_path.iterdir()) == [file]


@needs_mpi
@pytest.mark.parametrize(("count", "shape"), [(2, "2,1,1"), (3, "1,3,1"), (4, "1,2,2"), (6, "2,3,1")])
def test_ranks_of_mpi_give_the_same_checksum(thirty: Path, tmp_path: Path, capsys, count, shape):
    for way in "23":
        assert similarity(thirty, "--way", way, "--checksum", "-o", tmp_path / "alone.tsv") == 0
        done = ranks(count, thirty, "--way", way, "--checksum", "--decomposition", shape, "-o", tmp_path / "ranks.tsv")
        assert (done.stderr, done.stdout) == ("", capsys.readouterr().out)
        assert (tmp_path / "ranks.tsv").read_bytes() == (tmp_path / "alone.tsv").read_bytes()


@needs_mpi
def test_an_error_of_ranks_is_one_line(example: Path):
    done = ranks(2, example, "--way", "2", metric="sorenson")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == f"repro: {example}: line 2, vector oak, field 2: 2 where 0/1 data has only 0, 1; give one of them\n"
    )
    done = ranks(6, example, "--way", "2")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "repro: n_pv = 6: there are 4 vectors; give fewer ranks\n"


@needs_mpi
def test_wrong_usage_and_help_of_ranks_are_said_once(example: Path):
    done = ranks(3, example, "--way", "4")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("usage: ") == done.stderr.count("error: argument --way: invalid choice") == 1
    done = ranks(2, "--help")
    assert (done.returncode, done.stdout.count("usage: "), done.stderr) == (0, 1, "")


@pytest.mark.parametrize("count", [1, pytest.param(2, marks=needs_mpi)])
def test_a_device_that_fails_leaves_no_folder(
    example: Path, tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch, count
):
    arguments = ["--way", "2", "--format", "byte", "-o", tmp_path / "out", "--device"]
    if count > 1:
        done = ranks(count, example, *arguments, "cuda:99999", device=None)
        assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    else:
        monkeypatch.setattr(cuda, "why_unavailable", lambda: "No NVIDIA GPU found")
        assert main(["similarity", str(example), "--metric", "czekanowski", *map(str, arguments), "cuda"]) == 3
        assert capsys.readouterr().err == "repro: No NVIDIA GPU found\n"
    assert not (tmp_path / "out").exists()


def test_a_failure_in_the_first_stage_leaves_no_folder(
    thirty: Path, tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch
):
    """What a failure in a later one leaves is complete."""
    arguments = thirty, "--way", "2", "--format", "float32", "-o", tmp_path / "out", "--stages", "2"
    whole = RankFile.close

    def fails(file: RankFile) -> None:
        whole(file)
        raise DeviceError("the GPU has fallen off the bus")

    monkeypatch.setattr(RankFile, "close", fails)
    assert similarity(*arguments) == 3
    assert not (tmp_path / "out").exists()
    monkeypatch.undo()
    assert similarity(*arguments, "--stage", "0") == 0
    monkeypatch.setattr(RankFile, "close", fails)
    assert similarity(*arguments) == 3
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "manifest.json", "similarities.stage-0.rank-0.f32", "stage-0.json",
    ]  # fmt: skip
    assert capsys.readouterr().err == "repro: the GPU has fallen off the bus\n" * 2


@pytest.mark.parametrize("count", [1, pytest.param(2, marks=needs_mpi)])
def test_an_interrupted_run_ends_with_130(tmp_path: Path, count):
    np.save(tmp_path / "v.npy", random_vectors("integers", 120, 64, 5).values)
    started = start(
        count, tmp_path / "v.npy", "--way", "3", "--stages", "20", "--format", "byte", "-o", tmp_path / "out"
    )
    assert started.stderr.readline() == "repro: stage 0 of 20 is complete\n"
    os.killpg(started.pid, signal.SIGINT)
    assert started.wait(60) == 130
    said = started.stderr.read().splitlines()
    assert [
        line for line in said if not re.fullmatch(r"repro: stage \d+ of 20 is complete|Abort\(130\) .*|", line)
    ] == []
    assert 1 <= len(list((tmp_path / "out").glob("stage-*.json"))) < 20
    assert not list((tmp_path / "out").glob(".*"))


@needs_mpi
def test_a_killed_campaign_continues_after_its_last_complete_stage(tmp_path: Path, capsys):
    np.save(tmp_path / "v.npy", random_vectors("integers", 120, 64, 5).values)
    arguments = [tmp_path / "v.npy", "--way", "3", "--stages", "8", "--format", "float32", "--checksum"]
    arguments += ["-o", tmp_path / "out"]
    started = start(2, *arguments)
    assert started.stderr.readline() == "repro: stage 0 of 8 is complete\n"
    os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    time.sleep(0.5)
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("stage-*.json")}
    assert 1 <= len(before) < 8
    done = ranks(2, *arguments)
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) == 8 - len(before)
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("stage-*.json")}
    assert len(after) == 8
    assert before.items() <= after.items()
    assert not list((tmp_path / "out").glob(".*"))
    assert similarity(tmp_path / "v.npy", "--way", "3", "--checksum") == 0
    assert done.stdout == capsys.readouterr().out

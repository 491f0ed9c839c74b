import json
import os
import re
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest

from repro.cli import main
from repro.device import cuda

REPRO = Path(sys.executable).with_name("repro")
SEQUENCES = Path(__file__).parents[2] / "resources" / "sequences"


@pytest.fixture
def fasta(tmp_path: Path) -> Path:
    """The pair of the paper's worked example (Fig. 2), whose distance is 5, as two records of one file."""
    path = tmp_path / "pair.fa"
    path.write_text(">p\nCACCTGACTTA\n>t\naccatggactg\n")
    return path


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"repro {version('repro')}\n"


def test_distance_of_the_papers_example(fasta: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["distance", f"{fasta}#p", f"{fasta}#t", "--device", "emulator"]) == 0
    assert capsys.readouterr().out == "5\n"


def test_distance_of_human_and_mouse_mitochondria_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(SEQUENCES / name) for name in ("humanMito.fa", "mouseMito.fa")]
    assert main(["distance", *files, "--device", "emulator", "--variant", "baseline", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["distance"] == 5200
    assert found["similarity"] == pytest.approx(1 - 5200 / 16571)
    assert (found["len_a"], found["len_b"]) == (16571, 16299)
    assert found["counters"]["launches"] == found["counters"]["reads"] == 5201
    assert found["variant"] == "baseline"
    assert found["device"].startswith("emulator")
    assert found["seconds"] > 0


def test_the_path_is_a_cigar_of_the_distances_cost(fasta: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pair = [f"{fasta}#p", f"{fasta}#t", "--device", "emulator", "--path"]
    assert main(["distance", *pair]) == 0
    distance, cigar = capsys.readouterr().out.splitlines()
    assert distance == "5"
    runs = [(int(length), operation) for length, operation in re.findall(r"(\d+)([=XID])", cigar)]
    assert sum(length for length, operation in runs if operation != "=") == 5
    assert sum(length for length, operation in runs if operation != "D") == 11
    assert main(["distance", *pair, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cigar"] == cigar


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["distance", "missing.fa", "missing.fa"], 2, "repro: missing.fa: no such file"),
        (["distance", "{fasta}", "{fasta}"], 2, "repro: {fasta}: holds 2 records (p, t); choose one as {fasta}#p"),
        (["distance", "{fasta}#q", "{fasta}#t"], 2, "repro: {fasta}: has no record named q; the nearest of its 2"),
        (["distance", "{fasta}#p", "{fasta}#t", "--variant", "fast"], 2, "repro: no variant 'fast'; choose one of:"),
        (["distance", "{fasta}#p", "{fasta}#t", "--device", "gpu"], 2, "repro: device 'gpu': choose auto, cuda,"),
        (["distance", "{fasta}#p", "{fasta}#t", "--path", "--variant", "baseline"], 2, "repro: --path goes with"),
        (["variants", "wfaa"], 2, "repro: no system 'wfaa'; choose one of: wfa"),
    ],
)
def test_an_error_is_one_line_and_an_exit_status(
    fasta: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], status: int, message: str
) -> None:
    assert main([argument.format(fasta=fasta) for argument in arguments]) == status
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(message.format(fasta=fasta))
    assert shown.err.count("\n") == 1


def test_a_missing_gpu_is_a_device_error(
    fasta: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda, "why_unavailable", lambda: "No NVIDIA GPU found")
    assert main(["distance", f"{fasta}#p", f"{fasta}#t", "--device", "cuda"]) == 3
    assert capsys.readouterr().err == "repro: No NVIDIA GPU found\n"


def test_devices_say_why_there_is_no_gpu(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "why_unavailable", lambda: "No NVIDIA GPU found")
    assert main(["devices"]) == 0
    gpu, emulator = capsys.readouterr().out.splitlines()
    assert gpu == "cuda\tnot available: No NVIDIA GPU found"
    assert emulator.startswith("emulator\temulator (")


def test_variants_have_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["variants", "wfa"]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert ["wfa", "baseline", "section 4.1.1"] in [line[:3] for line in lines]
    assert all(len(line) == 4 for line in lines)


def test_wrong_usage_exits_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["distance"])
    assert raised.value.code == 2


def test_a_reader_that_leaves_is_no_error() -> None:
    command = [Path(sys.executable).with_name("repro"), "variants"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait() == 141


def test_an_output_never_replaces_an_input_or_another_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph, genome = tmp_path / "g.tsv", tmp_path / "genome.fa"
    graph.write_text("a\tb\t1\n")
    genome.write_text(">g\n" + "ACGT" * 100 + "\n")
    names = tmp_path / "g.names.txt"
    names.write_text("a\tb\t1\n")
    out = tmp_path / "g.npy"
    simulate = ["simulate", "illumina", str(genome), "--reads", "2", "--seed", "1", "-o"]
    for arguments, taken in [
        (["apsp", str(graph), "-o", str(out), "--predecessors", str(out)], f"{out}: is written already"),
        (["apsp", str(names), "-o", str(out)], f"{names}: is read already"),
        ([*simulate, str(genome)], f"{genome}: is read already"),
        ([*simulate, str(tmp_path / "r.fq"), "--truth", str(genome)], f"{genome}: is read already"),
    ]:
        assert main(arguments) == 2
        assert capsys.readouterr().err == f"repro: {taken}; give the output another name\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.names.txt", "g.tsv", "genome.fa"]


def test_a_graph_that_no_memory_holds_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = tmp_path / "huge.gr"
    graph.write_text("p sp 9000000 1\na 1 2 3\n")
    assert main(["apsp", str(graph), "--path", "1", "2"]) == 2
    assert capsys.readouterr().err.startswith("repro: the input is too large for this machine's memory (")


def test_a_full_disk_behind_standard_output_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([REPRO, "variants"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "repro: output: No space left on device\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_is_cut_short_is_one_line(tmp_path: Path, unbuffered: str) -> None:
    command = f"ulimit -f 1; exec {REPRO} variants"  # 512 bytes or 1 KiB by the shell, less than is written
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with (tmp_path / "output").open("w") as output:
        done = subprocess.run(["sh", "-c", command], stdout=output, stderr=subprocess.PIPE, text=True, env=environment)
    assert (done.returncode, done.stderr) == (2, "repro: output: File too large\n")


def test_a_stopped_simulation_leaves_nothing(tmp_path: Path) -> None:
    command = [
        "simulate",
        "illumina",
        str(SEQUENCES / "humanMito.fa"),
        "--reads",
        "9000000",
        "--seed",
        "1",
        "-o",
        "r.fq",
    ]
    run = subprocess.Popen([REPRO, *command], cwd=tmp_path, stderr=subprocess.DEVNULL)
    while not any(tmp_path.iterdir()):
        time.sleep(0.05)
        assert run.poll() is None
    run.terminate()
    assert run.wait(30) == 128 + 15
    assert list(tmp_path.iterdir()) == []

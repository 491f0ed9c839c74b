import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from repro.bench.journal import open_journal
from repro.bench.rows import Row, read_rows
from repro.bench.sweep import Point, sweep
from repro.device import Device, open_device
from tests.bench.example import example_row


def points(log: Path, hang_at: int | None = None) -> list[Point]:
    """Three points that write their number to `log` when they are measured; one may hang."""

    def point(number: int) -> Point:
        def run(device: Device) -> Row:
            with log.open("a") as stream:
                stream.write(f"{number}\n")
            if number == hang_at:
                time.sleep(60)
            return example_row(result=number)

        return Point(f"point {number}", {"number": number}, run)

    return [point(number) for number in range(3)]


def run_sweep(folder: Path, code: str = "code", hang_at: int | None = None) -> None:
    output, journal = folder / "rows.jsonl", folder / "unfinished" / "rows.jsonl"
    sweep(points(folder / "log", hang_at), open_device("emulator"), output, journal, code, "again")


def measured(folder: Path) -> list[str]:
    return (folder / "log").read_text().split()


def kill_at(folder: Path, number: int) -> None:
    """Run the sweep in a process of its own and kill it while it measures point `number`."""
    command = f"from tests.bench.test_sweep import *; run_sweep(Path({str(folder)!r}), hang_at={number})"
    process = subprocess.Popen([sys.executable, "-c", command], cwd=Path(__file__).parents[2])
    deadline = time.monotonic() + 60
    while not (folder / "log").exists() or str(number) not in measured(folder):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def test_rows_come_in_order_with_their_provenance(tmp_path: Path) -> None:
    run_sweep(tmp_path)
    rows = read_rows(tmp_path / "rows.jsonl")
    assert [row["result"] for row in rows] == [0, 1, 2]
    assert rows[0]["provenance"]["command"] == "again"
    assert rows[0]["provenance"]["device_before"]["kind"] == "emulator"


def test_a_killed_sweep_measures_only_what_it_had_not_finished(tmp_path: Path) -> None:
    kill_at(tmp_path, 1)
    assert not (tmp_path / "rows.jsonl").exists()
    run_sweep(tmp_path)
    assert measured(tmp_path) == ["0", "1", "1", "2"]
    assert [row["result"] for row in read_rows(tmp_path / "rows.jsonl")] == [0, 1, 2]


def test_rows_of_other_code_are_measured_again(tmp_path: Path) -> None:
    kill_at(tmp_path, 2)
    run_sweep(tmp_path, code="edited")
    assert measured(tmp_path) == ["0", "1", "2", "0", "1", "2"]


def test_a_complete_sweep_that_is_forced_measures_all_again(tmp_path: Path) -> None:
    run_sweep(tmp_path)
    run_sweep(tmp_path)
    assert measured(tmp_path) == ["0", "1", "2"] * 2


def test_a_line_cut_short_by_a_kill_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with open_journal(path) as journal:
        journal.add({"number": 0}, example_row(result=0))
        journal.add({"number": 1}, example_row(result=1))
    path.write_bytes(path.read_bytes()[:-10])
    with open_journal(path) as journal:
        kept = journal.get({"number": 0})
        assert kept is not None
        assert kept["result"] == 0
        assert journal.get({"number": 1}) is None
        journal.add({"number": 1}, example_row(result=11))
    assert [json.loads(line)["row"]["result"] for line in path.read_text().splitlines()] == [0, 11]


def test_progress_is_a_line_per_row_where_there_is_no_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_sweep(tmp_path)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("  ")[1:] for line in lines] == [[f"{n + 1}/3", f"point {n}: 0.002 s"] for n in range(3)]

import json
import os
import signal
import time
from pathlib import Path

import pandas as pd

from repro.bench.rows import read_rows
from tests.workflow.conftest import Project


def test_a_run_ends_in_checked_rows_figures_table_and_claims(project: Project) -> None:
    status, output = project.snakemake()
    assert status == 0, output
    results = project.folder / "results"
    rows = read_rows(results / "checks" / "wfa" / "tiny.jsonl")
    assert [(row["input"]["name"], row["parameters"]["workgroup_size"]) for row in rows] == [
        ("example", 32),
        ("example", 64),
        ("small", 32),
        ("small", 64),
    ]
    assert rows[0]["result"] == 5
    assert rows[0]["counters"] == {"launches": 6, "threads": 6 * 32, "reads": 6, "writes": 2}
    assert rows[0]["check"] == {"passed": True, "against": {"edlib": 5, "wagner_fischer": 5, "sheet": 5}}
    assert rows[0]["provenance"]["command"] == "snakemake --cores all results/measurements/wfa/tiny.jsonl"
    assert pd.read_csv(results / "tables" / "wfa" / "measurements.tsv", sep="\t")["distance"].tolist()[:2] == [5, 5]
    verdicts = pd.read_csv(results / "tables" / "wfa" / "claims.tsv", sep="\t")["verdict"].tolist()
    assert verdicts[:3] == ["holds"] * 3
    assert set(verdicts[3:]) == {"not measured here"}
    figures = {path.name for path in (results / "figures" / "wfa").iterdir()}
    assert figures == {
        f"{name}.{kind}"
        for name in (
            "fig2-pyramid",
            "fig4-workgroup-sizes",
            "fig5-kernel-times",
            "fig6-time-line",
            "fig7-reads",
            "fig10-workgroup-sizes",
            "fig12-variants",
            "fig13-similarity",
            "pairs",
        )
        for kind in ("svg", "pdf", "png")
    }
    assert "(figures/wfa/pairs.svg)" in (results / "report.md").read_text()
    assert "4/4  small baseline workgroup_size=64" in output
    status, output = project.snakemake()
    assert status == 0
    assert "Nothing to be done" in output


def test_a_distance_that_is_not_the_sheets_fails_the_run_and_draws_nothing(project: Project) -> None:
    sheet = project.folder / "config" / "pairs.tsv"
    sheet.write_text(sheet.read_text().replace("\t5\t", "\t4\t"))
    status, output = project.snakemake()
    assert status == 1
    assert "the references differ: {'edlib': 5, 'wagner_fischer': 5, 'sheet': 4}" in output
    assert "Traceback" not in output
    assert not list(project.folder.glob("results/checks/wfa/*"))
    assert not list(project.folder.glob("results/figures/wfa/*"))


def test_a_killed_run_continues_after_its_last_finished_row(project: Project) -> None:
    entry = {"name": "tiny", "pairs": ["example", "large"], "settings": {"workgroup_size": [32]}}
    project.configure(device="emulator", repetitions=5, wfa={"experiments": [entry]})
    journal = project.folder / "results" / "measurements" / ".unfinished" / "wfa" / "tiny.jsonl"
    process = project.start("results/checks/wfa/tiny.jsonl")
    deadline = time.monotonic() + 120
    while not _lines(journal):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    kept = _lines(journal)
    assert len(kept) == 1
    status, output = project.snakemake("--nolock", "results/checks/wfa/tiny.jsonl")
    assert status == 0, output
    rows = read_rows(project.folder / "results" / "checks" / "wfa" / "tiny.jsonl")
    assert len(rows) == 2
    assert json.loads(kept[0])["row"]["total_seconds"] == rows[0]["total_seconds"]
    assert not journal.exists()


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []

import math
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.figure import Figure

from repro.bench.rows import Row, write_rows
from repro.errors import InputError
from repro.report.claims import FAILS, HOLDS, NOT_MEASURED
from repro.report.wfa import figures
from repro.report.wfa.claims import claims
from repro.report.wfa.data import Published, best_settings, read_measured
from repro.report.wfa.tables import write_table
from tests.bench.example import example_row

PUBLISHED = Published.read(Path(__file__).parents[2] / "resources" / "published")
EMULATOR = {"device": "emulator (x86_64 CPU)", "device_kind": "emulator"}


def measured(folder: Path, *rows: Row) -> pd.DataFrame:
    write_rows(folder / "rows.jsonl", rows)
    return read_measured([folder / "rows.jsonl"])


def on_case(gcups: float, **columns: Any) -> Row:
    """A row on the paper's test case."""
    case = PUBLISHED.case
    row = example_row(gcups=gcups, result=case.distance, **columns)
    row["input"] = {
        **row["input"],
        "name": "wfa-table3-4",
        "a": case.a,
        "b": case.b,
        "len_a": case.len_a,
        "len_b": case.len_b,
    }
    return row


def test_published_values_are_the_papers() -> None:
    assert PUBLISHED.baseline.gcups == 156
    assert PUBLISHED.baseline.seconds == 65.85
    assert PUBLISHED.baseline.workgroup_size == 380
    case = PUBLISHED.case
    assert (case.a, case.b, case.len_a, case.len_b, case.distance) == (
        "BA000035.2",
        "BX927147.1",
        3147090,
        3282708,
        1528200,
    )


def test_rows_that_were_not_checked_are_refused(tmp_path: Path) -> None:
    unchecked = example_row()
    del unchecked["check"]
    with pytest.raises(InputError, match=r"rows\.jsonl: line 2: the row was not checked"):
        measured(tmp_path, example_row(), unchecked)


def test_similarity_is_by_the_longer_sequence(tmp_path: Path) -> None:
    assert measured(tmp_path, example_row(result=500))["similarity"].tolist() == [0.75]


def test_best_settings_are_the_fastest_of_each_device_and_pair(tmp_path: Path) -> None:
    slow = example_row(parameters={"workgroup_size": 32}, total_seconds={"min": 1.0, "median": 2.0, "max": 3.0})
    rows = measured(tmp_path, slow, example_row(), example_row(**EMULATOR))
    assert best_settings(rows)["parameters.workgroup_size"].tolist() == [128, 128]
    assert best_settings(rows)["device_kind"].tolist() == ["cuda", "emulator"]


def verdicts(rows: pd.DataFrame) -> dict[str, tuple[str, str]]:
    return {claim.claim: (claim.ours, claim.verdict) for claim in claims(rows, PUBLISHED)}


def test_counted_claims_hold_when_every_row_agrees(tmp_path: Path) -> None:
    found = verdicts(measured(tmp_path, example_row(), example_row(**EMULATOR)))
    assert found["baseline: one kernel invocation per column of the pyramid"] == ("2 of 2 runs", HOLDS)
    assert found["baseline: the host reads the result after every invocation"] == ("2 of 2 runs", HOLDS)
    assert found["baseline: every invocation has the worst-case number of workitems"] == ("2 of 2 runs", HOLDS)
    assert found["edit distances of the pairs"] == ("-", NOT_MEASURED)
    assert found["baseline: speed on BA000035.2 / BX927147.1"] == ("-", NOT_MEASURED)


def test_counted_claims_fail_with_one_row_that_does_not_agree(tmp_path: Path) -> None:
    counters = {"launches": 1101, "threads": 1101 * 24 * 128 - 1, "reads": 12, "writes": 2}
    found = verdicts(measured(tmp_path, example_row(), example_row(counters=counters)))
    assert found["baseline: the host reads the result after every invocation"] == ("1 of 2 runs", FAILS)
    assert found["baseline: every invocation has the worst-case number of workitems"] == ("1 of 2 runs", FAILS)
    assert found["baseline: one kernel invocation per column of the pyramid"] == ("2 of 2 runs", HOLDS)


@pytest.mark.parametrize(("gcups", "verdict"), [(156.0, HOLDS), (155.0, FAILS)])
def test_speed_is_that_of_a_gpu_on_the_papers_pair(tmp_path: Path, gcups: float, verdict: str) -> None:
    found = verdicts(measured(tmp_path, on_case(gcups), on_case(500.0, **EMULATOR)))
    ours = f"{gcups:.0f} GCUPS, 0.002 s (NVIDIA H200)"
    assert found["baseline: speed on BA000035.2 / BX927147.1"] == (ours, verdict)
    assert found["edit distances of the pairs"] == ("2 of 2 runs", HOLDS)


def test_the_table_has_units_and_values(tmp_path: Path) -> None:
    write_table(tmp_path / "table.tsv", measured(tmp_path, example_row()))
    line = pd.read_csv(tmp_path / "table.tsv", sep="\t").iloc[0]
    assert line["pair"] == "tiny"
    assert (line["distance"], line["similarity"], line["seconds"], line["gcups"]) == (1100, 0.45, 0.002, 1.0)
    assert (line["launches"], line["reads"], line["parameters"]) == (1101, 1101, "workgroup_size=128")


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that were saved, kept open for a look."""
    kept: list[Figure] = []
    monkeypatch.setattr(figures, "save", lambda figure, paths: kept.append(figure))
    yield kept
    plt.close("all")


def points(figure: Figure, axes: int, label: str) -> list[tuple[float, float]]:
    """The points of the series that the legend calls `label`; the second panel has no labels, but the same order."""
    names = [container.get_label() for container in figure.axes[0].containers]
    line = figure.axes[axes].containers[names.index(label)].lines[0]
    return [(float(x), float(y)) for x, y in zip(*line.get_data(), strict=True)]


def test_pairs_are_drawn_with_their_device_and_the_papers_value(tmp_path: Path, drawn: list[Figure]) -> None:
    rows = measured(tmp_path, example_row(**EMULATOR, gcups=0.5), on_case(300.0))
    figures.draw_pairs(rows, PUBLISHED, [])
    (figure,) = drawn
    emulated = "emulator (x86_64 CPU), emulated: not GPU times"
    assert f"on {emulated}\non NVIDIA H200" in figure.get_suptitle()
    assert [x for x, _ in points(figure, 1, emulated)] == [0.5]
    assert [x for x, _ in points(figure, 1, "NVIDIA H200")] == [300.0]
    ticks = [tick.get_text().split("\n")[0] for tick in figure.axes[0].get_yticklabels()]
    assert ticks == ["wfa-table3-4", "tiny"]
    papers = [line for axes in figure.axes for line in axes.lines if str(line.get_label()).startswith("paper: ")]
    assert [line.get_xdata()[0] for line in papers] == [65.85, 156.0]
    assert papers[0].get_label() == "paper: 65.85 s, 156 GCUPS (NVIDIA RTX 3090)"
    assert all(-0.5 < line.get_ydata()[0] < 0.5 for line in papers)


def test_variants_are_drawn_on_the_pair_with_most_of_them(tmp_path: Path, drawn: list[Figure]) -> None:
    ours = [example_row(variant=name, gcups=gcups) for name, gcups in (("baseline", 3.0), ("hybrid", 30.0))]
    figures.draw_variants(measured(tmp_path, on_case(300.0), *ours), PUBLISHED, [])
    (axes,) = drawn[0].axes
    measured_line, paper = axes.lines
    assert measured_line.get_label() == "tiny on NVIDIA H200"
    names = {tick: label.get_text() for tick, label in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)}
    assert [(x, names[round(y)]) for x, y in measured_line.get_xydata()] == [(3.0, "baseline"), (30.0, "hybrid")]
    drawn_paper = {names[round(y)]: x for x, y in paper.get_xydata()}
    assert drawn_paper["baseline"] == 156
    assert drawn_paper["tiling-register"] == 267.2
    assert drawn_paper["dynamic-diamond"] == 516
    assert math.isnan(drawn_paper["shared-memory-prefetch"])


def test_workgroup_sizes_are_drawn_for_pairs_with_several(tmp_path: Path, drawn: list[Figure]) -> None:
    sweep = [example_row(parameters={"workgroup_size": size}, gcups=gcups) for size, gcups in ((256, 4.0), (64, 2.0))]
    figures.draw_workgroup_sizes(measured(tmp_path, *sweep, on_case(300.0)), PUBLISHED, [])
    (axes,) = drawn[0].axes
    ours, paper = axes.lines
    assert ours.get_xydata().tolist() == [[64.0, 2.0], [256.0, 4.0]]
    assert paper.get_xydata().tolist() == [[380.0, 156.0]]


def test_figures_are_written_in_every_format_and_reproducibly(tmp_path: Path) -> None:
    rows = measured(tmp_path, example_row())
    paths = [tmp_path / f"pairs.{suffix}" for suffix in ("svg", "pdf", "png")]
    figures.draw_pairs(rows, PUBLISHED, paths)
    first = [path.read_bytes() for path in paths]
    figures.draw_pairs(rows, PUBLISHED, paths)
    assert [path.read_bytes() for path in paths] == first
    assert b"not GPU times" not in first[0]

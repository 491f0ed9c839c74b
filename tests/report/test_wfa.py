import math
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from repro.bench.rows import Row, write_rows
from repro.device.emulator import Emulator
from repro.errors import DeviceError, InputError
from repro.inputs.pair_sheet import read_pairs
from repro.report.claims import FAILS, HOLDS, NOT_MEASURED
from repro.report.wfa import figures, pyramid, sweeps, traces
from repro.report.wfa.claims import claims
from repro.report.wfa.data import Published, best_settings, peers_by_kind, read_measured
from repro.report.wfa.memory import RESULT_BYTES, allocated_bytes, longest
from repro.report.wfa.tables import write_tables
from repro.wfa.runs import Runs
from repro.wfa.variants import VARIANTS
from tests.bench.example import example_row

ROOT = Path(__file__).parents[2]
PUBLISHED = Published.read(ROOT / "resources" / "published")
EMULATOR = {"device": "emulator (x86_64 CPU)", "device_kind": "emulator"}


def measured(folder: Path, *rows: Row) -> pd.DataFrame:
    write_rows(folder / "rows.jsonl", rows)
    return read_measured([folder / "rows.jsonl"])


def seconds(value: float) -> dict[str, float]:
    return dict.fromkeys(("min", "median", "max"), value)


def on(row: Row, name: str, length: int, distance: int) -> Row:
    """The row as if measured on two sequences of `length` letters."""
    described = {**row["input"], "name": name, "a": f"{name}_a", "b": f"{name}_b", "len_a": length, "len_b": length}
    return {**row, "input": described, "result": distance}


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


def test_rows_of_another_system_are_refused(tmp_path: Path) -> None:
    other = {**example_row(), "system": "reorder"}
    with pytest.raises(InputError, match=r"rows\.jsonl: line 2: a row of reorder among those of wfa; move it there"):
        measured(tmp_path, example_row(), other)


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


RUNS = Runs("p", "t", 5, 4, [29, 4, 1, 2])


def tables(folder: Path, rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    write_tables(folder, rows, PUBLISHED, [RUNS], read_pairs(ROOT / "config" / "pairs.tsv"))
    return {path.stem: pd.read_csv(path, sep="\t", dtype={"experiment": str}) for path in folder.glob("*.tsv")}


def test_the_table_of_measurements_has_units_and_values(tmp_path: Path) -> None:
    line = tables(tmp_path, measured(tmp_path, example_row()))["measurements"].iloc[0]
    assert line["pair"] == "tiny"
    assert (line["distance"], line["similarity"], line["seconds"], line["gcups"]) == (1100, 0.45, 0.002, 1.0)
    assert (line["launches"], line["reads"], line["parameters"]) == (1101, 1101, "workgroup_size=128")


def test_table_3_has_the_sequences_or_a_twin_beside_the_papers_values(tmp_path: Path) -> None:
    twin = on(example_row(variant="hybrid", gcups=9.0), "twin-table3-2", 542868, 271434)
    real = on_case(1000.0, variant="dynamic-diamond", total_seconds=seconds(12.0))
    twice = on(example_row(variant="hybrid", gcups=9.0), "twin-table3-5M", 5228663, 2595)
    table = tables(tmp_path, measured(tmp_path, twin, real, twice))["table3"].set_index("experiment")
    assert len(table) == 16
    fourth = table.loc["4"]
    assert (fourth["ours"], fourth["compared"]) == ("dynamic-diamond", "the sequences")
    assert (fourth["our_seconds"], fourth["our_distance"], fourth["gcups"]) == (12.0, 1528200, 496.39)
    assert table.loc["8", "len_b"] == 46944323
    for number in ("2", "5", "5M"):
        assert (table.loc[number, "ours"], table.loc[number, "compared"]) == ("hybrid", "a synthetic twin")
    assert table.loc["chr1", "ours"] == "not measured here"


def test_table_2_says_why_it_cannot_be_measured(tmp_path: Path) -> None:
    table = tables(tmp_path, measured(tmp_path, example_row()))["table2"]
    assert table["gcups"].tolist() == [100.22, 109.92, 191.11, 111.83]
    assert table["ours"].str.startswith("not measured here: WFA table 2, row ").all()


def test_table_4_has_our_longest_and_our_fastest_pair(tmp_path: Path) -> None:
    short = example_row(variant="hybrid", gcups=9.0)
    table = tables(tmp_path, measured(tmp_path, short, on_case(5.0, variant="hybrid")))["table4"]
    assert table["max_length"].tolist()[-2:] == [3282708, 2000]
    assert table["max_gcups"].tolist()[-2:] == [5.0, 9.0]


def test_runs_stand_beside_equation_10(tmp_path: Path) -> None:
    table = tables(tmp_path, measured(tmp_path, example_row()))["runs"]
    assert table["eq10"].tolist() == [1, 0.25, 0.0625, 0.015625]
    assert table["counted"].tolist() == pytest.approx([1, 7 / 36, 3 / 36, 2 / 36], rel=1e-5)


def test_memory_limits_are_the_papers(tmp_path: Path) -> None:
    table = tables(tmp_path, measured(tmp_path, example_row()))["memory"].set_index(["memory", "what"])[
        "longest_letters"
    ]
    assert 77_000 < table["NVIDIA RTX 3090, 24 GB", "whole pyramid"] < 78_000
    assert table["NVIDIA RTX 3090, 24 GB", "two columns"] == 1_500_000_000


@pytest.mark.parametrize("name", RESULT_BYTES)
def test_the_longest_strings_are_those_that_the_devices_budget_allows(name: str) -> None:
    variant, m, n = VARIANTS[name], 40, 43
    settings = variant.complete({"tile_length": 3} if "tile_length" in variant.settings else {})
    wanted = allocated_bytes(name, m, n, settings.get("tile_length", 0))
    a, b = np.full(m, 65, np.uint8), np.full(n, 65, np.uint8)
    assert variant.run(Emulator(memory_bytes=wanted), a, b, **settings).distance == 3
    with pytest.raises(DeviceError, match="use a smaller input"):
        variant.run(Emulator(memory_bytes=wanted - 1), a, b, **settings)
    most = longest(name, wanted, settings.get("tile_length", 0))
    assert most in (41, 42)
    assert allocated_bytes(name, most, most, 3) <= wanted < allocated_bytes(name, most + 1, most + 1, 3)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that were saved, kept open for a look."""
    kept: list[Figure] = []
    for module in (figures, pyramid, sweeps, traces):
        monkeypatch.setattr(module, "save", lambda figure, paths: kept.append(figure))
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
    assert f"on NVIDIA H200\nand on {emulated}" in figure.get_suptitle()
    assert [x for x, _ in points(figure, 1, emulated)] == [0.5]
    assert [x for x, _ in points(figure, 1, "NVIDIA H200")] == [300.0]
    ticks = [tick.get_text().split("\n")[0] for tick in figure.axes[0].get_yticklabels()]
    assert ticks == ["wfa-table3-4", "tiny"]
    papers = [line for axes in figure.axes for line in axes.lines if str(line.get_label()).startswith("paper: ")]
    assert [line.get_xdata()[0] for line in papers] == [65.85, 156.0]
    assert papers[0].get_label() == "paper: 65.85 s, 156 GCUPS (NVIDIA RTX 3090)"
    assert all(-0.5 < line.get_ydata()[0] < 0.5 for line in papers)


def test_a_single_repetition_has_a_bar_of_no_length(tmp_path: Path, drawn: list[Figure]) -> None:
    times = [tenths / 10 for tenths in range(1, 60) if 0.1 * (tenths / 10) / (tenths / 10) != 0.1]
    assert times, "what rounding changes is what is tested"
    rows = (on(example_row(gcups=0.1, total_seconds=seconds(t)), f"pair-{t}", 100, 9) for t in times)
    figures.draw_pairs(measured(tmp_path, *rows), PUBLISHED, [])
    assert len(drawn) == 1


def series(figure: Figure, axes: int = 0) -> dict[str, list[tuple[float, float]]]:
    """The points of the lines of a panel by their label in the legend."""
    handles, labels = figure.axes[axes].get_legend_handles_labels()
    return {
        label: [(float(x), float(y)) for x, y in zip(*line.get_data(), strict=True)]
        for label, line in zip(labels, handles, strict=True)
    }


def test_variants_are_drawn_on_the_input_with_most_of_them_and_on_the_papers(
    tmp_path: Path, drawn: list[Figure]
) -> None:
    ours = [example_row(variant=name, gcups=gcups) for name, gcups in (("baseline", 3.0), ("dynamic-diamond", 30.0))]
    figures.draw_variants(measured(tmp_path, on_case(300.0), *ours), PUBLISHED, [])
    (axes,) = drawn[0].axes
    names = {tick: label.get_text() for tick, label in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)}
    found = {
        label: {names[round(y)]: x for x, y in points if not math.isnan(x)}
        for label, points in series(drawn[0]).items()
    }
    assert found["tiny (2,000 letters, 45 % similar) on NVIDIA H200"] == {"baseline": 3.0, "dynamic-diamond": 30.0}
    assert found["wfa-table3-4 (3,282,708 letters, 53.45 % similar) on NVIDIA H200"] == {"baseline": 300.0}
    paper = found["paper: BA000035.2 / BX927147.1 (NVIDIA RTX 3090)"]
    assert (paper["baseline"], paper["tiling-register"], paper["dynamic-diamond"]) == (156, 267.2, 516)
    assert "shared-memory-prefetch" not in paper


def swept(variant: str, gcups: dict[int, float], name: str = "workgroup_size", **columns: Any) -> list[Row]:
    """Rows of a variant by the value of a setting."""
    return [
        example_row(variant=variant, parameters={name: value}, gcups=rate, **columns) for value, rate in gcups.items()
    ]


def test_figure_4_has_a_panel_for_each_strategy(tmp_path: Path, drawn: list[Figure]) -> None:
    rows = measured(tmp_path, *swept("baseline", {256: 4.0, 64: 2.0}), *swept("minimised-reads", {32: 5.0}))
    sweeps.draw_figure_4(rows, PUBLISHED, [])
    assert [axes.get_title() for axes in drawn[0].axes] == [
        "(a) baseline",
        "(b) dynamic-work-items",
        "(c) minimised-reads",
    ]
    assert series(drawn[0], 0) == {"measured here": [(64, 2), (256, 4)], "paper: 156": [(380, 156)]}
    assert series(drawn[0], 1)["paper: 190"] == [(0, 190), (1, 190)]  # the paper gives no workgroup size
    assert series(drawn[0], 2) == {"measured here": [(32, 5)], "paper: 277": [(128, 277)]}


def test_figure_10_has_a_line_for_each_tile_length_of_a_tiling(tmp_path: Path, drawn: list[Figure]) -> None:
    settings = [{"workgroup_size": size, "tile_length": tile} for size in (64, 128) for tile in (2, 4)]
    shared = [
        example_row(variant="tiling-shared", parameters=given, gcups=given["workgroup_size"] / given["tile_length"])
        for given in settings
    ]
    rows = measured(tmp_path, *shared, *swept("dynamic-diamond", {190: 7.0, 31: 6.0}, "tile_length"))
    sweeps.draw_figure_10(rows, PUBLISHED, [])
    assert series(drawn[0], 3) == {
        "tile length 2": [(64, 32), (128, 64)],
        "tile length 4": [(64, 16), (128, 32)],
        "paper: 289.6, tile 2": [(224, 289.6)],
    }
    assert drawn[0].axes[3].get_xticks().tolist() == [64, 128]
    assert series(drawn[0], 5)["measured here"] == [(63, 6), (381, 7)]  # 2 t + 1 threads


def test_figure_7_draws_reads_per_launch_by_input(tmp_path: Path, drawn: list[Figure]) -> None:
    sweeps.draw_figure_7(measured(tmp_path, *swept("minimised-reads", {1: 2.0, 100: 3.0}, "read_interval")), [])
    assert series(drawn[0])["tiny (2,000 letters, 45 % similar)"] == [(1, 2), (0.01, 3)]


TRACE = {
    "launch": [5, 15],
    "seconds": [1e-6, 3e-6],
    "first": 7,
    "launching": [[0, 2e-6], [5e-6, 6e-6]],
    "running": [[1e-6, 3e-6], [6e-6, 9e-6]],
    "reading": [[2e-6, 4e-6], [6e-6, 10e-6]],
}


def test_figures_5_and_6_are_drawn_from_traces(tmp_path: Path, drawn: list[Figure]) -> None:
    minimised = [
        example_row(variant="minimised-reads", parameters={"read_interval": interval}, trace=TRACE)
        for interval in (1, 10)
    ]
    rows = measured(tmp_path, example_row(trace=TRACE), *minimised, example_row(variant="dynamic-work-items"))
    traces.draw_figure_5(rows, [])
    traces.draw_figure_6(rows, [])
    assert series(drawn[0]) == {
        "baseline": [(5, 1), (15, 3)],
        "minimised-reads, a read every 10": [(5, 1), (15, 3)],
    }
    assert drawn[1].get_suptitle() == "Time line of launches and reads, minimised reads (Fig. 6)"
    assert [axes.get_title() for axes in drawn[1].axes] == [
        "(a) a read after every launch, from launch 7",
        "(b) a read after every 10 launches, from launch 7",
    ]
    reads = drawn[1].axes[0].collections[1].get_paths()
    assert [(path.vertices[:, 0].min(), path.vertices[:, 0].max()) for path in reads] == [(2, 4), (6, 10)]


def test_figure_13_draws_similarity_from_the_distance(tmp_path: Path, drawn: list[Figure]) -> None:
    hybrid = on(example_row(variant="hybrid", gcups=9.0), "near", 1000, 10)
    figures.draw_similarity(measured(tmp_path, hybrid, example_row(gcups=1.0)), PUBLISHED, [])
    found = series(drawn[0])
    assert found["hybrid, NVIDIA H200"] == [(pytest.approx(0.01), 9)]
    assert (pytest.approx(374 / 10236779), 161216.91) in found["paper: Table 3 (NVIDIA RTX 3090)"]
    assert (pytest.approx(0.01), 44418.7) in found["peer: the paper's program, NVIDIA H200"]


def test_a_figure_without_rows_says_so(tmp_path: Path, drawn: list[Figure]) -> None:
    rows = measured(tmp_path, example_row(variant="hybrid"))
    figures.draw_pairs(rows, PUBLISHED, [])
    sweeps.draw_figure_4(rows, PUBLISHED, [])
    traces.draw_figure_5(rows, [])
    traces.draw_figure_6(rows, [])
    sweeps.draw_figure_7(rows, [])
    sweeps.draw_figure_10(rows, PUBLISHED, [])
    figures.draw_similarity(measured(tmp_path, example_row()), PUBLISHED, [])
    assert [figure.axes[0].texts[0].get_text() for figure in drawn] == ["not measured here"] * 7


def test_wrong_and_batched_peers_are_not_drawn() -> None:
    peers = peers_by_kind(PUBLISHED)
    assert set(peers["check"]) == {"ok", "SWscore"}
    assert set(peers["kind"]) == {"the paper's program", "WFA2, CPU", "edlib, CPU", "MASA-CUDAlign"}
    assert not peers["peer"].str.contains("as published|batch").any()


def test_figure_2_is_the_worked_example(drawn: list[Figure]) -> None:
    pyramid.draw_pyramid([])
    matrix, diagonals, classic, diamond = drawn[0].axes
    values = {text.get_position(): text.get_text() for text in matrix.texts}
    by_diagonal = {text.get_position(): text.get_text() for text in diagonals.texts}
    assert values[11, 11] == by_diagonal[11, 0] == "5"
    assert by_diagonal == {(min(i, j), j - i): value for (j, i), value in values.items()}
    assert len(matrix.patches) == len(diagonals.patches) == 33  # of 36 cells three are at the border already
    assert (classic.get_title(), diamond.get_title()) == ("(c) classic: 36 cells", "(d) dynamic diamond: 24 cells")
    below = [[text.get_text() for text in axes.texts if text.xy[1] < -5] for axes in (classic, diamond)]
    assert below == [["1", "3", "5", "7", "9", "11"], ["1", "3", "5", "7", "7", "1"]]
    assert {text.xy: text.get_text() for text in classic.texts}[(5, 0)] == "11"


def test_runs_are_drawn_beside_equation_10(drawn: list[Figure]) -> None:
    figures.draw_runs(RUNS, [])
    found = series(drawn[0])
    assert found["counted, 36 cells"] == [(0, 1), (1, 7 / 36), (2, 3 / 36), (3, 2 / 36)]
    assert found["Eq. (10): (1 / 4)$^u$"][3] == (3, 1 / 64)


def test_figures_are_written_in_every_format_and_reproducibly(tmp_path: Path) -> None:
    rows = measured(tmp_path, example_row())
    paths = [tmp_path / f"pairs.{suffix}" for suffix in ("svg", "pdf", "png")]
    figures.draw_pairs(rows, PUBLISHED, paths)
    first = [path.read_bytes() for path in paths]
    figures.draw_pairs(rows, PUBLISHED, paths)
    assert [path.read_bytes() for path in paths] == first
    assert b"not GPU times" not in first[0]

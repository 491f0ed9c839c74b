from itertools import product
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from repro.bench.rows import Row, write_rows
from repro.report.claims import FAILS, HOLDS, NOT_MEASURED
from repro.report.shuffle import figures
from repro.report.shuffle.claims import claims
from repro.report.shuffle.data import Published, read_measured, with_enough_to_do
from repro.report.shuffle.merged import EXACT, WRONG, merged_score
from repro.report.shuffle.tables import goals_table, measurements, peers_table, table1, table2, write_tables
from repro.shuffle.reference import score
from tests.bench.example import example_row

PUBLISHED = Published.read(Path(__file__).parents[2] / "resources" / "published")
EMULATOR = {"device": "emulator (x86_64 CPU)", "device_kind": "emulator"}
MODES, GAPS = ("global", "semi-global", "local"), ("linear", "affine")


def row(
    variant: str,
    mode: str,
    gap: str,
    length: int,
    tcups: float,
    traceback: int = 0,
    queries: int = 3536,
    against: str = "reads",
    total: float = 1.1,
    types: dict[str, int] | None = None,
    work: float = 1.0,
    **columns: Any,
) -> Row:
    """A checked row. total: over kernel time. work: cells computed for each of the matrix."""
    several = against == "reads"
    pairs = queries * (3536 if several else 1)
    cells = pairs * length**2
    seconds = cells / tcups / 1e12
    parameters = {"mode": mode, "gap": gap, "traceback": traceback, "match": 2, "mismatch": -1, "gap_extend": 1}
    made = example_row(
        system="shuffle",
        variant=variant,
        parameters=parameters | ({"gap_open": 2} if gap == "affine" else {}),
        kernel_seconds=dict.fromkeys(("min", "median", "max"), seconds),
        total_seconds=dict.fromkeys(("min", "median", "max"), seconds * total),
        gcups=1e3 * tcups / total,
        work=int(cells * work),
        result={"sum": 1, "types": types or {"s16x2" if variant == "auto" else variant: pairs}},
    )
    described = {
        "name": f"{'lambda-all' if several else 'ecoli-clr'}-{length}",
        "against": against,
        "queries": queries,
        "subjects": 3536,
        "pairs": pairs,
        "query_letters": queries * length - (not several),
        "subject_letters": 3536 * length,
        "longest_query": length,
        "longest_subject": length,
        "cells": cells,
        "sha256": "a" * 64,
    }
    return {**made, "input": described, **columns}


def measured(folder: Path, *rows: Row) -> pd.DataFrame:
    write_rows(folder / "rows.jsonl", rows)
    return read_measured([folder / "rows.jsonl"])


def verdicts(rows: pd.DataFrame) -> dict[str, tuple[str, str]]:
    found = claims(rows, PUBLISHED)
    assert {claim.system for claim in found} == {"shuffle"}
    return {claim.claim: (claim.ours, claim.verdict) for claim in found}


def test_published_values_are_the_papers() -> None:
    assert (len(PUBLISHED.table1), len(PUBLISHED.bars), len(PUBLISHED.scaling)) == (88, 151, 72)
    fastest = PUBLISHED.table1.loc[PUBLISHED.table1["gcups"].idxmax()]
    assert (fastest["library"], fastest["platform"], fastest["gcups"]) == ("AnySeq/GPU", "MI100", 3754)
    model = PUBLISHED.table2["fp32_cores"] * PUBLISHED.table2["boost_ghz"] / PUBLISHED.table2["cycles_per_cell"] / 1e3
    assert np.allclose(model, PUBLISHED.table2["peak_tcups"], atol=0.006)
    kernels = PUBLISHED.peers["pairs"] * PUBLISHED.peers["read_length"] ** 2 / PUBLISHED.peers["kernel_seconds"] / 1e9
    assert np.allclose(kernels.dropna(), PUBLISHED.peers["kernel_gcups"].dropna(), rtol=0.003)
    lanes = 132 * 1.98e9 * 64 / 1e12
    half_rate = PUBLISHED.ceilings.query("variant == 'fp32' and model == 'hardware'").set_index(["mode", "gap"])
    maxima = {("global", "linear"): 2, ("global", "affine"): 4, ("local", "linear"): 4, ("local", "affine"): 6}
    for problem, count in maxima.items():
        assert half_rate.loc[problem, "tcups"] == pytest.approx(lanes / count, rel=0.002)


def test_what_the_text_says_of_its_own_tables(tmp_path: Path) -> None:
    found = verdicts(measured(tmp_path, row("fp32", "global", "linear", 125, 1.0, **EMULATOR)))
    assert found["speed-up over other GPU programs, by Table 1"] == ("at least 3.6, median 19.2", HOLDS)
    assert found["speed-up of the GV100 over CPU libraries, by Table 1"] == ("at least 4.3, median 5.9", HOLDS)
    assert found["speed-up of the MI100 over CPU libraries, by Table 1"] == ("at least 9.8, median 13.2", HOLDS)
    without = found["speed-up over other GPU programs without AnySeq 1, by the bar charts"]
    assert without == ("at least 5.0, median 8.5", FAILS)
    assert found["share of the peak, by Table 2"] == ("82 to 95 %", HOLDS)
    loss = found["loss of reads of up to 4,096 letters, by the charts"]
    assert loss == ("up to 20.8% (RTX3090, global, linear)", FAILS)


@pytest.mark.parametrize("machine", [EMULATOR, {"queries": 2}], ids=["emulator", "few reads on a GPU"])
def test_times_that_are_no_speeds_judge_nothing_but_counts_do(tmp_path: Path, machine: dict[str, Any]) -> None:
    rows = [row("half2", *problem, 125, 1e-5, k, **machine) for *problem, k in product(MODES, GAPS, (0, 1))]
    found = verdicts(measured(tmp_path, *rows))
    judged = {claim: ours for claim, (ours, verdict) in found.items() if verdict != NOT_MEASURED and "by " not in claim}
    assert judged == {
        "the limited range of half precision is not an issue": "12 of 12 runs, reads of up to 125 letters; wider types "
        "from 1,024 letters on",
        "Hirschberg's method in linear space: elements computed": "6 of 6 runs (1.00 to 1.00 times)",
        "one maximum for both kinds of gaps gives right scores (2/-1/2/1, global)": "200 of 200 random pairs",
        "one maximum for both kinds of gaps gives right scores (2/-3/5/1, global)": "44 of 200 random pairs",
    }


def test_merged_gaps_go_on_where_they_turn() -> None:
    a, b = np.full(8, 0, np.uint8), np.full(8, 1, np.uint8)
    # Eight mismatches cost 24, two gaps of eight letters 24; one that turns from one sequence to the other 20.
    assert (score(a, b, WRONG), merged_score(a, b, WRONG)) == (-24, -20)
    assert score(a, b, EXACT) == merged_score(a, b, EXACT) == -8


def test_the_share_of_the_peak_is_by_the_papers_model_and_by_the_rates(tmp_path: Path) -> None:
    rows = measured(
        tmp_path,
        row("fp32", "global", "affine", 125, 1.0),
        row("fp32", "global", "affine", 512, 2.09),
        row("half2", "global", "affine", 512, 8.0),
        row("auto", "global", "affine", 512, 5.0),
    )
    ours = table2(rows, PUBLISHED).query("source == 'here'").set_index("library")
    assert ours.loc["fp32", ["read_length", "peak_tcups", "ceiling_tcups"]].tolist() == [512, 4.78, 4.18]
    assert ours["ceiling_percent"].round(1).to_dict() == {"auto": 50.0, "fp32": 50.0, "half2": 95.7}
    assert ours["efficiency_percent"].round(1).dropna().to_dict() == {"fp32": 43.7, "half2": 83.7}
    ours, verdict = verdicts(rows)["fp32 and half2: share of the theoretical peak, global, affine"]
    assert ours.startswith("fp32: 44 %, of what the instruction rates allow 50 % (NVIDIA H200); half2: 84 %")
    assert verdict == FAILS


def test_speeds_of_the_papers_variants_are_judged(tmp_path: Path) -> None:
    by_length = {125: 1.0, 250: 1.5, 512: 2.0, 1024: 1.7, 4096: 1.6}
    rows = [
        row(v, "global", "linear", n, k * s) for v, k in (("fp32", 1), ("half2", 1.9)) for n, s in by_length.items()
    ]
    found = verdicts(measured(tmp_path, *rows))
    assert found["half2 is faster than fp32"] == ("5 of 5 runs (1.90 to 1.90 times)", HOLDS)
    assert found["fp32 and half2: scores become faster with the reads"] == ("2 of 2 runs", HOLDS)
    loss = found["fp32 and half2: loss of reads of up to 4,096 letters"]
    assert loss == ("2 of 2 runs (up to 20%: fp32, global, linear)", HOLDS)
    slower = [row("fp32", "global", "linear", n, s) for n, s in {**by_length, 250: 2.1, 4096: 1.5}.items()]
    found = verdicts(measured(tmp_path, *slower))
    assert found["fp32 and half2: scores become faster with the reads"][1] == FAILS
    assert found["fp32 and half2: loss of reads of up to 4,096 letters"][1] == FAILS
    found = verdicts(measured(tmp_path, *rows[:4]))
    assert found["fp32 and half2: loss of reads of up to 4,096 letters"] == ("-", NOT_MEASURED)


def test_a_gpu_whose_peak_is_not_known_has_no_share_of_it(tmp_path: Path) -> None:
    found = verdicts(measured(tmp_path, row("fp32", "global", "affine", 125, 1.0, device="NVIDIA L4")))
    assert found["fp32 and half2: share of the theoretical peak, global, affine"] == ("-", NOT_MEASURED)


def test_scenarios_are_compared_where_all_twelve_were_measured(tmp_path: Path) -> None:
    claim = "scores of global, linear are the fastest, tracebacks of local, affine the slowest"
    every = list(product(MODES, GAPS, (0, 1)))
    rows = [row("auto", mode, gap, 125, 10 - k / 2, traceback) for k, (mode, gap, traceback) in enumerate(every)]
    assert verdicts(measured(tmp_path, *rows))[claim] == ("1 of 1 runs", HOLDS)
    assert verdicts(measured(tmp_path, *rows[:-1]))[claim][1] == NOT_MEASURED
    rows[3] = row("auto", *every[3][:2], 125, 11.0, every[3][2])
    assert verdicts(measured(tmp_path, *rows))[claim][1] == FAILS


@pytest.mark.parametrize(("total", "verdict"), [(1.04, HOLDS), (1.2, FAILS)])
def test_transfers_are_what_is_outside_kernels(tmp_path: Path, total: float, verdict: str) -> None:
    rows = [
        row("auto", "global", "linear", 512, 10.0, total=total),
        row("auto", "global", "linear", 512, 20.0, queries=64),
    ]
    claim = "transfers are negligible (here: all that is outside kernels, less than 5 %; 512 letters, global, linear)"
    ours, judged = verdicts(measured(tmp_path, *rows))[claim]
    assert ours.startswith(f"auto: {1 - 1 / total:.1%} of {327.8 * total:.0f} ms")
    assert judged == verdict


def test_wider_types_and_recomputed_cells_are_counted(tmp_path: Path) -> None:
    pairs = 3536**2
    rows = [
        row("half2", "global", "linear", 512, 3.0),
        row("half2", "global", "linear", 1024, 3.0, types={"fp32": pairs - 1, "half2": 1}),
        row("fp32", "global", "linear", 1024, 3.0, traceback=1, work=2.1),
        row("fp32", "global", "linear", 512, 3.0, traceback=1, work=1.5),
    ]
    found = verdicts(measured(tmp_path, *rows))
    narrow = found["the limited range of half precision is not an issue"]
    assert narrow == ("1 of 2 runs, reads of up to 1,024 letters; wider types from 1,024 letters on", FAILS)
    cells = found["Hirschberg's method in linear space: elements computed"]
    assert cells == ("1 of 2 runs (1.50 to 2.10 times)", FAILS)


def test_half2_is_not_judged_by_what_wider_types_computed(tmp_path: Path) -> None:
    rows = measured(
        tmp_path,
        *(row("fp32", "global", "affine", n, 1.8) for n in (512, 1024)),
        row("half2", "global", "affine", 512, 3.6),
        row("half2", "global", "affine", 1024, 1.8, types={"fp32": 3536**2}),
    )
    assert verdicts(rows)["half2 is faster than fp32"] == ("1 of 1 runs (2.00 to 2.00 times)", HOLDS)
    only_wide = measured(tmp_path, row("half2", "global", "affine", 1024, 1.8, types={"fp32": 3536**2}))
    assert table2(only_wide, PUBLISHED).query("source == 'here'").empty


def test_the_range_of_half_precision_is_judged_for_all_lengths_of_the_paper(tmp_path: Path) -> None:
    found = verdicts(measured(tmp_path, row("auto", "global", "linear", 125, 8.0)))
    assert found["the limited range of half precision is not an issue"] == (
        "wider types from 1,024 letters on",
        FAILS,
    )


def test_goals_are_judged_by_the_fastest_engine_on_a_gpu(tmp_path: Path) -> None:
    rows = measured(
        tmp_path,
        row("auto", "global", "linear", 512, 12.5, total=1.1),
        row("auto", "global", "linear", 512, 11.0),
        row("auto", "global", "linear", 512, 5.5, traceback=1, queries=64),
        row("fp32", "global", "affine", 512, 9.0),
        row("auto", "global", "linear", 1024, 10.5, queries=221),
        row("auto", "global", "linear", 4096, 9.5, queries=16),
    )
    table = goals_table(rows, PUBLISHED).set_index(["mode", "gap", "read_length"])
    line = table.loc[("global", "linear", 512)]
    assert line[["must_tcups", "reach_tcups", "score_tcups", "limit_tcups"]].tolist() == pytest.approx(
        [12, 16, 12.5, 21.6]
    )
    assert (line["traceback_share"], line["total_over_kernel"]) == (pytest.approx(0.44), pytest.approx(1.1))
    found = verdicts(rows)
    assert found["scores, global, linear, 512 letters"] == ("12.5 T cells/s (NVIDIA H200)", HOLDS)
    assert found["scores, global, affine, 512 letters"] == ("-", NOT_MEASURED)
    assert found["traceback, 125 and 512 letters"] == ("1 of 1 runs (0.44 to 0.44)", HOLDS)
    assert found["total over kernel time of the scores, 512 letters"] == ("1 of 1 runs (1.1 to 1.1)", HOLDS)
    longer = found["scores of reads of 1,024 letters and more, and of PacBio-like ones"]
    assert longer == ("1 of 2 runs (0.76 to 0.84)", FAILS)


def test_peers_are_compared_by_kernel_time_where_they_have_one(tmp_path: Path) -> None:
    rows = measured(
        tmp_path, row("auto", "local", "affine", 125, 4.5, total=1.2), row("fp32", "global", "affine", 125, 8.0)
    )
    table = peers_table(rows, PUBLISHED).set_index("peer")
    assert set(table["mode"]) == {"local"}
    assert table.loc["GASAL2", "times_faster"] == pytest.approx(4500 / 1085.7)
    assert table.loc["CUDASW4(DPXs16)", "times_faster"] == pytest.approx(4500 / 1.2 / 4003.82)
    assert table.loc["seqan-2.4-avx512-16thr", "times_faster"] == pytest.approx(4500 / 1.2 / 85.8)
    assert "parasail-2.6-avx2-16thr" in table.index
    found = verdicts(rows)
    assert found["faster than every other program measured on the same GPU or its host"][1] == FAILS
    assert found["fp32 or half2 against GASAL2 and ADEPT on the same GPU"] == (
        "1 of 1 runs (3.7 to 3.7 times, median 3.7)",
        HOLDS,
    )


def test_other_schemes_are_not_compared_with_the_papers(tmp_path: Path) -> None:
    other = row("auto", "global", "linear", 512, 50.0)
    other["parameters"]["mismatch"] = -3
    rows = measured(tmp_path, other, row("auto", "global", "linear", 512, 5.0))
    assert goals_table(rows, PUBLISHED)["score_tcups"].max() == pytest.approx(5.0)
    assert len(measurements(rows)) == 2


def test_tables_have_ours_beside_the_papers(tmp_path: Path) -> None:
    rows = measured(
        tmp_path,
        row("auto", "global", "linear", 125, 8.0, total=1.25),
        row("auto", "semi-global", "linear", 20_000, 6.0, queries=10, against="window"),
        row("auto", "semi-global", "linear", 125, 9.0),
        row("parasail", "global", "affine", 125, 8.0, kernel_seconds=dict.fromkeys(("min", "median", "max"), 0.0)),
    )
    ours = table1(rows, PUBLISHED).query("source == 'here'")
    assert ours[["reads", "mode", "gcups", "set"]].to_numpy().tolist() == [
        ["125bp", "global", pytest.approx(8000), "lambda-all-125"],
        ["PacBio", "semi-global", pytest.approx(6000), "ecoli-clr-20000"],
    ]
    write_tables(tmp_path, rows, PUBLISHED)
    lines = pd.read_csv(tmp_path / "measurements.tsv", sep="\t")
    assert lines["kernel_gcups"].round(3).tolist()[:2] == [8000, 6000]
    assert lines["kernel_gcups"].tolist()[3] == pytest.approx(8000 / 1.1, rel=1e-5)  # of the whole call on the CPU
    assert lines["number_types"][0] == f"s16x2:{3536**2}"
    assert {path.name for path in tmp_path.glob("*.tsv")} == {
        "measurements.tsv", "table1.tsv", "table2.tsv", "goals.tsv", "peers.tsv",
    }  # fmt: skip


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that were saved, kept open for a look."""
    kept: list[Figure] = []
    monkeypatch.setattr(figures, "save", lambda figure, paths: kept.append(figure))
    yield kept
    plt.close("all")


def heights(figure: Figure, axes: int = 0) -> list[float]:
    return [round(bar.get_height(), 2) for bar in figure.axes[axes].patches]


def test_the_bars_are_the_papers_the_peers_and_ours(tmp_path: Path, drawn: list[Figure]) -> None:
    rows = [row(v, "global", "linear", 125, s) for v, s in (("fp32", 1.5), ("auto", 8.0))]
    rows.append(row("auto", "local", "affine", 125, 1e-5, **EMULATOR))
    figures.draw_bars(measured(tmp_path, *rows), PUBLISHED, [])
    (figure,) = drawn
    assert [axes.get_title() for axes in figure.axes[:4]] == [
        "global, linear, scores only", "semi-global, linear, scores only", "local, linear, scores only",
        "global, linear, traceback",
    ]  # fmt: skip
    assert heights(figure) == [208, 219, 1142, 136, 134, 1877, 198, 209, 2459, 233, 228, 2909, 289, 278, 1500, 8000]
    assert 4003.82 in heights(figure, 8)  # CUDASW4 on the same GPU
    assert heights(figure, 8)[-1] == 0.01
    assert "emulated: not GPU times" in figure.get_suptitle()


def test_other_programs_on_the_host_are_drawn_however_little_a_card_would_have_to_do(
    tmp_path: Path, drawn: list[Figure]
) -> None:
    few = {"queries": 64, "kernel_seconds": dict.fromkeys(("min", "median", "max"), 0.0)}
    rows = measured(
        tmp_path,
        row("auto", "global", "affine", 125, 8.0),
        row("half2", "global", "affine", 125, 3.0, traceback=1, queries=16),
        row("parasail", "global", "affine", 125, 0.02, **few),
    )
    speeds = with_enough_to_do(rows)
    assert speeds["variant"].tolist() == ["auto", "parasail"]
    figures.draw_bars(speeds, PUBLISHED, [])
    (legend,) = drawn[0].legends
    assert [text.get_text() for text in legend.texts][-2:] == ["auto", "parasail (host)"]


def test_speeds_by_read_length_have_the_papers_lines_on_gpus_alone(tmp_path: Path, drawn: list[Figure]) -> None:
    rows = [row("auto", "global", "linear", n, s) for n, s in ((125, 8.0), (250, 9.0), (250, 7.0))]
    rows.append(row("auto", "global", "linear", 125, 1e-5, **EMULATOR))
    rows.append(row("half2", "global", "linear", 1024, 3.0, types={"fp32": 3536**2}))  # which is no half precision
    figures.draw_read_lengths(measured(tmp_path, *rows), PUBLISHED, [])
    (figure,) = drawn
    lines = {line.get_label(): line.get_xydata().tolist() for line in figure.axes[0].lines}
    assert list(lines) == ["paper: A100", "paper: GV100", "paper: MI100", "paper: RTX3090", "auto"]
    assert lines["paper: MI100"][2] == [512, 3754]
    assert np.allclose(lines["auto"], [[125, 8000], [250, 9000]])
    assert [line.get_label() for line in figure.axes[3].lines] == ["auto"]
    assert "not GPU times" in figure.axes[3].get_title()


def test_variants_of_the_same_speed_are_seen_both(tmp_path: Path, drawn: list[Figure]) -> None:
    rows = measured(tmp_path, *(row(name, "global", "linear", 125, 1e-5, **EMULATOR) for name in ("fp32", "auto")))
    figures.draw_read_lengths(rows, PUBLISHED, [])
    lines = drawn[0].axes[3].lines
    assert [line.get_label() for line in lines] == ["fp32", "auto"]
    assert [line.get_fillstyle() for line in lines] == ["none", "none"]
    assert len({line.get_marker() for line in lines}) == 2
    (legend,) = drawn[0].legends
    assert [text.get_text() for text in legend.get_texts()][-2:] == ["fp32", "auto"]


def test_without_rows_of_a_gpu_the_papers_lines_have_panels_of_their_own(tmp_path: Path, drawn: list[Figure]) -> None:
    figures.draw_read_lengths(measured(tmp_path, row("auto", "global", "linear", 125, 1e-5, **EMULATOR)), PUBLISHED, [])
    assert [axes.get_title() for axes in drawn[0].axes[:3:2]] == [
        "global, linear: the paper",
        "local, affine: the paper",
    ]
    assert [len(axes.lines) for axes in drawn[0].axes] == [4, 4, 4, 1, 0, 0]


def test_efficiency_goals_and_transfers_show_the_tables_values(tmp_path: Path, drawn: list[Figure]) -> None:
    rows = measured(
        tmp_path,
        row("half2", "global", "affine", 512, 4.78),
        row("auto", "global", "affine", 512, 7.5, total=1.25),
        row("auto", "global", "affine", 512, 3.0, traceback=1),
    )
    figures.draw_efficiency(table2(rows, PUBLISHED), [])
    figures.draw_goals(goals_table(rows, PUBLISHED), [])
    figures.draw_transfers(rows, PUBLISHED, [])
    efficiency, goals, transfers = drawn
    assert [text.get_text() for text in efficiency.axes[0].texts] == ["95", "82", "89", "86", "50", "75", "57"]
    middles = [bar.get_x() + bar.get_width() / 2 for bar in efficiency.axes[0].patches if np.isfinite(bar.get_height())]
    assert middles == pytest.approx([0, 1, 2, 3, 4.8, 4, 5.2])  # `auto` has no share of the paper's model
    efficiency.draw_without_rendering()
    highest = max(text.get_window_extent().y1 for text in efficiency.axes[0].texts)
    assert highest < efficiency.axes[0].get_legend().get_window_extent().y0
    bars = [height for height in heights(goals, 1) if np.isfinite(height)]
    assert bars == [7.5, 3.0]
    assert "on NVIDIA H200" in goals.get_suptitle()
    for axes in goals.axes:  # goals of 4.2 and 4.5 beside another program's 4.0 are told apart
        points = np.concatenate([axes.transData.transform(line.get_xydata()) for line in axes.lines])
        points = points[np.isfinite(points).all(axis=1)]
        apart = np.hypot(*(points[:, None] - points[None]).T)[~np.eye(len(points), dtype=bool)]
        assert apart.min() >= 6 * goals.dpi / 72  # a marker's size
    ours, paper = transfers.axes[0].lines
    assert ours.get_xydata().tolist() == [[512, pytest.approx(20)]]
    assert paper.get_ydata() == pytest.approx(0.0416, abs=1e-4)


def test_figures_without_rows_of_a_gpu_are_drawn(tmp_path: Path) -> None:
    rows = measured(tmp_path, row("auto", "global", "linear", 125, 1e-5, **EMULATOR))
    paths = [[tmp_path / f"{name}.svg"] for name in "abcde"]
    figures.draw_bars(rows, PUBLISHED, paths[0])
    figures.draw_read_lengths(rows, PUBLISHED, paths[1])
    figures.draw_efficiency(table2(rows, PUBLISHED), paths[2])
    figures.draw_goals(goals_table(rows, PUBLISHED), paths[3])
    figures.draw_transfers(rows, PUBLISHED, paths[4])
    assert all(path.stat().st_size for (path,) in paths)

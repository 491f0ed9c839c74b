from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from repro.bench.rows import Row, write_rows
from repro.report.apsp import figures
from repro.report.apsp.claims import claims
from repro.report.apsp.data import RATE, Published, read_measured
from repro.report.apsp.tables import limits_of, write_tables
from repro.report.claims import FAILS, HOLDS, NOT_MEASURED
from tests.bench.example import example_row

PUBLISHED = Published.read(Path(__file__).parents[2] / "resources" / "published")
EMULATOR = {"device": "emulator (x86_64 CPU)", "device_kind": "emulator"}
FORMATS = ("svg", "pdf", "png")


def row(variant: str, vertices: int, trelaxations: float, **columns: Any) -> Row:
    """A checked row of a complete graph in float32 on an NVIDIA H200, with so many relaxations per second."""
    settings = columns.pop("settings", {"tile": 16} if variant == "katz-kider" else {"tile": 128})
    dtype, predecessors = columns.pop("dtype", "float32"), columns.pop("predecessors", 0)
    result = {
        "rows": {},
        "path_error": None,
        "rounds_seconds": None,
        "phase_seconds": None,
        **columns.pop("result", {}),
    }
    launches = 3 * -(-vertices // settings["tile"]) if variant == "katz-kider" else vertices // 64 + 1
    made = example_row(
        system="apsp",
        variant=variant,
        parameters={**settings, "predecessors": predecessors},
        kernel_seconds=dict.fromkeys(("min", "median", "max"), vertices**3 / trelaxations / 1e12),
        work=vertices**3,
        counters={"launches": launches, "threads": 1, "reads": 1, "writes": 2},
        result=result,
        device="NVIDIA H200",
        device_kind="cuda",
    )
    return {**made, "input": {"name": f"complete-{vertices}", "vertices": vertices, "dtype": dtype}, **columns}


def measured(folder: Path, *rows: Row) -> pd.DataFrame:
    write_rows(folder / "rows.jsonl", rows)
    return read_measured([folder / "rows.jsonl"])


def verdicts(rows: pd.DataFrame) -> dict[str, tuple[str, str]]:
    return {claim.claim: (claim.ours, claim.verdict) for claim in claims(rows, PUBLISHED)}


def test_a_rate_is_that_of_the_kernels_of_the_rounds_or_of_the_cpu(tmp_path: Path) -> None:
    seconds = dict.fromkeys(("min", "median", "max"), 0.004)
    rows = measured(
        tmp_path,
        row("staged", 1000, 2.0),
        row("out-of-core", 1000, 5.0, result={"rounds_seconds": 0.001}),
        row("scipy", 1000, 9.0, settings={"tile": 1}, total_seconds=seconds),
    )
    assert rows[RATE].tolist() == pytest.approx([2.0, 1.0, 0.25])


def test_goals_hold_or_fail_by_the_fastest_row_of_a_gpu(tmp_path: Path) -> None:
    rows = measured(
        tmp_path,
        row("staged", 1024, 2.4),
        row("staged", 1024, 2.6),
        row("staged", 2048, 5.4),
        row("staged", 16384, 7.0, predecessors=1),
        row("staged", 16384, 19.0, dtype="int16"),
        row("staged", 4096, 90.0, **EMULATOR),
    )
    found = verdicts(rows)
    assert found["staged, float32, 1,024 vertices"] == ("2.6 T relaxations/s (NVIDIA H200)", HOLDS)
    assert found["staged, float32, 2,048 vertices"][1] == FAILS
    assert found["staged, float32, predecessors, 16,384 vertices"][1] == HOLDS
    assert found["staged, int16, 16,384 vertices"][1] == FAILS
    assert found["staged, float32, 4,096 vertices"] == ("-", NOT_MEASURED)


def test_other_programs_are_compared_size_by_size(tmp_path: Path) -> None:
    claim = "staged is faster than every other program measured"
    assert verdicts(measured(tmp_path, row("staged", 1024, 1.9)))[claim] == ("1 of 1 runs (1.03 to 1.03 times)", HOLDS)
    slower = measured(tmp_path, row("staged", 1024, 1.9), row("staged", 2048, 4.0))
    assert verdicts(slower)[claim][1] == FAILS
    assert verdicts(measured(tmp_path, row("staged", 1000, 1.9)))[claim] == ("-", NOT_MEASURED)


@pytest.mark.parametrize(("seconds", "verdict"), [(30.0, HOLDS), (40.0, FAILS)])
def test_out_of_core_is_compared_with_the_rate_in_core(tmp_path: Path, seconds: float, verdict: str) -> None:
    streamed = row(
        "out-of-core", 65536, 13.0, settings={"tile": 128, "memory_percent": 25}, result={"rounds_seconds": seconds}
    )
    found = verdicts(measured(tmp_path, streamed, row("staged", 32768, 12.0)))
    ours, judged = found["out-of-core, 65,536 vertices in 25 % of the matrix's memory"]
    assert judged == verdict
    assert ours.startswith(f"{100 * 65536**3 / seconds / 12e12:.3g} %: ")


def test_launches_are_counted_and_katz_kider_is_compared_with_naive(tmp_path: Path) -> None:
    pair = [row("naive", 1024, 0.2, settings={"block": 16}), row("katz-kider", 1024, 1.0)]
    found = verdicts(measured(tmp_path, *pair))
    assert found["katz-kider: three launches in every round"] == ("1 of 1 runs", HOLDS)
    assert found["katz-kider is faster than one launch per vertex"] == ("1 of 1 runs (5.0 to 5.0 times)", HOLDS)
    wrong = {**pair[1], "counters": {**pair[1]["counters"], "launches": 191}}
    assert verdicts(measured(tmp_path, wrong))["katz-kider: three launches in every round"][1] == FAILS


def test_limits_stand_beside_the_fastest_rates(tmp_path: Path) -> None:
    rows = measured(tmp_path, row("staged", 1024, 2.0), row("staged", 1024, 11.15), row("staged", 1024, 9, **EMULATOR))
    limits = limits_of(rows, PUBLISHED)
    assert limits[["vertices", RATE, "limit"]].to_numpy().tolist() == [[1024, pytest.approx(11.15), 22.3]]
    assert limits["share_of_limit"].tolist() == pytest.approx([0.5])
    write_tables(tmp_path / "all.tsv", tmp_path / "limits.tsv", rows, limits)
    assert pd.read_csv(tmp_path / "all.tsv", sep="\t")["seconds"].min() == pytest.approx(1024**3 / 11.15e12, rel=1e-4)
    assert len(pd.read_csv(tmp_path / "limits.tsv", sep="\t")) == 1


ROWS = [
    row("naive", 1024, 0.2, settings={"block": 16}),
    row("katz-kider", 1024, 1.0, result={"phase_seconds": [1.0, 2.0, 5.0]}),
    row("katz-kider", 1024, 0.5, settings={"tile": 8}),
    row("staged", 1024, 2.0),
    row("out-of-core", 1024, 2.0, settings={"tile": 128, "memory_percent": 25}, result={"rounds_seconds": 1.0}),
    row("staged", 256, 0.001, **EMULATOR),
]


@pytest.mark.parametrize(
    "draw",
    [figures.draw_times, figures.draw_rates, figures.draw_phases, figures.draw_tiles, figures.draw_out_of_core],
)
def test_figures_are_written_in_every_format(tmp_path: Path, draw: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(figures, "save", lambda figure, paths: (drawn.append(figure), saved(figure, paths)))
    rows = measured(tmp_path, *ROWS)
    paths = [tmp_path / f"figure.{format}" for format in FORMATS]
    draw(rows, PUBLISHED, paths)
    assert all(path.stat().st_size > 1000 for path in paths)
    titles = [axes.get_title() for axes in drawn[0].axes]
    assert titles[0] == "NVIDIA H200"
    assert all("not GPU times" in title for title in titles[1:])


saved = figures.save


def test_the_shares_of_the_phases_add_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(figures, "save", lambda figure, paths: drawn.append(figure))
    figures.draw_phases(measured(tmp_path, *ROWS), PUBLISHED, [])
    widths = [bar.get_width() for bar in drawn[0].axes[0].patches]
    assert np.allclose(widths, [12.5, 25, 62.5])
    plt.close(drawn[0])


@pytest.mark.parametrize("draw", [figures.draw_times, figures.draw_rates])
def test_every_variant_is_drawn_and_the_legend_hides_no_point(
    tmp_path: Path, draw: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(figures, "save", lambda figure, paths: drawn.append(figure))
    names = ("naive", "katz-kider", "staged", "new", "scipy")
    draw(measured(tmp_path, *(row(name, 2**k, 1.0) for name in names for k in (6, 7, 8))), PUBLISHED, [])
    drawn[0].draw_without_rendering()
    (axes,) = drawn[0].axes
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert {"naive", "katz-kider", "staged", "new", "SciPy, one core of the host"} <= set(labels)
    assert axes.get_legend().get_window_extent().y1 < axes.bbox.y0
    assert not len(axes.get_xticks(minor=True))
    plt.close(drawn[0])


def test_a_line_joins_the_sizes_of_one_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(figures, "save", lambda figure, paths: drawn.append(figure))
    sizes = [row("staged", vertices, 1.0, experiment="variants", **EMULATOR) for vertices in (64, 128, 256)]
    apart = row("staged", 200, 0.1, experiment="types", **EMULATOR)
    figures.draw_rates(measured(tmp_path, *sizes, apart), PUBLISHED, [])
    (axes,) = drawn[0].axes
    assert sorted(line.get_xdata().tolist() for line in axes.lines) == [[64, 128, 256], [200]]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["staged"]
    plt.close(drawn[0])


def test_rates_out_of_core_that_are_close_lie_within_the_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(figures, "save", lambda figure, paths: drawn.append(figure))
    budgets = {25: 1.00, 50: 1.01}
    streamed = [
        row(
            "out-of-core", 1000, 1.0, settings={"tile": 128, "memory_percent": percent}, result={"rounds_seconds": each}
        )
        for percent, each in budgets.items()
    ]
    figures.draw_out_of_core(measured(tmp_path, *streamed), PUBLISHED, [])
    (axes,) = drawn[0].axes
    assert axes.get_ylim() == pytest.approx((0, 1.1e-3))
    plt.close(drawn[0])

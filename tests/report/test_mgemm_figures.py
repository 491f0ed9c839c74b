"""Figures of the similarities: what is drawn, beside what, and under which names."""

from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import matplotlib.colors
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.legend import Legend

from repro.report.mgemm import figures, scaling, structure
from repro.report.mgemm.predictions import fit
from tests.report.mgemm_rows import EMULATOR, PUBLISHED, ROWS, measured, row

FORMATS = ("svg", "pdf", "png")


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    return measured(tmp_path_factory.mktemp("rows"), *ROWS)


saved = figures.save


@pytest.mark.parametrize(
    ("module", "draw"),
    [
        (figures, lambda rows, machines, paths: figures.draw_kernels(rows, PUBLISHED, paths)),
        (figures, lambda rows, machines, paths: figures.draw_rates(rows, PUBLISHED, paths)),
        (scaling, lambda rows, machines, paths: scaling.draw_strong(rows, machines, PUBLISHED, paths)),
        (scaling, lambda rows, machines, paths: scaling.draw_weak(rows, machines, PUBLISHED, 2, "double", paths)),
        (scaling, lambda rows, machines, paths: scaling.draw_model(rows, machines, paths)),
    ],
)
def test_figures_name_their_devices(
    rows: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: Any, draw: Any
) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(module, "save", lambda figure, paths: (drawn.append(figure), saved(figure, paths)))
    paths = [tmp_path / f"figure.{format}" for format in FORMATS]
    draw(rows, fit(rows), paths)
    assert all(path.stat().st_size > 1000 for path in paths)
    legends = [text.get_text() for legend in drawn[0].findobj(Legend) for text in legend.get_texts()]
    texts = [axes.get_title() for axes in drawn[0].axes] + legends
    assert any("NVIDIA" in text for text in texts)
    emulated = [text for text in texts if "emulator" in text]
    assert emulated
    assert any("not GPU times" in text for text in emulated)


def test_bars_beside_a_goal_are_of_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = measured(
        tmp_path,
        row("2-way", "float64", 10240, 12288, 3.0),
        row("2-way", "float64", 10240, 12288, 3.5),
        row("2-way", "float64", 10240, 5000, 4.0),
        row("2-way", "float64", 2048, 4096, 0.008, variant="cpu"),
        row("3-way", "bits", 500, 4096, 90.0),
    )
    drawn: list[Figure] = []
    monkeypatch.setattr(figures, "save", lambda figure, paths: (drawn.append(figure), plt.close(figure)))
    figures.draw_rates(found, PUBLISHED, [])
    (axes,) = drawn[0].axes
    assert [patch.get_height() for patch in axes.patches] == pytest.approx([3.5, 0.008, 90.0])
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels == ["2-way float64\n10,240 × 12,288\ncpu: 2,048 × 4,096", "3-way bits\n500 × 4,096"]


def test_sizes_of_few_bars_name_them_and_numbers_do_not_touch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variants = ("new", "naive", "ternary", "fmin", "auto", "gemm", "cpu", "differences")
    bars = [
        {**row("kernel", "float32", 256 if name == "naive" else 512, 512, 0.00076, **EMULATOR), "variant": name}
        for name in variants
    ]
    drawn: list[Figure] = []
    monkeypatch.setattr(figures, "save", lambda figure, paths: drawn.append(figure))
    figures.draw_kernels(measured(tmp_path, *bars), PUBLISHED, [])
    drawn[0].draw_without_rendering()
    (axes,) = drawn[0].axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["float32\n512 × 512\nnaive: 256 × 512"]
    assert [text.get_text() for text in axes.texts] == ["0.00076"] * 8
    extents = [text.get_window_extent() for text in axes.texts]
    assert all(left.x1 < right.x0 for left, right in pairwise(extents))
    assert all(extent.y0 > axes.get_window_extent().y0 for extent in extents)
    plt.close(drawn[0])


@pytest.mark.parametrize(("measure", "draw"), [("kernel", figures.draw_kernels), ("2-way", figures.draw_rates)])
def test_a_variant_that_nobody_gave_a_colour_is_drawn(
    measure: str, draw: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = {"new": 3.0, "auto": 2.0, "fmin": 1.0, "another": 4.0}
    bars = [{**row(measure, "float32", 512, 512, rate), "variant": name} for name, rate in rates.items()]
    drawn: list[Figure] = []
    monkeypatch.setattr(figures, "save", lambda figure, paths: (drawn.append(figure), plt.close(figure)))
    draw(measured(tmp_path, *bars), PUBLISHED, [])
    (axes,) = drawn[0].axes
    assert [bar.get_height() for bar in axes.patches] == pytest.approx([1.0, 2.0, 4.0, 3.0])
    assert [matplotlib.colors.to_hex(bar.get_facecolor()) for bar in axes.patches[2:]] == ["#666666"] * 2
    (legend,) = drawn[0].findobj(Legend)
    assert [text.get_text() for text in legend.get_texts()][:4] == ["fmin", "auto", "another", "new"]


def test_a_panel_of_nothing_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(scaling, "save", lambda figure, paths: (drawn.append(figure), saved(figure, paths)))
    rows = measured(tmp_path, *(each for each in ROWS if each["device_kind"] == "emulator"))
    scaling.draw_strong(rows, fit(rows), PUBLISHED, [])
    assert [[text.get_text() for text in axes.texts] for axes in drawn[0].axes[:2]] == [["nothing measured here"], []]


def test_no_two_entries_of_a_legend_look_the_same(rows: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(scaling, "save", lambda figure, paths: (drawn.append(figure), plt.close(figure)))
    own = rows[rows["device_kind"] == "cuda"]
    scaling.draw_weak(own, fit(own), PUBLISHED, 2, "single", [])
    lines = {line.get_label(): line for axes in drawn[0].axes for line in axes.lines}
    looks = [(line.get_color(), line.get_marker(), line.get_fillstyle()) for line in lines.values()]
    assert "paper, 17,472 nodes of Titan; the time is from the rate" in lines
    assert len(looks) == len(set(looks))


def test_runs_beside_the_model_look_different(rows: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(scaling, "save", lambda figure, paths: (drawn.append(figure), plt.close(figure)))
    runs = rows[(rows["measure"] == "2-way") & (rows["variant"] == "auto") & rows["result.terms.product"].notna()]
    many = pd.concat([runs.assign(device=f"device {k}") for k in range(5)])
    scaling.draw_model(many, fit(many), [])
    looks = [(line.get_color(), line.get_marker()) for line in drawn[0].axes[0].lines]
    assert len(looks) == len(set(looks)) == 16
    drawn[0].draw_without_rendering()
    (legend,) = drawn[0].findobj(Legend)
    places = [part.get_window_extent() for part in (legend, drawn[0].axes[0], drawn[0])]
    assert places[0].y1 < places[1].y0  # no run is hidden
    assert places[2].x0 <= places[0].x0 < places[0].x1 <= places[2].x1


def test_block_rows_own_what_they_compute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Five blocks: each row computes its triangle and the next two blocks, around the end."""
    matrix = structure.owners(2, 5, 4)
    for block in range(5):
        own = np.argwhere(matrix == block)
        assert set(own[:, 0] // 4) == {block}
        assert set(own[:, 1] // 4) == {(block + offset) % 5 for offset in range(3)}
        assert len(own) == 6 + 2 * 16
    cube = structure.owners(3, 4, 3)
    assert [int((cube == slab).sum()) for slab in range(4)] == [55] * 4
    assert {tuple(sorted(place)) for place in np.argwhere(cube >= 0).tolist()} == set(combinations(range(12), 3))
    monkeypatch.setitem(structure.SECTION_VECTORS, "edge", 6)
    drawn: list[Figure] = []
    monkeypatch.setattr(structure, "save", lambda figure, paths: (drawn.append(figure), saved(figure, paths)))
    for draw in (structure.draw_matrix, structure.draw_cube, structure.draw_blocks):
        path = tmp_path / f"{draw.__name__}.png"
        draw([path])
        assert path.stat().st_size > 1000
    assert [axes.get_title() for axes in drawn[0].axes] == [
        "(b) upper triangle: 6 to 70 values",
        "(c) block circulant: 38 values",
    ]
    for figure in drawn[1:]:
        figure.draw_without_rendering()
        for axes in figure.axes:
            name, panel = axes.zaxis.label.get_window_extent(), axes.get_window_extent()
            assert panel.x0 < name.x0 < name.x1 < panel.x1  # beyond it another panel or the end of the figure hides it
    assert not plt.get_fignums()

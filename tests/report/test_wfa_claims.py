from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from repro.bench.rows import Row
from repro.report.claims import FAILS, HOLDS, NOT_MEASURED
from repro.report.wfa.claims import claims
from repro.wfa.variants import VARIANTS
from tests.bench.example import example_row
from tests.report.test_wfa import EMULATOR, PUBLISHED, measured, on, on_case, seconds, swept

NAME = "tiny"


def verdicts(folder: Path, *rows: Row) -> dict[str, tuple[str, str]]:
    found = claims(measured(folder, *rows), PUBLISHED)
    assert len({claim.claim for claim in found}) == len(found)
    return {claim.claim: (claim.ours, claim.verdict) for claim in found}


def rates(**gcups: float) -> list[Row]:
    """One row of each variant on one input; the slower it is, the longer it takes."""
    return [
        example_row(variant=name.replace("_", "-"), gcups=rate, total_seconds=seconds(1 / rate))
        for name, rate in gcups.items()
    ]


def test_nothing_about_speed_is_judged_on_the_emulator(tmp_path: Path) -> None:
    names = dict.fromkeys((name.replace("-", "_") for name in VARIANTS), 5.0)
    emulated = [{**row, **EMULATOR} for row in rates(**names)]
    found = verdicts(tmp_path, *emulated)
    judged = {claim for claim, (_, verdict) in found.items() if verdict != NOT_MEASURED}
    assert judged == {
        "baseline: one kernel invocation per column of the pyramid",
        "baseline: the host reads the result after every invocation",
        "baseline: every invocation has the worst-case number of workitems",
        "dynamic-work-items: an invocation has the workitems of its column",
        "minimised-reads: a constant number of invocations more, fewer reads",
        "dynamic-diamond: saves 1 to 2 times the cells, more for more distance (0.5 d / n at least, less a tile)",
    }


@pytest.mark.parametrize(
    ("claim", "rows", "ours", "verdict"),
    [
        ("dynamic-work-items: faster than baseline", {"baseline": 10, "dynamic_work_items": 12.1}, "1.21", HOLDS),
        ("dynamic-work-items: faster than baseline", {"baseline": 10, "dynamic_work_items": 12.0}, "1.20", FAILS),
        ("minimised-reads: faster than dynamic-work-items", {"dynamic_work_items": 1, "minimised_reads": 1.5}, "1.50",
         HOLDS),
        ("shared-memory-prefetch: no significant gain over minimised-reads, 5% at most",
         {"minimised_reads": 10, "shared_memory_prefetch": 10.5}, "1.05", HOLDS),
        ("shared-memory-prefetch: no significant gain over minimised-reads, 5% at most",
         {"minimised_reads": 10, "shared_memory_prefetch": 10.6}, "1.06", FAILS),
        ("dynamic-diamond: faster than parallel-workgroup", {"parallel_workgroup": 10, "dynamic_diamond": 13.8}, "1.38",
         FAILS),
        ("dynamic-diamond: faster than baseline", {"baseline": 10, "dynamic_diamond": 33}, "3.30", HOLDS),
    ],
)  # fmt: skip
def test_a_speed_up_holds_from_the_papers_on(
    tmp_path: Path, claim: str, rows: dict[str, float], ours: str, verdict: str
) -> None:
    assert verdicts(tmp_path, *rates(**rows))[claim] == (f"{NAME}: {ours} times", verdict)


@pytest.mark.parametrize(("shared", "verdict"), [(4.0, HOLDS), (2.5, FAILS)])
def test_the_order_of_the_tilings(tmp_path: Path, shared: float, verdict: str) -> None:
    found = verdicts(tmp_path, *rates(tiling_global=2.0, tiling_register=3.0, tiling_shared=shared))
    ours, judged = found["each faster than the one before: tiling-global, tiling-register, tiling-shared"]
    assert (ours, judged) == (
        f"tiling-global 2, tiling-register 3, tiling-shared {shared:g} GCUPS (tiny)", verdict,
    )  # fmt: skip


@pytest.mark.parametrize(("papers", "verdict"), [(9.5, HOLDS), (9.4, FAILS)])
def test_the_papers_workgroup_is_the_best_within_five_per_cent(tmp_path: Path, papers: float, verdict: str) -> None:
    found = verdicts(tmp_path, *swept("baseline", {128: 10.0, 380: papers}))
    ours = f"128 threads: 10 GCUPS; 380 threads: {papers:g} (tiny, NVIDIA H200)"
    assert found["baseline: best workgroup size, to within 5%"] == (ours, verdict)


def test_the_papers_workgroup_of_a_tile_is_by_its_length(tmp_path: Path) -> None:
    found = verdicts(tmp_path, *swept("dynamic-diamond", {63: 10.0, 190: 8.0}, "tile_length"))
    ours = "127 threads, tile length 63: 10 GCUPS; 381 threads, tile length 190: 8 (tiny, NVIDIA H200)"
    assert found["dynamic-diamond: best workgroup size, to within 5%"] == (ours, FAILS)


@pytest.mark.parametrize(("rate", "verdict"), [(10.5, HOLDS), (10.6, FAILS)])
def test_fewer_reads_than_one_in_a_hundred_gain_nothing(tmp_path: Path, rate: float, verdict: str) -> None:
    rows = swept("minimised-reads", {1: 2.0, 100: 10.0, 1000: rate}, "read_interval")
    found = verdicts(tmp_path, *rows)["minimised-reads: no gain from fewer reads than 1 per 100 launches, 5% at most"]
    assert found == (f"tiny: {rate / 10:.2f} times", verdict)


def test_tiles_longer_than_three_are_judged_where_one_was_measured(tmp_path: Path) -> None:
    claim = "tilings: tiles longer than 3 are slower"
    assert verdicts(tmp_path, *swept("tiling-global", {2: 5.0, 3: 4.0}, "tile_length"))[claim][1] == NOT_MEASURED
    faster = verdicts(tmp_path, *swept("tiling-global", {2: 5.0, 4: 6.0}, "tile_length"))[claim]
    assert faster == ("tiling-global: tile length 4", FAILS)


def counted(variant: str, parameters: dict[str, int], **counters: int) -> Row:
    """A row on two strings of 1,000 letters at distance 400."""
    row = example_row(variant=variant, parameters=parameters, **EMULATOR)
    return on({**row, "counters": {**row["counters"], **counters}}, "counted", 1000, 400)


def test_threads_reads_and_launches_are_held_to_the_design(tmp_path: Path) -> None:
    whole = 401 * 2001
    dynamic = 401**2  # 1 + 3 + .. + 801, workgroups of one thread
    found = verdicts(
        tmp_path,
        counted("baseline", {"workgroup_size": 1}, launches=401, reads=401, threads=whole),
        counted("dynamic-work-items", {"workgroup_size": 1}, launches=401, reads=401, threads=dynamic),
        counted("minimised-reads", {"workgroup_size": 1, "read_interval": 100}, launches=500, reads=5),
        counted("minimised-reads", {"workgroup_size": 1, "read_interval": 100}, launches=501, reads=5),
    )
    assert found["dynamic-work-items: an invocation has the workitems of its column"] == ("1 of 1 runs", HOLDS)
    assert found["minimised-reads: a constant number of invocations more, fewer reads"] == ("1 of 2 runs", FAILS)
    ours, verdict = found["dynamic-work-items: threads saved, d (m + n + 1) / (d + 1)^2 to within 5%"]
    assert (ours, verdict) == ("threads counted (expected): counted: 4.99 (4.98)", HOLDS)


@pytest.mark.parametrize(
    ("cells", "reads", "verdict"), [(1000, 20, HOLDS), (1200, 20, FAILS), (1000, 19, NOT_MEASURED)]
)
def test_the_diamond_saves_cells_where_its_bound_is_read(tmp_path: Path, cells: int, reads: int, verdict: str) -> None:
    settings = {"tile_length": 7, "read_interval": 1}
    whole = {**counted("parallel-workgroup", settings, reads=reads), "work": 1400}
    diamond = {**counted("dynamic-diamond", settings, reads=reads), "work": cells}
    claim = "dynamic-diamond: saves 1 to 2 times the cells, more for more distance (0.5 d / n at least, less a tile)"
    ours, found = verdicts(tmp_path, whole, diamond)[claim]
    assert found == verdict
    if reads == 20:
        assert ours == f"cells saved (1 + d / n): counted, tile 7: {1400 / cells:.2f} (1.40)"


@pytest.mark.parametrize(("took", "verdict"), [(0.0258, HOLDS), (0.0300, FAILS)])
def test_variants_are_compared_with_the_papers_program_at_the_same_size(
    tmp_path: Path, took: float, verdict: str
) -> None:
    row = on(example_row(total_seconds=seconds(took)), "synthetic-100k-99", 100_000, 1000)
    ours, found = verdicts(tmp_path, row)["every variant is no slower than the paper's program on the same GPU"]
    assert found == verdict
    assert ours == {HOLDS: "1 of 1 sizes", FAILS: "0 of 1 sizes; baseline, 100,000 letters, 99 %: 0.86 times"}[verdict]


@pytest.mark.parametrize(("gcups", "ours", "verdict"), [
    (4000.0, "1 of 1 sizes", HOLDS),
    (3900.0, "0 of 1 sizes; synthetic-100k-53: 3.9 of 4 TCUPS", FAILS),
])  # fmt: skip
def test_the_engine_is_held_to_its_goals(tmp_path: Path, gcups: float, ours: str, verdict: str) -> None:
    row = on(example_row(variant="hybrid", gcups=gcups), "synthetic-100k-53", 100_000, 47_000)
    assert verdicts(tmp_path, row)["hybrid: reaches its goal at every size"] == (ours, verdict)


@pytest.mark.parametrize(("took", "verdict"), [(0.4, HOLDS), (0.5, FAILS)])
def test_a_path_takes_few_times_the_time_of_the_distance(tmp_path: Path, took: float, verdict: str) -> None:
    path = {"cost": 1100, "replayed": True, "total_seconds": seconds(took), "kernel_seconds": seconds(took)}
    row = example_row(variant="hybrid", total_seconds=seconds(0.1))
    claim = "hybrid: an optimal path takes at most 4 times the time of the distance"
    assert verdicts(tmp_path, row)[claim] == ("-", NOT_MEASURED)
    found = verdicts(tmp_path, {**row, "path": path}, {**row, "path": path, **EMULATOR})
    assert found[claim] == (f"tiny: {took * 10:.2f} times", verdict)


def test_the_papers_pair_counts_and_its_prefix_does_not(tmp_path: Path) -> None:
    prefix: Any = on_case(500.0)
    prefix["input"] = {**prefix["input"], "a": "BA000035.2:1-300000", "b": "BX927147.1:1-300000"}
    found = verdicts(tmp_path, prefix)
    assert found["baseline: speed on BA000035.2 / BX927147.1"] == ("-", NOT_MEASURED)
    assert found["edit distances of the pairs"] == ("-", NOT_MEASURED)


def test_every_claim_is_of_this_paper(tmp_path: Path) -> None:
    found = pd.DataFrame(claims(measured(tmp_path, example_row()), PUBLISHED))
    assert set(found["system"]) == {"wfa"}
    assert found["paper"].str.len().min() > 0

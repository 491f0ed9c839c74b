"""What the report says of similarities: the model, claims and tables, by values."""

from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from repro.bench.rows import Row
from repro.mgemm.model import Run, predict
from repro.mgemm.schedule import Decomposition
from repro.report.claims import FAILS, HOLDS, NOT_MEASURED
from repro.report.mgemm import figures, scaling, tables
from repro.report.mgemm.claims import claims
from repro.report.mgemm.data import RATE
from repro.report.mgemm.predictions import at_scale, best_strong, compare, fit, titan, weak_runs
from tests.report.mgemm_rows import EMULATOR, PUBLISHED, ROWS, measured, row, terms


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    return measured(tmp_path_factory.mktemp("rows"), *ROWS)


def verdicts(rows: pd.DataFrame) -> dict[str, tuple[str, str]]:
    return {claim.claim: (claim.ours, claim.verdict) for claim in claims(rows, fit(rows), PUBLISHED)}


def test_a_rate_is_that_of_kernels_or_of_the_whole(tmp_path: Path) -> None:
    whole = {"min": 1.0, "median": 2.0, "max": 3.0}
    found = measured(
        tmp_path,
        row("kernel", "float32", 1000, 50, 4.0, total_seconds=whole),
        {**row("kernel", "float32", 1000, 50, 4.0, variant="cpu"), "total_seconds": whole},
        {**row("2-way", "float32", 1000, 50, 4.0), "total_seconds": whole},
        row("3-way", "bits", 300, 50, 4.0, decomposition=(1, 3, 2), devices=2),
    )
    assert found[RATE].tolist() == pytest.approx([4.0, 2.5e-5, 499500 * 50 / 2 / 1e12, 4.0])
    assert found["measure"].tolist() == ["kernel", "kernel", "2-way", "3-way"]
    assert found[["ranks", "devices", "block_vectors"]].iloc[3].tolist() == [6, 2, 100]


def test_the_model_is_fitted_to_the_terms_and_predicts_runs(rows: pd.DataFrame) -> None:
    """On the made machine a product takes 0.1 ps per comparison, copies 50 GB/s and messages 10 GB/s."""
    fitted = fit(rows)[EMULATOR["device"], "float64"]
    assert (fitted.device_kind, fitted.complete) == ("emulator", True)
    assert fitted.machine.upload.at(8e9) == pytest.approx(8 / 50 / 2, rel=1e-3)  # the terms moved 4 bytes for 8
    single = fit(rows)["NVIDIA H200", "float32"].machine
    assert single.communication.at(4e9) == pytest.approx(0.4, rel=1e-3)
    assert single.product.at(10240**2, 10240**2 * 12288) == pytest.approx(10240**2 * 12288 / 12e12, rel=0.25)
    compared = compare(rows, fit(rows))
    assert set(compared["variant"]) == {"auto"}
    assert len(compared) == len(rows[(rows["measure"] != "kernel") & (rows["variant"] == "auto")])
    ideal = rows["work"].loc[compared.index] / compared["devices"] / 25e12
    assert (compared["predicted"] > ideal)[compared["device_kind"] == "cuda"].all()


def test_the_model_is_fitted_by_the_tiles_that_it_predicts(tmp_path: Path) -> None:
    """Every product takes as long as its whole tiles: what the edges of a few vectors take is no time of a launch."""
    made = []
    for vectors in (1544, 2880):
        tiles = (-(-vectors // 64) * 64) ** 2
        seconds = {"product": tiles * 20000 / 7e12, "triples": 16 * tiles * 20000 / 7e12}
        made.append(row("3-way", "float64", vectors, 20000, 5.0, terms={"vectors": vectors, "pivots": 16, **seconds}))
    machine = fit(measured(tmp_path, *made))["NVIDIA H200", "float64"].machine
    for line in (machine.product, machine.triples):
        assert line is not None
        assert line.base == pytest.approx(0, abs=1e-6)
        assert line.at(1600**2, 1600**2 * 20000) == pytest.approx(1600**2 * 20000 / 7e12, rel=1e-4)


def test_values_of_a_byte_go_back_as_such(tmp_path: Path) -> None:
    whole = row("2-way", "float32", 10240, 385, 5.0, terms=terms(10240, 385))
    small = row("2-way", "float32", 8192, 385, 5.0, terms={**terms(8192, 385), "download": 8192**2 / 50e9})
    small["parameters"] = {**small["parameters"], "values": "byte"}
    rows = measured(tmp_path, whole, small)
    machine = fit(rows)["NVIDIA H200", "float32"].machine
    assert machine.download.at(5e9) == pytest.approx(0.1, rel=1e-3)
    few = predict(replace(machine, bytes_per_value=1.0), Run(2, 8192, 385, Decomposition()))
    assert compare(rows, fit(rows))["predicted"].tolist()[1] == pytest.approx(few.seconds)
    assert few.seconds < predict(machine, Run(2, 8192, 385, Decomposition())).seconds


def test_predictions_are_for_the_papers_nodes(rows: pd.DataFrame) -> None:
    scale = at_scale(fit(rows), PUBLISHED)
    assert set(scale["device"]) == {"Titan (NVIDIA K20X)", "NVIDIA H200"}
    paper = scale[scale["device"] != "NVIDIA H200"].set_index(["way", "kind"])[f"predicted_{RATE}"]
    assert paper[2, "float64"] / 17472 == pytest.approx(0.199, rel=0.02)  # 398 Gop/s a node, all else hidden
    assert (scale[f"predicted_{RATE}"] > scale[f"paper_{RATE}"]).all()
    for _, run in PUBLISHED.runs.iterrows():
        runs = weak_runs(run)
        assert runs[-1].decomposition == Decomposition(1, run["vector_blocks"], run["row_ranks"])
        assert runs[-1].decomposition.ranks == run["nodes"]
        assert {each.vectors // each.decomposition.vectors for each in runs} == {run["block_vectors"]}


def test_nodes_share_the_pairs_equally() -> None:
    """Where nothing but mGEMMs takes time, twice the nodes take half of it, though block rows are not equal."""
    machine = titan(PUBLISHED, "double").machine
    seconds = [best_strong(machine, 2, nodes).seconds for nodes in (1, 2, 4, 8)]
    assert [seconds[0] / each for each in seconds] == pytest.approx([1, 2, 4, 8])


def test_claims_of_the_schedules_are_counted(rows: pd.DataFrame) -> None:
    found = verdicts(rows)
    assert found["2-way: every block row has as much work, odd n_pv"] == ("5 of 5 n_pv", HOLDS)
    assert found["2-way: block rows are at most one block apart, any n_pv"] == ("10 of 10 n_pv (1 at most)", HOLDS)
    assert found["3-way: slices of a slab"] == ("10 of 10 n_pv", HOLDS)
    assert found["3-way: load imbalance, to within 5%"] == ("10 of 10 n_pv", HOLDS)


def test_different_checksums_of_one_problem_do_not_hold(tmp_path: Path) -> None:
    claim = "the checksum is the same for every decomposition, device and variant"
    first, second = (row("2-way", "float32", 90, 50, 4.0, decomposition=split) for split in ((1, 1, 1), (1, 3, 1)))
    assert verdicts(measured(tmp_path, first, second))[claim] == ("1 of 1 problems", HOLDS)
    other = {**second, "result": {**second["result"], "checksum": "0-1-3"}}
    assert verdicts(measured(tmp_path, first, other))[claim] == ("0 of 1 problems", FAILS)
    assert verdicts(measured(tmp_path, first))[claim] == ("-", NOT_MEASURED)
    bytes_have_none = [{**each, "result": {**each["result"], "checksum": None}} for each in (first, second)]
    assert verdicts(measured(tmp_path, *bytes_have_none))[claim] == ("-", NOT_MEASURED)


def test_goals_hold_or_fail_by_the_fastest_row_of_one_gpu(rows: pd.DataFrame, tmp_path: Path) -> None:
    found = verdicts(rows)
    assert found["kernel, float32, 10,240 vectors of 12,288 elements"][1] == HOLDS
    assert found["kernel, float64, 10,240 vectors of 12,288 elements"] == ("7 T/s (NVIDIA H200)", FAILS)
    assert found["kernel, bytes, 10,240 vectors of 12,288 elements"] == ("-", NOT_MEASURED)
    emulated = measured(tmp_path, row("kernel", "bytes", 10240, 12288, 99.0, **EMULATOR))
    assert verdicts(emulated)["kernel, bytes, 10,240 vectors of 12,288 elements"] == ("-", NOT_MEASURED)


@pytest.mark.parametrize(("rate", "verdict"), [(9.7, HOLDS), (9.0, FAILS)])
def test_two_devices_are_compared_with_one(tmp_path: Path, rate: float, verdict: str) -> None:
    one = row("2-way", "float64", 20480, 10000, 5.0)
    two = row("2-way", "float64", 20480, 10000, rate, decomposition=(1, 4, 1), devices=2)
    found = verdicts(measured(tmp_path, one, two))
    ours = f"{rate / 5:.3g} times (NVIDIA H200, 20,480 × 10,000)"
    assert found["2-way, double precision: two devices of one host over one"] == (ours, verdict)
    assert found["2-way, single precision: two devices of one host over one"] == ("-", NOT_MEASURED)


def test_ratios_are_of_rows_of_the_same_code(tmp_path: Path) -> None:
    """The faster row is of later code, which the other precision was not measured with."""
    before = [row("2-way", kind, 10240, 12288, rate) for kind, rate in (("float32", 12.0), ("float64", 6.0))]
    later = row("2-way", "float32", 10240, 12288, 13.0)
    later["provenance"] = {**later["provenance"], "commit": "89abcde"}
    claim = "2-way: single over double precision"
    assert verdicts(measured(tmp_path, *before, later))[claim] == ("2 times (NVIDIA H200, 10,240 × 12,288)", HOLDS)
    assert verdicts(measured(tmp_path, before[1], later))[claim] == ("-", NOT_MEASURED)


def test_a_gpu_over_the_cpu_and_peers(tmp_path: Path) -> None:
    found = measured(
        tmp_path,
        row("2-way", "float64", 10240, 12288, 5.0),
        row("2-way", "float64", 1024, 2000, 0.1, variant="cpu"),
    )
    told = verdicts(found)
    ours = "50 times by rate (NVIDIA H200 over a CPU, 10,240 × 12,288 over 1,024 × 2,000)"
    assert told["2-way, double precision: GPU over CPU"] == (ours, HOLDS)
    assert told["3-way, double precision: GPU over CPU"] == ("-", NOT_MEASURED)
    assert told["faster than every other program measured"] == ("1 of 1 runs (12.65 to 12.65 times)", HOLDS)
    (line,) = tables.table2(found, PUBLISHED).to_dict("records")
    assert (line["speed_up"], line["paper_speed_up"], line["host"]) == (pytest.approx(50), 41, "a CPU")
    assert [line[name] for name in ("vectors", "fields", "cpu_vectors", "cpu_fields")] == [10240, 12288, 1024, 2000]


def test_what_was_not_measured_is_predicted_and_said_so(rows: pd.DataFrame) -> None:
    ours, verdict = verdicts(rows)["2-way, single precision: comparisons per second on 17,472 nodes"]
    assert verdict == NOT_MEASURED
    assert ours.startswith("16 T/s on 2 x NVIDIA H200; ")
    assert "predicted for 17,472 of them, communication as measured" in ours


def test_what_is_faster_and_what_is_lost(tmp_path: Path) -> None:
    found = verdicts(
        measured(
            tmp_path,
            row("2-way", "float32", 10240, 12288, 10.0),
            row("2-way", "float32", 20480, 12288, 12.0),
            row("2-way", "float64", 10240, 12288, 5.5),
            row("2-way", "float64", 10240, 5000, 5.9),
            row("2-way", "float32", 189625, 385, 6.0),
            row("2-way", "float32", 189625, 225, 13.0),
            row("2-way", "float32", 189625, 3850, 10.0),
            row("2-way", "bits", 16384, 1048576, 2500.0),
            row("kernel", "float32", 10240, 12288, 14.0),
        )
    )
    assert found["2-way: single over double precision"] == ("1.82 times (NVIDIA H200, 10,240 × 12,288)", FAILS)
    assert found["3-way: single over double precision"] == ("-", NOT_MEASURED)
    longer = "1.67 times (NVIDIA H200, 189,625 × 3,850 over 189,625 × 385)"
    assert found["as many vectors, longer than the sample's 385 elements"] == (longer, HOLDS)
    sorenson = "192 times (NVIDIA H200, 16,384 × 1,048,576 over 189,625 × 225)"
    assert found["Sorenson on bits over single precision"] == (sorenson, HOLDS)
    ours, verdict = found["2-way, single precision: rate of a node lost up to 17,472 nodes"]
    assert verdict == NOT_MEASURED
    assert ours.endswith("predicted for NVIDIA H200, as if all nodes had one host")
    assert found["2-way, double precision: rate of a node lost up to 17,472 nodes"] == ("-", NOT_MEASURED)


def test_tables(rows: pd.DataFrame, tmp_path: Path) -> None:
    tables.write_tables(tmp_path, rows, fit(rows), PUBLISHED)
    read = {path.stem: pd.read_csv(path, sep="\t") for path in tmp_path.glob("*.tsv")}
    assert len(read["measurements"]) == len(ROWS)
    first = read["table1"].set_index(["precision", "variant", "device"])
    assert first.loc[("single", "auto", "NVIDIA H200"), "share_of_gemm"] == pytest.approx(14 / 24, rel=1e-4)
    assert first.loc[("double", "fmin", "Titan (NVIDIA K20X)"), "gop_per_second"] == 398
    third = read["table3"].groupby("source").size()
    assert third.to_dict() == {"stated in the paper": 2, "predicted by our model": 4, "measured here": 6}
    sixth = read["table6"].set_index("method")["per_flop"]
    assert sixth["CoMet, 3-way, single"] == pytest.approx(5.7e15 / (18424 * 1311e9), rel=1e-4)
    limits = read["limits"].set_index(["measure", "kind", "vectors", "fields"])
    assert limits.loc[("kernel", "float32", 10240, 12288), ["goal", "limit"]].tolist() == [14, 16.7]


def test_sets_and_short_vectors_stand_in_for_the_poplar_set(tmp_path: Path) -> None:
    real = row("2-way", "alleles", 2000, 379, 1.0)
    real["input"]["set"] = "genotypes-eur"
    found = measured(tmp_path, real, row("2-way", "float32", 5000, 385, 2.0), row("2-way", "float32", 5000, 500, 2.0))
    assert tables.table5(found)["data"].tolist() == [
        "genotypes-eur, in place of the poplar set",
        "made, short vectors",
    ]


@pytest.mark.parametrize(
    "only",
    [
        row("kernel", "float32", 100, 100, 1.0, **EMULATOR),
        row("kernel", "bytes", 100, 100, 1.0),
        row("2-way", "float32", 100, 100, 1.0, variant="cpu"),
        row("3-way", "bits", 100, 100, 1.0),
        row("2-way", "float64", 100, 100, 1.0, decomposition=(1, 2, 1), terms=terms(50, 100)),
    ],
)
def test_one_row_is_enough_for_everything(only: Row, tmp_path: Path) -> None:
    rows = measured(tmp_path, only)
    machines, paths = fit(rows), [tmp_path / "figure.png"]
    tables.write_tables(tmp_path, rows, machines, PUBLISHED)
    assert len(list(tmp_path.glob("*.tsv"))) == 9
    assert len(claims(rows, machines, PUBLISHED)) > 30
    scaling.draw_strong(rows, machines, PUBLISHED, paths)
    for way, precision in ((2, "double"), (3, "single")):
        scaling.draw_weak(rows, machines, PUBLISHED, way, precision, paths)
    scaling.draw_model(rows, machines, paths)
    figures.draw_kernels(rows, PUBLISHED, paths)
    figures.draw_rates(rows, PUBLISHED, paths)
    assert not plt.get_fignums()

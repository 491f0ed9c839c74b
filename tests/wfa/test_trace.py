from pathlib import Path

import numpy as np
import pytest

from repro.bench.provenance import provenance
from repro.bench.rows import validate
from repro.device import KernelTimes, open_device
from repro.errors import InputError
from repro.wfa.experiment import Experiment, PairFiles
from repro.wfa.runs import Runs
from repro.wfa.trace import TIMELINE_LAUNCHES, _timeline, _Watch, trace
from repro.wfa.variants import VARIANTS

LETTERS = np.frombuffer(b"ACGT", np.uint8)


def strings(length, seed):
    rng = np.random.default_rng(seed)
    return rng.choice(LETTERS, length), rng.choice(LETTERS, length)


@pytest.mark.parametrize("interval", [1, 10])
def test_a_time_line_begins_after_a_read_and_keeps_the_order_of_host_and_device(device, interval):
    a, b = strings(600, 1)  # the first of the nine stretches begins after a read, too
    minimised = VARIANTS["minimised-reads"]
    settings = minimised.complete({"read_interval": interval, "workgroup_size": 32})
    found = []
    seen = trace(device, lambda watched: found.append(minimised.run(watched, a, b, **settings)), 20)
    launches = -(-(found[0].distance + 1) // interval) * interval

    assert len(seen["launch"]) == len(seen["seconds"]) == 20
    assert seen["launch"] == sorted(set(seen["launch"]))
    assert seen["launch"][-1] < launches
    assert all(0 < seconds < 1 for seconds in seen["seconds"])

    assert seen["first"] % interval == 0
    assert len(seen["launching"]) == len(seen["running"]) == TIMELINE_LAUNCHES
    for (asked, returned), (began, ended) in zip(seen["launching"], seen["running"], strict=True):
        assert asked <= returned
        assert asked - 1e-9 <= began < ended
    assert seen["launching"][0][0] == 0
    assert len(seen["reading"]) == TIMELINE_LAUNCHES // interval
    first_read, first_after = seen["reading"][0], seen["launching"][interval]
    assert seen["launching"][interval - 1][1] <= first_read[0] < first_read[1] <= first_after[0]


def test_a_time_line_is_not_that_of_launches_that_the_host_was_interrupted_in():
    watch = _Watch()
    clock = 0.0
    for launch in range(500):
        clock += 0.1 if launch == 250 else 1e-5  # in the middle
        watch.launches.append((clock, clock + 5e-6))
    times = KernelTimes([4e-6] * 500, [began for began, _ in watch.launches])
    seen = _timeline(watch, times)
    assert len(seen["launching"]) == TIMELINE_LAUNCHES
    assert seen["launching"][-1][1] == pytest.approx((TIMELINE_LAUNCHES - 1) * 1e-5 + 5e-6)
    assert not seen["first"] < 250 < seen["first"] + TIMELINE_LAUNCHES


def test_a_run_of_few_launches_is_traced_whole(device):
    a, b = strings(6, 2)
    baseline = VARIANTS["baseline"]
    outcomes = []
    seen = trace(device, lambda watched: outcomes.append(baseline.run(watched, a, b, workgroup_size=32)), 400)
    launches = outcomes[0].distance + 1
    assert seen["launch"] == list(range(launches))
    assert (seen["first"], len(seen["launching"]), len(seen["reading"])) == (0, launches, launches)


@pytest.mark.parametrize("name", [name for name in VARIANTS if name != "hybrid"])
def test_every_variant_of_the_paper_can_be_traced(name):
    device = open_device("emulator")
    a, b = strings(40, 3)
    variant = VARIANTS[name]
    outcomes = []
    settings = variant.complete({"tile_length": 2} if "tile_length" in variant.settings else {})
    trace(device, lambda watched: outcomes.append(variant.run(watched, a, b, **settings)), 5)
    assert outcomes[0].distance == variant.run(device, a, b, **settings).distance


def test_runs_of_the_papers_example(tmp_path: Path) -> None:
    (tmp_path / "pair.fa").write_text(">p\nCACCTGACTTA\n>t\nACCATGGACTG\n")
    runs = Runs.of(PairFiles(f"{tmp_path / 'pair.fa'}#p", f"{tmp_path / 'pair.fa'}#t", 11, 11, None))
    assert (runs.a, runs.b, runs.distance, runs.symbols) == ("p", "t", 5, 4)
    assert sum(runs.cells) == 36
    assert runs.at_least()[0] == 1
    assert runs.cells == [29, 4, 1, 2]  # the longest are ACC on diagonal -1 and ACT on diagonal 1
    assert runs.at_least() == [1, 7 / 36, 3 / 36, 2 / 36]


def test_a_prefix_is_named_and_has_its_letters(tmp_path: Path) -> None:
    (tmp_path / "pair.fa").write_text(">p\nCACCTGACTTA\n>t\nACCATGGACTG\n")
    files = PairFiles(f"{tmp_path / 'pair.fa'}#p", f"{tmp_path / 'pair.fa'}#t", 11, None, None, prefix=4)
    a, b = files.read()
    assert [(s.name, s.letters.tobytes()) for s in (a, b)] == [("p:1-4", b"CACC"), ("t:1-4", b"ACCA")]
    with pytest.raises(InputError, match=r"pair\.fa#p: 11 letters, but the configuration wants the first 12"):
        PairFiles(f"{tmp_path / 'pair.fa'}#p", f"{tmp_path / 'pair.fa'}#t", 11, None, None, prefix=12).read()


@pytest.mark.parametrize("points", [0, 3])
def test_rows_of_a_prefix_have_its_name_and_a_trace_where_one_is_asked_for(tmp_path: Path, points: int) -> None:
    (tmp_path / "pair.fa").write_text(">p\nCACCTGACTTA\n>t\nACCATGGACTG\n")
    files = PairFiles(f"{tmp_path / 'pair.fa'}#p", f"{tmp_path / 'pair.fa'}#t", 11, None, None, prefix=7)
    entry = {"name": "x", "variants": ["baseline"], "pairs": ["example"], "settings": {}, "prefix": 7}
    experiment = Experiment.from_entry(entry | ({"trace": points} if points else {}), ["example"], 1)
    assert experiment.inputs == ["example-first-7"]
    (point,) = experiment.points({"example": files})
    row = point.measure(open_device("emulator"))
    assert (row["input"]["name"], row["input"]["a"], row["input"]["len_b"]) == ("example-first-7", "p:1-7", 7)
    assert row["counters"]["launches"] == row["result"] + 1  # the traced run is not counted
    assert len(row.get("trace", {}).get("launch", [])) == points
    assert point.key["trace"] == points


def test_rows_have_a_path_where_one_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "pair.fa").write_text(">p\nCACCTGACTTA\n>t\nACCATGGACTG\n")
    files = PairFiles(f"{tmp_path / 'pair.fa'}#p", f"{tmp_path / 'pair.fa'}#t", 11, 11, 5)
    entry = {"name": "x", "variants": ["hybrid"], "pairs": ["example"], "settings": {}}
    keys = []
    for given in ({}, {"path": True}):
        (point,) = Experiment.from_entry({**entry, **given}, ["example"], 2).points({"example": files})
        keys.append(point.key)
        row = point.measure(open_device("emulator"))
        path = row.get("path")
        assert (path is not None) == bool(given)
        if path:
            assert (row["result"], path["cost"], path["replayed"]) == (5, 5, True)
            assert 0 < path["kernel_seconds"]["min"] <= path["total_seconds"]["max"]
            validate({**row, "provenance": provenance("test", {}, {})}, "row")
    assert keys[0] != keys[1]
    with pytest.raises(InputError, match="path: of hybrid alone, not of baseline; leave one of them out"):
        Experiment.from_entry({**entry, "variants": ["hybrid", "baseline"], "path": True}, ["example"], 2)

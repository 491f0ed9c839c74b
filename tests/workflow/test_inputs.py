from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from repro.inputs.graphs.files import read_graph
from repro.inputs.vectors.files import read_vectors
from tests.workflow.conftest import ROOT, SHEET, Project

PAIRS = SHEET + (
    "far\tncbi\tNC_9999999.1\tNC_9999998.1\t\t\t\t\t\t\tnot cached\n"
    "gone\tunavailable\tgbgss201\tgbhtg11\t\t\t\t\t\t\tnot kept by release\n"
)
READS = """\
name\tsource\tplatform\tfile\tgenome\treads\tlength\tlength_sd\tseed\tnote
near\tbuiltin\tillumina\t\tNC_9999998.1\t40\t50\t\t1\t
far\tbuiltin\tclr\t\tNC_9999999.1\t40\t300\t\t1\t
"""


@pytest.fixture
def offline(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project without network whose cache holds one of two accessions."""
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("REPRO_CACHE", str(project.folder / "cache"))
    (project.folder / "cache").mkdir()
    (project.folder / "cache/NC_9999998.1.fa").write_text(">NC_9999998.1\n" + "GATTACA" * 100 + "\n")
    (project.folder / "config/pairs.tsv").write_text(PAIRS)
    (project.folder / "config/reads.tsv").write_text(READS)
    for sheet in ("vectors", "graphs"):
        (project.folder / f"config/{sheet}.tsv").write_text((ROOT / f"config/{sheet}.tsv").read_text())
    return project


def test_a_run_without_network_uses_what_is_cached_and_says_what_it_left_out(offline: Project) -> None:
    offline.configure(
        device="emulator",
        inputs={"reads": ["near", "far"], "vectors": ["bits-200"], "graphs": ["grid-225"]},
        wfa={
            "experiments": [{"name": "tiny", "pairs": ["example", "far", "gone"]}, {"name": "lost", "pairs": ["far"]}]
        },
    )
    status, output = offline.snakemake("inputs")
    assert status == 0, output
    reason = "NC_9999999.1 is not in the cache and NCBI cannot be reached"
    assert f"left out: pair far: {reason}" in output
    assert "left out: pair gone: not kept by release" in output
    assert f"left out: reads far: {reason}" in output
    table = pd.read_csv(offline.folder / "results/tables/inputs.tsv", sep="\t", keep_default_na=False)
    assert table.name.tolist() == ["near", "bits-200", "grid-225", "gone", "far", "far"]
    assert table.left_out.tolist() == ["", "", "", "not kept by release", reason, reason]
    linked = offline.folder / "resources/ncbi/NC_9999998.1.fa"
    assert linked.samefile(offline.folder / "cache/NC_9999998.1.fa")
    truth = pd.read_csv(offline.folder / "results/inputs/reads/near.truth.tsv", sep="\t")
    assert set(truth.record) == {"NC_9999998.1"}
    bits = read_vectors(offline.folder / "results/inputs/vectors/bits-200.npz")
    assert set(np.unique(bits.values)) == {0, 1}
    assert read_graph(offline.folder / "results/inputs/graphs/grid-225.npy").edges == 420
    assert not list(offline.folder.rglob("*far*"))


def test_a_cached_record_of_another_length_than_the_sheets_is_refused(offline: Project) -> None:
    (offline.folder / "config/pairs.tsv").write_text(
        PAIRS + "near\tncbi\tNC_9999998.1\tNC_9999998.1\t701\t\t\t\t\t\t\n"
    )
    status, output = offline.snakemake("resources/ncbi/NC_9999998.1.fa")
    assert status == 1
    assert "the cached record has 700 letters where 701 are expected; delete the file to fetch it again" in output


def test_a_failed_download_is_one_line_and_leaves_nothing(offline: Project) -> None:
    status, output = offline.snakemake("resources/ncbi/NC_9999999.1.fa")
    assert status == 1
    assert "error: NC_9999999.1: NCBI cannot be reached" in output
    assert "Traceback" not in output
    assert not (offline.folder / "resources/ncbi/NC_9999999.1.fa").exists()
    assert sorted(path.name for path in Path(offline.folder / "cache").iterdir()) == [".lock", "NC_9999998.1.fa"]


def test_an_unknown_set_is_named_with_the_nearest(offline: Project) -> None:
    offline.configure(inputs={"vectors": ["bits-20"]})
    status, output = offline.snakemake("--dry-run")
    assert status == 1
    assert "config/vectors.tsv: has no line named 'bits-20'; the nearest is bits-200" in output


@pytest.mark.parametrize(
    ("pair", "status", "message"),
    [
        ("far", 0, "left out: pair far: NC_9999999.1 is not in the cache and NCBI cannot be reached"),
        ("gone", 0, "left out: pair gone: not kept by release"),
        ("exampel", 1, "config/pairs.tsv: has no line named 'exampel'; the nearest is example"),
        ("large", 1, "wfa.runs: prefix 4000: pair large may have a sequence of 2100 letters; give no more"),
    ],
)
def test_the_pair_of_runs_is_left_out_or_refused_like_any_other(
    offline: Project, pair: str, status: int, message: str
) -> None:
    tiny = {"name": "tiny", "pairs": ["example"], "settings": {"workgroup_size": [32]}}
    offline.configure(device="emulator", wfa={"runs": {"pair": pair, "prefix": 4000}, "experiments": [tiny]})
    found, output = offline.snakemake("--dry-run")
    assert found == status, output
    assert message in output
    assert "inputs_ncbi" not in output
    assert "Traceback" not in output

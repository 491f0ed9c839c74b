import pandas as pd

from repro.bench.rows import read_rows
from tests.workflow.conftest import Project

SHEET = """\
name\tsource\tplatform\tfile\tgenome\treads\tlength\tlength_sd\tseed\tnote
short\tbuiltin\tillumina\t\tgenome.fa\t6\t40\t\t1\t
"""
ENTRY = {
    "name": "tiny",
    "variants": ["fp32", "half2"],
    "reads": ["short"],
    "queries": 3,
    "gaps": ["linear"],
}


def configure(project: Project, **changes: object) -> None:
    (project.folder / "config" / "reads.tsv").write_text(SHEET)
    (project.folder / "genome.fa").write_text(">g\n" + "GATTACACATTAGCCGTAAGCTTGCA" * 9 + "\n")
    window = {**ENTRY, "name": "windows", "variants": ["fp32"], "against": "window"}
    project.configure(device="emulator", repetitions=1, shuffle={"experiments": [{**ENTRY, **changes}, window]})


def test_a_run_ends_in_checked_rows_figures_tables_and_claims(project: Project) -> None:
    configure(project)
    status, output = project.snakemake("shuffle")
    assert status == 0, output
    results = project.folder / "results"
    rows = read_rows(results / "checks" / "shuffle" / "tiny.jsonl")
    assert [(row["input"]["name"], row["input"]["pairs"], row["variant"]) for row in rows] == [
        ("short", 18, "fp32"),
        ("short", 18, "half2"),
    ]
    assert rows[1]["check"]["against"] == {"reference": 18, "biopython": 18, "scores": "fp32", "symmetric": 9}
    (window,) = read_rows(results / "checks" / "shuffle" / "windows.jsonl")
    assert (window["input"]["against"], window["input"]["pairs"]) == ("window", 3)
    claims = pd.read_csv(results / "tables" / "shuffle" / "claims.tsv", sep="\t").set_index("claim")
    assert claims.loc["share of the peak, by Table 2", "ours"] == "82 to 95 %"
    assert claims.loc["half2 is faster than fp32", "verdict"] == "not measured here"
    assert len(list((results / "figures" / "shuffle").iterdir())) == 3 * 5
    status, output = project.snakemake("shuffle")
    assert (status, "Nothing to be done" in output) == (0, True), output


def test_a_wrong_score_fails_the_run(project: Project) -> None:
    configure(project)
    status, output = project.snakemake("results/measurements/shuffle/tiny.jsonl")
    assert status == 0, output
    path = project.folder / "results" / "measurements" / "shuffle" / "tiny.jsonl"
    digest = read_rows(path)[0]["result"]["sampled"]
    path.write_text(path.read_text().replace(digest, "0" * 64, 1))
    status, output = project.snakemake("shuffle")
    assert status == 1
    assert "some of 18 scores are wrong, the CPU gives others" in output
    assert "Traceback" not in output
    assert not list(project.folder.glob("results/figures/shuffle/*"))


def test_a_wrong_configuration_is_one_line(project: Project) -> None:
    configure(project, settings={"columns": [64]})
    status, output = project.snakemake("shuffle")
    assert status == 1
    assert "experiment tiny: variant fp32: columns = 64 is not within 4 to 32" in output
    assert "Traceback" not in output

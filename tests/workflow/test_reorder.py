import pandas as pd

from repro.bench.rows import read_rows
from tests.workflow.conftest import Project

ENTRY = {
    "name": "tiny",
    "variants": ["unoptimised", "optimised"],
    "lengths": [100, 256],
    "settings": {"block_size": [64, 256], "traceback": [0]},
}


def configure(project: Project, **changes: object) -> None:
    compact = {"name": "small", "variants": ["compact"], "lengths": [100], "settings": {"traceback": [0, 1]}}
    experiments = [{**ENTRY, **changes}, compact]
    project.configure(device="emulator", repetitions=1, reorder={"experiments": experiments})


def test_a_run_ends_in_checked_rows_figures_tables_and_claims(project: Project) -> None:
    configure(project)
    status, output = project.snakemake("reorder")
    assert status == 0, output
    results = project.folder / "results"
    rows = read_rows(results / "checks" / "reorder" / "tiny.jsonl")
    assert [(row["input"]["name"], row["variant"], row["parameters"]["block_size"]) for row in rows] == [
        (f"random-{length}", variant, size)
        for length in (100, 256)
        for variant in ("unoptimised", "optimised")
        for size in (64, 256)
    ]
    assert rows[0]["check"]["against"] == dict.fromkeys(("reference", "biopython"), rows[0]["result"]["score"])
    claims = pd.read_csv(results / "tables" / "reorder" / "claims.tsv", sep="\t").set_index("claim")
    assert claims.loc["extra memory as allocated", "ours"] == "4 of 4 runs"
    assert len(list((results / "figures" / "reorder").iterdir())) == 3 * 12
    status, output = project.snakemake("reorder")
    assert (status, "Nothing to be done" in output) == (0, True), output
    (results / "checks" / "reorder" / "small.jsonl").unlink()
    status, output = project.snakemake("reorder")
    assert (status, len(read_rows(results / "checks" / "reorder" / "small.jsonl"))) == (0, 2), output


def test_a_wrong_score_fails_the_run(project: Project) -> None:
    configure(project)
    status, output = project.snakemake("results/measurements/reorder/tiny.jsonl")
    assert status == 0, output
    path = project.folder / "results" / "measurements" / "reorder" / "tiny.jsonl"
    score = read_rows(path)[0]["result"]["score"]
    path.write_text(path.read_text().replace(f'"score": {score},', f'"score": {score + 1},', 1))
    status, output = project.snakemake("reorder")
    assert status == 1
    assert f"score {score + 1} is wrong, the CPU gives {score}" in output
    assert "Traceback" not in output
    assert not list(project.folder.glob("results/figures/reorder/*"))


def test_a_wrong_configuration_is_one_line(project: Project) -> None:
    configure(project, settings={"block_size": [2048]})
    status, output = project.snakemake("reorder")
    assert status == 1
    assert "experiment tiny: variant unoptimised: block_size = 2048 is not within 1 to 1024" in output
    assert "Traceback" not in output

import pandas as pd

from repro.bench.rows import read_rows
from tests.workflow.conftest import Project


def configure(project: Project, **changes: object) -> None:
    (project.folder / "config" / "graphs.tsv").write_text(
        "name\tsource\tfile\tdirected\tkind\tnodes\tdensity\tseed\torigin\tterms\n"
        "grid\tsynthetic\t\t\tgrid\t49\t\t1\t\t\n"
    )
    tiny = {"name": "tiny", "variants": ["katz-kider", "staged", "scipy"], "sizes": [70], "graphs": ["grid"]}
    streamed = {"name": "streamed", "variants": ["out-of-core"], "sizes": [200], "memory_percent": [400]}
    project.configure(device="emulator", repetitions=1, apsp={"experiments": [{**tiny, **changes}, streamed]})


def test_a_run_ends_in_checked_rows_figures_tables_and_claims(project: Project) -> None:
    configure(project)
    status, output = project.snakemake("apsp")
    assert status == 0, output
    results = project.folder / "results"
    rows = read_rows(results / "checks" / "apsp" / "tiny.jsonl")
    assert [(row["input"]["name"], row["variant"]) for row in rows] == [
        (name, variant) for name in ("complete-70", "grid") for variant in ("katz-kider", "staged", "scipy")
    ]
    assert rows[0]["check"] == {"passed": True, "against": {"dijkstra": 4, "paths": None}}
    claims = pd.read_csv(results / "tables" / "apsp" / "claims.tsv", sep="\t").set_index("claim")
    assert claims.loc["katz-kider: three launches in every round", "ours"].startswith("2 of 2 runs")
    assert len(list((results / "figures" / "apsp").iterdir())) == 3 * 5
    status, output = project.snakemake("apsp")
    assert (status, "Nothing to be done" in output) == (0, True), output


def test_a_wrong_distance_fails_the_run(project: Project) -> None:
    configure(project)
    status, output = project.snakemake("results/measurements/apsp/tiny.jsonl")
    assert status == 0, output
    path = project.folder / "results" / "measurements" / "apsp" / "tiny.jsonl"
    path.write_text(path.read_text().replace('"reached": 70', '"reached": 69', 1))
    status, output = project.snakemake("apsp")
    assert status == 1
    assert "row 0: reached 69 is wrong, Dijkstra's algorithm gives 70" in output
    assert "Traceback" not in output
    assert not list(project.folder.glob("results/figures/apsp/*"))


def test_a_wrong_configuration_is_one_line(project: Project) -> None:
    configure(project, graphs=["gird"])
    status, output = project.snakemake("apsp")
    assert status == 1
    assert "experiment tiny: graph 'gird' is not in the sheet (it has: grid)" in output
    assert "Traceback" not in output

import pandas as pd

from repro.bench.rows import read_rows
from repro.mgemm.measured import has_mpi
from tests.workflow.conftest import Project


def configure(project: Project, **changes: object) -> None:
    (project.folder / "config" / "vectors.tsv").write_text(
        "name\tsource\tfile\tkind\tvectors\tfields\tseed\torigin\tterms\n"
        "few\tsynthetic\t\talleles\t20\t30\t1\t\t\n"
        "read\tfile\tvectors.tsv\t\t\t\t\ttest\ttest\n"
    )
    (project.folder / "vectors.tsv").write_text("1\t2\n3\t4\n2\t1\n4\t3\n")
    sets = {"name": "sets", "sets": ["few", "read"], "ways": [2, 3], "kinds": ["float64"]}
    ranks = {"name": "ranks", "vectors": [12], "fields": [30], "decompositions": [[1, 1, 1], [1, 2, 1]], **changes}
    kernels = {"name": "kernels", "measure": "kernel", "variants": ["fmin", "gemm"], "vectors": [20], "fields": [30]}
    project.configure(device="emulator", repetitions=1, mgemm={"experiments": [sets, ranks, kernels]})


def test_a_run_ends_in_checked_rows_figures_tables_and_claims(project: Project) -> None:
    configure(project)
    status, output = project.snakemake("mgemm")
    assert status == 0, output
    results = project.folder / "results"
    rows = read_rows(results / "checks" / "mgemm" / "sets.jsonl")
    assert [(row["input"]["name"], row["parameters"]["way"]) for row in rows] == [
        ("float64-few", 2), ("float64-few", 3), ("float64-read", 2), ("float64-read", 3),
    ]  # fmt: skip
    # CoMet's checksums of these four vectors.
    assert rows[2]["result"]["checksum"] == "0-82898256547-645082804690974176"
    assert rows[3]["result"]["checksum"] == "0-84749404949-5538720434861296"
    one, two = read_rows(results / "checks" / "mgemm" / "ranks.jsonl")
    assert one["result"]["checksum"] == two["result"]["checksum"]
    assert two["result"]["transport"] == ("mpi" if has_mpi() else "threads")
    claims = pd.read_csv(results / "tables" / "mgemm" / "claims.tsv", sep="\t").set_index("claim")
    checksums = claims.loc["the checksum is the same for every decomposition, device and variant"]
    assert checksums["verdict"] == "holds"
    assert len(list((results / "figures" / "mgemm").iterdir())) == 3 * 11
    assert len(list((results / "tables" / "mgemm").iterdir())) == 10
    status, output = project.snakemake("mgemm")
    assert (status, "Nothing to be done" in output) == (0, True), output


def test_a_wrong_value_fails_the_run(project: Project) -> None:
    configure(project)
    status, output = project.snakemake("results/measurements/mgemm/ranks.jsonl")
    assert status == 0, output
    path = project.folder / "results" / "measurements" / "mgemm" / "ranks.jsonl"
    path.write_text(path.read_text().replace('"checksum": "0-', '"checksum": "1-', 1))
    status, output = project.snakemake("mgemm")
    assert status == 1
    assert "ranks: auto" in output
    assert "is wrong, the CPU gives 0-" in output
    assert "Traceback" not in output
    assert not list(project.folder.glob("results/figures/mgemm/*"))


def test_a_wrong_configuration_is_one_line(project: Project) -> None:
    configure(project, decompositions=[[1, 13, 1]])
    status, output = project.snakemake("mgemm")
    assert status == 1
    assert "experiment ranks: n_pv = 13: there are 12 vectors; give fewer ranks" in output
    assert "Traceback" not in output

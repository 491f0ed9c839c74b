import pytest

from tests.workflow.conftest import Project


def experiment(**keys: object) -> dict[str, object]:
    return {"device": "emulator", "wfa": {"experiments": [{"name": "tiny", "pairs": ["example"], **keys}]}}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"divice": "emulator"}, "configuration: unknown key 'divice'; did you mean 'device'?"),
        (experiment(settings={"workgroup_size": [0]}), "experiment tiny: variant baseline: workgroup_size = 0"),
    ],
)
def test_a_fault_in_the_configuration_stops_before_any_job(
    project: Project, config: dict[str, object], message: str
) -> None:
    project.configure(**config)
    status, output = project.snakemake()
    assert status == 1
    assert message in output
    assert "Traceback" not in output
    assert not (project.folder / "results").exists()


def test_a_fault_in_a_sequence_is_named_by_file_record_and_place(project: Project) -> None:
    project.configure(**experiment())
    (project.folder / "example.fa").write_text(">p\nCACCTGACTTA\n>t\nACCAT-GACTG\n")
    status, output = project.snakemake()
    assert status == 1
    assert "error: example.fa: record 2 (t), line 4, column 6: '-' is an alignment gap" in output
    assert "Traceback" not in output
    assert not list(project.folder.glob("results/measurements/wfa/*"))


def test_a_report_that_fails_leaves_the_figures_of_the_last_run_and_is_made_again(project: Project) -> None:
    project.configure(**experiment(settings={"workgroup_size": [32]}))
    status, output = project.snakemake()
    assert status == 0, output
    folder = project.folder / "results/figures/wfa"
    figures = {path: path.read_bytes() for path in sorted(folder.iterdir())}
    rows = project.folder / "resources/measured/h200/wfa/rows.jsonl"
    rows.parent.mkdir(parents=True)
    rows.write_text((project.folder / "results/checks/wfa/tiny.jsonl").read_text() + "{}\n")
    for _ in range(2):
        status, output = project.snakemake()
        assert status == 1
        assert "error: resources/measured/h200/wfa/rows.jsonl: line 2: the row: '" in output
        assert {path: path.read_bytes() for path in sorted(folder.iterdir())} == figures
        assert (project.folder / "results/report.md").exists()
    rows.write_text(rows.read_text().removesuffix("{}\n"))
    status, output = project.snakemake()
    assert status == 0, output
    assert min(path.stat().st_mtime for path in folder.iterdir()) > rows.stat().st_mtime
    assert not (project.folder / "results/.last").exists()

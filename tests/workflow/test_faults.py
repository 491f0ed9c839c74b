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


def test_a_bad_row_measured_elsewhere_is_named_and_the_figures_of_the_last_run_stay(project: Project) -> None:
    project.configure(**experiment(settings={"workgroup_size": [32]}))
    status, output = project.snakemake()
    assert status == 0, output
    figures = sorted((project.folder / "results/figures/wfa").iterdir())
    rows = project.folder / "resources/measured/h200/wfa/rows.jsonl"
    rows.parent.mkdir(parents=True)
    rows.write_text((project.folder / "results/checks/wfa/tiny.jsonl").read_text() + "{}\n")
    status, output = project.snakemake()
    assert status == 1
    assert "error: resources/measured/h200/wfa/rows.jsonl: line 2: the row: '" in output
    assert sorted((project.folder / "results/figures/wfa").iterdir()) == figures
    assert (project.folder / "results/report.md").exists()

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
SHEET = """\
name\tsource\ta\tb\tlength_a\tlength_b\tsimilarity\tseed\tdistance\tpublished_distance\tnote
example\tfile\texample.fa#p\texample.fa#t\t11\t11\t\t\t5\t\tFig. 2
small\tsynthetic\t\t\t500\t\t0.9\t1\t\t\t
large\tsynthetic\t\t\t3000\t\t0.7\t1\t\t\t
"""


@dataclass(frozen=True)
class Project:
    """A copy of the workflow with small pairs of its own."""

    folder: Path

    def configure(self, **config: object) -> None:
        (self.folder / "config" / "config.yaml").write_text(yaml.safe_dump(config))

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "snakemake", "--cores", "2", *arguments],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
        )

    def snakemake(self, *arguments: str) -> tuple[int, str]:
        process = self.start(*arguments)
        output, _ = process.communicate(timeout=300)
        return process.returncode, output


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name in ("workflow", "profiles", "config/schemas", "resources/published", "envs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "Snakefile", tmp_path)
    for sheet in ("graphs.tsv", "vectors.tsv"):
        shutil.copy(ROOT / "config" / sheet, tmp_path / "config")
    (tmp_path / "config" / "pairs.tsv").write_text(SHEET)
    (tmp_path / "example.fa").write_text(">p\nCACCTGACTTA\n>t\nACCATGGACTG\n")
    project = Project(tmp_path)
    project.configure(
        device="emulator",
        repetitions=2,
        wfa={
            "experiments": [{"name": "tiny", "pairs": ["example", "small"], "settings": {"workgroup_size": [32, 64]}}]
        },
    )
    return project

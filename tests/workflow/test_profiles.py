"""The profile for clusters knows every timed job and has memory for the largest one."""

import re

import numpy as np
import yaml

from tests.workflow.conftest import ROOT

SET = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text())["set-resources"]


def test_every_timed_job_has_a_node_of_its_own() -> None:
    rules = [path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk")]
    timed = {name for text in rules for name in re.findall(r"^rule (\w+_measure):", text, re.MULTILINE)}
    assert len(timed) == 5
    assert set(SET) == timed
    assert all("--exclusive" in resources["slurm_extra"] for resources in SET.values())


def test_memory_is_enough_for_the_largest_matrices_of_the_papers_configuration() -> None:
    apsp = yaml.safe_load((ROOT / "config/paper.yaml").read_text())["apsp"]["experiments"]
    # Weights and blocks, and on a GPU the results of as many timed runs and as many with events.
    needed = [
        max(entry["sizes"]) ** 2
        * max(np.dtype(dtype).itemsize for dtype in entry.get("dtypes", ["float32"]))
        * (2 + 2 * entry.get("repetitions", 3))
        for entry in apsp
    ]
    assert max(needed) < SET["apsp_measure"]["mem_mb"] * 10**6

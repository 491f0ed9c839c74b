from pathlib import Path
from typing import Any

import pytest
import yaml

from repro.config import complete
from repro.errors import InputError
from repro.inputs.pair_sheet import read_pairs
from repro.inputs.reads.sheet import read_read_sets
from repro.reorder.experiment import Experiment as ReorderExperiment
from repro.shuffle.experiment import Experiment as ShuffleExperiment
from repro.wfa.experiment import Experiment

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "config" / "schemas" / "config.schema.yaml"


@pytest.mark.parametrize("name", ["config.yaml", "paper.yaml"])
def test_our_own_configurations_are_valid_to_the_last_pair(name: str) -> None:
    config = complete(yaml.safe_load((ROOT / "config" / name).read_text()), SCHEMA)
    pairs = {pair.name for pair in read_pairs(ROOT / config["pairs"])}
    for entry in config["wfa"]["experiments"]:
        assert Experiment.from_entry(entry, pairs, config["repetitions"]).pairs == entry["pairs"]
    read_sets = {reads.name: reads for reads in read_read_sets(ROOT / config["reads"])}
    for entry in config["shuffle"]["experiments"]:
        assert ShuffleExperiment.from_entry(entry, read_sets, config["repetitions"]).reads == entry["reads"]
    for entry in config["reorder"]["experiments"]:
        assert ReorderExperiment.from_entry(entry, config["repetitions"]).lengths == entry["lengths"]


@pytest.mark.parametrize("system", ["wfa", "shuffle", "reorder", "apsp", "mgemm"])
def test_two_experiments_of_one_name_are_refused(system: str) -> None:
    needed = {"wfa": {"pairs": ["p"]}, "shuffle": {"reads": ["r"]}, "reorder": {"lengths": [9]}}.get(system, {})
    entries = [{"name": name, **needed} for name in ("twice", "once", "twice")]
    with pytest.raises(InputError, match=f"configuration: {system}: two experiments are called 'twice'; rename one"):
        complete({system: {"experiments": entries}}, SCHEMA)
    complete({system: {"experiments": entries[:2]}}, SCHEMA)


def test_missing_keys_get_their_defaults_so_that_old_files_keep_working() -> None:
    defaults = complete({}, SCHEMA)
    assert (defaults["device"], defaults["repetitions"], defaults["pairs"]) == ("auto", 3, "config/pairs.tsv")
    assert defaults["wfa"] == {"experiments": []}
    assert defaults["reorder"] == {"toy": {"a": "GATTACAC", "b": "GCATGC", "size": 2}, "experiments": []}
    entry = complete({"wfa": {"experiments": [{"name": "x", "pairs": ["p"]}]}}, SCHEMA)["wfa"]["experiments"][0]
    assert entry == {"name": "x", "pairs": ["p"], "variants": ["baseline"], "settings": {}}


def test_defaults_are_not_shared_between_configurations() -> None:
    complete({}, SCHEMA)["wfa"]["experiments"].append("changed")
    assert complete({}, SCHEMA)["wfa"]["experiments"] == []


def experiment(**keys: Any) -> dict[str, Any]:
    return {"wfa": {"experiments": [{"name": "x", "pairs": ["p"], **keys}]}}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"repititions": 3}, "unknown key 'repititions'; did you mean 'repetitions'? (known: device, repetitions, "),
        (
            {"wfa": {"experiment": []}},
            "wfa: unknown key 'experiment'; did you mean 'experiments'? (known: runs, experiments)",
        ),
        (experiment(setings={}), "wfa.experiments[0]: unknown key 'setings'; did you mean 'settings'?"),
        ({"wfa": {"experiments": [{"name": "x"}]}}, "wfa.experiments[0]: the key 'pairs' is missing"),
        ({"device": "gpu"}, "device: 'gpu' is not of the form: auto, cuda, cuda:N or emulator"),
        ({"repetitions": 0}, "repetitions: 0 is less than the minimum of 1"),
        ({"repetitions": "1e1"}, "repetitions: '1e1' is not of type 'integer'"),
        ({"wfa": None}, "wfa: None is not of type 'object'"),
    ],
)
def test_a_fault_is_one_line_that_names_the_key(config: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as raised:
        complete(config, SCHEMA)
    assert str(raised.value).startswith(f"configuration: {message}")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"pairs": ["q"]}, "experiment x: pair 'q' is not in the sheet of pairs; the nearest is p"),
        ({"variants": ["base"]}, "experiment x: no variant 'base'; choose one of: baseline"),
        (
            {"variants": ["baseline", "hybrid"], "trace": 10},
            "experiment x: trace: the paper's variants can be watched, hybrid cannot; leave one of them out",
        ),
        ({"settings": {"workgroup": [32]}}, "experiment x: variant baseline has no setting 'workgroup'"),
        ({"settings": {"workgroup_size": [32, 2048]}}, "experiment x: variant baseline: workgroup_size = 2048 is not"),
    ],
)
def test_what_the_schema_cannot_know_is_checked_before_anything_runs(keys: dict[str, Any], message: str) -> None:
    entry = complete(experiment(**keys), SCHEMA)["wfa"]["experiments"][0]
    with pytest.raises(InputError) as raised:
        Experiment.from_entry(entry, ["p"], 3)
    assert str(raised.value).startswith(message)

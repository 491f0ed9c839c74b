import os
from glob import glob
from pathlib import Path

from snakemake.exceptions import WorkflowError

from repro.bench.provenance import code_hash
from repro.config import complete
from repro.errors import ReproError
from repro.inputs.pair_sheet import read_pairs
from repro.wfa.experiment import Experiment


def whole_machine(wildcards):
    """Threads of a timed job: all cores of this machine; on a cluster the profile gives it a card of its own."""
    return workflow.cores if workflow.local_exec else 1


def again(output):
    """What to type to make `output` again."""
    configfiles = "".join(f" --configfile {os.path.relpath(path)}" for path in workflow.overwrite_configfiles)
    return f"snakemake --cores all {output}{configfiles}"


try:
    config = complete(config, workflow.source_path("../../config/schemas/config.schema.yaml"))
    PAIRS = {pair.name: pair for pair in read_pairs(config["pairs"])}
    WFA = {
        entry["name"]: Experiment.from_entry(entry, PAIRS, config["repetitions"])
        for entry in config["wfa"]["experiments"]
    }
except ReproError as error:
    raise WorkflowError(str(error)) from None


def sequence_paths(name):
    """Where the sequences of a pair lie: FILE or FILE#NAME."""
    pair = PAIRS[name]
    if pair.source == "file":
        return {"a": pair.a, "b": pair.b}
    if pair.source == "synthetic":
        return {side: f"results/inputs/synthetic/{name}.{side}.fa" for side in "ab"}
    if pair.source == "ncbi":
        return {side: f"resources/ncbi/{accession}.fa" for side, accession in (("a", pair.a), ("b", pair.b))}
    raise WorkflowError(f"{config['pairs']}: pair {name} is unavailable: {pair.note}")


def files_of(names):
    """The files that hold the sequences of pairs."""
    paths = [path for name in names for path in sequence_paths(name).values()]
    return [path if Path(path).exists() else path.partition("#")[0] for path in paths]


def described(names):
    """What scripts need to know of pairs: where they lie, and what the sheet says of them."""
    return {
        name: {
            **sequence_paths(name),
            "length_a": PAIRS[name].length_a,
            "length_b": PAIRS[name].length_b,
            "distance": PAIRS[name].distance,
        }
        for name in names
    }

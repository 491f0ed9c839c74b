import os
from glob import glob
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from repro.bench.experiment import naming
from repro.bench.provenance import code_hash
from repro.config import complete
from repro.errors import ReproError
from repro.inputs.graphs.sheet import read_graph_sources
from repro.inputs.ncbi_cache import default_cache
from repro.inputs.offline import left_out, ncbi_reachable, uninstalled, without
from repro.inputs.pair_sheet import read_pairs
from repro.inputs.reads.sheet import read_read_sets
from repro.inputs.sheets import chosen
from repro.inputs.vectors.sheet import read_vector_sources
from repro.wfa.experiment import Experiment


def whole_machine(wildcards):
    """Threads of a timed job: all cores of this machine; on a cluster the profile gives it a card of its own."""
    return workflow.cores if workflow.local_exec else 1


def again(output):
    """What to type to make `output` again."""
    configfiles = "".join(f" --configfile {os.path.relpath(path)}" for path in workflow.overwrite_configfiles)
    return f"snakemake --cores all {output}{configfiles}"


# Where the workflow has what it fetched; the files are links into the cache that all runs share.
NCBI = "resources/ncbi"

try:
    config = complete(config, workflow.source_path("../../config/schemas/config.schema.yaml"))
    PAIRS = {pair.name: pair for pair in read_pairs(config["pairs"])}
    # The pair whose runs of equal letters are counted, if one is named.
    WFA_RUNS = config["wfa"].get("runs")
    compared = [name for entry in config["wfa"]["experiments"] for name in entry["pairs"] if name in PAIRS]
    if WFA_RUNS:
        compared += chosen(config["pairs"], read_pairs, [WFA_RUNS["pair"]])
        try:
            PAIRS[WFA_RUNS["pair"]].check_prefix(WFA_RUNS["prefix"])
        except ReproError as error:
            raise WorkflowError(f"wfa.runs: {error}") from None
    aligned = [name for entry in config["shuffle"]["experiments"] for name in entry["reads"]]
    READS = chosen(config["reads"], read_read_sets, dict.fromkeys([*config["inputs"]["reads"], *aligned]))
    VECTORS = chosen(config["vectors"], read_vector_sources, config["inputs"]["vectors"])
    GRAPHS = chosen(config["graphs"], read_graph_sources, config["inputs"]["graphs"])
    # What cannot be had here is left out and said, not replaced; a job on another machine does not decide it again.
    LEFT_OUT = left_out(
        [PAIRS[name] for name in dict.fromkeys(compared)],
        READS.values(),
        [Path(NCBI), default_cache()],
        ncbi_reachable if workflow.is_main_process else lambda: True,
    )
    # Conda brings the simulators itself.
    if not any(method.name == "CONDA" for method in workflow.deployment_settings.deployment_method):
        LEFT_OUT += uninstalled(reads for reads in READS.values() if reads.name not in {left.name for left in LEFT_OUT})
    gone = {kind: [left.name for left in LEFT_OUT if left.kind == kind] for kind in ("pair", "reads")}
    config["wfa"]["experiments"] = without(config["wfa"]["experiments"], "pairs", gone["pair"])
    config["shuffle"]["experiments"] = without(config["shuffle"]["experiments"], "reads", gone["reads"])
    READS = {name: reads for name, reads in READS.items() if name not in gone["reads"]}
    WFA = {
        entry["name"]: Experiment.from_entry(entry, PAIRS, config["repetitions"])
        for entry in config["wfa"]["experiments"]
    }
    for experiment in WFA.values():
        with naming({"name": experiment.name}):
            for name in experiment.pairs:
                PAIRS[name].check_prefix(experiment.prefix)
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
        return {side: f"{NCBI}/{accession}.fa" for side, accession in (("a", pair.a), ("b", pair.b))}
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


def entry_of(system, name):
    """The configuration's entry of an experiment."""
    return next(entry for entry in config[system]["experiments"] if entry["name"] == name)


def length_of(accession):
    """The letters of a record by the sheet of pairs, where it says so."""
    ends = [end for pair in PAIRS.values() for end in ((pair.a, pair.length_a), (pair.b, pair.length_b))]
    return next((length for name, length in ends if name == accession and length), None)


def genome_of(name):
    """The FASTA file a set of reads is simulated from."""
    reads = READS[name]
    return f"{NCBI}/{reads.accession}.fa" if reads.accession else reads.genome


def reads_file(name):
    """Where a set of reads lies."""
    reads = READS[name]
    return reads.file if reads.source == "file" else f"results/inputs/reads/{name}.fa"


def wfa_described(names, prefix):
    """As `described`, of the first letters: the sheet's distance is that of the whole."""
    whole = described(names)
    if prefix is None:
        return whole
    return {name: {**files, "prefix": prefix, "distance": None} for name, files in whole.items()}


def wfa_compared(compared):
    """The pair of a reference, described."""
    pair, _, prefix = compared.partition("-first-")
    return wfa_described([pair], int(prefix) if prefix else None)[pair]


def apsp_files(wildcards):
    """The files that hold the graphs of an experiment."""
    entry = entry_of("apsp", wildcards.apsp_experiment)
    return [APSP_GRAPHS[name].file for name in entry["graphs"] if APSP_GRAPHS[name].file]


def mgemm_files(wildcards):
    """The files that hold the vectors of an experiment."""
    entry = entry_of("mgemm", wildcards.mgemm_experiment)
    return [MGEMM_SETS[name].file for name in entry["sets"] if MGEMM_SETS[name].file]


def shuffle_files(name):
    """Where a set of reads lies and, where it is simulated here, its truth and its genome."""
    if READS[name].source == "file":
        return {"reads": READS[name].file}
    return {
        "reads": reads_file(name),
        "truth": f"results/inputs/reads/{name}.truth.tsv",
        "genome": genome_of(name),
    }


def shuffle_described(wildcards):
    """The files of an experiment's read sets, by their names."""
    return {name: shuffle_files(name) for name in entry_of("shuffle", wildcards.shuffle_experiment)["reads"]}

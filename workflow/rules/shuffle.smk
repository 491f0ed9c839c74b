from repro.shuffle.experiment import Experiment as ShuffleExperiment
from repro.shuffle.peers import not_installed

# What is measured of programs that are not here is left out.
for name, remedy in not_installed().items():
    kept = without(config["shuffle"]["experiments"], "variants", [name])
    if kept != config["shuffle"]["experiments"]:
        logger.warning(f"left out: {name}: not installed; {remedy}")
    config["shuffle"]["experiments"] = kept

try:
    SHUFFLE = {
        entry["name"]: ShuffleExperiment.from_entry(entry, READS, config["repetitions"])
        for entry in config["shuffle"]["experiments"]
    }
except ReproError as error:
    raise WorkflowError(str(error)) from None

SHUFFLE_FIGURES = ["bars-125", "read-lengths", "efficiency", "goals", "transfers"]
SHUFFLE_TABLES = ["measurements", "table1", "table2", "goals", "peers"]


wildcard_constraints:
    shuffle_experiment="|".join(SHUFFLE) or "none",


# Batches of alignments by warp shuffles: figures, tables and claims.
rule shuffle:
    input:
        expand("results/checks/shuffle/{experiment}.jsonl", experiment=SHUFFLE),
        expand("results/figures/shuffle/{figure}.{format}", figure=SHUFFLE_FIGURES, format=["svg", "pdf", "png"]),
        expand("results/tables/shuffle/{table}.tsv", table=[*SHUFFLE_TABLES, "claims"]),


rule shuffle_measure:
    input:
        lambda wildcards: [path for files in shuffle_described(wildcards).values() for path in files.values()],
    output:
        "results/measurements/shuffle/{shuffle_experiment}.jsonl",
    log:
        "logs/shuffle/measure/{shuffle_experiment}.log",
    conda:
        "../../envs/cuda.yaml" if config["device"].startswith("cuda") else "../../envs/cpu.yaml"
    threads: whole_machine
    resources:
        gpu=1,
    params:
        entry=lambda wildcards: entry_of("shuffle", wildcards.shuffle_experiment),
        sets=READS,
        files=shuffle_described,
        device=config["device"],
        repetitions=config["repetitions"],
        journal="results/measurements/.unfinished/shuffle/{shuffle_experiment}.jsonl",
        command=lambda wildcards, output: again(output[0]),
        code=code_hash("shuffle", "device", "bench", "inputs"),
    script:
        "../scripts/shuffle_measure.py"


rule shuffle_reference:
    input:
        lambda wildcards: [path for files in shuffle_described(wildcards).values() for path in files.values()],
    output:
        "results/references/shuffle/{shuffle_experiment}.json",
    log:
        "logs/shuffle/reference/{shuffle_experiment}.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        entry=lambda wildcards: entry_of("shuffle", wildcards.shuffle_experiment),
        sets=READS,
        files=shuffle_described,
        code=code_hash("shuffle", "inputs"),
    script:
        "../scripts/shuffle_reference.py"


rule shuffle_check:
    input:
        rows="results/measurements/shuffle/{shuffle_experiment}.jsonl",
        references="results/references/shuffle/{shuffle_experiment}.json",
    output:
        "results/checks/shuffle/{shuffle_experiment}.jsonl",
    log:
        "logs/shuffle/check/{shuffle_experiment}.log",
    conda:
        "../../envs/cpu.yaml"
    script:
        "../scripts/shuffle_check.py"


rule shuffle_report:
    input:
        rows=expand("results/checks/shuffle/{experiment}.jsonl", experiment=SHUFFLE),
        measured=glob("resources/measured/*/shuffle/*.jsonl"),
        published=glob("resources/published/shuffle_*.csv"),
    output:
        figures=report(
            expand("results/figures/shuffle/{figure}.{format}", figure=SHUFFLE_FIGURES, format=["svg", "pdf", "png"]),
            caption="../report/shuffle.rst",
            category="shuffle",
        ),
        tables=expand("results/tables/shuffle/{table}.tsv", table=SHUFFLE_TABLES),
        claims="results/tables/shuffle/claims.tsv",
    log:
        "logs/shuffle/report.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        code=code_hash("report", "bench", "shuffle"),
    script:
        "../scripts/shuffle_report.py"

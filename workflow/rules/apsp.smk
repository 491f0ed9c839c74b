from repro.apsp.experiment import Experiment as ApspExperiment

try:
    APSP_GRAPHS = {source.name: source for source in read_graph_sources(config["graphs"])}
    APSP = {
        entry["name"]: ApspExperiment.from_entry(entry, APSP_GRAPHS, config["repetitions"])
        for entry in config["apsp"]["experiments"]
    }
except ReproError as error:
    raise WorkflowError(str(error)) from None

APSP_FIGURES = ["times", "rates", "phases", "tiles", "out-of-core"]


wildcard_constraints:
    apsp_experiment="|".join(APSP) or "none",


# All-pairs shortest paths: figures, tables and claims.
rule apsp:
    input:
        expand("results/checks/apsp/{experiment}.jsonl", experiment=APSP),
        expand("results/figures/apsp/{figure}.{format}", figure=APSP_FIGURES, format=["svg", "pdf", "png"]),
        "results/tables/apsp/measurements.tsv",
        "results/tables/apsp/limits.tsv",
        "results/tables/apsp/claims.tsv",


rule apsp_measure:
    input:
        apsp_files,
    output:
        "results/measurements/apsp/{apsp_experiment}.jsonl",
    log:
        "logs/apsp/measure/{apsp_experiment}.log",
    conda:
        "../../envs/cuda.yaml" if config["device"].startswith("cuda") else "../../envs/cpu.yaml"
    threads: whole_machine
    resources:
        gpu=1,
    params:
        entry=lambda wildcards: entry_of("apsp", wildcards.apsp_experiment),
        graphs=config["graphs"],
        device=config["device"],
        repetitions=config["repetitions"],
        journal="results/measurements/.unfinished/apsp/{apsp_experiment}.jsonl",
        command=lambda wildcards, output: again(output[0]),
        code=code_hash("apsp", "device", "bench", "inputs"),
    script:
        "../scripts/apsp_measure.py"


rule apsp_reference:
    input:
        apsp_files,
    output:
        "results/references/apsp/{apsp_experiment}.json",
    log:
        "logs/apsp/reference/{apsp_experiment}.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        entry=lambda wildcards: entry_of("apsp", wildcards.apsp_experiment),
        graphs=config["graphs"],
        code=code_hash("apsp", "inputs"),
    script:
        "../scripts/apsp_reference.py"


rule apsp_check:
    input:
        rows="results/measurements/apsp/{apsp_experiment}.jsonl",
        references="results/references/apsp/{apsp_experiment}.json",
    output:
        "results/checks/apsp/{apsp_experiment}.jsonl",
    log:
        "logs/apsp/check/{apsp_experiment}.log",
    conda:
        "../../envs/cpu.yaml"
    script:
        "../scripts/apsp_check.py"


rule apsp_report:
    input:
        rows=expand("results/checks/apsp/{experiment}.jsonl", experiment=APSP),
        measured=glob("resources/measured/*/apsp/*.jsonl"),
        published=glob("resources/published/apsp_*.csv"),
    output:
        figures=report(
            expand("results/figures/apsp/{figure}.{format}", figure=APSP_FIGURES, format=["svg", "pdf", "png"]),
            caption="../report/apsp.rst",
            category="apsp",
        ),
        table="results/tables/apsp/measurements.tsv",
        limits="results/tables/apsp/limits.tsv",
        claims="results/tables/apsp/claims.tsv",
    log:
        "logs/apsp/report.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        code=code_hash("report", "bench", "apsp"),
    script:
        "../scripts/apsp_report.py"

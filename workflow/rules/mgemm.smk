from repro.mgemm.experiment import Experiment as MgemmExperiment

try:
    MGEMM_SETS = {source.name: source for source in read_vector_sources(config["vectors"])}
    MGEMM = {
        entry["name"]: MgemmExperiment.from_entry(entry, MGEMM_SETS, config["repetitions"])
        for entry in config["mgemm"]["experiments"]
    }
except ReproError as error:
    raise WorkflowError(str(error)) from None

MGEMM_FIGURES = [
    "fig2-matrix",
    "fig3-cube",
    "fig5-blocks",
    "fig6-strong-scaling",
    "fig7-weak-scaling-2-way-double",
    "fig8-weak-scaling-2-way-single",
    "fig9-weak-scaling-3-way-double",
    "fig10-weak-scaling-3-way-single",
    "kernels",
    "rates",
    "model",
]
MGEMM_TABLES = ["measurements", "table1", "table2", "table3", "table4", "table5", "table6", "model", "limits", "claims"]


wildcard_constraints:
    mgemm_experiment="|".join(MGEMM) or "none",


# Vector similarities by modified matrix products: figures, tables and claims.
rule mgemm:
    input:
        expand("results/checks/mgemm/{experiment}.jsonl", experiment=MGEMM),
        expand("results/figures/mgemm/{figure}.{format}", figure=MGEMM_FIGURES, format=["svg", "pdf", "png"]),
        expand("results/tables/mgemm/{table}.tsv", table=MGEMM_TABLES),


rule mgemm_measure:
    input:
        mgemm_files,
    output:
        "results/measurements/mgemm/{mgemm_experiment}.jsonl",
    log:
        "logs/mgemm/measure/{mgemm_experiment}.log",
    conda:
        "../../envs/cuda.yaml" if config["device"].startswith("cuda") else "../../envs/cpu.yaml"
    threads: whole_machine
    resources:
        gpu=1,
    params:
        entry=lambda wildcards: entry_of("mgemm", wildcards.mgemm_experiment),
        vectors=config["vectors"],
        device=config["device"],
        repetitions=config["repetitions"],
        journal="results/measurements/.unfinished/mgemm/{mgemm_experiment}.jsonl",
        command=lambda wildcards, output: again(output[0]),
        code=code_hash("mgemm", "device", "bench", "inputs"),
    script:
        "../scripts/mgemm_measure.py"


rule mgemm_reference:
    input:
        mgemm_files,
    output:
        "results/references/mgemm/{mgemm_experiment}.json",
    log:
        "logs/mgemm/reference/{mgemm_experiment}.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        entry=lambda wildcards: entry_of("mgemm", wildcards.mgemm_experiment),
        vectors=config["vectors"],
        code=code_hash("mgemm", "inputs"),
    script:
        "../scripts/mgemm_reference.py"


rule mgemm_check:
    input:
        rows="results/measurements/mgemm/{mgemm_experiment}.jsonl",
        references="results/references/mgemm/{mgemm_experiment}.json",
    output:
        "results/checks/mgemm/{mgemm_experiment}.jsonl",
    log:
        "logs/mgemm/check/{mgemm_experiment}.log",
    conda:
        "../../envs/cpu.yaml"
    script:
        "../scripts/mgemm_check.py"


rule mgemm_report:
    input:
        rows=expand("results/checks/mgemm/{experiment}.jsonl", experiment=MGEMM),
        measured=glob("resources/measured/*/mgemm/*.jsonl"),
        published=glob("resources/published/mgemm_*.csv"),
    output:
        figures=report(
            expand("results/figures/mgemm/{figure}.{format}", figure=MGEMM_FIGURES, format=["svg", "pdf", "png"]),
            caption="../report/mgemm.rst",
            category="mgemm",
        ),
        tables=expand("results/tables/mgemm/{table}.tsv", table=[table for table in MGEMM_TABLES if table != "claims"]),
        claims="results/tables/mgemm/claims.tsv",
    log:
        "logs/mgemm/report.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        code=code_hash("report", "bench", "mgemm"),
    script:
        "../scripts/mgemm_report.py"

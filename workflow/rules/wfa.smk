WFA_FIGURES = [
    "fig2-pyramid",
    "fig4-workgroup-sizes",
    "fig5-kernel-times",
    "fig6-time-line",
    "fig7-reads",
    "fig10-workgroup-sizes",
    "fig12-variants",
    "fig13-similarity",
    "pairs",
]
WFA_TABLES = ["measurements", "table2", "table3", "table4", "memory", "peers", "goals", "claims"]

if WFA_RUNS and WFA_RUNS["pair"] not in gone["pair"]:
    WFA_FIGURES.append("runs")
    WFA_TABLES.append("runs")


wildcard_constraints:
    experiment="|".join(WFA) or "none",
    pair="|".join(PAIRS),
    compared=rf"({'|'.join(PAIRS)})(-first-\d+)?",


# Edit distance by the wavefront algorithm: figures, tables and claims.
rule wfa:
    input:
        expand("results/checks/wfa/{experiment}.jsonl", experiment=WFA),
        expand("results/figures/wfa/{figure}.{format}", figure=WFA_FIGURES, format=["svg", "pdf", "png"]),
        expand("results/tables/wfa/{table}.tsv", table=WFA_TABLES),


rule wfa_measure:
    input:
        lambda wildcards: files_of(WFA[wildcards.experiment].pairs),
    output:
        "results/measurements/wfa/{experiment}.jsonl",
    log:
        "logs/wfa/measure/{experiment}.log",
    conda:
        "../../envs/cuda.yaml" if config["device"].startswith("cuda") else "../../envs/cpu.yaml"
    threads: whole_machine
    resources:
        gpu=1,
    params:
        entry=lambda wildcards: entry_of("wfa", wildcards.experiment),
        pairs=lambda wildcards: wfa_described(WFA[wildcards.experiment].pairs, WFA[wildcards.experiment].prefix),
        device=config["device"],
        repetitions=config["repetitions"],
        journal="results/measurements/.unfinished/wfa/{experiment}.jsonl",
        command=lambda wildcards, output: again(output[0]),
        code=code_hash("wfa", "device", "bench", "inputs"),
    script:
        "../scripts/wfa_measure.py"


rule wfa_reference:
    input:
        lambda wildcards: files_of([wildcards.compared.partition("-first-")[0]]),
    output:
        "results/references/wfa/{compared}.json",
    log:
        "logs/wfa/reference/{compared}.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        pair=lambda wildcards: wfa_compared(wildcards.compared),
        code=code_hash("wfa", "inputs"),
    script:
        "../scripts/wfa_reference.py"


rule wfa_check:
    input:
        rows="results/measurements/wfa/{experiment}.jsonl",
        references=lambda wildcards: expand(
            "results/references/wfa/{compared}.json", compared=WFA[wildcards.experiment].inputs
        ),
    output:
        "results/checks/wfa/{experiment}.jsonl",
    log:
        "logs/wfa/check/{experiment}.log",
    conda:
        "../../envs/cpu.yaml"
    script:
        "../scripts/wfa_check.py"


# How long the runs of equal letters are that the wavefronts of a pair pass (Eq. 10).
rule wfa_runs:
    input:
        lambda wildcards: files_of([WFA_RUNS["pair"]]),
    output:
        "results/runs/wfa.json",
    log:
        "logs/wfa/runs.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        pair=lambda wildcards: wfa_described([WFA_RUNS["pair"]], WFA_RUNS["prefix"]),
        code=code_hash("wfa", "inputs"),
    script:
        "../scripts/wfa_runs.py"


rule wfa_report:
    input:
        rows=expand("results/checks/wfa/{experiment}.jsonl", experiment=WFA),
        runs=["results/runs/wfa.json"] if "runs" in WFA_FIGURES else [],
        measured=glob("resources/measured/*/wfa/*.jsonl"),
        published=glob("resources/published/wfa_*.csv"),
    output:
        figures=report(
            expand("results/figures/wfa/{figure}.{format}", figure=WFA_FIGURES, format=["svg", "pdf", "png"]),
            caption="../report/wfa.rst",
            category="wfa",
        ),
        tables=expand("results/tables/wfa/{table}.tsv", table=[table for table in WFA_TABLES if table != "claims"]),
        claims="results/tables/wfa/claims.tsv",
    log:
        "logs/wfa/report.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        pairs=list(PAIRS.values()),
        code=code_hash("report", "bench", "wfa"),
    script:
        "../scripts/wfa_report.py"

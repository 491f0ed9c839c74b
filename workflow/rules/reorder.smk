from repro.reorder.experiment import Experiment as ReorderExperiment

try:
    REORDER = {
        entry["name"]: ReorderExperiment.from_entry(entry, config["repetitions"])
        for entry in config["reorder"]["experiments"]
    }
except ReproError as error:
    raise WorkflowError(str(error)) from None

REORDER_FIGURES = [
    "fig1-dependence-graph",
    "fig2-signal-flow-unoptimised",
    "fig3-renumbered-matrix",
    "fig4-signal-flow-optimised",
    "fig5-block-schedule",
    "fig6-block-sizes-unoptimised",
    "fig7-block-sizes-optimised",
    "fig8-comparison",
    "fig9-memory",
    "launches",
    "rates",
    "transactions",
]


wildcard_constraints:
    reorder_experiment="|".join(REORDER) or "none",


# Needleman-Wunsch with the reordered matrix: figures, tables and claims.
rule reorder:
    input:
        expand("results/checks/reorder/{experiment}.jsonl", experiment=REORDER),
        expand("results/figures/reorder/{figure}.{format}", figure=REORDER_FIGURES, format=["svg", "pdf", "png"]),
        "results/tables/reorder/measurements.tsv",
        "results/tables/reorder/transactions.tsv",
        "results/tables/reorder/claims.tsv",


rule reorder_measure:
    output:
        "results/measurements/reorder/{reorder_experiment}.jsonl",
    log:
        "logs/reorder/measure/{reorder_experiment}.log",
    conda:
        "../../envs/cuda.yaml" if config["device"].startswith("cuda") else "../../envs/cpu.yaml"
    threads: whole_machine
    resources:
        gpu=1,
    params:
        entry=lambda wildcards: entry_of("reorder", wildcards.reorder_experiment),
        device=config["device"],
        repetitions=config["repetitions"],
        journal="results/measurements/.unfinished/reorder/{reorder_experiment}.jsonl",
        command=lambda wildcards, output: again(output[0]),
        code=code_hash("reorder", "device", "bench", "inputs"),
    script:
        "../scripts/reorder_measure.py"


rule reorder_reference:
    output:
        "results/references/reorder/{reorder_experiment}.json",
    log:
        "logs/reorder/reference/{reorder_experiment}.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        entry=lambda wildcards: entry_of("reorder", wildcards.reorder_experiment),
        code=code_hash("reorder"),
    script:
        "../scripts/reorder_reference.py"


rule reorder_check:
    input:
        rows="results/measurements/reorder/{reorder_experiment}.jsonl",
        references="results/references/reorder/{reorder_experiment}.json",
    output:
        "results/checks/reorder/{reorder_experiment}.jsonl",
    log:
        "logs/reorder/check/{reorder_experiment}.log",
    conda:
        "../../envs/cpu.yaml"
    script:
        "../scripts/reorder_check.py"


# A run small enough to be looked at, on the emulator whatever the device is.
rule reorder_toy:
    output:
        "results/toys/reorder.json",
    log:
        "logs/reorder/toy.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        toy=config["reorder"]["toy"],
        code=code_hash("reorder", "device"),
    script:
        "../scripts/reorder_toy.py"


rule reorder_report:
    input:
        toy="results/toys/reorder.json",
        rows=expand("results/checks/reorder/{experiment}.jsonl", experiment=REORDER),
        measured=glob("resources/measured/*/reorder/*.jsonl"),
        hardware=glob("resources/measured/*/reorder/ncu.tsv"),
        published=glob("resources/published/reorder_*.csv"),
    output:
        figures=report(
            expand("results/figures/reorder/{figure}.{format}", figure=REORDER_FIGURES, format=["svg", "pdf", "png"]),
            caption="../report/reorder.rst",
            category="reorder",
        ),
        table="results/tables/reorder/measurements.tsv",
        transactions="results/tables/reorder/transactions.tsv",
        claims="results/tables/reorder/claims.tsv",
    log:
        "logs/reorder/report.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        code=code_hash("report", "bench", "reorder"),
    script:
        "../scripts/reorder_report.py"

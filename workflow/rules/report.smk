# All papers' claims in one table, and a page with the figures.
rule report:
    input:
        "results/report.md",


REPORTED = [
    *([rules.wfa_report] if WFA else []),
    *([rules.shuffle_report] if SHUFFLE else []),
    *([rules.reorder_report] if REORDER else []),
    *([rules.apsp_report] if APSP else []),
    *([rules.mgemm_report] if MGEMM else []),
]


# Rows measured elsewhere, read before a report is made: a failing job would take the figures of the last run with it.
rule report_measured:
    input:
        lambda wildcards: glob(f"resources/measured/*/{wildcards.system}/*.jsonl"),
    output:
        "results/checks/measured/{system}.txt",
    log:
        "logs/report/measured/{system}.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        code=code_hash("bench", "report"),
    script:
        "../scripts/report_measured.py"


rule report_page:
    input:
        rows=[path for reported in REPORTED for path in [*reported.input.rows, *reported.input.measured]],
        tables=[path for reported in REPORTED for path in reported.output if path.endswith(".tsv")],
        figures=[path for reported in REPORTED for path in reported.output.figures if path.endswith(".svg")],
    output:
        "results/report.md",
    log:
        "logs/report.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        left_out=LEFT_OUT,
        code=code_hash("report"),
    script:
        "../scripts/report_page.py"

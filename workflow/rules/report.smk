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


rule report_page:
    input:
        claims=[reported.output.claims for reported in REPORTED],
        figures=[path for reported in REPORTED for path in reported.output.figures if path.endswith(".svg")],
    output:
        "results/report.md",
    log:
        "logs/report.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        code=code_hash("report"),
    script:
        "../scripts/report_page.py"

# All papers' claims in one table, and a page with the figures.
rule report:
    input:
        "results/report.md",


rule report_page:
    input:
        claims=[rules.wfa_report.output.claims],
        figures=[path for path in rules.wfa_report.output.figures if path.endswith(".svg")],
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

import shutil

from repro.report.last import bring_back, keep
from repro.systems import SYSTEMS

LAST = "results/.last"


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


# A job that fails loses its outputs: these of the last run come back.
onstart:
    keep(["results/figures", "results/tables"], LAST)


onerror:
    bring_back(LAST)


onsuccess:
    shutil.rmtree(LAST, ignore_errors=True)


rule report_page:
    input:
        captions=[workflow.source_path(f"../report/{system}.rst") for system in SYSTEMS],
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

"""Write the page with all papers' claims, tables and figures."""

from repro.job import job
from repro.report.page import write_report

with job(snakemake.log[0]):
    given = snakemake.input
    write_report(
        snakemake.output[0], given.rows, snakemake.params.left_out, given.captions, given.tables, given.figures
    )

"""Write the page with all papers' claims and figures."""

from repro.job import job
from repro.report.claims import write_report

with job(snakemake.log[0]):
    write_report(snakemake.output[0], snakemake.input.claims, snakemake.input.figures)

"""Read a system's rows that were measured elsewhere, and say how many there are."""

from pathlib import Path

from repro.job import job
from repro.report.frames import read_checked

with job(snakemake.log[0]):
    rows = read_checked(snakemake.input, snakemake.wildcards.system)
    Path(snakemake.output[0]).write_text(f"{len(rows)} rows\n")

"""Compare the rows of an experiment with the references."""

import json
from pathlib import Path

from repro.bench.rows import read_rows, write_rows
from repro.job import job
from repro.mgemm.check import Reference, check

with job(snakemake.log[0]):
    references = [Reference(**fields) for fields in json.loads(Path(snakemake.input.references).read_text())]
    write_rows(snakemake.output[0], check(read_rows(snakemake.input.rows), references))

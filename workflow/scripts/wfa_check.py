"""Compare the rows of an experiment with the references."""

import json
from pathlib import Path

from repro.bench.rows import read_rows, write_rows
from repro.job import job
from repro.wfa.check import Reference, check

with job(snakemake.log[0]):
    references = {
        path.stem: Reference(**json.loads(path.read_text())) for path in map(Path, snakemake.input.references)
    }
    write_rows(snakemake.output[0], check(read_rows(snakemake.input.rows), references))

"""Compute the edit distance of a pair on the CPU."""

import json
from dataclasses import asdict
from pathlib import Path

from repro.job import job
from repro.wfa.check import Reference
from repro.wfa.experiment import PairFiles

with job(snakemake.log[0]):
    reference = Reference.of(PairFiles(**snakemake.params.pair))
    Path(snakemake.output[0]).write_text(json.dumps(asdict(reference)) + "\n")

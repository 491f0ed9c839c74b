"""Compute the scores and alignments of an experiment on the CPU."""

import json
from dataclasses import asdict
from pathlib import Path

from repro.job import job
from repro.reorder.check import Reference
from repro.reorder.experiment import Experiment

with job(snakemake.log[0]):
    scored = Experiment.from_entry(snakemake.params.entry, repetitions=1).scored()
    references = [Reference.of(length, scoring) for length, scoring in scored]
    Path(snakemake.output[0]).write_text(json.dumps([asdict(reference) for reference in references], indent=2) + "\n")

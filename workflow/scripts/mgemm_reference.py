"""Compute some similarities of an experiment's vectors on the CPU, and all of them where there are few."""

import json
from dataclasses import asdict
from pathlib import Path

from repro.inputs.vectors.sheet import read_vector_sources
from repro.job import job
from repro.mgemm.check import Reference
from repro.mgemm.experiment import Experiment

with job(snakemake.log[0]):
    sheet = {source.name: source for source in read_vector_sources(snakemake.params.vectors)}
    compared = Experiment.from_entry(snakemake.params.entry, sheet, repetitions=1).compared()
    references = [Reference.of(*each) for each in compared]
    Path(snakemake.output[0]).write_text(json.dumps([asdict(reference) for reference in references], indent=2) + "\n")

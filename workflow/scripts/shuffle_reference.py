"""Compute scores and alignments of an experiment's batches on the CPU."""

import json
from dataclasses import asdict
from pathlib import Path

from repro.job import job
from repro.shuffle.check import references_of
from repro.shuffle.experiment import Experiment
from repro.shuffle.workload import ReadFiles

with job(snakemake.log[0]):
    params = snakemake.params
    files = {name: ReadFiles(**paths) for name, paths in params.files.items()}
    references = references_of(Experiment.from_entry(params.entry, params.sets, repetitions=1), files)
    Path(snakemake.output[0]).write_text(json.dumps([asdict(reference) for reference in references], indent=2) + "\n")

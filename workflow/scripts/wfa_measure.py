"""Measure all points of an experiment, on one device."""

from pathlib import Path

from repro.bench.sweep import sweep
from repro.device import open_device
from repro.job import job
from repro.wfa.experiment import Experiment, PairFiles

with job(snakemake.log[0]):
    params = snakemake.params
    files = {name: PairFiles(**described) for name, described in params.pairs.items()}
    experiment = Experiment.from_entry(params.entry, files, params.repetitions)
    device = open_device(params.device)
    sweep(
        experiment.points(files), device, Path(snakemake.output[0]), Path(params.journal), params.code, params.command
    )

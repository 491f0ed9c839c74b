"""Measure all points of an experiment, on one device."""

from pathlib import Path

from repro.bench.sweep import sweep
from repro.device import open_device
from repro.job import job
from repro.wfa.experiment import Experiment, PairFiles

with job(snakemake.log[0]):
    params = snakemake.params
    files = {name: PairFiles(**described) for name, described in params.pairs.items()}
    points = Experiment.from_entry(params.entry, files).points(files, params.repetitions)
    device = open_device(params.device)
    sweep(points, device, Path(snakemake.output[0]), Path(params.journal), params.code, params.command)

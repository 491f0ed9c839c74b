"""Measure all points of an experiment, on one device."""

from pathlib import Path

from repro.bench.sweep import sweep
from repro.device import open_device
from repro.job import job
from repro.reorder.experiment import Experiment

with job(snakemake.log[0]):
    params = snakemake.params
    points = Experiment.from_entry(params.entry, params.repetitions).points()
    device = open_device(params.device)
    sweep(points, device, Path(snakemake.output[0]), Path(params.journal), params.code, params.command)

"""Measure all points of an experiment, on one device."""

from pathlib import Path

from repro.bench.sweep import sweep
from repro.device import open_device
from repro.job import job
from repro.shuffle.experiment import Experiment
from repro.shuffle.workload import ReadFiles

with job(snakemake.log[0]):
    params = snakemake.params
    files = {name: ReadFiles(**paths) for name, paths in params.files.items()}
    points = Experiment.from_entry(params.entry, params.sets, params.repetitions).points(files)
    device = open_device(params.device)
    sweep(points, device, Path(snakemake.output[0]), Path(params.journal), params.code, params.command)

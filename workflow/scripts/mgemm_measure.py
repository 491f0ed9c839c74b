"""Measure all points of an experiment, on one device or on the ranks' own."""

from pathlib import Path

from repro.bench.sweep import sweep
from repro.device import open_device
from repro.inputs.vectors.sheet import read_vector_sources
from repro.job import job
from repro.mgemm.experiment import Experiment

with job(snakemake.log[0]):
    params = snakemake.params
    sheet = {source.name: source for source in read_vector_sources(params.vectors)}
    points = Experiment.from_entry(params.entry, sheet, params.repetitions).points()
    device = open_device(params.device)
    sweep(points, device, Path(snakemake.output[0]), Path(params.journal), params.code, params.command)

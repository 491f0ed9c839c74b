"""Measure all points of an experiment, on one device."""

from pathlib import Path

from repro.apsp.experiment import Experiment
from repro.bench.sweep import sweep
from repro.device import open_device
from repro.inputs.graphs.sheet import read_graph_sources
from repro.job import job

with job(snakemake.log[0]):
    params = snakemake.params
    graphs = {source.name: source for source in read_graph_sources(params.graphs)}
    points = Experiment.from_entry(params.entry, graphs, params.repetitions).points()
    device = open_device(params.device)
    sweep(points, device, Path(snakemake.output[0]), Path(params.journal), params.code, params.command)

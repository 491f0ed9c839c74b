"""Compute the distances from some vertices of an experiment's graphs on the CPU."""

import json
from dataclasses import asdict
from pathlib import Path

from repro.apsp.check import references_of
from repro.apsp.experiment import Experiment
from repro.inputs.graphs.sheet import read_graph_sources
from repro.job import job

with job(snakemake.log[0]):
    graphs = {source.name: source for source in read_graph_sources(snakemake.params.graphs)}
    references = references_of(Experiment.from_entry(snakemake.params.entry, graphs, repetitions=1))
    Path(snakemake.output[0]).write_text(json.dumps([asdict(reference) for reference in references], indent=2) + "\n")

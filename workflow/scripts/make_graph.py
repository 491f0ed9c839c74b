"""Read or make a graph, and write it in one form for all."""

from repro.inputs.graphs.files import write_graph
from repro.job import job

with job(snakemake.log[0]):
    write_graph(snakemake.output[0], snakemake.params.graph.load())

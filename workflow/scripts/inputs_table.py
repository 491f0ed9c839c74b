"""Describe all inputs in one table."""

from repro.inputs.table import graph_row, left_out_row, reads_row, vectors_row, write_table
from repro.job import job

with job(snakemake.log[0]):
    params = snakemake.params
    rows = [reads_row(reads, path) for reads, path in zip(params.reads, snakemake.input.reads, strict=True)]
    rows += [vectors_row(source, source.load()) for source in params.vectors]
    rows += [graph_row(source, source.load()) for source in params.graphs]
    rows += [left_out_row(left) for left in params.left_out]
    write_table(snakemake.output[0], rows)

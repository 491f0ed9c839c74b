"""Read or make a set of vectors, and write it in one form for all."""

from repro.inputs.vectors.files import write_vectors
from repro.job import job

with job(snakemake.log[0]):
    write_vectors(snakemake.output[0], snakemake.params.vectors.load())

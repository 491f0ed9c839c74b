"""Make a synthetic pair of sequences."""

from repro.inputs.pairs import make_pair, write_pair
from repro.job import job

with job(snakemake.log[0]):
    params, output = snakemake.params, snakemake.output
    pair = make_pair(params.length, params.similarity, params.seed, snakemake.wildcards.pair)
    write_pair(pair, output.a, output.b, output.manifest)

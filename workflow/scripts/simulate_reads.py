"""Simulate a set of sequencing reads, with its truth."""

from repro.inputs.reads.files import write_reads
from repro.inputs.reads.sources import read_genome, simulated_reads
from repro.job import job, logger

with job(snakemake.log[0]):
    reads = snakemake.params.reads
    simulated = simulated_reads(
        reads.platform,
        reads.source,
        read_genome(snakemake.input[0]),
        reads.reads,
        reads.length,
        reads.length_sd,
        reads.seed,
    )
    logger.info("%d reads from %s by %s", reads.reads, reads.genome, reads.source)
    write_reads(snakemake.output.reads, snakemake.output.truth, simulated, reads.name)

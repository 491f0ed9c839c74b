"""Fetch a record from NCBI into the cache that all runs share, and link it into the workflow."""

from pathlib import Path

from repro.inputs.ncbi import Client
from repro.inputs.ncbi_cache import default_cache, fetch, place
from repro.job import job, logger

with job(snakemake.log[0]):
    params = snakemake.params
    client = Client.from_environment(params.email)
    logger.info("fetching %s into %s", snakemake.wildcards.accession, default_cache())
    path = fetch(snakemake.wildcards.accession, default_cache(), client)
    place(path, Path(snakemake.output[0]))

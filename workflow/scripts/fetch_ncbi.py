"""Fetch a record from NCBI into the cache that all runs share, and link it into the workflow."""

from dataclasses import replace
from pathlib import Path

from repro.inputs.ncbi import Client
from repro.inputs.ncbi_cache import Expected, default_cache, fetch, place, said_now_and_then
from repro.job import job, logger

with job(snakemake.log[0]):
    params = snakemake.params
    accession, cache = snakemake.wildcards.accession, default_cache()
    client = Client.from_environment(params.ncbi["email"], params.ncbi["api_key"])
    logger.info("fetching %s into %s", accession, cache)
    progress = said_now_and_then(lambda text: logger.info("%s: %s", accession, text))
    expected = Expected.of(accession)
    if params.length is not None:
        expected = replace(expected, length=params.length)
    path = fetch(accession, cache, client, expected, progress)
    place(path, Path(snakemake.output[0]))

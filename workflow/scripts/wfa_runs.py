"""Count the runs of equal letters in the pyramid of a pair."""

import json
from dataclasses import asdict
from pathlib import Path

from repro.job import job
from repro.wfa.experiment import PairFiles
from repro.wfa.runs import Runs

with job(snakemake.log[0]):
    (pair,) = snakemake.params.pair.values()
    runs = Runs.of(PairFiles(**pair))
    Path(snakemake.output[0]).write_text(json.dumps(asdict(runs)) + "\n")

"""Run both variants on two short sequences, launch by launch."""

import json
from dataclasses import asdict
from pathlib import Path

from repro.job import job
from repro.reorder.toy import Toy

with job(snakemake.log[0]):
    toy = Toy.run(**snakemake.params.toy)
    Path(snakemake.output[0]).write_text(json.dumps(asdict(toy)) + "\n")

"""Draw the figures of the shortest paths and write their tables and claims."""

from pathlib import Path

from repro.job import job
from repro.report.apsp.claims import claims
from repro.report.apsp.data import Published, read_measured
from repro.report.apsp.figures import draw_out_of_core, draw_phases, draw_rates, draw_tiles, draw_times
from repro.report.apsp.tables import limits_of, write_tables
from repro.report.claims import write_claims

DRAW = {
    "times": draw_times,
    "rates": draw_rates,
    "phases": draw_phases,
    "tiles": draw_tiles,
    "out-of-core": draw_out_of_core,
}

with job(snakemake.log[0]):
    published = Published.read(Path(snakemake.input.published[0]).parent)
    rows = read_measured([*snakemake.input.rows, *snakemake.input.measured])
    for name, draw in DRAW.items():
        draw(rows, published, [path for path in snakemake.output.figures if Path(path).stem == name])
    write_tables(snakemake.output.table, snakemake.output.limits, rows, limits_of(rows, published))
    write_claims(snakemake.output.claims, claims(rows, published))

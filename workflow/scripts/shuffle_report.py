"""Draw the figures of the batches of alignments and write their tables and claims."""

from pathlib import Path

from repro.job import job
from repro.report.claims import write_claims
from repro.report.shuffle import figures
from repro.report.shuffle.claims import claims
from repro.report.shuffle.data import Published, read_measured, with_enough_to_do
from repro.report.shuffle.tables import goals_table, table2, write_tables

with job(snakemake.log[0]):
    published = Published.read(Path(snakemake.input.published[0]).parent)
    rows = read_measured([*snakemake.input.rows, *snakemake.input.measured])
    speeds = with_enough_to_do(rows)
    draw = {
        "bars-125": lambda paths: figures.draw_bars(speeds, published, paths),
        "read-lengths": lambda paths: figures.draw_read_lengths(speeds, published, paths),
        "efficiency": lambda paths: figures.draw_efficiency(table2(speeds, published), paths),
        "goals": lambda paths: figures.draw_goals(goals_table(speeds, published), paths),
        "transfers": lambda paths: figures.draw_transfers(speeds, published, paths),
    }
    for name, figure in draw.items():
        figure([path for path in snakemake.output.figures if Path(path).stem == name])
    write_tables(Path(snakemake.output.claims).parent, rows, published)
    write_claims(snakemake.output.claims, claims(rows, published))

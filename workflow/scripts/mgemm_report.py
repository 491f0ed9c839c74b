"""Draw the figures of the similarities and write their tables and claims."""

from functools import partial
from pathlib import Path

from repro.job import job
from repro.report.claims import write_claims
from repro.report.mgemm import figures, scaling, structure
from repro.report.mgemm.claims import claims
from repro.report.mgemm.data import Published, read_measured
from repro.report.mgemm.predictions import fit
from repro.report.mgemm.tables import write_tables

with job(snakemake.log[0]):
    published = Published.read(Path(snakemake.input.published[0]).parent)
    rows = read_measured([*snakemake.input.rows, *snakemake.input.measured])
    machines = fit(rows)
    draw = {
        "fig2-matrix": structure.draw_matrix,
        "fig3-cube": structure.draw_cube,
        "fig5-blocks": structure.draw_blocks,
        "fig6-strong-scaling": lambda paths: scaling.draw_strong(rows, machines, published, paths),
        "kernels": lambda paths: figures.draw_kernels(rows, published, paths),
        "rates": lambda paths: figures.draw_rates(rows, published, paths),
        "model": lambda paths: scaling.draw_model(rows, machines, paths),
    }
    for number, way, precision in ((7, 2, "double"), (8, 2, "single"), (9, 3, "double"), (10, 3, "single")):
        draw[f"fig{number}-weak-scaling-{way}-way-{precision}"] = partial(
            scaling.draw_weak, rows, machines, published, way, precision
        )
    for name, figure in draw.items():
        figure([path for path in snakemake.output.figures if Path(path).stem == name])
    write_tables(Path(snakemake.output.claims).parent, rows, machines, published)
    write_claims(snakemake.output.claims, claims(rows, machines, published))

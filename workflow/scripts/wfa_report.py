"""Draw the figures of the wavefront edit distance and write its table and claims."""

from pathlib import Path

from repro.job import job
from repro.report.claims import write_claims
from repro.report.wfa.claims import claims
from repro.report.wfa.data import Published, read_measured
from repro.report.wfa.figures import draw_pairs, draw_variants, draw_workgroup_sizes
from repro.report.wfa.tables import write_table

DRAW = {"pairs": draw_pairs, "variants": draw_variants, "workgroup-sizes": draw_workgroup_sizes}

with job(snakemake.log[0]):
    published = Published.read(Path(snakemake.input.published[0]).parent)
    rows = read_measured([*snakemake.input.rows, *snakemake.input.measured])
    for name in snakemake.params.figures:
        DRAW[name](rows, published, [path for path in snakemake.output.figures if Path(path).stem == name])
    write_table(snakemake.output.table, rows)
    write_claims(snakemake.output.claims, claims(rows, published))

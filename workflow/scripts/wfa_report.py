"""Draw the figures of the wavefront edit distance and write its tables and claims."""

import json
from pathlib import Path

from repro.job import job
from repro.report.claims import write_claims
from repro.report.wfa import figures, sweeps, traces
from repro.report.wfa.claims import claims
from repro.report.wfa.data import Published, read_measured
from repro.report.wfa.pyramid import draw_pyramid
from repro.report.wfa.tables import write_tables
from repro.wfa.runs import Runs

with job(snakemake.log[0]):
    published = Published.read(Path(snakemake.input.published[0]).parent)
    runs = [Runs(**json.loads(Path(path).read_text())) for path in snakemake.input.runs]
    rows = read_measured([*snakemake.input.rows, *snakemake.input.measured])
    draw = {
        "fig2-pyramid": draw_pyramid,
        "fig4-workgroup-sizes": lambda paths: sweeps.draw_figure_4(rows, published, paths),
        "fig5-kernel-times": lambda paths: traces.draw_figure_5(rows, paths),
        "fig6-time-line": lambda paths: traces.draw_figure_6(rows, paths),
        "fig7-reads": lambda paths: sweeps.draw_figure_7(rows, paths),
        "fig10-workgroup-sizes": lambda paths: sweeps.draw_figure_10(rows, published, paths),
        "fig12-variants": lambda paths: figures.draw_variants(rows, published, paths),
        "fig13-similarity": lambda paths: figures.draw_similarity(rows, published, paths),
        "pairs": lambda paths: figures.draw_pairs(rows, published, paths),
        **({"runs": lambda paths: figures.draw_runs(runs[0], paths)} if runs else {}),
    }
    for name, figure in draw.items():
        figure([path for path in snakemake.output.figures if Path(path).stem == name])
    write_tables(Path(snakemake.output.claims).parent, rows, published, runs, snakemake.params.pairs)
    write_claims(snakemake.output.claims, claims(rows, published))

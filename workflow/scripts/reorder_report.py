"""Draw the figures of the reordered Needleman-Wunsch and write its tables and claims."""

import json
from pathlib import Path

from repro.job import job
from repro.reorder.toy import Toy
from repro.report.claims import write_claims
from repro.report.reorder import figures, structure
from repro.report.reorder.claims import claims
from repro.report.reorder.data import Published, read_hardware_counters, read_measured
from repro.report.reorder.tables import traffic_of, write_tables

with job(snakemake.log[0]):
    published = Published.read(Path(snakemake.input.published[0]).parent)
    toy = Toy(**json.loads(Path(snakemake.input.toy).read_text()))
    rows = read_measured([*snakemake.input.rows, *snakemake.input.measured])
    hardware = read_hardware_counters(snakemake.input.hardware)
    traffic = traffic_of(rows, published.best_block_size)
    draw = {
        "fig1-dependence-graph": lambda paths: structure.draw_dependence_graph(toy, paths),
        "fig2-signal-flow-unoptimised": lambda paths: structure.draw_signal_flow(toy, "unoptimised", paths),
        "fig3-renumbered-matrix": lambda paths: structure.draw_renumbered(toy, paths),
        "fig4-signal-flow-optimised": lambda paths: structure.draw_signal_flow(toy, "optimised", paths),
        "fig5-block-schedule": lambda paths: structure.draw_block_schedule(toy, paths),
        "fig6-block-sizes-unoptimised": lambda paths: figures.draw_block_sizes(rows, "unoptimised", paths),
        "fig7-block-sizes-optimised": lambda paths: figures.draw_block_sizes(rows, "optimised", paths),
        "fig8-comparison": lambda paths: figures.draw_comparison(rows, published, paths),
        "fig9-memory": lambda paths: figures.draw_memory(rows, published, paths),
        "launches": lambda paths: figures.draw_launches(rows, published, paths),
        "rates": lambda paths: figures.draw_rates(rows, published, paths),
        "transactions": lambda paths: figures.draw_transactions(traffic, hardware, paths),
    }
    for name, figure in draw.items():
        figure([path for path in snakemake.output.figures if Path(path).stem == name])
    write_tables(snakemake.output.table, snakemake.output.transactions, rows, traffic)
    write_claims(snakemake.output.claims, claims(rows, traffic, hardware, published))

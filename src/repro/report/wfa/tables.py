"""The table of all measurements."""

from pathlib import Path

import pandas as pd

from repro.inputs.files import complete_or_absent

COLUMNS = {
    "variant": "variant",
    "input.name": "pair",
    "input.len_a": "len_a",
    "input.len_b": "len_b",
    "result": "distance",
    "similarity": "similarity",
    "device": "device",
    "device_kind": "device_kind",
    "parameters": "parameters",
    "total_seconds.median": "seconds",
    "total_seconds.min": "seconds_min",
    "total_seconds.max": "seconds_max",
    "kernel_seconds.median": "kernel_seconds",
    "gcups": "gcups",
    "work": "cells",
    "counters.launches": "launches",
    "counters.threads": "threads",
    "counters.reads": "reads",
}


def write_table(path: str | Path, rows: pd.DataFrame) -> None:
    """Write one line per row, tab-separated; times in seconds, similarity as a fraction, parameters as NAME=VALUE."""
    given = rows.filter(regex=r"^parameters\.").rename(columns=lambda column: column.removeprefix("parameters."))
    texts = [" ".join(f"{name}={value:.0f}" for name, value in row.dropna().items()) for _, row in given.iterrows()]
    table = rows.assign(parameters=texts)[list(COLUMNS)].rename(columns=COLUMNS)
    with complete_or_absent(path) as partial:
        table.to_csv(partial, sep="\t", index=False, float_format="%.6g")

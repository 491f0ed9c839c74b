"""Checked rows as a data frame."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from repro.bench.rows import read_rows
from repro.errors import InputError


def read_checked(paths: Iterable[str | Path], system: str) -> pd.DataFrame:
    """The rows of several files, all of one system; nested columns have dots: `input.name`, `total_seconds.median`.

    Raises InputError for a row that was not checked or is another system's.
    """
    rows = []
    for path in paths:
        for number, row in enumerate(read_rows(path), start=1):
            if not row.get("check", {}).get("passed"):
                raise InputError(f"{path}: line {number}: the row was not checked; take rows from results/checks")
            if row["system"] != system:
                raise InputError(
                    f"{path}: line {number}: a row of {row['system']} among those of {system}; move it there"
                )
            rows.append(row)
    return pd.json_normalize(rows)

"""Rows of measurements: one JSON object a line, checked against `row.schema.yaml` when written and when read."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import yaml

from repro.bench.measure import Measurement
from repro.bench.variant import Variant
from repro.device import Device
from repro.errors import InputError
from repro.inputs.files import complete_or_absent

Row = dict[str, Any]


def make_row(
    *,
    system: str,
    experiment: str,
    variant: Variant,
    parameters: Mapping[str, int | str],
    input: Mapping[str, Any],
    device: Device,
    measurement: Measurement[Any],
    work: int,
    work_unit: str,
    matrix_cells: int | None,
    result: Any,
    digest: str,
) -> Row:
    """One row but for its provenance, which `repro.bench.sweep` adds.

    work: what one run computed, in work_unit. matrix_cells: len_a x len_b of an alignment matrix, for GCUPS; None where
    there is none. result: the output where it is small, else None. digest: `digest_of` the output.
    """
    seconds = measurement.total_seconds.median
    return {
        "system": system,
        "experiment": experiment,
        "variant": variant.name,
        "section": variant.section,
        "parameters": dict(parameters),
        "input": dict(input),
        "device": device.name,
        "device_kind": device.kind,
        **measurement.fields(),
        "work": work,
        "work_unit": work_unit,
        "gcups": matrix_cells / seconds / 1e9 if matrix_cells is not None and seconds else None,
        "result": result,
        "digest": digest,
    }


def digest_of(output: Any) -> str:
    """SHA-256 of an output: of dtype, shape and bytes of an array, of the JSON text of anything else."""
    if isinstance(output, np.ndarray):
        return hashlib.sha256(f"{output.dtype}{output.shape}".encode() + output.tobytes()).hexdigest()
    return hashlib.sha256(json.dumps(output, sort_keys=True).encode()).hexdigest()


@cache
def _validator() -> jsonschema.Draft202012Validator:
    schema = yaml.safe_load(Path(__file__).with_name("row.schema.yaml").read_text())
    return jsonschema.Draft202012Validator(schema)


def validate(row: Any, where: str) -> None:
    """Raise InputError that names the column when `row` does not follow the schema."""
    error = jsonschema.exceptions.best_match(_validator().iter_errors(row))
    if error is not None:
        column = ".".join(map(str, error.absolute_path)) or "the row"
        raise InputError(f"{where}: {column}: {error.message}")


def read_rows(path: str | Path) -> list[Row]:
    """The rows of a JSONL file. Raises InputError with file, line and column for what is not a row."""
    rows = []
    for number, line in enumerate(Path(path).read_text().splitlines(), start=1):
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"{path}: line {number}, column {error.colno}: not JSON ({error.msg})") from None
        validate(row, f"{path}: line {number}")
        rows.append(row)
    return rows


def write_rows(path: str | Path, rows: Iterable[Row]) -> None:
    """Write rows to a JSONL file that appears only when complete."""
    with complete_or_absent(path) as partial:
        partial.write_text("".join(json.dumps(row) + "\n" for row in rows))

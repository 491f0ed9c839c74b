"""One job measures all points of an experiment, one after the other, and resumes after the last finished one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repro.bench.journal import open_journal
from repro.bench.progress import progress
from repro.bench.provenance import provenance
from repro.bench.rows import Row, validate, write_rows
from repro.device import Device


@dataclass(frozen=True)
class Point:
    """One row to be measured.

    key: what tells its row from others: variant, parameters, input with its SHA-256, repetitions.
    measure: gives the row that was measured on a device. label: a line for people.
    """

    label: str
    key: dict[str, Any]
    measure: Callable[[Device], Row]


def sweep(points: Sequence[Point], device: Device, output: Path, journal: Path, code: str, command: str) -> None:
    """Measure all points on `device` and write their rows to `output`, which appears when they are complete.

    journal: where finished rows are kept until then. code: hash of what is measured; rows of other code or of another
    device are measured again. command: what to type to measure them again.
    """
    with open_journal(journal) as kept, progress(str(output), len(points)) as show:
        rows = []
        for point in points:
            before = device.describe()
            key = {**point.key, "code": code, "device": before["device"], "uuid": before.get("uuid")}
            row = kept.get(key)
            if row is None:
                show.begin(point.label)
                row = point.measure(device)
                row["provenance"] = provenance(command, before, device.describe())
                validate(row, point.label)
                kept.add(key, row)
            show.done(f"{point.label}: {row['total_seconds']['median']:.3g} s")
            rows.append(row)
        write_rows(output, rows)
        kept.remove()

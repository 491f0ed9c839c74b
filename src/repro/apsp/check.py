"""Every measured row of distances is compared with Dijkstra's on the CPU, every path with its distance."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from repro.apsp.experiment import Experiment, Input, sources_of, summary
from repro.apsp.reference import dijkstra
from repro.bench.rows import Row
from repro.errors import ReproError

ROUNDINGS = 64  # of a path's sum, in units of the type's precision


@dataclass(frozen=True)
class Reference:
    """What Dijkstra's algorithm gives in float64 for some vertices of a graph.

    kind: "whole" or "real" weights: a complete random graph has both. rows: by vertex, as `summary` makes them.
    """

    name: str
    kind: str
    rows: dict[str, dict[str, Any]]

    @classmethod
    def of(cls, given: Input, kind: str) -> "Reference":
        """Compute it."""
        if given.source is None:
            assert given.size is not None
            n, weights, make = given.size, np.empty((0, 0)), True
        else:
            weights = given.weights(np.dtype(np.float64))
            n, make = len(weights), False
        rows = {
            str(source): summary(dijkstra(weights, source, make, kind == "whole", n), np.inf)
            for source in sources_of(n)
        }
        return cls(given.name, kind, rows)


def references_of(experiment: Experiment) -> list[Reference]:
    """What the rows of an experiment are compared with."""
    kinds = dict.fromkeys(_kind(dtype.name) for dtype in experiment.dtypes)
    return [Reference.of(given, kind) for given in experiment.inputs for kind in kinds]


def check(rows: Iterable[Row], references: Iterable[Reference]) -> list[Row]:
    """The rows with what they were compared with.

    Raises ReproError for the first row whose distances or paths are wrong.
    """
    known = {(reference.name, reference.kind): reference for reference in references}
    checked = []
    for row in rows:
        name, dtype = row["input"]["name"], row["input"]["dtype"]
        where = f"{row['experiment']}: {row['variant']} {row['parameters']} on {name} {dtype}, {row['device']}"
        reference = known.get((name, _kind(dtype)))
        if reference is None:
            raise ReproError(f"{where}: there is no reference for this graph; remove results and run again")
        tolerance = ROUNDINGS * float(np.finfo(dtype).eps) if np.dtype(dtype).kind == "f" else 0.0
        for vertex, expected in reference.rows.items():
            found = row["result"]["rows"][vertex]
            for what, value in expected.items():
                if abs(found[what] - value) > tolerance * abs(value):
                    raise ReproError(
                        f"{where}: row {vertex}: {what} {found[what]} is wrong, Dijkstra's algorithm gives {value}"
                    )
        error = row["result"]["path_error"]
        if error is not None and not error <= tolerance:
            raise ReproError(f"{where}: a path is {error:g} times the longest distance off its own distance")
        against = {"dijkstra": len(reference.rows), "paths": None if error is None else len(reference.rows)}
        checked.append({**row, "check": {"passed": True, "against": against}})
    return checked


def _kind(dtype: str) -> str:
    return "whole" if np.dtype(dtype).kind == "i" else "real"

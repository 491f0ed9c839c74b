"""From an entry of the configuration to rows of measurements."""

import hashlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from repro.apsp.dense import complete_graph
from repro.apsp.outcome import Outcome
from repro.apsp.ranges import INFINITE, NO_PREDECESSOR, check_after, check_before, distance_type
from repro.apsp.reference import path_lengths
from repro.apsp.variants import VARIANTS
from repro.apsp.weights import weight_matrix
from repro.bench.experiment import chosen, make_point, naming
from repro.bench.measure import measure
from repro.bench.rows import Row, make_row
from repro.bench.sweep import Point
from repro.bench.variant import Variant
from repro.device import Device
from repro.errors import InputError
from repro.inputs.graphs.sheet import GraphSource

SYSTEM = "apsp"
WARM_UP_VERTICES = 256
MOST_PHASED = 8192  # vertices up to which one more run is made to tell the phases apart
PHASES = 3
STREAMED = "out-of-core"  # the variant that a budget of memory is for


def scipy_floyd_warshall(device: Device, weights: NDArray[Any], predecessors: bool) -> Outcome:
    """SciPy's Floyd-Warshall on one core of the host: what the GPU is compared with."""
    graph = csgraph.csgraph_from_dense(np.where(weights == INFINITE[weights.dtype], np.inf, weights), np.inf)
    found = csgraph.floyd_warshall(graph, return_predecessors=predecessors)
    distances, before = found if predecessors else (found, None)
    infinite = np.isinf(distances)
    result = np.where(infinite, INFINITE[weights.dtype], distances).astype(weights.dtype)
    return Outcome(result, before)


CPU = Variant("scipy", "-", "SciPy's Floyd-Warshall on one core of the host", scipy_floyd_warshall)


@dataclass(frozen=True)
class Input:
    """A graph to be measured on: one of the sheet, or a complete random one of `size` vertices."""

    size: int | None
    source: GraphSource | None

    @property
    def name(self) -> str:
        """What rows and figures call it."""
        return self.source.name if self.source else f"complete-{self.size}"

    def weights(self, dtype: np.dtype) -> NDArray[Any]:
        """Its matrix of weights."""
        if self.source is not None:
            return weight_matrix(self.source.load(), dtype)
        assert self.size is not None
        return complete_graph(self.size, dtype)


@dataclass(frozen=True)
class Experiment:
    """Variants x settings x graphs x types x with or without predecessors x memory budgets: what one job measures."""

    name: str
    variants: list[Variant]
    settings: list[dict[str, int]]
    inputs: list[Input]
    dtypes: list[np.dtype]
    predecessors: list[bool]
    memory_percent: list[int | None]
    repetitions: int

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], graphs: Mapping[str, GraphSource], repetitions: int) -> "Experiment":
        """The experiment of a configuration entry. Raises InputError for an unknown variant, setting, type or graph.

        repetitions: how often each run is timed where the entry does not say.
        """
        with naming(entry):
            if unknown := [name for name in entry["graphs"] if name not in graphs]:
                raise InputError(f"graph '{unknown[0]}' is not in the sheet (it has: {', '.join(graphs)})")
            variants, settings = chosen(entry, {**VARIANTS, CPU.name: CPU})
            dtypes = [distance_type(dtype) for dtype in entry["dtypes"]]
            if not entry["sizes"] and not entry["graphs"]:
                raise InputError("give sizes or graphs")
            whole = [variant.name for variant in variants if variant.name != STREAMED]
            if whole and entry["memory_percent"]:
                raise InputError(f"memory_percent: {whole[0]} needs the whole matrix in memory; take {STREAMED} alone")
        inputs = [Input(size, None) for size in entry["sizes"]] + [
            Input(None, graphs[name]) for name in entry["graphs"]
        ]
        budgets = entry["memory_percent"] or [None]
        times = entry.get("repetitions", repetitions)
        return cls(entry["name"], variants, settings, inputs, dtypes, list(entry["predecessors"]), budgets, times)

    def points(self) -> list[Point]:
        """What is to be measured, graph by graph."""
        return [
            _point(self.name, given, dtype, variant, settings, predecessors, percent, self.repetitions)
            for given, dtype in product(self.inputs, self.dtypes)
            for variant, settings in product(self.variants, self.settings)
            for predecessors, percent in product(self.predecessors, self.memory_percent)
        ]


def sources_of(n: int) -> list[int]:
    """The vertices whose rows are compared with the CPU's."""
    return sorted({0, n // 3, n // 2, n - 1})


@lru_cache(maxsize=1)
def _weights(given: Input, dtype: np.dtype) -> tuple[NDArray[Any], str]:
    weights = given.weights(dtype)
    check_before(weights)
    return weights, digest(weights)


def digest(matrix: NDArray[Any]) -> str:
    """SHA-256 over dtype, shape and the SHA-256 of each band of rows, which threads compute side by side."""
    bands = np.array_split(np.ascontiguousarray(matrix), max(1, len(matrix) // 256))
    with ThreadPoolExecutor() as pool:
        parts = list(pool.map(lambda band: hashlib.sha256(band.data).digest(), bands))
    return hashlib.sha256(f"{matrix.dtype}{matrix.shape}".encode() + b"".join(parts)).hexdigest()


def summary(row: NDArray[Any], infinite: Any) -> dict[str, Any]:
    """What is compared of a row of distances: how many are finite, their sum, and their sum weighted by position."""
    finite = row != infinite
    values = row[finite].astype(np.float64)
    return {
        "reached": int(finite.sum()),
        "sum": float(values.sum()),
        "weighted": float((values * (1 + np.flatnonzero(finite) % 97)).sum()),
    }


@contextmanager
def budget(device: Device, nbytes: int | None) -> Iterator[None]:
    """Let a device give no more than `nbytes` beyond what is in use."""
    before = device.memory_bytes
    if nbytes is not None:
        device.memory_bytes = min(before, device.memory_used + nbytes)
    try:
        yield
    finally:
        device.memory_bytes = before


def _point(
    experiment: str,
    given: Input,
    dtype: np.dtype,
    variant: Variant,
    settings: dict[str, int],
    predecessors: bool,
    percent: int | None,
    repetitions: int,
) -> Point:
    complete = variant.complete(settings)
    parameters = {**complete, "predecessors": int(predecessors)}
    if percent is not None:
        parameters["memory_percent"] = percent

    def run(device: Device) -> Row:
        weights, sha256 = _weights(given, dtype)
        n = len(weights)
        solve = partial(variant.run, predecessors=predecessors, **complete)
        small = weights[:WARM_UP_VERTICES, :WARM_UP_VERTICES]
        nbytes = None if percent is None else n * n * (dtype.itemsize + 4 * predecessors) * percent // 100
        solve(device, small)  # also without the budget, which may be too small for it
        with budget(device, nbytes):
            measured = measure(device, lambda: solve(device, weights), repetitions, lambda: None)
            outcome = measured.result
            phases = _phases(device, variant, predecessors, lambda: solve(device, weights), n)
        check_after(outcome.distances, weights)
        return make_row(
            system=SYSTEM,
            experiment=experiment,
            variant=variant,
            parameters=parameters,
            input={"name": given.name, "vertices": n, "dtype": dtype.name, "sha256": sha256},
            device=device,
            measurement=measured,
            work=n**3,
            work_unit="relaxations",
            matrix_cells=None,
            result={
                "rows": {str(i): summary(outcome.distances[i], INFINITE[dtype]) for i in sources_of(n)},
                "path_error": _path_error(outcome, weights),
                "rounds_seconds": outcome.seconds,
                "phase_seconds": phases,
            },
            digest=digest(outcome.distances),
        )

    described = {"name": given.name, "dtype": dtype.name, "source": given.source and asdict(given.source)}
    return make_point(f"{given.name} {dtype.name}", variant, parameters, described, repetitions, run)


def _phases(device: Device, variant: Variant, predecessors: bool, solve: Any, n: int) -> list[float] | None:
    """Seconds of each phase, where every round launches them one by one."""
    separate = variant.name == "katz-kider" or (variant.name == "staged" and predecessors)
    if not separate or n > MOST_PHASED:
        return None
    with device.record_kernel_times() as times:
        solve()
        device.synchronize()
    if len(times.seconds) % PHASES:  # a single tile has phase 1 alone
        return [times.total, 0.0, 0.0]
    return [sum(times.seconds[phase::PHASES]) for phase in range(PHASES)]


def _path_error(outcome: Outcome, weights: NDArray[Any]) -> float | None:
    """How far the paths' lengths, added up again, are from the distances, relative to the longest."""
    if outcome.predecessors is None:
        return None
    infinite = INFINITE[weights.dtype]
    worst = 0.0
    for source in sources_of(len(weights)):
        row = outcome.distances[source]
        lengths = path_lengths(weights, outcome.predecessors[source], source)
        reached = row != infinite
        named = outcome.predecessors[source] != NO_PREDECESSOR
        named[source] = True
        if not (np.array_equal(reached, named) and np.isfinite(lengths[reached]).all()):
            return float("inf")
        scale = max(1e-300, float(np.abs(row[reached]).max()))
        worst = max(worst, float(np.abs(lengths[reached] - row[reached]).max()) / scale)
    return worst

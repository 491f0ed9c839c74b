"""All-pairs shortest paths in the manner of `scipy.sparse.csgraph.floyd_warshall`, and the paths themselves."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from repro.apsp.out_of_core import fits
from repro.apsp.outcome import Outcome
from repro.apsp.ranges import INFINITE, NO_PREDECESSOR, check_after, check_before, distance_type, unreachable
from repro.apsp.variants import VARIANTS
from repro.apsp.weights import weight_matrix
from repro.bench.variant import choose
from repro.device import Device, open_device
from repro.errors import InputError, ReproError


def shortest_paths(
    graph: Any,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    *,
    dtype: DTypeLike | None = None,
    variant: str | None = None,
    device: str = "auto",
    memory_bytes: int | None = None,
) -> NDArray[Any] | tuple[NDArray[Any], NDArray[np.int32]]:
    """The length of the shortest path between every two vertices.

    graph: n x n weights. In a dense array inf is no edge (in an array of integers, the largest value of their type) and
    0 is an edge of weight 0; in a SciPy sparse array every stored entry is an edge, 0 and parallel ones too. NaN and
    -inf are refused. A graph of `repro.inputs` is taken too.
    directed: False lets every edge be walked both ways. return_predecessors: return them too. unweighted: count edges.
    dtype: float32, float64, int32 or int16; if it is not given, float32 for weights of float32 and float64 for others.
    variant: see `repro variants apsp`; if it is not given, staged where the memory budget allows it, else out-of-core.
    device: as for `repro.device.open_device`. memory_bytes: its memory budget.

    Returns the n x n distances, inf for no path (the largest value of an integer dtype). With return_predecessors also
    n x n of int32: [i, j] is the vertex before j on a shortest path from i, -9999 where i is j or no path leads to j.
    Raises NegativeCycleError for a cycle of negative length (a negative edge that can be walked both ways is one),
    InputError for weights that are none or whose paths leave the range of dtype.
    """
    if dtype is None:
        dtype = np.float32 if getattr(graph, "dtype", None) == np.float32 else np.float64
    weights = weight_matrix(graph, distance_type(dtype), directed, unweighted)
    outcome = solve(weights, return_predecessors, open_device(device, memory_bytes), variant)
    distances = as_shown(outcome.distances)
    if outcome.predecessors is None:
        return distances
    return distances, outcome.predecessors


def solve(
    weights: NDArray[Any],
    predecessors: bool,
    device: Device,
    variant: str | None = None,
    folder: Path | None = None,
    progress: Callable[[int, int], None] = lambda done, rounds: None,
) -> Outcome:
    """Choose a variant and run it on a weight matrix, between the checks of the type's range.

    folder: where out-of-core keeps its blocks, so that a killed run continues; in host memory if it is not given.
    progress: called with the number of rounds that are finished and of all, where out-of-core runs.
    Raises NegativeCycleError, InputError and DeviceError.
    """
    chosen = None if variant is None else choose(VARIANTS, variant)
    check_before(weights)
    if chosen is None:
        chosen = VARIANTS["staged" if fits(weights, predecessors, device) else "out-of-core"]
    settings: dict[str, Any] = chosen.complete({})
    if chosen.name == "out-of-core":
        settings["progress"] = progress
        if folder is not None:
            settings |= {"folder": folder, "key": {"sha256": sha256(np.ascontiguousarray(weights).data).hexdigest()}}
    outcome: Outcome = chosen.run(device, weights, predecessors, **settings)
    check_after(outcome.distances, weights)
    return outcome


def as_shown(distances: NDArray[Any]) -> NDArray[Any]:
    """Distances with the public value for no path instead of the kernels' one."""
    infinite, shown = INFINITE[distances.dtype], unreachable(distances.dtype)
    return distances if infinite == shown else np.where(distances == infinite, shown, distances)


def path(predecessors: NDArray[np.integer[Any]], source: int, target: int) -> list[int]:
    """The vertices of a shortest path from source to target, both included; empty where there is none.

    predecessors: as `shortest_paths` returns them. Raises InputError for a vertex that is not in the graph.
    """
    n = len(predecessors)
    for vertex in (source, target):
        if not 0 <= vertex < n:
            raise InputError(f"vertex {vertex} is not in the graph, whose vertices are 0 to {n - 1}")
    vertices = [target]
    while vertices[-1] != source:
        before = int(predecessors[source, vertices[-1]])
        if before == NO_PREDECESSOR:
            return []
        if len(vertices) == n:
            # Rounded sums can make steps too small for the type look like a way round.
            raise ReproError(f"the predecessors of vertex {source} run in a circle: compute them in float64")
        vertices.append(before)
    return vertices[::-1]

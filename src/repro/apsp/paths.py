"""All-pairs shortest paths in the manner of `scipy.sparse.csgraph.floyd_warshall`, and the paths themselves."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from repro.apsp.outcome import NO_PREDECESSOR
from repro.apsp.ranges import INFINITE, check_after, check_before, distance_type, unreachable
from repro.apsp.variants import VARIANTS
from repro.apsp.weights import weight_matrix
from repro.bench.variant import choose
from repro.device import open_device
from repro.errors import InputError, ReproError


def shortest_paths(
    graph: Any,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    *,
    dtype: DTypeLike | None = None,
    variant: str = "staged",
    device: str = "auto",
    memory_bytes: int | None = None,
) -> NDArray[Any] | tuple[NDArray[Any], NDArray[np.int32]]:
    """The length of the shortest path between every two vertices.

    graph: n x n weights. In a dense array inf is no edge (in an array of integers, the largest value of their type) and
    0 is an edge of weight 0; in a SciPy sparse array every stored entry is an edge, 0 and parallel ones too. NaN and
    -inf are refused.
    directed: False lets every edge be walked both ways. return_predecessors: return them too. unweighted: count edges.
    dtype: float32, float64, int32 or int16; if it is not given, float32 for weights of float32 and float64 for others.
    variant: see `repro variants apsp`. device: as for `repro.device.open_device`. memory_bytes: its memory budget.

    Returns the n x n distances, inf for no path (the largest value of an integer dtype). With return_predecessors also
    n x n of int32: [i, j] is the vertex before j on a shortest path from i, -9999 where i is j or no path leads to j.
    Raises NegativeCycleError for a cycle of negative length (a negative edge that can be walked both ways is one),
    InputError for weights that are none or whose paths leave the range of dtype.
    """
    if dtype is None:
        dtype = np.float32 if getattr(graph, "dtype", None) == np.float32 else np.float64
    wanted = distance_type(dtype)
    chosen = choose(VARIANTS, variant)
    weights = weight_matrix(graph, wanted, directed, unweighted)
    check_before(weights)
    outcome = chosen.run(open_device(device, memory_bytes), weights, return_predecessors, **chosen.complete({}))
    check_after(outcome.distances, weights)
    distances: NDArray[Any] = outcome.distances
    if wanted.kind == "i":
        distances = np.where(distances == INFINITE[wanted], unreachable(wanted), distances)
    if not return_predecessors:
        return distances
    assert outcome.predecessors is not None
    return distances, outcome.predecessors


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

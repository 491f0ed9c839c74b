"""Random graphs of three shapes: Erdos-Renyi, grid, and scale-free.

networkx is imported where it is needed: reading a sheet only needs the names of the kinds.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from repro.errors import InputError
from repro.inputs.graphs.graph import Graph, graph

_LARGEST_WEIGHT = 1000
_EDGES_PER_NEW_NODE = 4


def _erdos_renyi(nodes: int, density: float, seed: int) -> Any:
    import networkx as nx

    return nx.fast_gnp_random_graph(nodes, density, seed=seed, directed=True)


def _grid(nodes: int, density: float, seed: int) -> Any:
    import networkx as nx

    rows = int(np.sqrt(nodes))
    if rows * rows != nodes:
        raise InputError(f"a grid of {nodes} nodes; give a square number, such as {rows * rows}")
    return nx.convert_node_labels_to_integers(nx.grid_2d_graph(rows, rows), ordering="sorted")


def _scale_free(nodes: int, density: float, seed: int) -> Any:
    import networkx as nx

    return nx.barabasi_albert_graph(nodes, min(_EDGES_PER_NEW_NODE, nodes - 1), seed=seed)


KINDS: dict[str, Callable[[int, float, int], Any]] = {
    "erdos-renyi": _erdos_renyi,
    "grid": _grid,
    "scale-free": _scale_free,
}


def random_graph(kind: str, nodes: int, seed: int, density: float = 0.1) -> Graph:
    """Make a random graph with integer weights, uniform from 1 to 1000; the same for the same arguments.

    kind: `erdos-renyi`, directed, every edge with probability `density`; `grid`, undirected, square, four neighbours;
    `scale-free`, undirected, Barabasi-Albert with four edges for each new node.
    Raises InputError for an unknown kind, fewer than 2 nodes, a negative seed, a density outside 0 to 1, and a number
    of nodes that is no square for a grid.
    """
    if kind not in KINDS:
        raise InputError(f"random graph of kind {kind!r}; choose {', '.join(KINDS)}")
    if nodes < 2:
        raise InputError(f"random graph of {nodes} nodes; give at least 2")
    if seed < 0:
        raise InputError(f"seed {seed}; give 0 or more")
    if not 0 <= density <= 1:
        raise InputError(f"random graph of density {density}; give 0 to 1")
    shape = KINDS[kind](nodes, density, seed)
    ends = np.array(sorted(shape.edges), dtype=np.int64).reshape(-1, 2)
    weights = np.random.default_rng(seed).integers(1, _LARGEST_WEIGHT, size=len(ends), endpoint=True)
    names = [str(i) for i in range(nodes)]
    return graph(names, ends[:, 0], ends[:, 1], weights, shape.is_directed())

"""Graphs of launches that get new numbers of blocks and new arguments before they are replayed.

A launch by itself costs the host 3 to 5 microseconds, as long as a short kernel takes; a new node of a graph 0.6.
"""

import ctypes
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from repro.device.compiled_driver import (
    NODE_WORDS,
    add_node,
    create_graph,
    describe,
    instantiate,
    launch_graph,
    set_node,
)

if TYPE_CHECKING:
    from repro.device.cuda import Cuda

GRAPHS, NODES = 5, 20  # while one runs the next is given its launches


@njit(cache=True)
def _build(kernels: Any, first: Any, blocks: Any, numbers: Any, node: Any, places: Any, graphs: Any, nodes: Any) -> Any:
    """Graphs of launches one after the other, all with those of the first `blocks`; whether that went well.

    node: scratch. places: addresses of node, graphs and nodes. graphs: a row of graphs and a row of executable ones.
    """
    for x in range(nodes.shape[0]):
        place = places[1] + 8 * x
        if create_graph(place, 0):
            return False
        for y in range(nodes.shape[1]):
            describe(kernels, (first + y) % len(kernels[0]), blocks[y], numbers[y], node)
            to = places[2] + 8 * (x * nodes.shape[1] + y)
            before, count = (to - 8, 1) if y else (0, 0)
            if add_node(to, graphs[0, x], before, count, places[0]):
                return False
        if instantiate(place + 8 * nodes.shape[0], graphs[0, x], 0):
            return False
    return True


@njit(cache=True)
def _replay(
    kernels: Any, stream: Any, first: Any, blocks: Any, numbers: Any, node: Any, places: Any, graphs: Any, nodes: Any
) -> Any:
    """How many launches whole graphs have made."""
    made, x = 0, 0
    while made + nodes.shape[1] <= len(blocks):
        for y in range(nodes.shape[1]):
            kernel = (first + made + y) % len(kernels[0])
            describe(kernels, kernel, blocks[made + y], numbers[made + y], node)
            if set_node(graphs[1, x], nodes[x, y], places[0]):
                return made
        if launch_graph(graphs[1, x], stream):
            return made
        made += nodes.shape[1]
        x = (x + 1) % nodes.shape[0]
    return made


class Graphs:
    """Of kernels to be launched in turn, with the layout of `compiled_driver`."""

    def __init__(self, device: "Cuda", kernels: tuple[Any, ...]) -> None:
        self._device, self._kernels = device, kernels
        self._node = np.zeros(NODE_WORDS, np.uint64)
        self._graphs = np.zeros((2, GRAPHS), np.uint64)
        self._nodes = np.zeros((GRAPHS, NODES), np.uint64)
        self._places = np.array([each.ctypes.data for each in (self._node, self._graphs, self._nodes)])
        self._built = self._failed = False
        none = np.zeros(0, np.int64), np.zeros((0, 0), np.int32)
        _replay(kernels, device.stream_pointer, 0, *none, self._node, self._places, self._graphs, self._nodes)
        _build(kernels, 0, *none, self._node, self._places, self._graphs, self._nodes[:0])

    def replay(self, blocks: NDArray[np.int64], numbers: NDArray[np.int32], first: int) -> int:
        """Make as many of the launches as whole graphs hold; how many those were, 0 where the driver has no graphs."""
        if len(blocks) < NODES or self._failed:
            return 0
        given = first, blocks, numbers, self._node, self._places, self._graphs, self._nodes
        if not self._built:
            self._failed = not _build(self._kernels, *given)
            self._built = True
            weakref.finalize(self, _destroy, self._graphs).atexit = False
            if self._failed:
                return 0
        return int(_replay(self._kernels, self._device.stream_pointer, *given))


def _destroy(graphs: NDArray[np.uint64]) -> None:
    driver = ctypes.CDLL("libcuda.so.1")
    for destroy, handles in zip((driver.cuGraphDestroy, driver.cuGraphExecDestroy), graphs.tolist(), strict=True):
        for handle in handles:
            if handle:
                destroy(ctypes.c_void_p(handle))

"""Every variant by its authors' names: kernel, host loop, settings, section.

All of them are called as run(device, weights, predecessors, **settings) and return an `Outcome`. weights: n x n of
float32, float64, int32 or int16, INFINITE for no edge, no negative zero, and 0 on the diagonal. predecessors: whether
to compute them too. All raise NegativeCycleError.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.apsp.out_of_core import out_of_core
from repro.apsp.outcome import NO_NEGATIVE_CYCLE, Outcome, first_predecessors, padded
from repro.apsp.ranges import INFINITE, NO_PREDECESSOR
from repro.apsp.staged import TILE, staged
from repro.bench.variant import Setting, Variant
from repro.device import Device

KERNELS = Path(__file__).parent / "kernels"


def naive(device: Device, weights: NDArray[Any], predecessors: bool, block: int) -> Outcome:
    """Harish and Narayanan (2007): one launch per intermediate vertex, all distances in global memory.

    block: edge of the square block of threads.
    """
    n = len(weights)
    if n == 0:
        return Outcome(weights, first_predecessors(weights) if predecessors else None)
    kernel = device.compile(KERNELS / "naive.cu", {"T": weights.dtype.type, "PREDECESSORS": predecessors})["apsp_naive"]
    d = device.upload(weights)
    p = device.upload(first_predecessors(weights) if predecessors else np.zeros(1, np.int32))
    negative = device.upload(np.array([NO_NEGATIVE_CYCLE], np.int32))
    blocks = -(-n // block)
    for k in range(n):
        kernel((blocks, blocks), (block, block), d, p, negative, n, k)
    return Outcome.read(negative, d, p if predecessors else None, weights)


def katz_kider(device: Device, weights: NDArray[Any], predecessors: bool, tile: int) -> Outcome:
    """Katz and Kider (2008), sections 4.6 and 4.6.1: three phases per round, each a launch, blocks in shared memory.

    tile: edge of a block, 16 in the paper; one thread per pair of vertices.
    """
    if len(weights) == 0:
        return Outcome(weights, first_predecessors(weights) if predecessors else None)
    constants: dict[str, Any] = {"T": weights.dtype.type, "PREDECESSORS": predecessors, "TILE": tile}
    kernels = device.compile(KERNELS / "katz_kider.cu", constants)
    phase1, phase2, phase3 = (kernels[f"apsp_phase{phase}"] for phase in (1, 2, 3))
    d = device.upload(padded(weights, tile, INFINITE[weights.dtype]))
    p = device.upload(
        padded(first_predecessors(weights), tile, NO_PREDECESSOR) if predecessors else np.zeros(1, np.int32)
    )
    negative = device.upload(np.array([NO_NEGATIVE_CYCLE], np.int32))
    n = d.shape[0]
    others = n // tile - 1
    for primary in range(n // tile):
        phase1(1, (tile, tile), d, p, negative, n, primary)
        if others:
            phase2((others, 2), (tile, tile), d, p, negative, n, primary)
            phase3((others, others), (tile, tile), d, p, negative, n, primary)
    return Outcome.read(negative, d, p if predecessors else None, weights)


VARIANTS = {
    variant.name: variant
    for variant in (
        Variant(
            "naive",
            "4.5",
            "one launch per intermediate vertex, distances in global memory",
            naive,
            {"block": Setting(16, 1, 32, "edge of the square block of threads")},
        ),
        Variant(
            "katz-kider",
            "4.6",
            "tiles in shared memory, three phases per round, each a launch",
            katz_kider,
            {"tile": Setting(16, 2, 32, "edge of a tile in vertices")},
        ),
        Variant(
            "staged",
            "4.6",
            "register-blocked min-plus tiles; a round's phase 3 beside phases 1 and 2 of the next, in one launch",
            staged,
            {"tile": TILE},
        ),
        Variant(
            "out-of-core",
            "4.7",
            "blocks of the matrix streamed through the device's memory budget, copies beside products",
            out_of_core,
            {"tile": TILE},
        ),
    )
}

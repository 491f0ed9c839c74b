"""Every variant of the paper by the paper's own name: kernel, host loop, settings, section."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from repro.bench.variant import Setting, Variant
from repro.device import Device

KERNELS = Path(__file__).parent / "kernels"
WORKGROUP_SIZE = Setting(380, 1, 1024, "threads per block")

Letters = NDArray[np.uint8]


@dataclass(frozen=True)
class Outcome:
    """What a variant returns: the edit distance and how many cells of the pyramid were computed for it."""

    distance: int
    cells: int


def column_cells(r: int, m: int, n: int) -> int:
    """Cells of column r of the pyramid: diagonals -min(r, m) to min(r, n)."""
    return min(r, m) + min(r, n) + 1


def baseline(device: Device, a: Letters, b: Letters, workgroup_size: int) -> Outcome:
    """Section 4.1.1: two columns of the pyramid in global memory, one thread per cell of the widest column.

    Each launch computes one column with m + n + 1 threads, and the host reads the solution diagonal after it.
    a, b: letters, uint8 of shape (m,) and (n,). workgroup_size: threads per block.
    """
    m, n = len(a), len(b)
    kernel = device.compile(KERNELS / "baseline.cu")["wfa_baseline"]
    p, t = device.upload(a), device.upload(b)
    columns = [device.empty(m + n + 1, np.int32) for _ in range(2)]
    solutions = [column[n : n + 1] for column in columns]  # diagonal n - m lies at index n
    grid = -(-(m + n + 1) // workgroup_size)
    r = cells = 0
    while True:
        kernel(grid, workgroup_size, p, t, columns[(r + 1) % 2], columns[r % 2], m, n, r)
        cells += column_cells(r, m, n)
        reached = int(solutions[r % 2].get()[0])
        if r >= abs(n - m) and reached >= min(m, n):  # before that, the solution diagonal lies outside the pyramid
            return Outcome(r, cells)
        r += 1


VARIANTS = {
    variant.name: variant
    for variant in (
        Variant(
            "baseline",
            "4.1.1",
            "two columns, one thread per cell, one launch per column over the worst case, a read after each",
            baseline,
            {"workgroup_size": WORKGROUP_SIZE},
        ),
    )
}

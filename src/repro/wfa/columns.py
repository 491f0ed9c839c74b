"""Variants that compute one column of the pyramid per launch (sections 4.1.1 to 4.2.1)."""

from pathlib import Path

import numpy as np

from repro.device import Array, Device
from repro.device.kernel import UNWRITTEN
from repro.wfa.pyramid import Letters, Outcome, column_cells

KERNELS = Path(__file__).parent / "kernels"
NOT_REACHED = np.iinfo(np.int32).max
COLUMNS_AT_ONCE = 1000  # in one call; so often an interrupt is heard


def _columns(device: Device, m: int, n: int) -> list[Array]:
    """Two columns of the widest size, m + n + 1 diagonals, used in turn."""
    return [device.empty(m + n + 1, np.int32) for _ in range(2)]


def _outcome(distance: int, launches: int, m: int, n: int) -> Outcome:
    return Outcome(distance, lambda: int(column_cells(np.arange(launches), m, n).sum()))


def _read_every_column(device: Device, a: Letters, b: Letters, name: str, workgroup_size: int, worst: bool) -> Outcome:
    """One launch and one read per column, over the column's own cells or the worst case's.

    The kernel writes the solution diagonal's cell where the host reads it; UNWRITTEN is read from the first columns of
    strings that differ in length, which do not have that diagonal.
    """
    m, n = len(a), len(b)
    kernel = device.compile(KERNELS / f"{name}.cu")[f"wfa_{name}"]
    p, t = device.upload(a), device.upload(b)
    columns = _columns(device, m, n)
    radius = device.mapped_word()
    launch = device.in_turn(
        [kernel.bind(workgroup_size, p, t, columns[1 - x], columns[x], radius, m, n) for x in range(2)]
    )
    reached_end, beyond = range(min(m, n), UNWRITTEN), max(m, n) + 1
    for first in range(0, beyond, COLUMNS_AT_ONCE):
        r = np.arange(first, min(first + COLUMNS_AT_ONCE, beyond), dtype=np.int32)
        cells = np.full(len(r), m + n + 1) if worst else column_cells(r, m, n)
        launched, reached = launch.until(reached_end, radius, -(-cells // workgroup_size), r[:, np.newaxis], first)
        if reached is not None:
            return _outcome(first + launched - 1, first + launched, m, n)
    raise AssertionError("no column reached the end")


def baseline(device: Device, a: Letters, b: Letters, workgroup_size: int) -> Outcome:
    """Section 4.1.1: two columns of the pyramid in global memory, one thread per cell of the widest column.

    Each launch computes one column with m + n + 1 threads, and the host reads the solution diagonal after it.
    a, b: letters, uint8 of shape (m,) and (n,). workgroup_size: threads per block.
    """
    return _read_every_column(device, a, b, "baseline", workgroup_size, worst=True)


def dynamic_work_items(device: Device, a: Letters, b: Letters, workgroup_size: int) -> Outcome:
    """Section 4.1.2: as the baseline, but each launch has only as many threads as its column has cells."""
    return _read_every_column(device, a, b, "dynamic_work_items", workgroup_size, worst=False)


def _read_at_intervals(
    device: Device, a: Letters, b: Letters, name: str, workgroup_size: int, read_interval: int, shared_bytes: int
) -> Outcome:
    """Launches of one column each; the host reads the distance found so far after every `read_interval` of them."""
    m, n = len(a), len(b)
    kernel = device.compile(KERNELS / f"{name}.cu")[f"wfa_{name}"]
    p, t = device.upload(a), device.upload(b)
    columns = _columns(device, m, n)
    distance = device.upload(np.array([NOT_REACHED], np.int32))
    launch = device.in_turn(
        [
            kernel.bind(workgroup_size, p, t, columns[1 - x], columns[x], distance, m, n, shared_bytes=shared_bytes)
            for x in range(2)
        ]
    )
    beyond = max(m, n) + 1  # no distance exceeds the longer length
    at_once = read_interval * max(1, COLUMNS_AT_ONCE // read_interval)
    for first in range(0, beyond, at_once):
        r = np.arange(first, min(first + at_once, beyond), dtype=np.int32)
        blocks = -(-column_cells(r, m, n) // workgroup_size)
        launched, found = launch.until(range(NOT_REACHED), distance, blocks, r[:, np.newaxis], first, read_interval)
        if found is not None:
            return _outcome(found, first + launched, m, n)
    raise AssertionError("no column reached the end")


def minimised_reads(device: Device, a: Letters, b: Letters, workgroup_size: int, read_interval: int) -> Outcome:
    """Section 4.1.3: dynamic work-items with a read only after every `read_interval` launches.

    The launches after the last needed one change nothing: the device keeps the first column that reached the end.
    """
    return _read_at_intervals(device, a, b, "minimised_reads", workgroup_size, read_interval, 0)


def shared_memory_prefetch(device: Device, a: Letters, b: Letters, workgroup_size: int, read_interval: int) -> Outcome:
    """Section 4.2.1: minimised reads, the previous column fetched into shared memory first."""
    shared_bytes = 4 * (workgroup_size + 2)
    return _read_at_intervals(device, a, b, "shared_memory_prefetch", workgroup_size, read_interval, shared_bytes)

"""Variants that compute a band of diamond tiles per launch (sections 4.2.2 to 4.3)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from repro.device import Array, Device
from repro.wfa.columns import KERNELS, NOT_REACHED
from repro.wfa.pyramid import Letters, Outcome, Tile

UNREACHED = -(1 << 30)  # as in kernels/wavefront.cuh

Bands = NDArray[np.int32]  # of shape (bands, 3): first centre, tiles and first column of each
Launch = Callable[[Bands], None]


def _bands(
    device: Device,
    a: Letters,
    b: Letters,
    tile_length: int,
    read_interval: int,
    bind: Callable[[tuple[Array, ...]], Launch],
    diamond: bool = False,
) -> Outcome:
    """Launch band after band; read the distance, and the bound on it, after every `read_interval` of them.

    bind: to P, T, last, before, distance, bound. diamond: leave out tiles that the bound makes useless (section 4.3).
    """
    m, n = len(a), len(b)
    tile = Tile(tile_length, m, n)
    last, before = (device.upload(np.full(m + n + 1, UNREACHED, np.int32)) for _ in range(2))
    results = device.upload(np.array([NOT_REACHED, max(m, n)], np.int32))  # the distance; an upper bound on it
    launch = bind((device.upload(a), device.upload(b), last, before, results[:1], results[1:]))

    def next_bands(bound: int) -> Bands:
        """Those before the next read that hold a cell on a path of the distance."""
        bands = []
        for band in range(len(launched), len(launched) + read_interval):
            if (column := band * tile_length) > bound:
                break
            room = bound - column if diamond else m + n
            bands.append((*tile.band(band, n - m - room, n - m + room), column))
        return np.array(bands, np.int32)

    launched: list[tuple[int, int]] = []
    bound = max(m, n)
    bands = next_bands(bound)
    while len(bands):
        launch(bands)
        launched.extend((first, tiles) for first, tiles, _ in bands.tolist())
        bands = next_bands(bound)  # while the device computes the last ones
        distance, proven = results.get().tolist()
        if distance != NOT_REACHED:
            return Outcome(distance, lambda: tile.cells(launched))
        if diamond and proven < bound:
            bound = proven
            bands = next_bands(bound)
    raise AssertionError(f"no tile reached the end within {len(launched)} bands")


def _one_thread_per_tile(
    device: Device, a: Letters, b: Letters, store: str, workgroup_size: int, tile_length: int, read_interval: int
) -> Outcome:
    kernel = device.compile(KERNELS / f"tiling_{store}.cu", {"TILE": tile_length})[f"wfa_tiling_{store}"]
    m, n = len(a), len(b)
    shared_bytes = 8 * tile_length**2 * workgroup_size if store == "shared" else 0
    most_tiles = (m + n) // (2 * tile_length) + 2
    scratch = [device.empty(2 * tile_length**2 * most_tiles, np.int32)] if store == "global" else []

    def bind(arrays: tuple[Array, ...]) -> Launch:
        launch = device.in_turn([kernel.bind(workgroup_size, *arrays[:5], *scratch, m, n, shared_bytes=shared_bytes)])
        return lambda bands: launch(-(-bands[:, 1].astype(np.int64) // workgroup_size), bands)

    return _bands(device, a, b, tile_length, read_interval, bind)


def tiling_global(
    device: Device, a: Letters, b: Letters, workgroup_size: int, tile_length: int, read_interval: int
) -> Outcome:
    """Section 4.2.2: one thread computes a tile of 2 tile_length^2 cells, kept in global memory."""
    return _one_thread_per_tile(device, a, b, "global", workgroup_size, tile_length, read_interval)


def tiling_register(
    device: Device, a: Letters, b: Letters, workgroup_size: int, tile_length: int, read_interval: int
) -> Outcome:
    """Section 4.2.2: one thread computes a tile of 2 tile_length^2 cells, kept in registers."""
    return _one_thread_per_tile(device, a, b, "register", workgroup_size, tile_length, read_interval)


def tiling_shared(
    device: Device, a: Letters, b: Letters, workgroup_size: int, tile_length: int, read_interval: int
) -> Outcome:
    """Section 4.2.2: one thread computes a tile of 2 tile_length^2 cells, kept in shared memory."""
    return _one_thread_per_tile(device, a, b, "shared", workgroup_size, tile_length, read_interval)


def _one_block_per_tile(
    device: Device, a: Letters, b: Letters, tile_length: int, read_interval: int, diamond: bool
) -> Outcome:
    kernel = device.compile(KERNELS / "parallel_workgroup.cu", {"TILE": tile_length})["wfa_parallel_workgroup"]

    def bind(arrays: tuple[Array, ...]) -> Launch:
        launch = device.in_turn([kernel.bind(2 * tile_length + 1, *arrays, len(a), len(b))])
        return lambda bands: launch(bands[:, 1].astype(np.int64), np.ascontiguousarray(bands[:, ::2]))

    return _bands(device, a, b, tile_length, read_interval, bind, diamond)


def parallel_workgroup(device: Device, a: Letters, b: Letters, tile_length: int, read_interval: int) -> Outcome:
    """Section 4.2.3: a block of 2 tile_length + 1 threads computes a tile, one thread per diagonal."""
    return _one_block_per_tile(device, a, b, tile_length, read_interval, diamond=False)


def dynamic_diamond(device: Device, a: Letters, b: Letters, tile_length: int, read_interval: int) -> Outcome:
    """Section 4.3: the parallel workgroup over those tiles only that a path of the distance can still cross.

    The furthest column R starts at max(m, n); a cell of the solution diagonal that r edits take to radius f proves
    d <= min(m, n) - f + r. It is read with the distance, so a longer interval leaves more tiles in, and never changes
    the distance.
    """
    return _one_block_per_tile(device, a, b, tile_length, read_interval, diamond=True)

"""The counted transactions, against the same counted from the places of all elements, and known cases."""

import numpy as np
import pytest

from repro.device import open_device
from repro.reorder.numbering import Numbering
from repro.reorder.scoring import Scoring
from repro.reorder.transactions import Traffic, count
from repro.reorder.variants import RENUMBERED, ROW_MAJOR, VARIANTS, fill


def stores(accesses: list[np.ndarray], place: np.ndarray) -> Traffic:
    """The traffic of storing all elements. accesses: what tells one warp instruction from another; place: of a word."""
    access = np.ravel_multi_index(accesses, [part.max() + 1 for part in accesses]).ravel()
    counted = (len(np.unique(np.stack([access, place.ravel() * 4 // size]), axis=1).T) for size in (32, 128))
    return Traffic(len(np.unique(access)), *counted)


@pytest.mark.parametrize(("m", "n", "size"), [(64, 64, 32), (100, 70, 32), (200, 129, 64), (257, 300, 128), (9, 7, 32)])
def test_score_stores_are_those_of_all_elements(m, n, size):
    i, j = np.indices((m, n))
    step = i % size + j % size
    assert count(ROW_MAJOR, m, n, size)["score stores"] == stores([i // size, j // 32, step], i * n + j)
    row, column = Numbering(m, n).number(i, j)
    assert count(RENUMBERED, m, n, size)["score stores"] == stores([row, column // 32], row * n + column)


def test_a_full_warp_stores_into_4_sectors_instead_of_32_and_into_one_transaction():
    large = {layout: count(layout, 4096, 4096, 256)["score stores"] for layout in (ROW_MAJOR, RENUMBERED)}
    row_major, renumbered = (traffic.sectors / traffic.accesses for traffic in large.values())
    assert row_major == pytest.approx(32 * 256 / (256 + 31), abs=0.01)  # 31 steps of 287 with fewer lanes at each end
    assert renumbered == pytest.approx(4, abs=0.05)
    assert large[RENUMBERED].transactions == large[RENUMBERED].accesses
    full = {layout: count(layout, 4096, 4096, 256)["score stores of full warps"] for layout in (ROW_MAJOR, RENUMBERED)}
    assert full[ROW_MAJOR].sectors == full[ROW_MAJOR].transactions == 32 * full[ROW_MAJOR].accesses
    assert full[RENUMBERED].sectors == 4 * full[RENUMBERED].accesses
    assert full[RENUMBERED].transactions == full[RENUMBERED].accesses == 4096 // 32 * (4096 - 31)


def test_rows_that_do_not_begin_a_transaction_need_two():
    renumbered = count(RENUMBERED, 4104, 4104, 256)["score stores"]
    assert 1.7 < renumbered.transactions / renumbered.accesses < 2


def test_an_unaligned_matrix_costs_more():
    aligned, shifted = (count(RENUMBERED, 512, 512, 64, matrix=address) for address in (0, 16))
    assert shifted["score stores"].sectors > aligned["score stores"].sectors
    assert shifted["letter loads"] == aligned["letter loads"]


def test_the_first_square_loads_no_scores():
    assert count(ROW_MAJOR, 32, 32, 32)["score loads"] == Traffic(0, 0, 0)
    assert count(ROW_MAJOR, 32, 32, 32)["letter loads"] == Traffic(2, 2, 2)


@pytest.mark.parametrize(("m", "n", "size"), [(128, 128, 64), (100, 130, 48)])
def test_the_emulator_counts_the_same_access_by_access(m, n, size):
    rng = np.random.default_rng(1)
    a, b = (rng.integers(65, 69, length).astype(np.uint8) for length in (m, n))
    device = open_device("emulator", instrument="traffic")
    for layout in (ROW_MAJOR, RENUMBERED):
        arrays = device.upload(a), device.upload(b)
        with device.record_traffic() as log:
            *_, (matrix, _) = fill(device, *arrays, Scoring(), layout, size)
        expected = count(layout, m, n, size, matrix.pointer, *(array.pointer for array in arrays))
        for operation, kinds in (("store", ["score stores"]), ("load", ["score loads", "letter loads"])):
            found = log.total(f"reorder_{layout.kernel}", "global", operation)
            summed = [
                sum(getattr(expected[k], part) for k in kinds) for part in ("accesses", "sectors", "transactions")
            ]
            assert [found.requests, found.sectors, found.transactions] == summed, (layout.kernel, operation)


def test_compact_writes_a_transaction_per_step_and_an_edge_per_tile_row():
    rng = np.random.default_rng(1)
    a, b = (rng.integers(65, 69, length).astype(np.uint8) for length in (300, 256))
    tile_rows, strips, steps = 75, 2, 75 + 31
    device = open_device("emulator", instrument="traffic")
    with device.record_traffic() as log:
        VARIANTS["compact"].run(device, a, b, **VARIANTS["compact"].complete({"traceback": 0}))
    stores = log.total("reorder_compact", "global", "store")
    edge_words, last_row_words = (strips - 1) * tile_rows * 4, 4
    assert stores.lanes == strips * 32 * tile_rows + edge_words + last_row_words
    assert stores.transactions == strips * steps + edge_words + last_row_words

"""The rows of a triangle in bands, the last first."""

import numpy as np
import pytest

from repro.device import open_device
from repro.mgemm.campaign import similarities_of_rank
from repro.mgemm.engine import Engine
from repro.mgemm.metrics import Metric
from repro.mgemm.problem import Problem
from repro.mgemm.ranks import run_threads
from repro.mgemm.schedule import Decomposition


@pytest.mark.parametrize(("vectors", "bands"), [(32, [32]), (40, [40]), (42, [26, 16]), (48, [32, 16])])
def test_a_band_is_as_long_as_its_vectors_take_and_leaves_no_small_one_behind(monkeypatch, vectors, bands):
    """Of at most 32 vectors of 128 bytes here, and no band of a quarter of the one before it."""
    monkeypatch.setattr("repro.mgemm.products.MULTIPROCESSORS", 1)
    monkeypatch.setattr("repro.mgemm.chunks.BAND_BYTES", 32 * 128)
    values = np.random.default_rng(7).integers(1, 99, (vectors, 32)).astype(np.float32)
    engine = Engine(open_device("emulator"), Metric.CZEKANOWSKI, np.float32, "naive")

    def work(communicator):
        problem = Problem(vectors, 2, 1, 0, Decomposition())
        return [tile.rows for tile, _ in similarities_of_rank(communicator, engine, values, problem)]

    (rows,) = run_threads(1, work)
    assert [len(part) for part in rows] == bands
    assert sorted(row for part in rows for row in part) == list(range(vectors))

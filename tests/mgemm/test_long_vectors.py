"""Vectors of more words than wait in shared memory at a time."""

from unittest.mock import patch

import numpy as np
import pytest

from repro.inputs.vectors.vectorset import pack_bits, vector_set
from repro.mgemm import products
from repro.mgemm.engine import Engine
from repro.mgemm.metrics import Metric


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(("kind", "fields"), [("bits", 4500), ("levels", 1500)])
def test_numerators_of_long_vectors(device, kind, fields, large):
    """Nine slabs of 16 words of bits, of which the three planes of `levels` make as many from a third of the fields."""
    values = np.random.default_rng(fields).integers(0, 2 if kind == "bits" else 4, (9, fields)).astype(np.uint8)
    expected = np.minimum(values[:, None], values[None]).sum(axis=-1, dtype=np.int64)
    with patch.object(products, "LARGE", 1 if large else products.LARGE):
        if kind == "bits":
            engine = Engine(device, Metric.SORENSON, np.uint32)
            block = engine.upload(pack_bits(vector_set(values)))
        else:
            engine = Engine(device, Metric.CZEKANOWSKI, np.uint8, levels=4)
            block = engine.upload(values)
        assert np.array_equal(engine.pairs(block, block).get(), expected)

"""Quotients of the smallest sums: vectors that have one unit in common, or nothing."""

import numpy as np
import pytest

from repro.inputs.vectors.vectorset import pack_bits, vector_set
from repro.mgemm.engine import Engine, Triples
from repro.mgemm.metrics import Metric

UNITS = [0, 0, 1, 1, 2]  # the one field of a vector that is 1


@pytest.mark.parametrize("kind", ["float32", "float64", "uint8", "bits"])
def test_one_unit_in_common(device, kind):
    """Of pairs, n2 = 1 gives 2 / 2; of triples, two alike give n3 = 1 and 3/2 / 3, three alike n3 = 2 and 3 / 3."""
    fields = np.eye(3, dtype=np.uint8)[UNITS]
    metric = Metric.SORENSON if kind == "bits" else Metric.CZEKANOWSKI
    values = pack_bits(vector_set(fields)) if kind == "bits" else fields.astype(kind)
    engine = Engine(device, metric, values.dtype)
    block = engine.upload(values)
    n2 = engine.pairs(block, block)
    triples = Triples(block, block, block)
    c3 = engine.quotients3(engine.triples(triples), triples, n2, n2, n2).get().reshape(5, 5, 5)
    whole = engine.quotients3_whole(engine.triples(triples), triples, n2).get().reshape(5, 5, 5)
    assert np.array_equal(c3, whole)
    for j, of_pivot in enumerate(UNITS):  # the pivot comes first
        for i, of_row in enumerate(UNITS):
            for k, of_column in enumerate(UNITS):
                assert c3[j, i, k] == {1: 1, 2: 0.5, 3: 0}[len({of_pivot, of_row, of_column})]
    c2 = engine.quotients2(n2, block, block).get()
    assert c2[np.triu_indices(5, 1)].tolist() == [1, 0, 0, 0, 0, 0, 0, 1, 0, 0]


@pytest.mark.parametrize("unit", [2.0**-149, 2.0**-130, 2.0**120])
def test_denormal_and_large_floats_are_not_zero_or_infinite(device, unit):
    fields = np.array([[3, 1, 0], [1, 1, 0], [0, 0, 4]], np.float32) * np.float32(unit)
    engine = Engine(device, Metric.CZEKANOWSKI, fields.dtype)
    block = engine.upload(fields)
    n2 = engine.pairs(block, block)
    assert engine.quotients2(n2, block, block).get()[0].tolist()[1:] == [np.float32(2 * 2 / 6), 0]

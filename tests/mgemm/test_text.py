"""The table of similarities."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.mgemm.reference import all_indices
from repro.mgemm.text import write_table


def table(names, indices, values):
    stream = io.StringIO()
    write_table(stream, names, np.asarray(indices), np.asarray(values))
    return stream.getvalue()


def test_a_line_for_each_in_the_order_of_the_vectors():
    indices = np.array([(1, 2), (0, 1), (0, 2)], np.uint32)
    text = table(["oak", "élm", "ash tree"], indices, np.array([1 / 3, 0.1, 1], np.float32))
    assert text == "i\tj\tvalue\noak\télm\t0.1\noak\tash tree\t1.0\nélm\tash tree\t0.33333334\n"
    assert table(["a", "b"], np.array([(0, 1)]), np.array([1 / 3])) == "i\tj\tvalue\na\tb\t0.3333333333333333\n"
    assert table(["a"], np.empty((0, 3), int), np.empty(0)) == "i\tj\tk\tvalue\n"


@settings(max_examples=30, deadline=None)
@given(
    names=st.lists(st.text(max_size=4), min_size=3, max_size=7, unique=True),
    way=st.sampled_from([2, 3]),
    seed=st.integers(0, 99),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_a_reader_of_tables_gets_everything_back(names, way, seed, dtype):
    names = [name.replace("\0", "").replace("\r", " ") + str(number) for number, name in enumerate(names)]
    rng = np.random.default_rng(seed)
    every = all_indices(len(names), way)
    values = rng.random(len(every)).astype(dtype)
    order = rng.permutation(len(every))
    rows = list(csv.reader(io.StringIO(table(names, every[order], values[order]), newline=""), delimiter="\t"))
    assert [[names[i] for i in index] for index in every] == [row[:-1] for row in rows[1:]]
    assert np.array_equal([dtype(row[-1]) for row in rows[1:]], values)


@pytest.mark.parametrize("value", [0.0, 5e-324, 1e-7, 0.1, 1.0])
def test_numbers_are_written_in_full(value):
    assert float(table("ab", [(0, 1)], [value]).split()[-1]) == value

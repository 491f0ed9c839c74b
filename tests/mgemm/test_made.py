"""Vectors to be measured on are the same whoever makes them, and their sums are exact."""

import numpy as np
import pytest

from repro.errors import InputError
from repro.inputs.vectors.vectorset import unpack_bits, vector_set
from repro.mgemm.made import KINDS, digest, kind_of, made_vectors


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("part", [range(0, 10), range(60, 70), range(64, 128), range(129, 200)])
def test_a_part_is_that_of_the_whole(kind, part):
    whole = made_vectors(kind, 70, range(200))
    made = made_vectors(kind, 70, part)
    assert made.dtype == kind.dtype
    assert np.array_equal(made, whole[part.start : part.stop])


def test_values_are_in_the_range_of_their_kind():
    values = {name: made_vectors(kind, 50, range(100)) for name, kind in KINDS.items()}
    assert np.array_equal(values["float32"], values["float64"])
    assert values["float32"].max() == 1023
    assert np.array_equal(values["float32"], np.floor(values["float32"]))
    assert (values["bytes"].min(), values["bytes"].max()) == (0, 255)
    assert np.unique(values["alleles"]).tolist() == [0, 1, 2]
    bits = unpack_bits(values["bits"], 50)
    assert 0.45 < bits.mean() < 0.55
    assert made_vectors(KINDS["float32"], 12288, range(3)).max() == (2**24 - 1) // (9 * 12288)
    assert made_vectors(KINDS["bits"], 64, range(3)).shape == (3, 2)


def test_sums_are_exact_in_float32():
    values = made_vectors(KINDS["float32"], 12288, range(2))
    n2 = np.minimum(*values)
    assert n2.sum(dtype=np.float32) == np.float32(n2.astype(np.int64).sum())


def test_sets_become_what_the_kernels_take():
    vectors = vector_set([[0, 2], [1, 1]])
    assert kind_of("float64").of(vectors).dtype == np.float64
    assert kind_of("alleles").of(vectors).tolist() == [[0, 2], [1, 1]]
    assert kind_of("bits").of(vector_set([[0, 1], [1, 1]])).tolist() == [[2], [3]]
    with pytest.raises(InputError, match="row 1, vector 0, field 2: 2 where 0/1 data has only 0, 1"):
        kind_of("bits").of(vectors)
    with pytest.raises(InputError, match="row 1, vector 0, field 1: 3 where alleles has only 0, 1, 2"):
        kind_of("alleles").of(vector_set([[3]]))
    with pytest.raises(InputError, match="row 1, vector 0, field 1: 300 is not exact in uint8"):
        kind_of("bytes").of(vector_set([[300]]))
    with pytest.raises(InputError, match="no kind of elements 'float16'; choose one of: float32, float64, bytes"):
        kind_of("float16")


def test_a_digest_changes_with_any_value():
    values = made_vectors(KINDS["bytes"], 5, range(150))
    digests = {digest(values), digest(values[:-1]), digest(values.astype(np.float32))}
    values = values.copy()
    for vector in (0, 63, 64, 149):
        values[vector, 2] += 1
        digests.add(digest(values))
    assert len(digests) == 7

"""Every variant's numerators and quotients on every device and in every thread order."""

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform

from repro.device import open_device
from repro.errors import InputError
from repro.inputs.vectors.vectorset import pack_bits, vector_set
from repro.mgemm import cpu, products
from repro.mgemm.engine import Engine, Triples
from repro.mgemm.metrics import Metric, as_bytes
from repro.mgemm.products import LARGE
from repro.mgemm.reference import all_indices, similarities
from repro.mgemm.variants import VARIANTS

KINDS = ("float32", "float64", "uint8", "levels", "bits")
kinds = pytest.mark.parametrize("kind", KINDS)
ORDERS = ("forward", "reverse", "random")


def random_values(kind, vectors, fields, seed=0):
    """Vectors as the engine takes them, and their fields as integers."""
    rng = np.random.default_rng(seed)
    below = {"levels": 4, "bits": 2}.get(kind, 200)
    fields_ = rng.integers(0, below, (vectors, fields))
    fields_[rng.random(fields_.shape) < 0.2] = 0
    if kind == "bits":
        return pack_bits(vector_set(fields_)), fields_
    return fields_.astype("uint8" if kind == "levels" else kind), fields_


def engine_of(device, kind, variant="auto", **more):
    metric = Metric.SORENSON if kind == "bits" else Metric.CZEKANOWSKI
    dtype = {"bits": np.uint32, "levels": np.uint8}.get(kind, kind)
    return Engine(device, metric, dtype, variant, levels=4 if kind == "levels" else 256, **more)


def minima(fields):
    return np.minimum(fields[:, None], fields[None]).sum(axis=-1)


@kinds
@pytest.mark.parametrize("variant", VARIANTS)
def test_numerators_of_integers_are_exact(device, variant, kind):
    values, fields = random_values(kind, 70, 45)
    expected = fields @ fields.T if variant == "gemm" else minima(fields)
    engine = engine_of(device, kind, variant)
    block = engine.upload(values)
    assert np.array_equal(engine.pairs(block, block).get(), expected)
    assert np.array_equal(engine.pairs(block[3:68], block[5:70]).get(), expected[3:68, 5:70])
    upper = engine.pairs(block[3:68], block[1:70], upper=True).get()
    needed = np.arange(3, 68)[:, None] < np.arange(1, 70)
    assert np.array_equal(upper[needed], expected[3:68, 1:70][needed])


@kinds
def test_sums_of_vectors_longer_than_a_block_of_threads(device, kind):
    values, fields = random_values(kind, 5, 32 * 300 + 7 if kind == "bits" else 307)
    assert engine_of(device, kind).upload(values)[1:].sums.tolist() == fields.sum(axis=1)[1:].tolist()


@pytest.mark.parametrize(
    ("kind", "capability"), [("float32", None), ("float64", None), ("uint8", None), ("bits", (8, 0)), ("bits", (9, 0))]
)
def test_large_products_have_tiles_of_their_own(monkeypatch, kind, capability):
    monkeypatch.setattr(products, "SMALL_SPEED", 0)
    values, fields = random_values(kind, LARGE + 5, 9)
    for order in ORDERS:
        device = open_device("emulator", thread_order=order)
        device.compute_capability = capability or device.compute_capability
        engine = engine_of(device, kind)
        block = engine.upload(values)
        assert np.array_equal(engine.pairs(block[1:], block[:LARGE]).get(), minima(fields)[1:, :LARGE])


@pytest.mark.parametrize(
    ("rows", "columns", "upper", "threads"),
    [
        (256, 256, False, 4 * 256),  # two large tiles at a time
        (256, 300, False, 6 * 256),
        (384, 384, False, 36 * 128),  # nine of them keep two places busy for 0.9 of the time
        (256, 256, True, 16 * 128),  # three, and ten small ones
        (192, 192, True, 4 * 256),  # three, but six small ones are as bad
        (384, 384, True, 9 * 256),  # six of the nine that are launched
        (50, 256, False, 4 * 128),  # fewer vectors than large tiles are for
    ],
)
def test_tiles_are_large_where_that_keeps_multiprocessors_busy(monkeypatch, rows, columns, upper, threads):
    for name, value in (("LARGE", 100), ("MULTIPROCESSORS", 1), ("SMALL_SPEED", 0.95)):
        monkeypatch.setattr(products, name, value)
    device = open_device("emulator")
    values, fields = random_values("float32", 384, 3)
    engine = engine_of(device, "float32")
    block = engine.upload(values)
    before = device.counters.threads
    n2 = engine.pairs(block[:rows], block[:columns], upper=upper).get()
    assert device.counters.threads - before == threads
    needed = np.arange(rows)[:, None] < np.arange(columns) if upper else np.ones((rows, columns), bool)
    assert np.array_equal(n2[needed], minima(fields)[:rows, :columns][needed])


@kinds
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_random_shapes_against_the_reference(kind, data):
    vectors, fields = data.draw(st.integers(3, 40)), data.draw(st.integers(1, 70))
    values, whole = random_values(kind, vectors, fields, data.draw(st.integers(0, 99)))
    first, last = sorted(data.draw(st.lists(st.integers(0, vectors), min_size=2, max_size=2, unique=True)))
    for order in ORDERS:
        engine = engine_of(open_device("emulator", thread_order=order), kind)
        block = engine.upload(values)
        n2 = engine.pairs(block, block[first:last])
        assert np.array_equal(n2.get(), minima(whole)[:, first:last])
        found = engine.quotients2(engine.pairs(block, block), block, block).get()
        indices = all_indices(vectors, 2)
        assert np.array_equal(found[tuple(indices.T)], similarities(values, indices, engine.precision))


@pytest.mark.parametrize(("kind", "vast"), [("levels", products.VAST), ("bits", 1)])
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_random_shapes_by_warpgroups(kind, vast, data):
    """Tiles begin where eight vectors do, whatever is asked for."""
    vectors, fields = data.draw(st.integers(180, 300)), data.draw(st.integers(1, 6000))
    first, start = data.draw(st.integers(0, 20)), data.draw(st.integers(0, 20))
    values, whole = random_values(kind, vectors, fields, data.draw(st.integers(0, 99)))
    expected = sum((whole > level) @ (whole > level).astype(np.float32).T for level in range(3))[first:, start:]
    with patch.multiple(products, LARGE=1, VAST=vast):
        for order in ORDERS:
            engine = engine_of(open_device("emulator", thread_order=order), kind)
            block = engine.upload(values)
            assert np.array_equal(engine.pairs(block[first:], block[start:]).get(), expected)
            upper = engine.pairs(block[first:], block[start:], upper=True).get()
            needed = np.arange(first, vectors)[:, None] < np.arange(start, vectors)
            assert np.array_equal(upper[needed], expected[needed])


@pytest.mark.parametrize("vast", [1, products.VAST])
def test_slabs_of_warpgroups_that_take_a_stage_for_the_fourth_time(device, vast):
    values, fields = random_values("bits", 130, 36 * 512)
    with patch.multiple(products, LARGE=1, VAST=vast):
        engine = engine_of(device, "bits")
        block = engine.upload(values)
        assert np.array_equal(engine.pairs(block, block).get(), fields.astype(np.float32) @ fields.T)


@pytest.mark.parametrize(
    ("vectors", "rows", "pivots"), [(45, range(3, 30), range(4, 27)), (262, range(4), range(252, 258))]
)
def test_triples_by_warpgroups(device, vectors, rows, pivots):
    """Vector 255 is the last of the first tile of columns, and the only one of it behind pivot 254."""
    values, fields = random_values("bits", vectors, 40)
    with patch.object(products, "LARGE", 1):
        engine = engine_of(device, "bits")
        block = engine.upload(values)
        chosen = (block[part.start : part.stop] for part in (rows, pivots, range(1, vectors)))
        found = engine.triples(Triples(*chosen, rows_before=True, columns_behind=True)).get().tolist()
    minima_ = {j: (fields * fields[j]) @ fields.T for j in pivots}
    assert found == [minima_[j][i, k] for j in pivots for i in rows if i < j for k in range(j + 1, vectors)]


@pytest.mark.parametrize("kind", ["float32", "float64", "uint8", "bits"])
def test_tiles_of_which_only_the_last_column_is_needed(device, kind):
    """Behind the pivot before it, and behind the first row of the second row of tiles; bits by tensor.cu."""
    values, fields = random_values(kind, 80, 20)
    device.compute_capability = (8, 0)
    engine = engine_of(device, kind)
    small = {"float64": products.TILINGS[8][1].COLUMNS, "bits": products.WARP_TILINGS[1].columns}
    columns = small.get(kind, products.TILINGS[4][1].COLUMNS)
    block = engine.upload(values)
    pivots = range(columns - 3, columns + 2)
    triples = Triples(block[:4], block[pivots.start : pivots.stop], block, columns_behind=True)
    found = engine.triples(triples).get().tolist()
    minima_ = {j: minima(np.minimum(fields, fields[j])) for j in pivots}
    assert found == [minima_[j][i, k] for j in pivots for i in range(4) for k in range(j + 1, 80)]
    for behind in (1, 2, 3):
        rows, whole = block[: 80 - behind], minima(fields)[: 80 - behind, behind:]
        needed = np.arange(80 - behind)[:, None] < np.arange(behind, 80)
        assert np.array_equal(engine.pairs(rows, block[behind:], upper=True).get()[needed], whole[needed])


def test_pairs_are_one_minus_bray_curtis(device):
    values = np.random.default_rng(3).random((60, 80))
    engine = engine_of(device, "float64")
    block = engine.upload(values)
    found = engine.quotients2(engine.pairs(block, block), block, block).get()
    assert np.allclose(found, 1 - squareform(pdist(values, "braycurtis")), rtol=0, atol=1e-14)


@kinds
@pytest.mark.parametrize(("rows_before", "columns_behind"), [(True, True), (False, True), (False, False)])
def test_triples(device, kind, rows_before, columns_behind):
    values, fields = random_values(kind, 45, 40)
    engine = engine_of(device, kind)
    block = engine.upload(values)
    rows, pivots, columns = range(6, 30), range(4, 27), range(8, 45)  # before the first pivots there is no row
    triples = Triples(*(block[part.start : part.stop] for part in (rows, pivots, columns)), rows_before, columns_behind)
    n3_prime = engine.triples(triples).get()
    rows_, pivots_, columns_ = triples.rows, triples.pivots, triples.columns
    n2 = [engine.pairs(a, b) for a, b in ((rows_, pivots_), (rows_, columns_), (pivots_, columns_))]
    c3 = engine.quotients3(engine.triples(triples), triples, *n2).get()
    whole = engine.quotients3_whole(engine.triples(triples), triples, engine.pairs(block, block)).get()
    assert np.array_equal(c3, whole)
    bytes_ = engine.quotients3(engine.triples(triples), triples, *n2, as_bytes=True).get()
    assert np.array_equal(bytes_, as_bytes(c3))
    offset = 0
    for pivot, (height, width) in zip(pivots, triples.shapes, strict=True):
        inside = [i for i in rows if i < pivot or not rows_before]
        across = [k for k in columns if k > pivot or not columns_behind]
        assert (height, width) == (len(inside), len(across))
        part = slice(offset, offset + height * width)
        least = np.minimum(np.minimum(fields[inside], fields[pivot])[:, None], fields[across]).sum(axis=-1)
        assert np.array_equal(n3_prime[part].reshape(height, width), least)
        indices = np.array([(i, pivot, k) for i in inside for k in across], int).reshape(-1, 3)
        assert np.array_equal(c3[part], similarities(values, indices, engine.precision))
        offset += height * width
    assert offset == triples.count == len(n3_prime)


def test_more_pivots_than_are_taken_at_a_time_and_little_memory(device):
    values, fields = random_values("float32", 40, 20)
    engine = engine_of(device, "float32")
    block = engine.upload(values)
    device.memory_bytes = device.memory_used + 500_000
    found = engine.triples(Triples(block, block, block)).get()
    expected = np.minimum(minimum_cube(fields)[:, :, None], fields).sum(axis=-1)
    assert np.array_equal(found.reshape(40, 40, 40), expected)


@pytest.mark.parametrize(("capability", "planes"), [((8, 0), 32), ((9, 0), 64)])
def test_few_levels_are_planes_of_bits_where_these_are_faster(capability, planes):
    # 32 bits of a plane to a word, or 4 bytes; 16 words are the least.
    for levels, words in ((2, 16), (planes + 1, planes * 2), (planes + 2, 16)):
        fields = np.random.default_rng(9).integers(0, levels, (9, 50), dtype=np.uint8)
        device = open_device("emulator")
        device.compute_capability = capability
        engine = Engine(device, Metric.CZEKANOWSKI, np.uint8, levels=levels)
        block = engine.upload(fields)
        assert block.words == words
        assert np.array_equal(engine.pairs(block, block).get(), minima(fields.astype(int)))


@pytest.mark.parametrize("kind", ["levels", "bits"])
def test_cards_whose_tensor_cores_have_no_and(device, kind):
    """Those below compute capability 8.0: bits are compared by ordinary instructions, few levels as bytes."""
    device.compute_capability = (7, 5)
    values, fields = random_values(kind, 40, 45)
    engine = engine_of(device, kind)
    block = engine.upload(values)
    assert block.data.shape[2] == 1, "no groups of words for the tensor cores"
    assert np.array_equal(engine.pairs(block, block).get(), minima(fields))
    part = block[:20]
    triples = Triples(part, part, part)
    expected = np.minimum(minimum_cube(fields[:20])[:, :, None], fields[:20]).sum(axis=-1)
    assert np.array_equal(engine.triples(triples).get().reshape(20, 20, 20), expected)


@kinds
def test_more_tiles_of_vectors_than_a_grid_has_blocks(device, kind):
    device.limits = replace(device.limits, grid=(2**31 - 1, 2, 65535))
    values, fields = random_values(kind, 140, 45)
    engine = engine_of(device, kind)
    block = engine.upload(values)
    assert block.sums.tolist() == fields.sum(axis=1).tolist()
    assert np.array_equal(engine.pairs(block[:9], block).get(), minima(fields)[:9])


def minimum_cube(fields):
    return np.minimum(fields[:, None], fields[None])


@kinds
def test_vectors_of_zeros_are_similar_to_nothing(device, kind):
    values, _ = random_values(kind, 5, 33)
    values[1] = values[3] = 0
    engine = engine_of(device, kind)
    block = engine.upload(values)
    found = engine.quotients2(engine.pairs(block, block), block, block).get()
    assert found[1].tolist() == [0] * 5
    assert found[3].tolist() == [0] * 5
    triples = Triples(block, block, block)
    n2 = engine.pairs(block, block)
    assert engine.quotients3(engine.triples(triples), triples, n2, n2, n2).get().reshape(5, 5, 5)[1, 3, 1] == 0


def test_differences_of_doubles_are_within_their_bound(device):
    """Every one of n_f additions and of 2 n_f roundings in it errs by at most 2^-53 of what is there so far, which is
    never more than s_i + s_j: n2 errs by at most n_f 2^-53 (s_i + s_j), and c2 by twice that over s_i + s_j."""
    rng = np.random.default_rng(8)
    values = rng.random((40, 300)) ** 6 * 10.0 ** rng.integers(-8, 8, (40, 300))
    engine = engine_of(device, "float64", "differences")
    block = engine.upload(values)
    exact = np.minimum(values[:, None], values[None]).astype(np.longdouble).sum(axis=-1)
    bound = 300 * 2.0**-53 * (block.sums[:, None] + block.sums)
    assert (abs(engine.pairs(block, block).get() - exact) <= bound).all()


def test_rounded_differences_give_no_negative_numerators(device):
    """Of vectors i and j with unequal i mod 3 and j mod 3, no field is above 0 in both."""
    rng = np.random.default_rng(7)
    values = rng.random((24, 101)) * 10.0 ** rng.integers(-8, 8, (24, 101))
    values[np.arange(24)[:, None] % 3 != np.arange(101) % 3] = 0
    for kind in ("float64", "float32"):
        engine = engine_of(device, kind, "differences")
        block = engine.upload(values.astype(kind))
        n2 = engine.pairs(block, block)
        triples = Triples(block, block, block)
        assert n2.get().min() == 0
        assert engine.triples(triples).get().min() == 0
        c3 = engine.quotients3_whole(engine.triples(triples), triples, n2).get()
        assert c3.min() == 0


@pytest.mark.parametrize("variant", ["naive", "ternary", "fmin", "auto"])
def test_floats_are_added_in_the_order_of_their_fields(device, variant):
    values = np.random.default_rng(4).random((20, 90), dtype=np.float32)
    engine = engine_of(device, "float32", variant)
    block = engine.upload(values)
    least = np.minimum(values[:, None], values[None])
    assert np.array_equal(engine.pairs(block, block).get(), np.add.accumulate(least, axis=-1)[..., -1])


@kinds
@pytest.mark.parametrize("way", [2, 3])
def test_the_cpu_computes_the_same(kind, way):
    values, _ = random_values(kind, 23, 50)
    found = {}
    for tile, tile_values in cpu.similarities(values, way):
        for row in tile.rows:
            for column in tile.columns:
                if row < column:
                    key = (row, column) if tile.pivot is None else (row, tile.pivot, column)
                    found[key] = tile_values[row - tile.rows.start, column - tile.columns.start]
    indices = all_indices(23, way)
    precision = np.float64 if kind == "float64" else np.float32
    assert [found[tuple(index)] for index in indices.tolist()] == similarities(values, indices, precision).tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda device: Engine(device, Metric.SORENSON, np.float32), "sorenson of float32: give"),
        (lambda device: Engine(device, Metric.CZEKANOWSKI, np.uint32), "czekanowski of uint32: give"),
        (lambda device: Engine(device, Metric.CZEKANOWSKI, np.float32, "fast"), "no variant 'fast'; choose one of"),
        (
            lambda device: engine_of(device, "float32").upload(np.zeros((2, 3))),
            r"vectors of type float64 and shape \(2, 3\): give rows of float32",
        ),
        (
            lambda device: engine_of(device, "levels").upload(np.full((2, 3), 4, np.uint8)),
            "a field is 4, which is none of 4 levels",
        ),
    ],
)
def test_what_cannot_be_computed_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make(open_device("emulator"))


def test_blocks_of_different_fields_are_refused():
    engine = engine_of(open_device("emulator"), "float32")
    a, b = (engine.upload(np.ones((3, fields), np.float32)) for fields in (5, 50))
    with pytest.raises(InputError, match="give the same number of fields"):
        engine.pairs(a, b)

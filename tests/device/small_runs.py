"""Each package's variants on small inputs that reach every kernel, for the instrumented emulators and for NVRTC."""

from collections.abc import Callable
from unittest.mock import patch

import numpy as np

from repro.device import Device


def wfa(device: Device) -> None:
    """Similar, different, equal and empty strings, of 4 and of 256 symbols."""
    from repro.wfa.bidirectional import Bidirectional
    from repro.wfa.packing import PackedPair
    from repro.wfa.path import replayed_path
    from repro.wfa.reference import wagner_fischer
    from repro.wfa.variants import VARIANTS

    rng = np.random.default_rng(1)
    four, bytes_ = rng.integers(65, 69, 150, dtype=np.uint8), rng.integers(0, 256, 80, dtype=np.uint8)
    similar = np.delete(four, [20, 90])
    similar[[7, 60, 130]] ^= 1
    pairs = [(four, similar), (four[:60], rng.integers(65, 69, 90, dtype=np.uint8)), (bytes_, bytes_[::-1].copy())]
    pairs += [(four, four), (four[:0], four[:3])]
    for variant in VARIANTS.values():
        small = {name: max(setting.low, min(setting.default, 32)) for name, setting in variant.settings.items()}
        for a, b in pairs:
            assert variant.run(device, a, b, **variant.complete(small)).distance == wagner_fischer(a, b), variant.name
    for a, b in (pairs[0], (four, four)):
        assert replayed_path(device, a, b).cost == wagner_fischer(a, b)
    for symbols, letters in ((4, 600), (256, 330)):  # long enough for `hybrid` to give wavefronts up
        a, b = (rng.integers(0, symbols, letters, dtype=np.uint8) for _ in range(2))
        assert VARIANTS["hybrid"].run(device, a, b).distance == wagner_fischer(a, b)
        assert replayed_path(device, a, b).cost == wagner_fischer(a, b)
        # Apart for a while, as they are on longer strings.
        assert Bidirectional(PackedPair(device, a, b), letters).advance(letters, 150) == wagner_fischer(a, b)


def reorder(device: Device) -> None:
    """Sequences longer and shorter than a block's square and a warp's strip."""
    from repro.reorder.reference import best_score
    from repro.reorder.scoring import Scoring
    from repro.reorder.variants import VARIANTS

    rng = np.random.default_rng(2)
    for m, n in ((150, 75), (150, 170), (1, 5)):
        a, b = rng.integers(65, 69, m, dtype=np.uint8), rng.integers(65, 69, n, dtype=np.uint8)
        for variant in VARIANTS.values():
            small = {"block_size": 32} if "block_size" in variant.settings else {}
            assert variant.run(device, a, b, **variant.complete(small)).score == best_score(a, b, Scoring())


def apsp(device: Device) -> None:
    """Graphs of one and of several tiles, whose number of vertices divides by nothing, with and without paths."""
    from repro.apsp.ranges import INFINITE
    from repro.apsp.reference import floyd_warshall
    from repro.apsp.variants import VARIANTS

    rng = np.random.default_rng(3)
    for dtype, vertices in ((np.int16, 140), (np.float32, 70)):
        infinite = INFINITE[np.dtype(dtype)]
        weights = rng.integers(1, 50, (vertices, vertices)).astype(dtype)
        weights[rng.random(weights.shape) < 0.7] = infinite
        np.fill_diagonal(weights, 0)
        expected = floyd_warshall(weights, infinite)[0]
        for predecessors in (False, True):
            for variant in VARIANTS.values():
                small = {name: max(setting.low, min(setting.default, 16)) for name, setting in variant.settings.items()}
                outcome = variant.run(device, weights, predecessors, **variant.complete(small))
                assert np.array_equal(outcome.distances, expected), variant.name
    weights = rng.integers(1, 50, (300, 300)).astype(np.float32)
    np.fill_diagonal(weights, 0)
    expected = floyd_warshall(weights, INFINITE[weights.dtype])[0]
    variant = VARIANTS["out-of-core"]
    for predecessors, budget in ((False, 700_000), (True, 1_300_000)):
        device.memory_bytes = device.memory_used + budget  # too little for the matrices: blocks of them go in and out
        outcome = variant.run(device, weights, predecessors, **variant.complete({"tile": 64}))
        assert np.array_equal(outcome.distances, expected), variant.name


def mgemm(device: Device) -> None:
    """Pairs and triples of every type, and tiles for large products; not every variant of every type."""
    from repro.mgemm import products
    from repro.mgemm.engine import Engine, Triples
    from repro.mgemm.metrics import Metric

    rng = np.random.default_rng(4)
    for dtype, levels, variants in (
        (np.float32, 256, ("naive", "ternary", "auto")),
        (np.float64, 256, ("auto",)),
        (np.uint8, 256, ("auto",)),
        (np.uint8, 3, ("auto",)),
        (np.uint32, 256, ("auto",)),
    ):
        metric = Metric.SORENSON if dtype == np.uint32 else Metric.CZEKANOWSKI
        values = rng.integers(0, 3, (131, 19)).astype(dtype)
        for name in variants:
            engine = Engine(device, metric, dtype, name, levels=levels)
            block = engine.upload(values)
            engine.pairs(block[:21], block[:21])
            if name != "auto":
                continue
            with patch.multiple(products, LARGE=1, SMALL_SPEED=0):
                n2 = engine.pairs(block, block)
            part = block[:21]
            engine.quotients2(n2, block, block, as_bytes=dtype == np.float32)
            triples = Triples(part, part, part, rows_before=True, columns_behind=True)
            engine.quotients3_whole(engine.triples(triples), triples, n2)
    with patch.multiple(products, LARGE=1, VAST=1):  # the last engine compares bits
        engine.pairs(block, block)
    device.compute_capability = (8, 0)
    with patch.object(products, "LARGE", 1):
        engine.pairs(block, block)
    device.compute_capability = (7, 5)
    engine = Engine(device, Metric.SORENSON, np.uint32)
    block = engine.upload(values)
    engine.pairs(block, block)


def shuffle(device: Device) -> None:
    """Scores by every variant and alignments, of one and of several stages, in every number type."""
    from repro.shuffle import engine, paper, reference, strips
    from repro.shuffle.letters import encode
    from repro.shuffle.scheme import Scheme
    from repro.shuffle.variants import VARIANTS

    rng = np.random.default_rng(5)
    letters = np.frombuffer(b"ACGTN", np.uint8)
    short, long = (encode([rng.choice(letters, m) for m in lengths]) for lengths in ((0, 20, 75), (600, 30, 530)))
    runs = [
        *((name, short, Scheme("global"), "all") for name in VARIANTS),
        ("half2", short, Scheme("local", "linear"), "zip"),
        ("auto", short, Scheme("semi-global", match=700), "zip"),
        ("auto", long, Scheme("local"), "zip"),
        ("auto", long, Scheme("semi-global", match=700), "zip"),
        ("half2", short, Scheme("global", gap_open=10**9, gap_extend=10**9), "zip"),  # borders of 64 bits
    ]
    for name, subjects, scheme, pairs in runs:
        variant = VARIANTS[name]
        settings = variant.complete({"columns": 4} if "columns" in variant.settings else {})
        expected = reference.scores(short, subjects, pairs, scheme)
        for traceback in (False, True) if name in ("half2", "auto") else (False,):
            outcome = variant.run(device, short, subjects, pairs, scheme, traceback, **settings)
            assert np.array_equal(outcome.scores, expected), name
        if outcome.alignments:
            totals = reference.rescore(short, subjects, pairs, scheme, outcome.alignments)
            assert np.array_equal(totals, expected.reshape(-1)), name
    for scheme in (Scheme("semi-global"), Scheme("local", "linear")):
        methods = [strips.method(device, scheme, preferred=False), paper.method("fp32", scheme, 4)]
        found = engine.run(device, short, long, "zip", methods, np.array([1024]))
        assert np.array_equal(found.scores, reference.scores(short, long, "zip", scheme))


RUNS: dict[str, Callable[[Device], None]] = {
    "apsp": apsp,
    "mgemm": mgemm,
    "reorder": reorder,
    "shuffle": shuffle,
    "wfa": wfa,
}

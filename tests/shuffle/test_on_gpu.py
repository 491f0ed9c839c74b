"""What takes a GPU: a million random pairs, and real reads against parasail."""

from pathlib import Path

import numpy as np
import pytest

from repro.device import open_device
from repro.inputs.reads.files import read_reads
from repro.shuffle import peers, reference
from repro.shuffle.align import scores
from repro.shuffle.letters import Letters, encode
from repro.shuffle.variants import VARIANTS
from tests.conftest import NO_GPU
from tests.shuffle.batches import SCHEME_NAMES, SCHEMES

pytestmark = [pytest.mark.slow, pytest.mark.cuda, pytest.mark.skipif(bool(NO_GPU), reason=NO_GPU)]
READS = Path(__file__).parents[3] / "shared/data/reads"
PAIRS = 1_000_000


def random_letters(rng: np.random.Generator, count: int, longest: int) -> Letters:
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, longest + 1, count))])
    return Letters(rng.choice(5, offsets[-1], p=[0.245] * 4 + [0.02]).astype(np.uint8), offsets)


@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_NAMES)
def test_a_million_random_pairs(scheme):
    rng = np.random.default_rng(1)
    queries, subjects = random_letters(rng, PAIRS, 60), random_letters(rng, PAIRS, 60)
    device = open_device("cuda")
    expected = reference.scores(queries, subjects, "zip", scheme)
    for variant in VARIANTS:
        assert np.array_equal(scores(device, queries, subjects, "zip", scheme, variant), expected), variant
    outcome = VARIANTS["auto"].run(device, queries, subjects, "zip", scheme, True)
    assert np.array_equal(outcome.scores, expected)
    totals = reference.rescore(queries, subjects, "zip", scheme, outcome.alignments)
    assert np.array_equal(totals, expected)


@pytest.mark.parametrize("length", [125, 512])
@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_NAMES)
def test_real_reads_score_as_by_parasail(scheme, length):
    pytest.importorskip("parasail")
    files = list(READS.glob(f"mason2_*_L{length}_*.fa.gz"))
    if not files:
        pytest.skip("needs the shared reads")
    reads = [read.letters for read in read_reads(files[0])]
    queries, subjects = encode(reads[:64]), encode(reads)
    found = scores(open_device("cuda"), queries, subjects, "all", scheme)
    assert np.array_equal(found, peers.parasail_scores(queries, subjects, "all", scheme))

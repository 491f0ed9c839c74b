"""What takes a GPU: a million random pairs, and real reads, whose scores by parasail are added up here."""

from pathlib import Path

import numpy as np
import pytest

from repro.device import open_device
from repro.inputs.reads.files import read_reads
from repro.shuffle import reference
from repro.shuffle.align import alignments, scores
from repro.shuffle.letters import Letters, encode
from repro.shuffle.variants import VARIANTS
from tests.conftest import NO_GPU
from tests.shuffle.batches import SCHEME_NAMES, SCHEMES, million_pairs

pytestmark = [pytest.mark.slow, pytest.mark.cuda, pytest.mark.skipif(bool(NO_GPU), reason=NO_GPU)]
READS = Path(__file__).parents[3] / "shared/data/reads"
# Of the first 64 reads with all 3,536, by scheme: parasail 1.3.4 gives them (test_peers.py).
SUMS = {
    125: (16_750_480, 11_119_794, 18_372_208, 13_450_332, 18_591_792, 13_793_826),
    512: (76_080_700, 53_419_041, 78_473_434, 56_968_835, 78_687_713, 57_307_121),
}


@pytest.mark.parametrize("scheme", SCHEMES, ids=SCHEME_NAMES)
def test_a_million_random_pairs(scheme):
    queries, subjects = million_pairs()
    device = open_device("cuda")
    expected = reference.scores(queries, subjects, "zip", scheme)
    for variant in VARIANTS:
        assert np.array_equal(scores(device, queries, subjects, "zip", scheme, variant), expected), variant
    first = alignments(device, queries, subjects, "zip", scheme)
    assert np.array_equal(first.score, expected)
    assert np.array_equal(reference.rescore(queries, subjects, "zip", scheme, first), expected)
    for variant in ("fp32", "half2"):
        found = alignments(device, queries, subjects, "zip", scheme, variant)
        assert all(np.array_equal(getattr(found, name), values) for name, values in vars(first).items()), variant


def reads_of(length: int) -> tuple[Letters, Letters]:
    """Some of the shared reads of a length, and all of them."""
    files = list(READS.glob(f"mason2_*_L{length}_*.fa.gz"))
    if not files:
        pytest.skip("needs the shared reads")
    reads = [read.letters for read in read_reads(files[0])]
    return encode(reads[:64]), encode(reads)


@pytest.mark.parametrize("length", SUMS)
@pytest.mark.parametrize(("number", "scheme"), list(enumerate(SCHEMES)), ids=SCHEME_NAMES)
def test_real_reads_score_as_by_parasail(number, scheme, length):
    queries, subjects = reads_of(length)
    for variant in VARIANTS:
        found = scores(open_device("cuda"), queries, subjects, "all", scheme, variant)
        assert found.sum(dtype=np.int64) == SUMS[length][number], variant

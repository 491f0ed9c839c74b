"""Gaps that cost so much that borders and scores leave 32 bits: what whole numbers without a size say."""

import numpy as np
import pytest

from repro.device import open_device
from repro.shuffle import reference
from repro.shuffle.align import alignments, scores
from repro.shuffle.letters import encode
from repro.shuffle.scheme import LARGEST_SCORE, Scheme
from repro.shuffle.variants import VARIANTS

RNG = np.random.default_rng(31)
QUERIES, SUBJECTS = (
    encode([RNG.choice(np.frombuffer(b"ACGTN", np.uint8), n) for n in ns]) for ns in ((27, 60), (60, 0))
)
EMPTY = np.array([[0, 1]])  # 60 letters with none
# Of the modes with free ends the largest penalty; the ends of a local one, however large, cost nothing.
SCHEMES = [
    *(Scheme("global", "linear", gap_extend=gap) for gap in (10**8, 5 * 10**8, 10**9)),
    *(
        Scheme("global", gap_open=first, gap_extend=gap)
        for first, gap in ((10**8, 1), (10**9, 5 * 10**8), (10**9, 10**9))
    ),
    *(Scheme(mode, "linear", mismatch=-(10**9), gap_extend=10**9) for mode in ("semi-global", "local")),
    *(Scheme(mode, gap_open=10**9, gap_extend=10**9) for mode in ("semi-global", "local")),
]
NAMES = [f"{scheme.mode}-{scheme.gap}-{scheme.first}-{scheme.gap_extend}" for scheme in SCHEMES]


def best_score(query: list[int], subject: list[int], scheme: Scheme) -> int:
    """Eq. (1) to (5) in Python's integers, a gap as a whole at a time."""
    table = scheme.table().tolist()
    gaps = [scheme.first + k * scheme.gap_extend for k in range(len(query) + len(subject))]
    best, h = 0, {}
    for i in range(len(query) + 1):
        for j in range(len(subject) + 1):
            values = [h[i - k - 1, j] - gaps[k] for k in range(i)] + [h[i, j - k - 1] - gaps[k] for k in range(j)]
            if i and j:
                values.append(h[i - 1, j - 1] + table[query[i - 1]][subject[j - 1]])
            free = scheme.mode == "local" or (i * j == 0 and (scheme.mode == "semi-global" or i == j))
            h[i, j] = max([*values, 0] if free else values)
            if scheme.mode == "local" or i == len(query) or j == len(subject):
                best = max(best, h[i, j])
    return h[len(query), len(subject)] if scheme.mode == "global" else best


@pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
def test_scores_and_alignments_by_every_variant(scheme):
    lists = [[batch[i].tolist() for i in range(2)] for batch in (QUERIES, SUBJECTS)]
    expected = [[best_score(query, subject, scheme) for subject in lists[1]] for query in lists[0]]
    assert reference.scores(QUERIES, SUBJECTS, "all", scheme).tolist() == expected
    device = open_device("emulator", thread_order="random", seed=9)
    paths = reference.alignments(QUERIES, SUBJECTS, "all", scheme)
    for variant in VARIANTS:
        assert scores(device, QUERIES, SUBJECTS, "all", scheme, variant).tolist() == expected, variant
        found = alignments(device, QUERIES, SUBJECTS, "all", scheme, variant)
        for name in vars(paths):
            assert np.array_equal(getattr(found, name), getattr(paths, name)), (variant, name)


def test_a_gap_of_nothing_but_the_largest_penalty():
    scheme = Scheme("global", gap_open=LARGEST_SCORE, gap_extend=LARGEST_SCORE)
    device = open_device("emulator")
    for variant in VARIANTS:
        assert scores(device, SUBJECTS, SUBJECTS, EMPTY, scheme, variant).tolist() == [-60 * LARGEST_SCORE], variant


def test_penalties_of_numpys_types_do_not_wrap_around():
    largest = np.int32(LARGEST_SCORE)
    scheme = Scheme("global", match=np.int32(2), gap_open=largest, gap_extend=largest)
    assert scheme == Scheme("global", gap_open=LARGEST_SCORE, gap_extend=LARGEST_SCORE)
    found = scores(open_device("emulator"), SUBJECTS, SUBJECTS, EMPTY, scheme)
    assert found.tolist() == [-60 * LARGEST_SCORE]


@pytest.mark.slow
def test_columns_beyond_a_subject_do_not_wrap_around():
    """32 bits hold what two letters score, but not what a gap of all of a warp's columns would."""
    scheme = Scheme("global", mismatch=-5 * 10**7, gap_open=6 * 10**7, gap_extend=6 * 10**7)
    pair = encode([np.frombuffer(b"AC", np.uint8)])
    device = open_device("emulator", instrument="sanitize")
    for variant in VARIANTS:
        assert scores(device, pair, pair, "all", scheme, variant).tolist() == [[4]]
        assert alignments(device, pair, pair, "all", scheme, variant).score.tolist() == [4]

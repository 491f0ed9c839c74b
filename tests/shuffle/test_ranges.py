"""No value of an alignment, intermediate ones included, lies outside its bounds; types are chosen by them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.shuffle import ranges
from repro.shuffle.letters import Codes
from repro.shuffle.scheme import Scheme
from tests.shuffle.batches import letters, schemes

TEXT = st.text("ACGTN", min_size=1, max_size=12)


def extremes(query: Codes, subject: Codes, scheme: Scheme) -> tuple[int, int]:
    """The smallest and the largest of all H, E, F and H + sigma of Eq. (1) to (5), infinite ones left out."""
    m, n = len(query), len(subject)
    free = scheme.mode != "global"
    h = {(0, 0): 0}
    for k in range(1, max(m, n) + 1):
        h[k, 0] = h[0, k] = 0 if free else -scheme.first - (k - 1) * scheme.gap_extend
    e, f, seen = {}, {}, list(h.values())
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            e[i, j] = max([h[i - 1, j] - scheme.first, *([e[i - 1, j] - scheme.gap_extend] if i > 1 else [])])
            f[i, j] = max([h[i, j - 1] - scheme.first, *([f[i, j - 1] - scheme.gap_extend] if j > 1 else [])])
            aligned = h[i - 1, j - 1] + int(scheme.table()[query[i - 1], subject[j - 1]])
            h[i, j] = max(aligned, e[i, j], f[i, j], *([0] if scheme.mode == "local" else []))
            seen += [aligned, e[i, j], f[i, j], e[i, j] - scheme.gap_extend, f[i, j] - scheme.gap_extend, h[i, j]]
    return min(seen), max(seen)


@settings(deadline=None)
@given(TEXT, TEXT, schemes())
def test_bounds_hold(query, subject, scheme):
    q, s = letters(query)[0], letters(subject)[0]
    found = ranges.bounds(scheme, np.array([len(q)]), np.array([len(s)]))
    low, high = extremes(q, s, scheme)
    assert found.low[0] <= low
    assert found.high[0] + max(0, int(scheme.table().max())) >= high


@pytest.mark.parametrize(
    ("kind", "scheme", "longest"),
    [
        ("half2", Scheme("local"), 1021),
        ("half2", Scheme("global", "linear"), 1022),
        ("fp32", Scheme("local", match=2**10), 2**14 - 2),
        ("s16x2", Scheme("global", "linear"), 8190),
        ("s16x2", Scheme("semi-global"), 8189),
        ("s16x2", Scheme("local"), 1023),
    ],
)
def test_the_longest_sequences_of_a_type(kind, scheme, longest):
    lengths = np.array([longest, longest + 1])
    assert ranges.fits(kind, scheme, lengths, lengths).tolist() == [True, False]


def test_the_shorter_sequence_limits_a_local_score():
    assert ranges.fits("s16x2", Scheme("local"), np.array([100]), np.array([10**6])).all()
    assert not ranges.fits("s16x2", Scheme("global"), np.array([100]), np.array([10**6])).any()


def test_64_bits_hold_the_largest_scores_of_the_longest_sequences():
    largest = Scheme("global", match=2**30, gap_open=2**30, gap_extend=2**30)
    assert ranges.fits("int64", largest, np.array([2**29]), np.array([2**29])).all()

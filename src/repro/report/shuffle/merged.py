"""What seven operations for an affine cell give: one maximum for both kinds of gaps (section 4.2, footnote)."""

from collections.abc import Iterator

import numpy as np
from numba import njit

from repro.shuffle.letters import Codes
from repro.shuffle.reference import score
from repro.shuffle.scheme import Scheme

PAIRS, LETTERS = 200, 40
EXACT, WRONG = Scheme(), Scheme(mismatch=-3, gap_open=5)  # the paper's scheme, and one that it does not use


def merged_score(query: Codes, subject: Codes, scheme: Scheme) -> int:
    """The global score where E and F are the larger of max(E(i-1, j), F(i, j-1)) - beta and
    max(H(i-1, j), H(i, j-1)) - alpha, both of them.
    """
    return int(_merged(query, subject, scheme.table(), scheme.first, scheme.gap_extend))


def wrong_scores(scheme: Scheme) -> int:
    """For how many of PAIRS random pairs of LETTERS letters the merged recurrence gives another score."""
    return sum(merged_score(a, b, scheme) != score(a, b, scheme) for a, b in _random_pairs())


def _random_pairs() -> Iterator[tuple[Codes, Codes]]:
    rng = np.random.default_rng(4)
    for _ in range(PAIRS):
        a, b = rng.integers(0, 4, (2, LETTERS), dtype=np.uint8)
        yield a, b


@njit(cache=True)
def _merged(query, subject, table, first, further):  # type: ignore[no-untyped-def]
    n = len(subject)
    h = np.zeros(n + 1, np.int64)
    h[1:] = -first - further * np.arange(n)
    gap = h.copy()
    gap[0] = -(2**40)
    for i in range(1, len(query) + 1):
        diagonal = h[0]
        h[0] = gap[0] = -first - further * (i - 1)
        for j in range(1, n + 1):
            gap[j] = max(max(gap[j], gap[j - 1]) - further, max(h[j], h[j - 1]) - first)
            value = max(diagonal + table[query[i - 1], subject[j - 1]], gap[j])
            diagonal, h[j] = h[j], value
    return h[n]

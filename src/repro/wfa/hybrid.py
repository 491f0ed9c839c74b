"""`hybrid`: the exact edit distance by whichever engine is fast at the strings' similarity."""

import math

from repro.device import Device
from repro.wfa.bidirectional import Bidirectional
from repro.wfa.bit_parallel import Crossings, Problems, best_words, solve
from repro.wfa.packing import PackedPair
from repro.wfa.pyramid import Letters, Outcome

PROBE, CLOSER_PROBE = 128, 512  # columns of the wavefronts that tell how similar the strings are
LONG = 1 << 20  # letters from which on the time for a closer look does not count
MOST_WINDOWS = 8  # in which they tell it, from either end

# Microseconds on an NVIDIA H200: of a column of both wavefronts, of a column for each column before it, which makes the
# wavefronts wider, and of the strips for each letter.
COLUMN, WIDER, LETTER = 0.16, 6.9e-6, 0.0143


def most_edits_by_wavefronts(longer: int) -> int:
    """The distance up to which wavefronts are faster than bit-parallel strips, for strings of `longer` letters."""
    return int((math.sqrt(COLUMN**2 + 4 * WIDER * LETTER * longer) - COLUMN) / WIDER)  # twice the columns of each


def probing(pair: PackedPair, columns: int, most_edits: int = 0) -> Bidirectional:
    """Wavefronts from eight places of either string, where so many columns leave room for them; for most_edits later.

    They may begin so far from the main diagonal as the path may be there: a standard deviation or two.
    """
    near = math.isqrt(max(pair.m, pair.n)) // 2 * 2
    windows = max(1, min(MOST_WINDOWS, min(pair.m, pair.n) // (4 * (columns + near))))
    return Bidirectional(pair, max(columns, most_edits), windows, near)


def estimated_distance(pair: PackedPair, edits_per_letter: float) -> int:
    """The distance if all of the strings is like what the wavefronts have passed."""
    edits = int(edits_per_letter * (pair.m + pair.n) / 2)
    return min(max(pair.m, pair.n), max(edits, abs(pair.n - pair.m) + edits // 2))


def band_of(estimate: int, columns: int) -> int:
    """The distance that the band allows for: the fewer columns told it, the more likely it is to be more."""
    return int(estimate * (1.02 + 10 / columns))


def by_bit_parallel(pair: PackedPair, guess: int) -> tuple[Outcome, Crossings]:
    """The distance by strips in the band of `guess`, and again in the band of the cost found where that is larger."""
    problems = Problems.whole(pair, max(guess, abs(pair.n - pair.m)))
    words = best_words(pair, problems)
    found = solve(pair, problems, words)
    if found.cost[0] <= problems.bound:
        return Outcome(int(found.cost[0]), lambda: problems.cells(words)), found
    again = Problems.whole(pair, int(found.cost[0]))
    found = solve(pair, again, words)
    return Outcome(int(found.cost[0]), lambda: problems.cells(words) + again.cells(words)), found


def search(pair: PackedPair) -> tuple[Outcome, Crossings | None]:
    """The exact distance of a packed pair, and where its path crosses the middle row if the strips have found that.

    Wavefronts advance from both ends for a while; they meet, or they tell how similar the ends are. Where these are
    similar, wavefronts go on; where they are not, or the wavefronts do not meet in time, banded bit-parallel strips
    take over.
    """
    if pair.m == 0 or pair.n == 0:
        return Outcome(pair.m + pair.n, lambda: 0), None
    longer = max(pair.m, pair.n)
    most = most_edits_by_wavefronts(longer)
    # Where strips take milliseconds, the same launches tell both whether wavefronts will meet and the strips' band.
    wavefronts = probing(pair, PROBE, most // 2) if longer < LONG else Bidirectional(pair, max(PROBE, most // 2))
    met, at_ends, anywhere = wavefronts.probe(PROBE)
    if met is None and (likely := abs(pair.n - pair.m) + int(at_ends * longer)) <= most:
        met = wavefronts.advance(most // 2, min(likely, estimated_distance(pair, anywhere)) // 2)
    if met is not None:
        return Outcome(met, lambda: wavefronts.cells), None
    columns = PROBE
    if longer >= LONG:
        columns = CLOSER_PROBE
        anywhere = probing(pair, columns).probe(columns, apart=True)[2]
    strips, crossings = by_bit_parallel(pair, band_of(estimated_distance(pair, anywhere), columns))
    return Outcome(strips.distance, lambda: wavefronts.cells + strips.cells), crossings


def hybrid(device: Device, a: Letters, b: Letters) -> Outcome:
    """The exact distance by whichever engine is fast at the similarity of the strings; beyond the paper.

    a, b: letters, uint8 of shape (m,) and (n,).
    """
    return search(PackedPair(device, a, b))[0]

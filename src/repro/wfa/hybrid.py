"""`hybrid`: the exact edit distance by whichever engine is fast at the strings' similarity."""

from repro.device import Device
from repro.wfa.bidirectional import Bidirectional
from repro.wfa.bit_parallel import Crossings, Problems, solve
from repro.wfa.packing import PackedPair
from repro.wfa.pyramid import Letters, Outcome

LEAST_PROBE, MOST_PROBE = 128, 2048  # columns of the wavefronts that tell how similar the strings are
LETTERS_PER_PROBE_COLUMN = 256
WAVEFRONT_BELOW = 0.03  # distance per letter under which wavefronts are faster than bit-parallel strips
MARGIN = 1.1  # of the estimated distance, for the band


def estimated_distance(pair: PackedPair, wavefronts: Bidirectional) -> int:
    """The distance if the rest of the strings is like what the forward wavefront has passed."""
    longer = max(pair.m, pair.n)
    progress = max(1, wavefronts.furthest())
    return min(longer, abs(pair.n - pair.m) + wavefronts.columns * pair.m // progress)


def strip_words(pair: PackedPair) -> int:
    """Words of rows per lane: two are the fastest; with more than 64 letters a strip's table has room for one only."""
    return 1 if pair.symbols > 64 else 2


def by_bit_parallel(pair: PackedPair, guess: int) -> tuple[Outcome, Crossings]:
    """The distance by strips in the band of `guess`, and again in the band of the cost found where that is larger."""
    problems = Problems.whole(pair, max(guess, abs(pair.n - pair.m)))
    words = strip_words(pair)
    found = solve(pair, problems, words)
    if found.cost[0] <= problems.bound[0]:
        return Outcome(int(found.cost[0]), lambda: problems.cells(words)), found
    again = Problems.whole(pair, int(found.cost[0]))
    found = solve(pair, again, words)
    return Outcome(int(found.cost[0]), lambda: problems.cells(words) + again.cells(words)), found


def search(pair: PackedPair) -> tuple[Outcome, Crossings | None]:
    """The exact distance of a packed pair, and where its path crosses the middle row if the strips have found that.

    Wavefronts advance from both ends for a while; they meet, or they tell how similar the strings are. Then wavefronts
    go on to the end where the strings are similar, and banded bit-parallel strips take over where they are not.
    """
    if pair.m == 0 or pair.n == 0:
        return Outcome(pair.m + pair.n, lambda: 0), None
    longer = max(pair.m, pair.n)
    probe = min(MOST_PROBE, max(LEAST_PROBE, longer // LETTERS_PER_PROBE_COLUMN))
    most = max(probe, int(longer * WAVEFRONT_BELOW))
    wavefronts = Bidirectional(pair, most)
    met = wavefronts.advance(probe)
    if met is None:
        estimate = estimated_distance(pair, wavefronts)
        if estimate <= longer * WAVEFRONT_BELOW:
            met = wavefronts.advance(most)
    if met is not None:
        return Outcome(met, lambda: wavefronts.cells), None
    strips, crossings = by_bit_parallel(pair, int(estimate * MARGIN))
    return Outcome(strips.distance, lambda: wavefronts.cells + strips.cells), crossings


def hybrid(device: Device, a: Letters, b: Letters) -> Outcome:
    """The exact distance by whichever engine is fast at the similarity of the strings; beyond the paper.

    a, b: letters, uint8 of shape (m,) and (n,).
    """
    return search(PackedPair(device, a, b))[0]

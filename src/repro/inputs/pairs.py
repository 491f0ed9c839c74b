"""Synthetic pairs of DNA sequences with a wanted length and similarity.

A rate of edits is not a similarity: random DNA is already about 48 % similar, and a rate of 0.47 gives about 63 %.
So the rate is found by bisection until the measured similarity is the wanted one.
"""

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import edlib
import numpy as np

from repro.errors import InputError
from repro.inputs.fasta import Sequence, write_fasta
from repro.inputs.files import complete_or_absent

LEAST_SIMILARITY = 0.5  # mutation of every letter leaves some 0.49
FEW_LETTERS = 5000  # up to which chance leaves more or less than that
_ACGT = np.frombuffer(b"ACGT", dtype=np.uint8)
_BISECTIONS = 40
# Bisection stops this close to the wanted similarity, relative to the wanted dissimilarity.
_TOLERANCE = 1e-3
# edlib's time grows with length x distance; one measurement of this many cells takes about 0.1 s.
_CELLS_PER_MEASUREMENT = 50_000 * 25_000


@dataclass(frozen=True)
class PairManifest:
    """How a synthetic pair was made and what was measured on it.

    `similarity` is 1 - distance / max(length_a, length_b) over the first `measured_length` letters that were made
    from `seed`; `distance` belongs to the same letters. `measured_whole` says whether these are the pair itself.
    """

    length_a: int
    length_b: int
    wanted_similarity: float
    rate: float
    seed: int
    similarity: float
    distance: int
    measured_length: int
    measured_whole: bool
    sha256_a: str
    sha256_b: str


@dataclass(frozen=True)
class SyntheticPair:
    """A sequence, its mutated copy, and how they were made."""

    a: Sequence
    b: Sequence
    manifest: PairManifest


def similarity(distance: int, length_a: int, length_b: int) -> float:
    """Return 1 - distance / max(length_a, length_b), as in WFA tables 2 and 3; 1 for two empty sequences."""
    longest = max(length_a, length_b)
    return 1 - distance / longest if longest else 1.0


def edit_distance(a: Sequence, b: Sequence) -> int:
    """Return the Levenshtein distance of two sequences by edlib; every byte is a symbol of its own."""
    if not len(a) or not len(b):
        return max(len(a), len(b))
    return int(edlib.align(a.letters.tobytes(), b.letters.tobytes(), task="distance")["editDistance"])


def make_pair(length: int, wanted_similarity: float, seed: int, name: str = "synthetic") -> SyntheticPair:
    """Make a random sequence of `length` letters and a mutated copy with at least the wanted similarity.

    Each letter is edited with one probability, the rate: substituted, deleted or followed by an inserted letter, a
    third each; the rate is the largest found for which the similarity is not below the wanted one. Where measuring the
    whole pair would be slow, rate and similarity are those of a shorter pair from the same seed, as the manifest says.
    The same arguments give the same pair. The sequences are named `NAME_a` and `NAME_b`.

    Raises InputError for a length below 1, a negative seed and a similarity above 1 or below `least_similarity`.
    """
    if length < 1:
        raise InputError(f"synthetic pair {name}: length {length}; give at least 1")
    if seed < 0:
        raise InputError(f"synthetic pair {name}: seed {seed}; give 0 or more")
    least = least_similarity(length, seed)
    if not least <= wanted_similarity <= 1:
        raise InputError(
            f"synthetic pair {name}: similarity {wanted_similarity} is out of reach; mutation of {length} letters with "
            f"seed {seed} leaves {least:g} to 1"
        )
    measured_length = min(length, _affordable_length(wanted_similarity))
    measured = _find_rate(_Mutations(measured_length, seed, name), wanted_similarity)
    a, b = measured.a, measured.b
    if measured_length < length:
        a, b = _Mutations(length, seed, name).pair(measured.rate)
    manifest = PairManifest(
        length_a=len(a),
        length_b=len(b),
        wanted_similarity=wanted_similarity,
        rate=measured.rate,
        seed=seed,
        similarity=measured.similarity,
        distance=measured.distance,
        measured_length=measured_length,
        measured_whole=measured_length == length,
        sha256_a=a.sha256,
        sha256_b=b.sha256,
    )
    return SyntheticPair(a, b, manifest)


def least_similarity(length: int, seed: int) -> float:
    """Return the similarity below which a synthetic pair of so many letters is not made, rounded up to three digits."""
    if length > FEW_LETTERS:
        return LEAST_SIMILARITY
    return math.ceil(1000 * _Mutations(length, seed, "").at(1).similarity) / 1000


def write_pair(pair: SyntheticPair, path_a: str | Path, path_b: str | Path, manifest: str | Path) -> None:
    """Write the two sequences as FASTA and the manifest as JSON, each complete or not at all."""
    write_fasta(path_a, [pair.a])
    write_fasta(path_b, [pair.b])
    with complete_or_absent(manifest) as partial:
        partial.write_text(json.dumps(asdict(pair.manifest), indent=2) + "\n")


def _affordable_length(wanted_similarity: float) -> int:
    return int(math.sqrt(_CELLS_PER_MEASUREMENT / max(1 - wanted_similarity, 1e-9)))


class _Candidate(NamedTuple):
    rate: float
    a: Sequence
    b: Sequence
    distance: int
    similarity: float


class _Mutations:
    """The random draws behind a pair: a larger rate keeps the edits of a smaller one and adds to them.

    That makes the measured similarity fall steadily with the rate, as bisection needs.
    """

    def __init__(self, length: int, seed: int, name: str) -> None:
        self._name = name
        rng = np.random.default_rng(seed)
        self._codes = rng.integers(4, size=length, dtype=np.uint8)
        self._threshold = rng.random(length)
        self._kind = rng.integers(3, size=length, dtype=np.uint8)
        self._shift = rng.integers(1, 4, size=length, dtype=np.uint8)
        self._inserted = rng.integers(4, size=length, dtype=np.uint8)

    def pair(self, rate: float) -> tuple[Sequence, Sequence]:
        edited = self._threshold < rate
        substituted, inserted, deleted = (edited & (self._kind == kind) for kind in range(3))
        codes = np.where(substituted, (self._codes + self._shift) % 4, self._codes)
        copies = np.ones(codes.size, dtype=np.int64)
        copies[inserted] = 2
        copies[deleted] = 0
        mutated = np.repeat(codes, copies)
        # Of a letter's two copies the second becomes the inserted letter.
        mutated[np.cumsum(copies)[inserted] - 1] = self._inserted[inserted]
        return Sequence(f"{self._name}_a", _ACGT[self._codes]), Sequence(f"{self._name}_b", _ACGT[mutated])

    def at(self, rate: float) -> _Candidate:
        a, b = self.pair(rate)
        distance = edit_distance(a, b)
        return _Candidate(rate, a, b, distance, similarity(distance, len(a), len(b)))


def _find_rate(mutations: _Mutations, wanted: float) -> _Candidate:
    """Return the pair with the largest rate found whose similarity is not below the wanted one."""
    low, best = 0.0, mutations.at(0.0)
    # A rate of twice the dissimilarity is usually enough; measuring at needlessly large distances is slow.
    high = min(1.0, 2 * (1 - wanted))
    while (candidate := mutations.at(high)).similarity > wanted and high < 1:
        low, best, high = high, candidate, min(1.0, 2 * high)
    for _ in range(_BISECTIONS):
        if best.similarity - wanted <= _TOLERANCE * (1 - wanted):
            break
        candidate = mutations.at((low + high) / 2)
        if candidate.similarity < wanted:
            high = candidate.rate
        else:
            low, best = candidate.rate, candidate
    return best

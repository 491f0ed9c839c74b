"""Sequences, schemes and letters for the tests of alignments."""

import numpy as np
from hypothesis import strategies as st

from repro.shuffle import reference
from repro.shuffle.alignments import Alignments
from repro.shuffle.letters import Letters, Pairs, encode
from repro.shuffle.scheme import Scheme

BYTES = np.frombuffer(b"ACGTacgtNn", np.uint8)
SCHEMES = [Scheme(mode, gap) for mode in ("global", "semi-global", "local") for gap in ("linear", "affine")]
SCHEME_NAMES = [f"{scheme.mode}-{scheme.gap}" for scheme in SCHEMES]
FEW_GAPS = [(None, 1), (2, 1), (3, 0), (1, 1)]
MATRIX = ((5, -4, -3, -4, -2), (-4, 5, -4, -1, -2), (-2, -4, 5, -4, -2), (-4, -3, -4, 6, -2), (1, -2, -2, 0, -1))


def letters(*texts: str) -> Letters:
    return encode([np.frombuffer(text.encode(), np.uint8) for text in texts])


def assert_as_reference(found: Alignments, queries: Letters, subjects: Letters, pairs: Pairs, scheme: Scheme) -> None:
    expected = reference.alignments(queries, subjects, pairs, scheme)
    for name in vars(expected):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    assert np.array_equal(reference.rescore(queries, subjects, pairs, scheme, found), found.score)


def mutated(rng: np.random.Generator, sequence: np.ndarray, changes: float) -> np.ndarray:
    """The sequence with a share of its letters replaced, removed or doubled."""
    kinds = rng.choice(4, len(sequence), p=[1 - changes, changes / 3, changes / 3, changes / 3])
    changed = np.where(kinds == 1, rng.choice(BYTES, len(sequence)), sequence)
    return np.repeat(changed, np.select([kinds == 2, kinds == 3], [0, 2], 1))


def random_batch(seed: int, count: int, longest: int, others: bool = True) -> tuple[Letters, Letters]:
    """Queries and subjects of 0 to `longest` letters: one half unrelated, the other mutated copies."""
    rng = np.random.default_rng(seed)
    alphabet = BYTES if others else BYTES[:8]
    queries = [rng.choice(alphabet, rng.integers(0, longest + 1)) for _ in range(count)]
    subjects = [
        mutated(rng, query, 0.2)[:longest] if i % 2 else rng.choice(alphabet, rng.integers(0, longest + 1))
        for i, query in enumerate(queries)
    ]
    if not others:
        subjects = [np.where(np.isin(subject, BYTES[8:]), BYTES[0], subject) for subject in subjects]
    return encode(queries), encode(subjects)


def million_pairs() -> tuple[Letters, Letters]:
    """A million queries and subjects of 0 to 60 letters, one in 50 of which is none of four."""
    rng = np.random.default_rng(1)

    def some() -> Letters:
        offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 61, 1_000_000))])
        return Letters(rng.choice(5, offsets[-1], p=[0.245] * 4 + [0.02]).astype(np.uint8), offsets)

    return some(), some()


@st.composite
def schemes(draw: st.DrawFn, few_gaps: bool = False) -> Scheme:
    """Any scheme of small scores, some with a matrix. few_gaps: for kernels that are specialised by what gaps cost."""
    scores = st.integers(-6, 6)
    row = st.tuples(scores, scores, scores, scores, scores)
    mode, match, mismatch = (
        draw(st.sampled_from(["global", "semi-global", "local"])),
        draw(st.integers(-1, 6)),
        draw(st.integers(-6, 2)),
    )
    matrix = draw(st.none() | st.tuples(row, row, row, row, row))
    if few_gaps:
        gap_open, extend = draw(st.sampled_from(FEW_GAPS))
        return Scheme(mode, "linear" if gap_open is None else "affine", match, mismatch, gap_open, extend, matrix)
    gap = draw(st.sampled_from(["linear", "affine"]))
    extend = draw(st.integers(0, 5))
    return Scheme(
        mode, gap, match, mismatch, extend + draw(st.integers(0, 6)) if gap == "affine" else None, extend, matrix
    )

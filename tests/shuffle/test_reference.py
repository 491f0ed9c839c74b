"""The reference against Biopython and edlib (parasail: test_peers.py), and on cases whose answers are known."""

import edlib
import numpy as np
import pytest
from Bio.Align import PairwiseAligner
from Bio.Align.substitution_matrices import Array
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.shuffle import reference
from repro.shuffle.alignments import Alignments
from repro.shuffle.scheme import Scheme
from tests.shuffle.batches import letters, mutated, schemes

TEXT = st.text("ACGTN", max_size=40)


def align(query: str, subject: str, **scheme) -> reference.Alignment:
    return reference.alignment(letters(query)[0], letters(subject)[0], Scheme(**scheme))


def biopython(query: np.ndarray, subject: np.ndarray, scheme: Scheme) -> float:
    """The score by Biopython, which takes no empty sequence."""
    if not (len(query) and len(subject)):
        return reference.score(query, subject, scheme)
    matrix = Array("ACGTN", 2, scheme.table().astype(float))
    mode = "local" if scheme.mode == "local" else "global"
    aligner = PairwiseAligner(mode=mode, substitution_matrix=matrix)
    aligner.open_gap_score, aligner.extend_gap_score = -scheme.first, -scheme.gap_extend
    if scheme.mode == "semi-global":
        aligner.end_gap_score = 0
    text = ["".join("ACGTN"[code] for code in codes) for codes in (query, subject)]
    return aligner.score(*text)


@settings(deadline=None)
@given(TEXT, TEXT, schemes())
def test_scores_equal_biopythons(query, subject, scheme):
    q, s = letters(query)[0], letters(subject)[0]
    assert reference.score(q, s, scheme) == biopython(q, s, scheme)


@settings(deadline=None)
@given(TEXT, TEXT)
def test_edit_distance_is_the_global_score_of_0_and_minus_1(query, subject):
    query, subject = query.replace("N", "A"), subject.replace("N", "A")
    scheme = Scheme(gap="linear", match=0, mismatch=-1)
    distance = edlib.align(query, subject, task="distance")["editDistance"]
    assert reference.score(letters(query)[0], letters(subject)[0], scheme) == -distance


@settings(deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), max_size=6), schemes())
def test_alignments_add_up_to_the_best_score(pairs, scheme):
    queries, subjects = letters(*(q for q, _ in pairs)), letters(*(s for _, s in pairs))
    found = reference.alignments(queries, subjects, "zip", scheme)
    best = reference.scores(queries, subjects, "zip", scheme)
    assert found.score.tolist() == best.tolist()
    assert reference.rescore(queries, subjects, "zip", scheme, found).tolist() == best.tolist()


def test_scores_of_all_pairs():
    queries, subjects = letters("ACGT", "", "GGG"), letters("AGT", "CCCC")
    assert reference.scores(queries, subjects, "all", Scheme()).tolist() == [[4, -1], [-4, -5], [0, -5]]
    chosen = np.array([[2, 0], [0, 0], [0, 0]])
    assert reference.scores(queries, subjects, chosen, Scheme()).tolist() == [0, 4, 4]


def test_letters_of_one_sequence_alone():
    assert align("ACTGA", "ACGA").cigar == "2=1I2="
    assert align("ACGA", "ACTGA").cigar == "2=1D2="


def test_semi_global_ends():
    found = align("GAAT", "AGAATA", mode="semi-global")
    assert (found.score, found.cigar) == (8, "4=")
    assert (found.query_begin, found.query_end, found.subject_begin, found.subject_end) == (0, 4, 1, 5)


def test_semi_global_scores_are_never_below_0_but_have_no_floor_inside():
    assert align("A", "C", mode="semi-global").score == 0
    assert align("AAAACG", "TTTTCG", mode="semi-global").score == 0
    assert align("AAAACG", "TTTTCG", mode="local").score == 4


def test_an_unknown_letter_matches_nothing():
    assert align("ACGN" * 2, "acgn" * 2).cigar == "3=1X3=1X"
    assert align("N", "N").score == -1
    assert align("N", "N", matrix=((0,) * 5,) * 4 + ((0, 0, 0, 0, 7),)).score == 7


@pytest.mark.parametrize(("mode", "score", "cigar"), [("global", -3, "2D"), ("semi-global", 0, ""), ("local", 0, "")])
def test_an_empty_sequence(mode, score, cigar):
    assert (align("", "AA", mode=mode).score, align("", "AA", mode=mode).cigar) == (score, cigar)
    assert (align("AA", "", mode=mode).score, align("AA", "", mode=mode).cigar) == (score, cigar.replace("D", "I"))
    assert (align("", "", mode=mode).score, align("", "", mode=mode).cigar) == (0, "")


def test_the_tie_break():
    assert align("AAA", "AA").cigar == "1I2="  # diagonally first, from the end
    assert align("AC", "CA", gap="linear", mismatch=-2).cigar == "1D1=1I"  # then a letter of the query
    assert align("ACA", "A", mode="local").query_end == 1  # the first end
    assert align("AAAGT", "AAATG", mode="semi-global").query_end == 4
    assert align("AGCA", "TTAG", mode="semi-global").cigar == "2="


def test_scores_beyond_16_and_32_bits():
    repeat = "CG" * 20_000
    scheme = Scheme("semi-global", gap_open=10)
    assert reference.score(letters(repeat)[0], letters(repeat)[0], scheme) == 80_000
    scheme = Scheme(match=2**30)
    assert reference.score(letters("ACGT")[0], letters("ACGT")[0], scheme) == 2**32


def found_with(**changed) -> Alignments:
    """The alignment of ACGT and AGT, 1=1I2=, with something else in it."""
    right = {
        "score": [4], "query_begin": [0], "query_end": [4], "subject_begin": [0], "subject_end": [3],
        "ops": [1 << 4 | 7, 1 << 4 | 1, 2 << 4 | 7], "offsets": [0, 3],
    }  # fmt: skip
    values = {**right, **changed}
    return Alignments(**{name: np.array(v, np.uint32 if name == "ops" else np.int64) for name, v in values.items()})


@pytest.mark.parametrize(
    "changed",
    [
        {"query_end": [5]},
        {"subject_begin": [-1]},
        {"subject_end": [2]},
        {"ops": [1 << 4 | 8, 1 << 4 | 1, 2 << 4 | 7]},
        {"ops": [1 << 4 | 7, 1 << 4 | 1, 2 << 4 | 0]},
        {"ops": [1 << 4 | 7, 1 << 4 | 2, 2 << 4 | 7]},
        {"ops": [1 << 4 | 7, 0 << 4 | 2, 2 << 4 | 7]},
        {"query_end": [2], "subject_end": [1], "offsets": [0, 2]},
    ],
)
def test_what_is_no_alignment_is_refused(changed):
    queries, subjects = letters("ACGT"), letters("AGT")
    assert reference.rescore(queries, subjects, "zip", Scheme(), found_with()).tolist() == [4]
    with pytest.raises(ValueError, match="alignment 0 is none"):
        reference.rescore(queries, subjects, "zip", Scheme(), found_with(**changed))


def test_mutated_copies_align_along_their_whole_length():
    rng = np.random.default_rng(3)
    query = rng.choice(np.frombuffer(b"ACGT", np.uint8), 200)
    subject = mutated(rng, query, 0.05)
    batch = [letters(codes.tobytes().decode()) for codes in (query, subject)]
    found = reference.alignment(batch[0][0], batch[1][0], Scheme())
    assert (found.query_begin, found.query_end, found.subject_end) == (0, 200, len(subject))
    assert found.score > 300

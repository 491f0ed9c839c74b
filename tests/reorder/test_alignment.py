"""Alignments as text, and which letters count as equal."""

import numpy as np
import pytest

from repro.errors import InputError
from repro.reorder.align import align
from repro.reorder.alignment import Alignment
from repro.reorder.scoring import comparable
from repro.reorder.variants import VARIANTS


def letters(text: bytes) -> np.ndarray:
    return np.frombuffer(text, np.uint8)


def test_rows_of_letters():
    assert Alignment("==I=X").rows(letters(b"ACTGA"), letters(b"ACGC")) == "ACTGA\n|| |.\nAC-GC"
    assert Alignment("D=X").rows(letters(b"CT"), letters(b"ACG")) == "-CT\n |.\nACG"


def test_long_alignments_are_wrapped():
    shown = Alignment("=" * 7 + "D").rows(letters(b"ACGTACG"), letters(b"ACGTACGT"), width=5)
    assert shown == "ACGTA\n|||||\nACGTA\n\nCG-\n|| \nCGT"


@pytest.mark.parametrize(
    ("a", "b", "cigar"),
    [
        (b"ACN", b"ACN", "2=1X"),  # an unknown base is equal to nothing
        (b"ACR", b"ACY", "2=1X"),
        (b"ACU", b"ACT", "3="),
        (b"NNLK", b"NNLK", "4="),  # asparagine
    ],
)
def test_which_letters_are_equal(a, b, cigar):
    assert align(letters(a), letters(b), device="emulator").alignment.cigar == cigar


def test_text_is_folded_to_upper_case():
    outcome = align("actga", b"ACGA", match=2, mismatch=-1, device="emulator")
    assert (outcome.score, outcome.alignment.cigar) == (7, "2=1I2=")


def test_what_cannot_be_aligned_is_one_line():
    with pytest.raises(InputError, match=r"sequence b, position 2: '-' is an alignment gap"):
        align("ACGT", "A-GT", device="emulator")
    with pytest.raises(InputError, match=f"no variant 'quick'; choose one of: {', '.join(VARIANTS)}$"):
        align("ACGT", "ACGT", variant="quick", device="emulator")


def test_comparable_leaves_its_arguments_alone():
    a = letters(b"ANU").copy()
    comparable(a, a)
    assert a.tobytes() == b"ANU"

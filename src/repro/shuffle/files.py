"""Alignments as text: tables and SAM records; scoring matrices from files."""

import re
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from repro.errors import InputError
from repro.inputs import fasta
from repro.inputs.files import lines_of, read_text
from repro.shuffle.alignments import EQUAL, OP_BITS, Alignments
from repro.shuffle.scheme import CODES, LARGEST_SCORE, Matrix

Records = Sequence[fasta.Sequence]
Indices = NDArray[np.int64]

ENDS = ("query_begin", "query_end", "subject_begin", "subject_end")
# What the SAM specification lets names be: of reads, and of references.
_READ_NAME = re.compile(r"[!-?A-~]{1,254}")
_REFERENCE_NAME = re.compile(r"[0-9A-Za-z!#$%&+./:;?@^_|~-][0-9A-Za-z!#$%&*+./:;=?@^_|~-]*")
_UNMAPPED, _SECONDARY = 4, 256
_MATRIX_LETTERS = "A", "C", "G", "T", "N", "*"  # every other letter of a sequence has the code of N


def read_matrix(path: str | Path, mismatch: int | None) -> Matrix:
    """A matrix of scores in the format of NCBI: a header of letters, and a row of whole numbers for each.

    Needs A, C, G and T, in either case; U is T. What every other letter scores says N, or `*` where there is no N, and
    `mismatch`, by default -1, where there is neither.
    Raises InputError naming line, row and column for anything else, for a matrix with further letters, whose scores no
    code could have, and for a mismatch that the matrix says already.
    """
    header: list[str] = []
    rows: dict[str, dict[str, int]] = {}
    lines = lines_of(read_text(path))
    for number, line in enumerate(lines, start=1):
        letter, *values = line.partition("#")[0].upper().split() or [""]
        if not letter:
            continue
        where = f"{path}: line {number}"
        if not header:
            header = _matrix_letters(where, [letter, *values])
            continue
        letter = letter.replace("U", "T")
        if letter not in header or letter in rows or len(values) != len(header):
            raise InputError(
                f"{where}, row {letter[:20]}: is no row of this matrix; give each of {' '.join(header)} one row, the "
                f"letter and {len(header)} scores"
            )
        rows[letter] = {
            column: _score(f"{where}, row {letter}, column {column}", value)
            for column, value in zip(header, values, strict=True)
        }
    if not header:
        raise InputError(f"{path}: is empty; give a line of letters and a row of scores for each of them")
    if missing := [letter for letter in header if letter not in rows]:
        raise InputError(f"{path}: line {len(lines)}: the matrix ends without a row for {', '.join(missing)}")
    others = [letter for letter in "N*" if letter in rows][:1]
    if others and mismatch is not None:
        raise InputError(f"--mismatch: row {others[0]} of {path} says what other letters score; leave one of them out")
    order = [*"ACGT", *others]
    scores = [[-1 if mismatch is None else mismatch] * CODES for _ in range(CODES)]
    for i, row in enumerate(order):
        scores[i][: len(order)] = [rows[row][column] for column in order]
    return tuple(map(tuple, scores))


def _matrix_letters(where: str, header: list[str]) -> list[str]:
    """The letters of a matrix's columns, T for U."""
    letters = [letter.replace("U", "T") for letter in header]
    for letter in header:
        if letter not in (*_MATRIX_LETTERS, "U"):
            raise InputError(
                f"{where}: {letter[:20]!r} is none of {' '.join(_MATRIX_LETTERS)}; give a matrix of nucleotides, "
                "without rows and columns of other letters"
            )
    if wrong := [letter for letter in _MATRIX_LETTERS if letters.count(letter) > 1]:
        raise InputError(f"{where}: {wrong[0]} stands there twice; give every letter (U is T) one column")
    if missing := [letter for letter in "ACGT" if letter not in letters]:
        raise InputError(f"{where}: names no {', '.join(missing)}; begin with the letters of the columns")
    return letters


def _score(where: str, value: str) -> int:
    if re.fullmatch("[+-]?[0-9]{1,18}", value) and abs(int(value)) <= LARGEST_SCORE:
        return int(value)
    raise InputError(f"{where}: {value[:40]} is no whole number from {-LARGEST_SCORE} to {LARGEST_SCORE}; correct it")


def table_header(traceback: bool) -> str:
    """The names of a table's columns."""
    return "\t".join(("query", "subject", "score", *((*ENDS, "cigar") if traceback else ()))) + "\n"


def table_lines(
    queries: Records, subjects: Records, pairs: tuple[Indices, Indices], scores: Indices, found: Alignments | None
) -> Iterator[str]:
    """A line for each alignment: names, score and, where there are alignments, the intervals they cover and CIGARs."""
    # Whole columns become Python's numbers at once: one by one they cost more than the line that they stand in.
    lines = zip(*(column.tolist() for column in (*pairs, scores)), strict=True)
    if found is None:
        for i, j, score in lines:
            yield f"{queries[i].name}\t{subjects[j].name}\t{score}\n"
        return
    ends = zip(*(getattr(found, name).tolist() for name in ENDS), strict=True)
    for index, ((i, j, score), (a, a_end, b, b_end)) in enumerate(zip(lines, ends, strict=True)):
        intervals = f"{a}\t{a_end}\t{b}\t{b_end}"
        yield f"{queries[i].name}\t{subjects[j].name}\t{score}\t{intervals}\t{found.cigar(index) or '*'}\n"


def check_for_sam(path: str, records: Records, references: bool) -> None:
    """Raise InputError for the first record that cannot stand in a SAM file."""
    valid = _REFERENCE_NAME if references else _READ_NAME
    for number, record in enumerate(records, start=1):
        if not valid.fullmatch(record.name):
            raise InputError(f"{path}: record {number} ({record.name}): SAM allows no such name; rename it or take tsv")
        if references and not len(record):
            raise InputError(f"{path}: record {number} ({record.name}): is empty, which SAM cannot say; take tsv")


def sam_header(subjects: Records, arguments: Sequence[str]) -> str:
    """The header: version, a line for each subject, and the program with its command line."""
    command = " ".join(" ".join(["repro", *arguments]).split())
    references = "".join(f"@SQ\tSN:{subject.name}\tLN:{len(subject)}\n" for subject in subjects)
    program = f"@PG\tID:repro\tPN:repro\tVN:{version('repro')}\tCL:{command}\n"
    return f"@HD\tVN:1.6\tSO:unsorted\tGO:query\n{references}{program}"


def sam_lines(queries: Records, subjects: Records, pairs: tuple[Indices, Indices], found: Alignments) -> Iterator[str]:
    """The records of whole queries, whose alignments stand together: the best is primary, the others are secondary.

    Alignments of no letters have no record; a query that has no other is unmapped.
    """
    edited = np.append(0, np.cumsum(np.where(found.ops & 15 != EQUAL, found.ops >> OP_BITS, 0), dtype=np.int64))
    edits = edited[found.offsets[1:]] - edited[found.offsets[:-1]]
    covered = (found.query_end > found.query_begin) | (found.subject_end > found.subject_begin)
    changes = np.flatnonzero(np.diff(pairs[0])) + 1
    for members in np.split(np.arange(len(found)), changes) if len(found) else []:
        query = queries[pairs[0][members[0]]]
        letters = query.letters.tobytes().decode("ascii") or "*"
        qualities = query.qualities.decode("ascii") or "*"
        members = members[covered[members]]
        if not len(members):
            yield f"{query.name}\t{_UNMAPPED}\t*\t0\t0\t*\t*\t0\t0\t{letters}\t{qualities}\n"
            continue
        best = members[np.argmax(found.score[members])]
        for index in members:
            clipped = found.query_begin[index], len(query) - found.query_end[index]
            clips = [f"{count}S" if count else "" for count in clipped]
            subject = subjects[pairs[1][index]].name
            flag = 0 if index == best else _SECONDARY
            cigar = clips[0] + found.cigar(index) + clips[1]
            yield (
                f"{query.name}\t{flag}\t{subject}\t{found.subject_begin[index] + 1}\t255\t{cigar}\t*\t0\t0"
                f"\t{letters}\t{qualities}\tNM:i:{edits[index]}\tAS:i:{found.score[index]}\n"
            )

"""`repro align`: scores and alignments of two files of sequences."""

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from repro.device import Device
    from repro.inputs.fasta import Sequence
    from repro.shuffle.scheme import Scheme

# Of which results are in memory: pairs, and with traceback letters, each of which may be an operation of a CIGAR.
PAIRS_AT_ONCE, LETTERS_AT_ONCE = 2**18, 2**28


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "align",
        help="align the sequences of two files, and print scores or alignments",
        description="Align the sequences of DNA or RNA in one file with those in another, as they stand: the forward "
        "strand alone. U is read as T, either case is the same, and an ambiguous letter such as N matches nothing. "
        "Semi-global alignments have free gaps at all ends. In a CIGAR, 'I' is a letter of the query alone and 'D' one "
        "of the subject alone. Of equally good alignments it is the one that ends first and, from there, goes "
        "diagonally first, else takes a letter of the query.",
    )
    parser.add_argument("queries", metavar="QUERIES", help="FASTA or FASTQ file, plain or gzip")
    parser.add_argument("subjects", metavar="SUBJECTS", help="the other one")
    parser.add_argument("--mode", choices=("global", "semi-global", "local"), default="global", help="(%(default)s)")
    parser.add_argument("--match", type=int, metavar="N", help="score of equal letters (2)")
    parser.add_argument("--mismatch", type=int, metavar="N", help="score of unequal letters (-1)")
    parser.add_argument(
        "--matrix",
        metavar="FILE",
        help="scores of all pairs of A, C, G and T in the format of NCBI instead, and in row and column N what other "
        "letters score, which is --mismatch without them; with more letters, as of proteins, it is refused",
    )
    parser.add_argument("--gap", choices=("affine", "linear"), default="affine", help="(%(default)s)")
    parser.add_argument(
        "--gap-open",
        type=int,
        metavar="N",
        help="penalty of a gap's first letter (2, or --gap-extend where that is more; affine alone)",
    )
    parser.add_argument(
        "--gap-extend", type=int, default=1, metavar="N", help="penalty of each further letter (%(default)s)"
    )
    parser.add_argument(
        "--pairs",
        choices=("all", "zip"),
        default="all",
        help="every query with every subject, or the first with the first and so on (%(default)s)",
    )
    parser.add_argument("--traceback", action="store_true", help="alignments too, not scores alone")
    parser.add_argument(
        "--format",
        choices=("tsv", "sam"),
        default="tsv",
        help="a table, or SAM with --traceback, where a query's best alignment is primary and one of no letters has no "
        "record (%(default)s)",
    )
    parser.add_argument("--variant", default="auto", metavar="NAME", help="see `repro variants shuffle` (%(default)s)")
    parser.add_argument("--device", default="auto", metavar="D", help="auto, cuda, cuda:N or emulator (%(default)s)")
    parser.add_argument("-o", "--output", default="-", metavar="FILE", help="complete or absent (-, standard output)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Align, and write table or records."""
    from repro.bench.variant import choose
    from repro.device import open_device
    from repro.errors import InputError
    from repro.inputs.fasta import check_nucleotides
    from repro.inputs.files import complete_or_absent, refuse_same
    from repro.inputs.reads.files import read_reads
    from repro.shuffle.files import check_for_sam
    from repro.shuffle.variants import VARIANTS

    if args.format == "sam" and not args.traceback:
        raise InputError("--format sam: its records are alignments; add --traceback")
    scheme = _scheme(args)
    choose(VARIANTS, args.variant)
    if args.output != "-":
        refuse_same(filter(None, (args.queries, args.subjects, args.matrix)), [args.output])
    queries, subjects = read_reads(args.queries), read_reads(args.subjects)
    check_nucleotides(args.queries, queries)
    check_nucleotides(args.subjects, subjects)
    if args.pairs == "zip" and len(queries) != len(subjects):
        raise InputError(
            f"--pairs zip: records of {args.queries}: {len(queries)}, of {args.subjects}: {len(subjects)}; "
            "give equally many"
        )
    if args.format == "sam":
        check_for_sam(args.queries, queries, references=False)
        check_for_sam(args.subjects, subjects, references=True)
    lines = _lines(args, open_device(args.device), queries, subjects, scheme)
    if args.output == "-":
        _write(sys.stdout, lines)
        return 0
    with complete_or_absent(args.output) as partial, partial.open("w", encoding="utf-8") as stream:
        _write(stream, lines)
    return 0


def _write(stream: TextIO, lines: Iterator[str]) -> None:
    for line in lines:
        stream.write(line)


def _scheme(args: argparse.Namespace) -> "Scheme":
    from repro.errors import InputError
    from repro.shuffle.files import read_matrix
    from repro.shuffle.scheme import Scheme

    if args.matrix and args.match is not None:
        raise InputError("--match: --matrix says what equal letters score; leave one of them out")
    matrix = read_matrix(args.matrix, args.mismatch) if args.matrix else None
    match = 2 if args.match is None else args.match
    mismatch = -1 if args.mismatch is None else args.mismatch
    try:
        return Scheme(args.mode, args.gap, match, mismatch, args.gap_open, args.gap_extend, matrix)
    except InputError as error:
        name, _, reason = str(error).partition(" ")
        reason = reason.replace("gap_extend", "--gap-extend")
        raise InputError(f"--{name.replace('_', '-')} {reason}") from None


def _lines(
    args: argparse.Namespace, device: "Device", queries: "list[Sequence]", subjects: "list[Sequence]", scheme: "Scheme"
) -> Iterator[str]:
    """All lines of the output, computed some queries at a time."""
    import numpy as np

    from repro.shuffle.files import sam_header, sam_lines, table_header, table_lines
    from repro.shuffle.letters import encode, pair_indices
    from repro.shuffle.variants import VARIANTS

    variant = VARIANTS[args.variant]
    sam = args.format == "sam"
    most = PAIRS_AT_ONCE
    if args.traceback:
        longest = sum(max(map(len, records), default=0) for records in (queries, subjects))
        most = min(most, LETTERS_AT_ONCE // max(1, longest))
    every = args.pairs == "all"
    some = max(1, most // max(1, len(subjects) if every else 1))
    partners, against = subjects, encode([subject.letters for subject in subjects] if every else [])
    for begin in range(0, len(queries), some):
        part = queries[begin : begin + some]
        if not every:
            partners = subjects[begin : begin + some]
            against = encode([subject.letters for subject in partners])
        letters = encode([query.letters for query in part])
        outcome = variant.run(device, letters, against, args.pairs, scheme, args.traceback, **variant.complete({}))
        if not begin:  # only now: no line stands before an error of the device
            yield sam_header(subjects, sys.argv[1:]) if sam else table_header(args.traceback)
        pairs = pair_indices(args.pairs, len(part), len(partners))
        if sam:
            yield from sam_lines(part, partners, pairs, outcome.alignments)
        else:
            scores = np.asarray(outcome.scores).reshape(-1)
            yield from table_lines(part, partners, pairs, scores, outcome.alignments)

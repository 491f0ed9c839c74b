"""`repro nw`: the global alignment of two sequences."""

import argparse
import json
import time
from dataclasses import asdict
from typing import Any


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "nw",
        help="print the global alignment of two sequences",
        description="Print score, CIGAR and alignment of two sequences by Needleman-Wunsch with linear gaps. In the "
        "CIGAR, 'I' is a letter of A alone and 'D' one of B alone; of equally good alignments it is the one that, from "
        "the end, goes diagonally first, else takes a letter of A. Between nucleotide sequences, U is read as T and "
        "ambiguous letters such as N are equal to nothing.",
    )
    parser.add_argument("a", metavar="A.fasta", help="FASTA file, plain or gzip; FILE#NAME for one of several records")
    parser.add_argument("b", metavar="B.fasta", help="the other one")
    parser.add_argument("--match", type=int, default=1, metavar="N", help="score of equal letters (%(default)s)")
    parser.add_argument("--mismatch", type=int, default=0, metavar="N", help="score of unequal letters (%(default)s)")
    parser.add_argument("--gap", type=int, default=1, metavar="N", help="penalty of a letter in a gap (%(default)s)")
    parser.add_argument(
        "--variant", default="compact", metavar="NAME", help="see `repro variants reorder` (%(default)s)"
    )
    parser.add_argument(
        "--device",
        default="auto",
        metavar="D",
        help="auto, cuda, cuda:N or emulator (%(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print score, CIGAR, lengths, seconds and counters as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compute and print the alignment."""
    from repro.device import open_device
    from repro.inputs.fasta import read_sequence
    from repro.reorder.align import align

    scores = {"match": args.match, "mismatch": args.mismatch, "gap": args.gap}
    a, b = read_sequence(args.a), read_sequence(args.b)
    device = open_device(args.device)
    started = time.perf_counter()
    outcome = align(a.letters, b.letters, **scores, variant=args.variant, device=device)
    seconds = time.perf_counter() - started
    assert outcome.alignment is not None, "a traceback is the default"
    if args.json:
        print(
            json.dumps(
                {
                    "score": outcome.score,
                    "cigar": outcome.alignment.cigar,
                    "len_a": len(a),
                    "len_b": len(b),
                    "variant": args.variant,
                    "parameters": scores,
                    "device": device.name,
                    "seconds": seconds,
                    "compile_seconds": device.compile_seconds,
                    "counters": asdict(device.counters),
                }
            )
        )
    else:
        print(f"score {outcome.score}", f"cigar {outcome.alignment.cigar}", "", sep="\n")
        print(outcome.alignment.rows(a.letters, b.letters))
    return 0

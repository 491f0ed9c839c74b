"""`repro distance`: the edit distance of two sequences."""

import argparse
import json
import time
from dataclasses import asdict
from typing import Any

from repro.errors import InputError


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "distance",
        help="print the edit distance of two sequences",
        description="Print the edit distance (Levenshtein) of two sequences. Letters are compared as they are, "
        "after folding to upper case.",
    )
    parser.add_argument("a", metavar="A.fasta", help="FASTA file, plain or gzip; FILE#NAME for one of several records")
    parser.add_argument("b", metavar="B.fasta", help="the other one")
    parser.add_argument("--variant", default="hybrid", metavar="NAME", help="see `repro variants wfa` (%(default)s)")
    parser.add_argument("--device", default="auto", metavar="D", help="auto, cuda, cuda:N or emulator (%(default)s)")
    parser.add_argument(
        "--path",
        action="store_true",
        help="print an optimal alignment too, as CIGAR with = X I (a letter of A alone) D (of B alone); hybrid only",
    )
    parser.add_argument("--json", action="store_true", help="print distance, similarity, seconds and counters as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compute and print the distance."""
    from repro.bench.variant import choose
    from repro.device import open_device
    from repro.inputs.fasta import read_sequence
    from repro.inputs.pairs import similarity
    from repro.wfa.path import replayed_path
    from repro.wfa.variants import VARIANTS

    if args.path and args.variant != "hybrid":
        raise InputError(f"--path goes with --variant hybrid, not {args.variant}")
    variant = choose(VARIANTS, args.variant)
    a, b = read_sequence(args.a), read_sequence(args.b)
    device = open_device(args.device)
    settings = variant.complete({})
    started = time.perf_counter()
    path = replayed_path(device, a.letters, b.letters) if args.path else None
    distance = path.cost if path else variant.run(device, a.letters, b.letters, **settings).distance
    seconds = time.perf_counter() - started
    if args.json:
        print(
            json.dumps(
                {
                    "distance": distance,
                    **({"cigar": path.cigar} if path else {}),
                    "similarity": similarity(distance, len(a), len(b)),
                    "len_a": len(a),
                    "len_b": len(b),
                    "variant": variant.name,
                    "parameters": settings,
                    "device": device.name,
                    "seconds": seconds,
                    "compile_seconds": device.compile_seconds,
                    "counters": asdict(device.counters),
                }
            )
        )
    else:
        print(distance)
        if path:
            print(path.cigar)
    return 0

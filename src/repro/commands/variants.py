"""`repro variants`: what is implemented of which paper."""

import argparse
from typing import Any

from repro.systems import SYSTEMS, variants_of


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("variants", help="list the variants of one paper or of all")
    parser.add_argument("system", nargs="?", metavar="SYSTEM", help=f"one of: {', '.join(SYSTEMS)}")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print system, name, section and summary of each variant, separated by tabs."""
    for system in [args.system] if args.system else SYSTEMS:
        for variant in variants_of(system).values():
            print(system, variant.name, f"section {variant.section}", variant.summary, sep="\t")
    return 0

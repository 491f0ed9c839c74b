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
            where = f"section {variant.section}" if variant.section[0].isdigit() else variant.section
            print(system, variant.name, where, variant.summary, sep="\t")
    return 0

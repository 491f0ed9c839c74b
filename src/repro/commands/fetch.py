"""`repro fetch`: sequences from NCBI, checked."""

import argparse
from functools import partial
from pathlib import Path
from typing import Any


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "fetch",
        help="fetch sequences from NCBI by accession and version",
        description="Fetch sequences from NCBI into a cache that all runs share, and print the path of each. Name, "
        "letters and length of every record are checked. NCBI_EMAIL and NCBI_API_KEY are sent when they are set.",
    )
    parser.add_argument("accessions", nargs="+", metavar="ACC.V", help="such as NC_001416.1")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="default: $REPRO_CACHE or ~/.cache/repro/sequences")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fetch one after another and print their paths; progress goes to standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    from repro.inputs.ncbi import Client, check_accession
    from repro.inputs.ncbi_cache import default_cache, fetch

    for accession in args.accessions:
        check_accession(accession)
    client, cache = Client.from_environment(), args.cache or default_cache()
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as shown:
        for accession in args.accessions:
            task = shown.add_task(accession, total=None)
            path = fetch(accession, cache, client, progress=partial(shown.advance, task))
            shown.remove_task(task)
            print(path)
    return 0

"""`repro simulate`: sequencing reads from a genome."""

import argparse
from pathlib import Path
from typing import Any


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "simulate",
        help="simulate Illumina or PacBio CLR reads from a genome",
        description="Simulate sequencing reads with the default error models of Mason 2 (illumina) or PBSIM 1 (clr). "
        "The same seed gives the same reads. U is read as T, and an ambiguous letter such as R as N; a letter of "
        "protein is refused.",
    )
    parser.add_argument("platform", choices=("illumina", "clr"))
    parser.add_argument("genome", metavar="GENOME", help="FASTA file, plain or gzip; FILE#NAME for one of its records")
    parser.add_argument("--reads", type=int, required=True, metavar="N", help="number of reads")
    parser.add_argument("--length", type=int, metavar="L", help="letters; of clr the mean (125, clr 3000)")
    parser.add_argument("--length-sd", type=float, metavar="SD", help="of clr (77 %% of the mean)")
    parser.add_argument("--seed", type=int, required=True, metavar="S")
    parser.add_argument("--simulator", choices=("builtin", "mason", "pbsim"), default="builtin", help="(%(default)s)")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="READS.fa|fq")
    parser.add_argument("--truth", type=Path, metavar="FILE", help="table of source position, strand and CIGAR")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the reads, and where wanted their truth; progress goes to standard error."""
    from rich.console import Console
    from rich.progress import Progress

    from repro.errors import InputError
    from repro.inputs.files import refuse_same
    from repro.inputs.reads.files import read_format, write_reads
    from repro.inputs.reads.sources import read_genome, simulated_reads

    if args.platform == "illumina" and args.length_sd is not None:
        raise InputError("--length-sd: Illumina reads have one length; leave it out")
    for option, value, least in (("reads", args.reads, 1), ("seed", args.seed, 0)):
        if value < least:
            raise InputError(f"--{option} {value}: give {least} or more")
    read_format(args.output)
    genome_file = args.genome if Path(args.genome).is_file() else args.genome.partition("#")[0]
    for output in filter(None, (args.output, args.truth)):
        refuse_same([genome_file], [output])
    genome = read_genome(args.genome)
    reads = simulated_reads(args.platform, args.simulator, genome, args.reads, args.length, args.length_sd, args.seed)
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as shown:
        task = shown.add_task("reads", total=args.reads)
        write_reads(args.output, args.truth, reads, args.platform, lambda count: shown.advance(task, count))
    return 0

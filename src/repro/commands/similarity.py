"""`repro similarity`: the similarities of all pairs or triples of vectors."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from repro.device import Device
    from repro.mgemm.ranks import Communicator
    from repro.mgemm.schedule import Decomposition


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "similarity",
        help="compute the similarities of all pairs or triples of vectors",
        description="Compute the similarities of all pairs or triples of vectors: from 0, nothing in common, to 1, "
        "equal. Without -o or --checksum, they are printed. Several ranks: mpirun -n RANKS repro similarity ...",
    )
    parser.add_argument("vectors", metavar="VECTORS", help=".npy .npz .csv .tsv .bits.npz, or raw .f32 .f64")
    parser.add_argument(
        "--metric", choices=("czekanowski", "sorenson"), required=True, help="sorenson: of 0 and 1 only"
    )
    parser.add_argument("--way", type=int, choices=(2, 3), required=True, help="similarities of pairs, or of triples")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write to this file (-: standard output), or folder (see --format)"
    )
    parser.add_argument(
        "--format",
        choices=("table", "float32", "byte"),
        default="table",
        help="table: tab-separated text; float32, byte (255 times the value): a folder of binary files (%(default)s)",
    )
    parser.add_argument("--threshold", type=float, metavar="X", help="leave out similarities below X")
    parser.add_argument("--checksum", action="store_true", help="print the exact checksum of all similarities")
    parser.add_argument("--stages", type=_positive, default=1, metavar="N", help="compute in N stages (%(default)s)")
    parser.add_argument("--stage", type=int, metavar="K", help="compute stage K alone, from 0")
    parser.add_argument(
        "--precision", choices=("single", "double"), default="double", help="of sums and quotients (%(default)s)"
    )
    parser.add_argument(
        "--decomposition",
        type=_three,
        metavar="F,V,R",
        help="ranks along fields, along vectors, and for each block of vectors (1, all of them, 1)",
    )
    parser.add_argument("--fields", type=_positive, metavar="N", help="fields of a vector of raw .f32 or .f64")
    parser.add_argument("--device", default="auto", metavar="D", help="auto, cuda, cuda:N or emulator (%(default)s)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compute the similarities as one of the ranks that were started, and write them."""
    from repro.mgemm.ranks import interrupted_together, world

    communicator = world()
    with interrupted_together(communicator):
        return _run(args, communicator)


def _run(args: argparse.Namespace, communicator: "Communicator") -> int:
    from repro.errors import InputError
    from repro.inputs.files import check_writable, complete_or_absent, count, refuse_same
    from repro.inputs.vectors.files import read_vectors
    from repro.mgemm.campaign import check_decomposition, distribute
    from repro.mgemm.elements import PRECISIONS, elements_of, levels_of
    from repro.mgemm.engine import Engine
    from repro.mgemm.files import Manifest, begin, remove_empty, remove_unfinished
    from repro.mgemm.metrics import Metric
    from repro.mgemm.output import collect_stages, write_stages
    from repro.mgemm.ranks import ended_together, together
    from repro.mgemm.text import write_table

    metric, precision = Metric(args.metric), PRECISIONS[args.precision]
    output = Path(args.output) if args.output not in (None, "-") else None

    def prepare() -> tuple[Any, Manifest, int] | None:
        """What rank 0 reads and checks for all."""
        decomposition = _decomposition(args, communicator)
        if communicator.rank:
            return None
        _check(args)
        if output:
            refuse_same([args.vectors], [output])
            if args.format == "table":
                check_writable([output])
        vectors = read_vectors(args.vectors, args.fields)
        if len(vectors) < args.way:
            raise InputError(
                f"{args.vectors}: holds {count(len(vectors), 'vector')}; --way {args.way} needs {args.way} or more"
            )
        elements = elements_of(vectors, metric, precision)
        check_decomposition(decomposition, *elements.shape)
        manifest = Manifest(
            metric=args.metric,
            way=args.way,
            vectors=len(vectors),
            fields=vectors.fields,
            precision=args.precision,
            decomposition=(decomposition.fields, decomposition.vectors, decomposition.rows),
            stages=args.stages,
            values="byte" if args.format == "byte" else "float32",
            threshold=args.threshold,
            checksum=args.checksum,
            sha256=vectors.sha256,
            names=vectors.names,
        )
        return elements, manifest, levels_of(elements)

    prepared = together(communicator, prepare)
    elements = prepared and prepared[0]
    manifest, levels = communicator.bcast(prepared and prepared[1:])
    device = together(communicator, lambda: _device(args.device, communicator))
    folder = output if args.format != "table" else None
    complete = together(communicator, lambda: begin(folder, manifest) if folder and not communicator.rank else [])
    complete = communicator.bcast(complete)
    stages = range(args.stages) if args.stage is None else [args.stage]
    table = args.format == "table" and bool(args.output or not args.checksum)

    def progress(stage: int) -> None:
        if len(stages) > 1:
            print(f"repro: stage {stage} of {args.stages} is complete", file=sys.stderr)

    def clean_up() -> None:
        if folder:
            remove_unfinished(folder, stages)
            remove_empty(folder)

    with ended_together(communicator, clean_up):
        own = distribute(communicator, _decomposition(args, communicator), elements)
        device.page_lock(own)
        engine = Engine(device, metric, own.dtype, precision=precision, levels=levels)
        if folder:
            checksum = write_stages(communicator, engine, own, folder, manifest, stages, complete, progress)
        else:
            indices, values, checksum = collect_stages(communicator, engine, own, manifest, stages, progress, table)
    if communicator.rank:
        return 0
    if table and output:
        with complete_or_absent(output) as partial, partial.open("w", encoding="utf-8", newline="") as stream:
            write_table(stream, manifest.names, indices, values)
    elif table:
        write_table(sys.stdout, manifest.names, indices, values)
    if args.checksum:
        print(checksum)
    return 0


def _check(args: argparse.Namespace) -> None:
    from repro.errors import InputError
    from repro.mgemm.files import MOST_STAGES

    if args.stage is not None and not 0 <= args.stage < args.stages:
        raise InputError(f"--stage {args.stage}: stages count from 0 and --stages is {args.stages}; give one of them")
    if args.stages > MOST_STAGES:
        raise InputError(f"--stages {args.stages}: give at most {MOST_STAGES}")
    if args.format != "table" and args.output in (None, "-"):
        raise InputError(f"--format {args.format} writes a folder: name it with -o")
    if args.threshold is not None and not 0 <= args.threshold <= 1:
        raise InputError(f"--threshold {args.threshold:g}: similarities lie from 0 to 1; give such a number")


def _decomposition(args: argparse.Namespace, communicator: "Communicator") -> "Decomposition":
    from repro.errors import InputError
    from repro.mgemm.schedule import Decomposition

    decomposition = Decomposition(*(args.decomposition or (1, communicator.size, 1)))
    if decomposition.ranks != communicator.size:
        asked = ",".join(map(str, args.decomposition))
        raise InputError(
            f"--decomposition {asked}: takes {decomposition.ranks} ranks, {communicator.size} were started; "
            f"start it under mpirun -n {decomposition.ranks}"
        )
    return decomposition


def _device(spec: str, communicator: "Communicator") -> "Device":
    """The device of a rank: of those that `spec` names, ranks take one after another."""
    from repro.device import cuda, open_device
    from repro.device.emulator import host_threads

    if spec in ("auto", "cuda") and not cuda.why_unavailable():
        spec = f"cuda:{communicator.rank % cuda.device_count()}"
    if spec.startswith("cuda"):
        return open_device(spec)
    return open_device(spec, workers=max(1, host_threads() // communicator.size))


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0; give one")
    return int(text)


def _three(text: str) -> tuple[int, ...]:
    numbers = text.split(",")
    if len(numbers) != 3:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not three numbers F,V,R; give three whose product is the number of ranks"
        )
    return tuple(_positive(number) for number in numbers)

"""`repro apsp`: the shortest paths between all nodes of a graph."""

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "apsp",
        help="compute the shortest paths between all nodes of a graph",
        description="Compute the lengths of the shortest paths between all nodes of a graph, and the paths. Files are "
        "NumPy arrays in the order of the graph's nodes, whose names stand beside FILE.npy in FILE.names.txt; no path "
        "is inf, or the largest value of an integer type.",
    )
    parser.add_argument("graph", metavar="GRAPH", help=".gr, .mtx, .npy, or an edge list .txt .tsv .csv .edges; or .gz")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the distances to this .npy file")
    parser.add_argument(
        "--predecessors", type=Path, metavar="FILE", help="write the node before each, by index, -9999 for none"
    )
    parser.add_argument("--path", nargs=2, metavar=("A", "B"), help="print a shortest path from node A to node B")
    parser.add_argument("--undirected", action="store_true", help="let every edge be walked both ways")
    parser.add_argument(
        "--dtype", default="float64", metavar="T", help="float32, float64, int32 or int16 (%(default)s)"
    )
    parser.add_argument(
        "--variant", metavar="NAME", help="see `repro variants apsp` (staged, or out-of-core where memory is short)"
    )
    parser.add_argument("--device", default="auto", metavar="D", help="auto, cuda, cuda:N or emulator (%(default)s)")
    parser.add_argument("--memory", type=_bytes, metavar="BYTES", help="how much of the device's memory may be used")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compute, write and print what was asked for."""
    from repro.apsp.files import names_path, write_matrices
    from repro.apsp.outcome import NegativeCycleError
    from repro.apsp.paths import as_shown, path, solve
    from repro.apsp.ranges import distance_type
    from repro.apsp.variants import VARIANTS
    from repro.apsp.weights import weight_matrix
    from repro.bench.variant import choose
    from repro.device import open_device
    from repro.errors import InputError
    from repro.inputs.files import check_writable, refuse_same
    from repro.inputs.graphs.files import read_graph

    if not (args.output or args.predecessors or args.path):
        raise InputError("nothing to write or print: give -o, --predecessors or --path")
    matrices = [file for file in (args.output, args.predecessors) if file]
    for file in matrices:
        if file.suffix != ".npy":
            raise InputError(f"{file}: the result is a NumPy array; let the name end in .npy")
    written = [*matrices, *map(names_path, matrices)]
    refuse_same([args.graph], written)
    check_writable(written)
    dtype = distance_type(args.dtype)
    if args.variant is not None:
        choose(VARIANTS, args.variant)
    graph = read_graph(args.graph)
    ends = [_index(graph.names, name, args.graph) for name in args.path or ()]
    device = open_device(args.device, args.memory)
    keep = args.output or args.predecessors
    folder = keep and keep.with_name(f".{keep.name}.unfinished")
    try:
        weights = weight_matrix(graph, dtype, directed=not args.undirected)
        outcome = solve(
            weights,
            bool(args.predecessors or args.path),
            device,
            args.variant,
            folder,
            _show_round,
        )
    except NegativeCycleError as error:
        name = graph.names[error.vertex]
        raise InputError(
            f"{args.graph}: a cycle through node {name} has a negative length: there are no shortest paths"
        ) from None
    except InputError as error:
        raise InputError(f"{args.graph}: {error}") from None
    found = {args.output: as_shown(outcome.distances), args.predecessors: outcome.predecessors}
    write_matrices({path: matrix for path, matrix in found.items() if path and matrix is not None}, graph.names)
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
    if args.path and outcome.predecessors is not None:
        vertices = path(outcome.predecessors, *ends)
        if vertices:
            print(f"distance {as_shown(outcome.distances)[ends[0], ends[1]]}")
            print("path", *(graph.names[vertex] for vertex in vertices))
        else:
            print(f"no path from {args.path[0]} to {args.path[1]}")
    return 0


def _show_round(finished: int, rounds: int) -> None:
    if rounds > 1:
        print(f"round {finished} of {rounds}", file=sys.stderr)


def _bytes(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of bytes above 0; give one")
    return int(text)


def _index(names: tuple[str, ...], name: str, file: str) -> int:
    from repro.errors import InputError

    if name not in names:
        raise InputError(f"{file}: there is no node '{name}'")
    return names.index(name)

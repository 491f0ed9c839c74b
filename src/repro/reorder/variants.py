"""Every variant by the paper's own name: kernel, host loop, settings, section."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from repro.bench.variant import Setting, Variant
from repro.device import Array, Device
from repro.reorder.alignment import LEFT, UP, Alignment
from repro.reorder.numbering import Numbering
from repro.reorder.schedule import Launch, renumbered_launches, row_major_launches
from repro.reorder.scoring import Scoring

KERNELS = Path(__file__).parent / "kernels"
TILE = 4  # rows and columns of elements whose predecessors are one word of `compact`
TRACE_THREADS = 256
MOST_CLEAR_BLOCKS, CLEAR_THREADS = 1024, 256

LARGEST_SCORE = 10**6
SETTINGS = {
    "match": Setting(1, -LARGEST_SCORE, LARGEST_SCORE, "score of two equal letters"),
    "mismatch": Setting(0, -LARGEST_SCORE, LARGEST_SCORE, "score of two unequal letters"),
    "gap": Setting(1, 0, LARGEST_SCORE, "penalty d of a letter in a gap"),
    "traceback": Setting(1, 0, 1, "1: the alignment too, 0: its score alone"),
}
BLOCK_SIZE = Setting(256, 1, 1024, "threads per block, and rows and columns of a block's square")

Letters = NDArray[np.uint8]


@dataclass(frozen=True)
class Outcome:
    """What a variant returns.

    score: F(m, n). cells: elements computed. alignment: None without traceback. allocated_bytes: device memory that was
    held when the matrix was complete.
    """

    score: int
    cells: int
    alignment: Alignment | None
    allocated_bytes: int


@dataclass(frozen=True)
class Layout:
    """How a variant of the paper keeps its matrix: the kernel that fills it, its rows, and its launches."""

    kernel: str
    renumbered: bool
    rows: Callable[[int, int], int]
    launches: Callable[[int, int, int], Iterator[Launch]]
    letters_per_thread: int


ROW_MAJOR = Layout("unoptimised", False, lambda m, n: m, row_major_launches, 1)
RENUMBERED = Layout("optimised", True, lambda m, n: Numbering(m, n).new_rows, renumbered_launches, 2)


def fill(
    device: Device, a: Array, b: Array, scoring: Scoring, layout: Layout, block_size: int
) -> Iterator[tuple[Array, Launch]]:
    """Fill the matrix of scores and give it after each launch, with what was launched.

    a, b: letters, uint8 of shape (m,) and (n,), neither empty. The matrix is int32 of shape (layout.rows(m, n), n).
    """
    m, n = a.shape[0], b.shape[0]
    kernel = device.compile(KERNELS / f"{layout.kernel}.cu")[f"reorder_{layout.kernel}"]
    matrix = device.empty((layout.rows(m, n), n), np.int32)
    shared_bytes = (3 + layout.letters_per_thread) * block_size * 4
    for launch in layout.launches(m, n, block_size):
        kernel(
            launch.squares,
            block_size,
            *(a, b, matrix, m, n, launch.diagonal, launch.first_square),
            *(scoring.match, scoring.mismatch, scoring.gap),
            shared_bytes=shared_bytes,
        )
        yield matrix, launch


def unoptimised(device: Device, a: Letters, b: Letters, block_size: int, traceback: int, **scores: int) -> Outcome:
    """Section "Implementation of the algorithms", Fig. 6: the matrix row by row, int32, m x n.

    A thread computes a column of its block's square and a block of n threads a square of n x n; the squares of one
    anti-diagonal are one launch. Threads pass values to their neighbours through shared memory.
    a, b: letters, uint8 of shape (m,) and (n,), compared for equality. Raises InputError when 32 bits are too few.
    """
    return _with_matrix(device, a, b, Scoring(**scores), ROW_MAJOR, block_size, bool(traceback))


def optimised(device: Device, a: Letters, b: Letters, block_size: int, traceback: int, **scores: int) -> Outcome:
    """Section "Implementation of the algorithms", Fig. 7: the renumbered matrix, int32, (m + n - 1) x n.

    The same squares and launches, but of the renumbered matrix: a warp writes consecutive words, every thread of a
    block is busy in every step, and there are more launches, as the section says.
    a, b: letters, uint8 of shape (m,) and (n,), compared for equality. Raises InputError when 32 bits are too few.
    """
    return _with_matrix(device, a, b, Scoring(**scores), RENUMBERED, block_size, bool(traceback))


def _with_matrix(
    device: Device, a: Letters, b: Letters, scoring: Scoring, layout: Layout, block_size: int, traceback: bool
) -> Outcome:
    m, n = len(a), len(b)
    scoring.check_range(m, n)
    if not m or not n:
        return _all_gaps(m, n, scoring, traceback)
    before = device.memory_used
    letters = device.upload(a), device.upload(b)
    for filled, _ in fill(device, *letters, scoring, layout, block_size):
        matrix = filled
    allocated = device.memory_used - before
    score = int(matrix[matrix.shape[0] - 1, n - 1].get()[0, 0])
    alignment = None
    if traceback:
        kernel = device.compile(KERNELS / "trace_matrix.cu", {"RENUMBERED": layout.renumbered})["reorder_trace_matrix"]
        moves, end = device.empty(m + n, np.uint8), device.empty(3, np.int32)
        kernel(1, 1, *letters, matrix, moves, end, m, n, scoring.match, scoring.mismatch, scoring.gap)
        alignment = _alignment(moves, end, a, b)
    return Outcome(score, m * n, alignment, allocated)


def compact(device: Device, a: Letters, b: Letters, traceback: int, **scores: int) -> Outcome:
    """Beyond the paper: two bits per element, the predecessor, in the renumbered order.

    A warp computes a strip of columns in tiles of 4 x 4 elements held in registers, one launch computes them all. The
    16 predecessors of a tile are a word, and the words are renumbered as the paper's elements are. The longer sequence
    belongs to the rows, since the renumbered matrix grows with the square of its columns.
    a, b: letters, uint8 of shape (m,) and (n,), compared for equality. Raises InputError when 32 bits are too few.
    """
    m, n = len(a), len(b)
    scoring = Scoring(**scores)
    scoring.check_range(m, n)
    if not m or not n:
        return _all_gaps(m, n, scoring, bool(traceback))
    before = device.memory_used
    exchanged = {"EXCHANGED": n > m}
    longer, shorter = (b, a) if n > m else (a, b)
    strips = -(-len(shorter) // (TILE * device.warp_size))
    words = Numbering(-(-len(longer) // TILE), strips * device.warp_size)
    fill_kernels = device.compile(KERNELS / "compact.cu", exchanged)
    rows, columns = device.upload(_padded(longer, words.rows)), device.upload(_padded(shorter, words.columns))
    edges = device.empty(max(1, strips - 1) * words.rows * TILE, np.int32)
    predecessors = device.empty((words.new_rows, words.columns), np.uint32)
    next_strip, last_row = device.empty(1, np.int32), device.empty(TILE, np.int32)
    clear_blocks = min(MOST_CLEAR_BLOCKS, -(-edges.shape[0] // CLEAR_THREADS))
    fill_kernels["reorder_compact_begin"](clear_blocks, CLEAR_THREADS, edges, edges.shape[0], next_strip)
    fill_kernels["reorder_compact"](
        strips,
        device.warp_size,
        *(rows, columns, edges, predecessors, next_strip, last_row, len(longer), len(shorter)),
        *(words.rows, words.columns, scoring.match, scoring.mismatch, scoring.gap),
    )
    allocated = device.memory_used - before
    score = int(last_row.get()[(len(shorter) - 1) % TILE]) - scoring.gap * (m + n)
    alignment = None
    if traceback:
        kernel = device.compile(KERNELS / "trace_compact.cu", exchanged)["reorder_trace_compact"]
        moves, end = device.empty(m + n, np.uint8), device.empty(3, np.int32)
        kernel(1, TRACE_THREADS, predecessors, moves, end, len(longer), len(shorter), words.columns)
        alignment = _alignment(moves, end, a, b, exchanged=n > m)
    return Outcome(score, m * n, alignment, allocated)


def _padded(letters: Letters, words: int) -> NDArray[np.uint32]:
    padded = np.zeros(TILE * words, np.uint8)
    padded[: len(letters)] = letters
    return padded.view("<u4")


def _alignment(moves: Array, end: Array, a: Letters, b: Letters, exchanged: bool = False) -> Alignment:
    """The alignment of a way back that reached a border: what is left of one sequence lies in a gap."""
    i, j, place = end.get().tolist()
    if exchanged:
        i, j = j, i
    gaps = np.repeat(np.array([UP, LEFT], np.uint8), [i + 1, j + 1])
    return Alignment.from_moves(np.concatenate([gaps, moves[place:].get()]), a, b)


def _all_gaps(m: int, n: int, scoring: Scoring, traceback: bool) -> Outcome:
    return Outcome(-scoring.gap * (m + n), 0, Alignment("I" * m + "D" * n) if traceback else None, 0)


IMPLEMENTATION = "Implementation of the algorithms"
VARIANTS = {
    variant.name: variant
    for variant in (
        Variant(
            "unoptimised",
            IMPLEMENTATION,
            "the matrix of scores row by row, one thread per column, one launch per block anti-diagonal",
            unoptimised,
            {"block_size": BLOCK_SIZE, **SETTINGS},
        ),
        Variant(
            "optimised",
            IMPLEMENTATION,
            "the matrix renumbered, anti-diagonals as rows, so that a warp writes consecutive words",
            optimised,
            {"block_size": BLOCK_SIZE, **SETTINGS},
        ),
        Variant(
            "compact",
            "beyond the paper",
            "two bits per element in the renumbered order, a warp per strip of columns, one launch",
            compact,
            SETTINGS,
        ),
    )
}

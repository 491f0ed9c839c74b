"""How fast the emulator is on one core, against the floor it must keep (exit status 1 below it).

100 million cells per second for a warp-shuffle alignment of 16 columns per thread, checked against Biopython, and
100 ns per thread for a kernel that never synchronises.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from Bio.Align import PairwiseAligner

from repro.device import open_device

KERNELS = Path(__file__).with_name("alignment.cu")
COLUMNS, LENGTH, PAIRS = 16, 512, 200
THREADS = 4_000_000


def cells_per_second(rng: np.random.Generator) -> float:
    """Rate of the alignment kernel, best of three, its scores checked."""
    device = open_device("emulator", workers=1)
    kernel = device.compile(KERNELS, {"COLUMNS": COLUMNS, "MATCH": 1, "MISMATCH": -1})["align"]
    letters = np.frombuffer(b"ACGT", np.uint8)
    queries, subjects = (letters[rng.integers(0, 4, (PAIRS, LENGTH))] for _ in range(2))
    on_device = device.upload(queries), device.upload(subjects), device.empty(PAIRS, np.int32)
    best = min(_seconds(lambda: kernel(-(-PAIRS // 4), 128, *on_device, PAIRS, LENGTH)) for _ in range(3))
    aligner = PairwiseAligner(match_score=1, mismatch_score=-1, gap_score=-1)
    expected = [
        aligner.score(q.tobytes().decode(), s.tobytes().decode()) for q, s in zip(queries, subjects, strict=True)
    ]
    assert on_device[2].get().tolist() == expected, "the alignment kernel's scores differ from Biopython's"
    return PAIRS * LENGTH**2 / best


def nanoseconds_per_thread() -> float:
    """Cost of a thread of a kernel without barriers, best of three."""
    device = open_device("emulator", workers=1)
    kernel = device.compile(KERNELS, {"COLUMNS": COLUMNS, "MATCH": 1, "MISMATCH": -1})["no_barrier"]
    output = device.empty(THREADS, np.int32)
    best = min(_seconds(lambda: kernel(-(-THREADS // 256), 256, output, THREADS)) for _ in range(3))
    assert np.array_equal(output.get(), np.arange(THREADS)), "the kernel without barriers wrote wrong values"
    return best / THREADS * 1e9


def _seconds(run: Callable[[], None]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


if __name__ == "__main__":
    rate, cost = cells_per_second(np.random.default_rng(0)), nanoseconds_per_thread()
    print(f"alignment, 16 columns per thread: {rate / 1e6:.0f} M cells/s on one core (floor 100)")
    print(f"kernel without barriers: {cost:.0f} ns per thread on one core (ceiling 100)")
    sys.exit(rate < 100e6 or cost > 100)

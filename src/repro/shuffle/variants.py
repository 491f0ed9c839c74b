"""Every variant by the paper's own name: kernels, the number types it may use, settings, section.

All of them are called as run(device, queries, subjects, pairs, scheme, traceback, **settings) and return an `Outcome`.
"""

import numpy as np

from repro.bench.variant import Setting, Variant
from repro.device import Device
from repro.shuffle import engine, hirschberg, packed, paper, strips
from repro.shuffle.letters import Letters, Pairs
from repro.shuffle.outcome import Outcome
from repro.shuffle.scheme import Scheme
from repro.shuffle.traceback import run as trace_back


def _paper(
    kinds: tuple[str, ...],
    device: Device,
    queries: Letters,
    subjects: Letters,
    pairs: Pairs,
    scheme: Scheme,
    traceback: bool,
    columns: int,
) -> Outcome:
    if traceback:
        return hirschberg.run(device, kinds, queries, subjects, pairs, scheme)
    methods = [paper.method(kind, scheme, columns) for kind in kinds]
    stage = device.warp_size * columns
    widths = stage << np.arange(1 + int(subjects.lengths.max(initial=0) // stage).bit_length())
    return engine.run(device, queries, subjects, pairs, methods, widths)


def fp32(
    device: Device, queries: Letters, subjects: Letters, pairs: Pairs, scheme: Scheme, traceback: bool, columns: int
) -> Outcome:
    """Sections 3.1 and 3.2 in single precision: one warp per alignment, `columns` columns per thread in registers.

    What 24 bits cannot hold is computed by the same kernel in 32-bit or 64-bit integers. Alignments come from stored
    predecessors up to 128 letters in total and from Hirschberg's division beyond (traceback.cu).
    """
    return _paper(("fp32", "int32", "int64"), device, queries, subjects, pairs, scheme, traceback, columns)


def half2(
    device: Device, queries: Letters, subjects: Letters, pairs: Pairs, scheme: Scheme, traceback: bool, columns: int
) -> Outcome:
    """Section 3.2, half precision: as `fp32` with two alignments in the halves of each register.

    Whole numbers are exact up to 2,048 there; what may leave that is computed as by `fp32`.
    """
    return _paper(("half2", "fp32", "int32", "int64"), device, queries, subjects, pairs, scheme, traceback, columns)


def s16x2(
    device: Device, queries: Letters, subjects: Letters, pairs: Pairs, scheme: Scheme, traceback: bool
) -> Outcome:
    """Beyond the paper: packed.cu, two alignments in the 16-bit halves of a word and several such pairs in a warp.

    What 16 bits cannot hold, and long pairs of a list, are computed by strips.cu, many warps to a matrix, and what it
    cannot hold either in wider numbers. Alignments come from stored.cu and follow.cu where 16 bits hold scores, bytes
    tell differences within a block, and a subject has up to 1,024 letters, else from checkpoints.cu and walk.cu.
    """
    if traceback:
        return trace_back(device, queries, subjects, pairs, scheme)
    every = isinstance(pairs, str) and pairs == "all"
    wider = [paper.method(kind, scheme, COLUMNS.default) for kind in ("fp32", "int32", "int64")]
    methods = [] if every else [strips.method(device, scheme, preferred=True)]
    methods += [*packed.methods(scheme), strips.method(device, scheme, preferred=False), *wider]
    return engine.run(device, queries, subjects, pairs, methods, packed.widths(device, subjects))


def auto(device: Device, queries: Letters, subjects: Letters, pairs: Pairs, scheme: Scheme, traceback: bool) -> Outcome:
    """Beyond the paper: what is fastest, which is `s16x2`."""
    return s16x2(device, queries, subjects, pairs, scheme, traceback)


COLUMNS = Setting(16, 4, 32, "k, columns of a thread where there is no traceback; a multiple of 4", step=4)
VARIANTS = {
    variant.name: variant
    for variant in (
        Variant(
            "fp32",
            "3.1",
            "one warp per alignment, cells in registers, letters and borders by shuffles",
            fp32,
            {"columns": COLUMNS},
        ),
        Variant("half2", "3.2", "two alignments per warp in the halves of each register", half2, {"columns": COLUMNS}),
        Variant(
            "s16x2", "beyond the paper", "two alignments per word, several such pairs per warp, three-way maxima", s16x2
        ),
        Variant("auto", "beyond the paper", "the fastest kernel for the lengths and the scheme", auto),
    )
}

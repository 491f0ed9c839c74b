"""The tracebacks of the paper's variants: stored predecessors up to 128 letters in total, else Hirschberg's division.

One warp divides and traces an alignment by itself, or two at once in the halves of a half2 (traceback.cu).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from repro.device import Device
from repro.device.source import Constant
from repro.shuffle.letters import Letters, Pairs, pair_indices
from repro.shuffle.outcome import Outcome
from repro.shuffle.paper import KERNELS, TYPES, constants_of, within_memory
from repro.shuffle.ranges import fits
from repro.shuffle.scheme import Scheme
from repro.shuffle.traced import PER_WORD, Collected, Traced

COLUMNS = 4, 8  # of a thread
STRIPS = 16  # that a pass divides a matrix into, at most
STRIP_ROWS = 48
HALF_COLUMNS = 2**14  # up to which 16 bits hold where a path comes from
CELL_BYTES = 32  # of what passes from stage to stage, at most; crossings after it are written four at once
RESULTS = 6  # query_begin, query_end, subject_begin, subject_end, columns, runs

Int64s = NDArray[np.int64]


def run(
    device: Device, kinds: Sequence[str], queries: Letters, subjects: Letters, pairs: Pairs, scheme: Scheme
) -> Outcome:
    """The alignments of a batch, by the narrowest of the number types `kinds` that is exact for each."""
    chosen, partners = pair_indices(pairs, len(queries), len(subjects))
    found, types, cells = Collected(len(chosen)), dict[str, int](), 0
    for kind, traced, computed in trace(device, kinds, queries, subjects, chosen, partners, scheme):
        found.add(traced)
        types[kind] = types.get(kind, 0) + len(traced.places)
        cells += computed
    shape = (len(queries), len(subjects)) if isinstance(pairs, str) and pairs == "all" else (len(chosen),)
    return Outcome(found.score.reshape(shape), cells, types, found.alignments())


def trace(
    device: Device,
    kinds: Sequence[str],
    queries: Letters,
    subjects: Letters,
    chosen: Int64s,
    partners: Int64s,
    scheme: Scheme,
) -> Iterator[tuple[str, Traced, int]]:
    """Alignments with the number type that computed them, and how many cells it took.

    Rectangles inside a matrix are aligned globally, whatever the mode: a type has to hold that.
    """
    m, n = queries.lengths[chosen], subjects.lengths[partners]
    waiting = np.ones(len(chosen), np.bool_)
    for kind in kinds:
        exact = fits(kind, replace(scheme, mode="global"), m, n)
        if kind == "half2":
            exact &= n < HALF_COLUMNS
        members = np.flatnonzero(waiting & (exact if kind != kinds[-1] else True))
        waiting[members] = False
        # The longest first, so that none is left over at the end.
        members = members[np.argsort(-(m * n)[members], kind="stable")]
        budget = (device.memory_bytes - device.memory_used) // 4
        words = -(-(m + n) // PER_WORD)
        begin = 0
        while begin < len(members):
            result_bytes = np.cumsum(4 * words[members[begin:]] + 64)
            end = begin + max(1, int(np.searchsorted(result_bytes, budget, side="right")))
            some = members[begin:end]
            yield kind, *_launch(device, kind, queries, subjects, chosen[some], partners[some], some, scheme)
            begin = end


def _launch(
    device: Device,
    kind: str,
    queries: Letters,
    subjects: Letters,
    chosen: Int64s,
    partners: Int64s,
    places: Int64s,
    scheme: Scheme,
) -> tuple[Traced, int]:
    """What one launch finds. places: of the alignments in the batch."""
    m, n = queries.lengths[chosen], subjects.lengths[partners]
    longest, widest, halves = int(m.max()), int(n.max()), 2 if kind == "half2" else 1
    p = device.warp_size
    columns = next((k for k in COLUMNS if widest <= k * p), COLUMNS[-1])
    constants: dict[str, Constant] = {
        **constants_of(scheme),
        "T": TYPES[kind],
        "Score": np.int64,
        "HALVES": halves,
        "COLUMNS": columns,
    }
    kernel = device.compile(KERNELS / "traceback.cu", constants)["shuffle_traceback"]
    first_words = np.append(0, np.cumsum(-(-(m + n) // PER_WORD)))
    outputs = (
        device.empty(len(m), np.int64),
        device.empty((len(m), RESULTS), np.int32),
        device.empty(max(1, int(first_words[-1])), np.uint32),
        device.empty(len(m), np.int64),
    )
    codes = [device.upload(values) for letters in (queries, subjects) for values in (letters.codes, letters.offsets)]
    lists = [device.upload(values.astype(np.int32)) for values in (chosen, partners)]
    lists += [device.upload(scheme.table()), device.upload(first_words)]
    # As many strips as are of use and as the memory for their crossings allows.
    pitch = max(1, -(-widest // (p * columns))) * p * columns
    free = (device.memory_bytes - device.memory_used) // 2
    row_bytes, rest = 8 * pitch, 8 * pitch * halves + CELL_BYTES * longest
    strips = max(2, min(STRIPS, -(-longest // STRIP_ROWS), (free - rest) // row_bytes))
    block_bytes = strips * row_bytes + rest
    blocks = within_memory(device, min(-(-len(m) // halves), kernel.most_resident_blocks(p)), block_bytes)
    memory = device.empty(blocks * block_bytes, np.uint8)
    kernel(blocks, p, *codes, *lists, *outputs, memory, block_bytes, len(m), strips, pitch)
    scores, results, words, cells = (array.get() for array in outputs)
    found = Traced(places, scores, results[:, :4], results[:, 4], results[:, 5], first_words[:-1], words)
    return found, int(cells.sum())

"""Which alignments a traceback computes together: two to a unit, units of one kernel and like lengths in a batch."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from repro.shuffle.scheme import Scheme

COLUMNS = BLOCK = 16  # as in checkpoints.cuh
LANES = np.array([4, 8, 16, 32])
KINDS = {"s16x2": 4, "int32": 4, "int64": 8}  # bytes of a word
UNIT_FIELDS = 9
MOST_UNITS = 2**18

Lengths = NDArray[np.int64]


@dataclass(frozen=True)
class Batch:
    """Units of one launch.

    kind: one of KINDS. lanes: threads per unit. staged: whether a subject is wider than its lanes. members: int64,
    shape (units, halves), positions of the alignments; the last of an odd number stands twice. words: of each unit.
    """

    kind: str
    lanes: int
    staged: bool
    members: NDArray[np.int64]
    words: NDArray[np.int64]


def kinds_of(scheme: Scheme, m: Lengths, n: Lengths) -> NDArray[np.int64]:
    """The narrowest of KINDS, by its index, that holds every value of each alignment."""
    table = scheme.table()
    largest, further = max(0, int(table.max())), scheme.gap_extend
    steps = 6 * (scheme.first - further) + 2 * further + int(np.abs(table).max())
    reached = np.minimum(m, n).astype(np.float64) * largest + steps
    if scheme.mode != "local":
        reached += (m + n) * float(further)
    return np.searchsorted([2**15 - 1, 2**30], reached, side="left")


def layout_words(scheme: Scheme, lanes: int, m: Lengths, n: Lengths) -> NDArray[np.int64]:
    """Words that the score pass keeps of units of these lengths, as Layout of checkpoints.cuh places them."""
    stripes = -(-n // COLUMNS)
    blocks = -(-(m + lanes - 1) // BLOCK)
    ends = 0 * stripes if scheme.mode == "global" else stripes * (blocks if scheme.mode == "local" else COLUMNS)
    planes = 4 if scheme.gap == "affine" else 2
    return planes * stripes * blocks * BLOCK + -(-ends // 4) * 4


def batches(
    scheme: Scheme, queries: NDArray[np.int64], m: Lengths, n: Lengths, shared: bool, most_bytes: int
) -> Iterator[Batch]:
    """All alignments in batches, those of one kind together. queries: the query of each; shared: whether a unit has
    only one.

    m, n: their lengths, at least 1. most_bytes: of what a batch keeps, unless one unit alone has more.
    """
    kinds = kinds_of(scheme, m, n)
    stripes = -(-n // COLUMNS)
    lanes = LANES[np.minimum(np.searchsorted(LANES, stripes), len(LANES) - 1)]
    order = np.lexsort((n, queries, m, lanes, kinds) if shared else (n, m, lanes, kinds))
    key = np.stack([kinds, lanes, queries if shared else lanes])[:, order]
    launch_ends = _run_ends(key[:2])
    begin = 0
    for end in launch_ends:
        kind, width = list(KINDS)[kinds[order[begin]]], int(lanes[order[begin]])
        members = _pairs(order[begin:end], key[:, begin:end]) if kind == "s16x2" else order[begin:end, None]
        words = layout_words(scheme, width, m[members.T].max(axis=0), n[members.T].max(axis=0))
        staged = int(n[order[begin:end]].max()) > width * COLUMNS
        first, sums = 0, np.cumsum(words)
        while first < len(members):
            before = sums[first - 1] if first else 0
            last = int(np.searchsorted(sums, before + most_bytes // KINDS[kind], side="right"))
            last = min(max(first + 1, last), first + MOST_UNITS)
            yield Batch(kind, width, staged, members[first:last], words[first:last])
            first = last
        begin = end


def _run_ends(key: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where runs of equal columns end."""
    changes = np.flatnonzero((key[:, 1:] != key[:, :-1]).any(axis=0)) + 1
    return np.append(changes, key.shape[1])


def _pairs(order: NDArray[np.int64], key: NDArray[np.int64]) -> NDArray[np.int64]:
    """Two and two of each run of equal keys; shape (units, 2)."""
    ends = _run_ends(key)
    begins = np.concatenate([[0], ends[:-1]])
    units = -(-(ends - begins) // 2)
    first_unit = np.repeat(np.cumsum(units) - units, units)
    first = np.repeat(begins, units) + 2 * (np.arange(units.sum()) - first_unit)
    second = np.minimum(first + 1, np.repeat(ends, units) - 1)
    return np.column_stack([order[first], order[second]])

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
EARLIER = 0.7  # of its rows, by which a unit's last stages may stand behind others'

Lengths = NDArray[np.int64]


@dataclass(frozen=True)
class Batch:
    """Units of one launch.

    kind: one of KINDS. lanes: threads per unit. members: int64, shape (units, halves), positions of the alignments; the
    last of an odd number stands twice. words: of each unit. stages: none, or those of subjects all of which are wider
    than a warp: int32, shape (stages, 2), unit and number, in the order in which they are begun.
    """

    kind: str
    lanes: int
    members: NDArray[np.int64]
    words: NDArray[np.int64]
    stages: NDArray[np.int32]


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
    gaps = 2 if scheme.gap == "affine" else 1
    edges = (-(-stripes // lanes) - 1) * blocks * BLOCK * gaps
    words: NDArray[np.int64] = 2 * gaps * stripes * blocks * BLOCK + -(-(ends + edges) // 4) * 4
    return words


def batches(
    scheme: Scheme, queries: NDArray[np.int64], m: Lengths, n: Lengths, shared: bool, most_bytes: int, warp: int
) -> Iterator[Batch]:
    """All alignments in batches, those of one kind together. queries: the query of each; shared: whether a unit has
    only one.

    m, n: their lengths, at least 1. most_bytes: of what a batch keeps, unless one unit alone has more. warp: threads.
    """
    kinds = kinds_of(scheme, m, n)
    stripes = -(-n // COLUMNS)
    staged = stripes > LANES[-1]
    lanes = np.where(staged, warp, LANES[np.searchsorted(LANES[:-1], stripes)])
    order = np.lexsort((n, queries, m, lanes, staged, kinds) if shared else (n, m, lanes, staged, kinds))
    key = np.stack([kinds, lanes, staged, queries if shared else lanes])[:, order]
    launch_ends = _run_ends(key[:3])
    begin = 0
    for end in launch_ends:
        kind, width = list(KINDS)[kinds[order[begin]]], int(lanes[order[begin]])
        members = _pairs(order[begin:end], key[:, begin:end]) if kind == "s16x2" else order[begin:end, None]
        rows, columns = m[members.T].max(axis=0), n[members.T].max(axis=0)
        words = layout_words(scheme, width, rows, columns)
        first, sums = 0, np.cumsum(words)
        while first < len(members):
            before = sums[first - 1] if first else 0
            last = int(np.searchsorted(sums, before + most_bytes // KINDS[kind], side="right"))
            last = min(max(first + 1, last), first + MOST_UNITS)
            stages = _stages(rows[first:last], columns[first:last], width * staged[order[begin]])
            yield Batch(kind, width, members[first:last], words[first:last], stages)
            first = last
        begin = end


def _stages(m: Lengths, n: Lengths, lanes: int) -> NDArray[np.int32]:
    """Stages of units of these lengths, as `Batch` has them, each after the one to its left. lanes: 0 for none.

    Long units come first, but their later stages together with the first ones of shorter units: neighbours at work at
    the same time wait for each other, and often nobody else is there.
    """
    counts = -(-n // (lanes * COLUMNS)) if lanes else 0 * n
    units = np.repeat(np.arange(len(m)), counts)
    stages = np.arange(len(units)) - np.repeat(np.cumsum(counts) - counts, counts)
    order = np.argsort(-m[units] * (1 - EARLIER * stages / counts[units]), kind="stable")
    return np.column_stack([units, stages])[order].astype(np.int32)


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

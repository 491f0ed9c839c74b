"""The alignments of a batch by `auto`: by the edges of small blocks where bytes tell them, else by checkpoints.

One whose checkpoints are more than memory is free is divided as by `fp32`.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from repro.device import Device
from repro.shuffle import checkpointed, hirschberg, stored
from repro.shuffle.batch import Fits, Group, of_all, of_list
from repro.shuffle.letters import Letters, Pairs, pair_indices
from repro.shuffle.outcome import Outcome
from repro.shuffle.scheme import Scheme
from repro.shuffle.traced import PER_WORD, Collected, Traced

WIDER = "fp32", "int32", "int64"  # number types of what is divided
INSERTIONS, DELETIONS = 0xAAAAAAAA, 0xFFFFFFFF  # words of nothing but these


def run(device: Device, queries: Letters, subjects: Letters, pairs: Pairs, scheme: Scheme) -> Outcome:
    """The alignments of a batch, which are those of `reference.alignments`, and their scores."""
    methods: list[Fits] = [partial(stored.fits, device, scheme), lambda m, n: np.ones(len(m), np.bool_)]
    widths = stored.widths(device)
    if isinstance(pairs, str) and pairs == "all":
        groups = list(of_all(queries, subjects, methods, widths))
        shape: tuple[int, ...] = len(queries), len(subjects)
        cells = int(queries.lengths.sum() * subjects.lengths.sum())
    else:
        chosen = pair_indices(pairs, len(queries), len(subjects))
        groups = list(of_list(queries, subjects, chosen, methods, widths))
        shape = (len(chosen[0]),)
        cells = int(queries.lengths[chosen[0]] @ subjects.lengths[chosen[1]])
    found = Collected(int(np.prod(shape)))
    types: dict[str, int] = {}
    for traced in stored.trace(device, queries, subjects, [g for g in groups if g.method == 0], scheme):
        found.add(traced)
        types["s16x2"] = types.get("s16x2", 0) + int((traced.places >= 0).sum())
    too_large: list[NDArray[np.int64]] = []
    for group in groups:
        if group.method == 1:
            for kind, traced in _by_checkpoints(device, queries, subjects, group, scheme, too_large):
                found.add(traced)
                types[kind] = types.get(kind, 0) + int((traced.places >= 0).sum())
    if too_large:
        places, chosen, partners = np.concatenate(too_large, axis=1)
        for kind, traced, _ in hirschberg.trace(device, WIDER, queries, subjects, chosen, partners, scheme):
            found.add(replace(traced, places=places[traced.places]))
            types[kind] = types.get(kind, 0) + len(traced.places)
    aligned = found.alignments()
    return Outcome(aligned.score.reshape(shape), cells, types, aligned)


def _by_checkpoints(
    device: Device,
    queries: Letters,
    subjects: Letters,
    group: Group,
    scheme: Scheme,
    too_large: list[NDArray[np.int64]],
) -> Iterator[tuple[str, Traced]]:
    """The alignments of a group, by the number type that computed them.

    too_large: takes over places, queries and subjects of those that need more memory than is free: shape (3, n).
    """
    chosen, partners = group.queries.astype(np.int64), group.subjects.astype(np.int64)
    every = group.places is None
    if group.places is None:
        chosen, partners = np.repeat(chosen, len(partners)), np.tile(partners, len(chosen))
        places = chosen * len(subjects) + partners
    else:
        places = group.places.astype(np.int64)
    m, n = queries.lengths[chosen], subjects.lengths[partners]
    empty = (m == 0) | (n == 0)
    if empty.any():
        yield "s16x2", _of_nothing(scheme, places[empty], m[empty], n[empty])
    some = ~empty
    problem = checkpointed.Problem(queries, subjects, chosen[some], partners[some], places[some], scheme, every)
    for batch, traced in checkpointed.trace(device, problem):
        if traced is None:
            members = np.unique(batch.members)
            too_large.append(np.stack([problem.places, problem.chosen, problem.partners])[:, members])
        else:
            yield batch.kind, traced


def _of_nothing(scheme: Scheme, places: NDArray[np.int64], m: NDArray[np.int64], n: NDArray[np.int64]) -> Traced:
    """Alignments of sequences of which one or both are empty."""
    gap = (m + n) * (scheme.mode == "global")
    scores = np.where(gap > 0, -scheme.first - (gap - 1) * scheme.gap_extend, 0)
    ends = np.zeros((len(m), 4), np.int32)
    if scheme.mode == "global":
        ends[:, 1], ends[:, 3] = m, n
    words = -(-gap // PER_WORD)
    columns = np.repeat(np.where(m > 0, INSERTIONS, DELETIONS), words).astype(np.uint32)
    return Traced(
        places, scores, ends, gap.astype(np.int32), (gap > 0).astype(np.int32), np.cumsum(words) - words, columns
    )

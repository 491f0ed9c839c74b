"""Scores of a batch on a device: groups of alignments, launched one after the other, streamed through its memory."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.device import Array, Device
from repro.shuffle.batch import Fits, Group, of_all, of_list
from repro.shuffle.letters import Letters, Pairs, pair_indices
from repro.shuffle.outcome import Outcome, Scores
from repro.shuffle.scheme import Scheme


@dataclass(frozen=True)
class OnDevice:
    """A batch of sequences in device memory."""

    codes: Array
    offsets: Array

    @classmethod
    def upload(cls, device: Device, letters: Letters) -> "OnDevice":
        """A copy of `letters`."""
        return cls(
            device.upload(letters.codes if len(letters.codes) else np.zeros(1, np.uint8)),
            device.upload(letters.offsets),
        )


Launch = Callable[[Device, OnDevice, OnDevice, Group, Array, int], None]


@dataclass(frozen=True)
class Method:
    """A way to compute scores: `name` of its number type, the lengths it is exact for, and its launch.

    launch(device, queries, subjects, group, scores, pitch): the score of query q with subject s goes to scores[q * pitch
    + s], or that of alignment i to scores[group.places[i]].
    """

    name: str
    fits: Fits
    launch: Launch


def run(
    device: Device,
    queries: Letters,
    subjects: Letters,
    pairs: Pairs,
    methods: Sequence[Method],
    widths: NDArray[np.int64],
) -> Outcome:
    """The scores of a batch.

    methods: narrowest first; the last takes all that no other can. widths: as for `batch.of_all`.
    """
    every = isinstance(pairs, str) and pairs == "all"
    chosen = pair_indices(pairs, len(queries), len(subjects)) if not every else None
    fits = [method.fits for method in methods]
    groups = list(
        of_all(queries, subjects, fits, widths) if chosen is None else of_list(queries, subjects, chosen, fits, widths)
    )
    shape = (len(queries), len(subjects)) if chosen is None else (len(chosen[0]),)
    wide = any(methods[group.method].name == "int64" for group in groups)
    dtype = np.dtype(np.int64 if wide else np.int32)
    types: dict[str, int] = {}
    cells = 0
    scores = np.zeros(shape, dtype)
    if scores.size:
        letters = OnDevice.upload(device, queries), OnDevice.upload(device, subjects)
        found = device.empty(scores.size, dtype)
        for group in groups:
            method = methods[group.method]
            method.launch(device, *letters, group, found, len(subjects))
            types[method.name] = types.get(method.name, 0) + group.alignments
            m, n = queries.lengths[group.queries], subjects.lengths[group.subjects]
            cells += int(m.sum() * n.sum() if group.places is None else (m * n).sum())
        scores = found.get().reshape(shape)
    return Outcome(scores, cells, types)


def scores(
    device: Device,
    queries: Letters,
    subjects: Letters,
    pairs: Pairs,
    scheme: Scheme,
    variant: str = "auto",
    **settings: int,
) -> Scores:
    """The best scores of a batch: int32, or int64 where 32 bits might not hold one, in the caller's order.

    Shape (queries, subjects) for pairs "all", else (n,). variant: one of `variants.VARIANTS`, whose settings these are.
    Raises InputError for what is wrong with pairs, variant or settings.
    """
    from repro.bench.variant import choose
    from repro.shuffle.variants import VARIANTS

    found = choose(VARIANTS, variant)
    outcome: Outcome = found.run(device, queries, subjects, pairs, scheme, False, **found.complete(settings))
    return outcome.scores

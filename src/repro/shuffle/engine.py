"""Scores of a batch on a device: groups of alignments, launched one after the other, streamed through its memory."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.device import Array, Device, Event
from repro.shuffle.batch import Fits, Group, as_pairs, narrowest, of_all, of_list
from repro.shuffle.letters import Letters, Pairs, pair_indices
from repro.shuffle.outcome import Outcome
from repro.shuffle.pieces import Piece, pieces_of_all, pieces_of_list


@dataclass(frozen=True)
class OnDevice:
    """A batch of sequences in device memory, and the same in the host's."""

    codes: Array
    offsets: Array
    letters: Letters

    @classmethod
    def upload(cls, device: Device, letters: Letters) -> "OnDevice":
        """A copy of `letters`."""
        return cls(
            device.upload(letters.codes if len(letters.codes) else np.zeros(1, np.uint8)),
            device.upload(letters.offsets),
            letters,
        )


Launch = Callable[[Device, OnDevice, OnDevice, Group, Array, int], None]


@dataclass(frozen=True)
class Method:
    """A way to compute scores: `name` of its number type, the lengths it is exact for, and its launch.

    launch(device, queries, subjects, group, scores, pitch): the score of query q with subject s goes to
    scores[q * pitch + s], or that of alignment i to scores[group.places[i]]. may_refuse: it may give REFUSED, where a
    later method is to be asked; only for scores that are not negative. together: all groups of this method are given
    to one launch, as pairs.
    """

    name: str
    fits: Fits
    launch: Launch
    may_refuse: bool = False
    together: bool = False


REFUSED = -1  # in place of a score, by a method that may refuse


@dataclass
class Computing:
    """A piece whose launches are made: its results on the way to page-locked memory, and when they are there."""

    piece: Piece
    groups: list[Group]
    found: Array
    copied: NDArray[Any]
    done: Event


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
    chosen = None if every else pair_indices(pairs, len(queries), len(subjects))
    shape = (len(queries), len(subjects)) if chosen is None else (len(chosen[0]),)
    longest = [np.array([letters.lengths.max(initial=0)]) for letters in (queries, subjects)]
    wide = methods[int(narrowest([method.fits for method in methods], longest[0], longest[1])[0])].name == "int64"
    scores = np.empty(shape, np.int64 if wide else np.int32)
    free = device.memory_bytes - device.memory_used
    pieces = (
        pieces_of_all(queries, subjects, free, scores.itemsize)
        if chosen is None
        else pieces_of_list(queries, subjects, chosen, free)
    )
    types: Counter[str] = Counter()
    cells = 0
    refused: list[NDArray[np.int64]] = []
    for computed in _computed(device, pieces if scores.size else (), methods, widths, scores.dtype):
        values = computed.copied[: math.prod(computed.piece.shape)].reshape(computed.piece.shape)
        scores[computed.piece.place] = values
        for group in computed.groups:
            types[methods[group.method].name] += group.alignments
            m, n = computed.piece.queries.lengths[group.queries], computed.piece.subjects.lengths[group.subjects]
            cells += int(m.sum() * n.sum() if group.places is None else (m * n).sum())
        if any(methods[group.method].may_refuse for group in computed.groups):
            within = np.nonzero(values == REFUSED)
            starts = [part.start for part in computed.piece.place]
            at = [start + index for start, index in zip(starts, within, strict=True)]
            refused.append(np.ravel_multi_index(tuple(at), shape))
    again = np.concatenate([np.empty(0, np.int64), *refused])
    if len(again):
        sides = np.divmod(again, len(subjects)) if chosen is None else (chosen[0][again], chosen[1][again])
        kept = [method for method in methods if not method.may_refuse]
        rest = run(device, queries, subjects, np.stack(sides, axis=1), kept, widths)
        scores.reshape(-1)[again] = rest.scores
        types.subtract({next(method.name for method in methods if method.may_refuse): len(again)})
        types.update(rest.types)
        cells += rest.cells
    return Outcome(scores, cells, dict(types))


def _computed(
    device: Device, pieces: Iterable[Piece], methods: Sequence[Method], widths: NDArray[np.int64], dtype: np.dtype
) -> Iterator[Computing]:
    """The pieces with their results, each given while the one after it is computed."""
    fits = [method.fits for method in methods]
    buffers: list[tuple[Array, NDArray[Any]]] = []
    subjects: tuple[Letters, OnDevice] | None = None
    waiting: Computing | None = None
    for number, piece in enumerate(pieces):
        groups = list(
            of_all(piece.queries, piece.subjects, fits, widths)
            if piece.pairs is None
            else of_list(piece.queries, piece.subjects, piece.pairs, fits, widths)
        )
        size = math.prod(piece.shape)
        if len(buffers) < 2 or len(buffers[number % 2][1]) < size:
            made = device.empty(size, dtype), device.host_array(size, dtype)
            buffers[number % 2 : number % 2 + 1] = [made]
        found, copied = buffers[number % 2]
        if subjects is None or subjects[0] is not piece.subjects:
            subjects = piece.subjects, OnDevice.upload(device, piece.subjects)
        queries = OnDevice.upload(device, piece.queries)
        for index, method in enumerate(methods):
            chosen = [group for group in groups if group.method == index]
            if method.together and chosen:
                chosen = [as_pairs(chosen, len(piece.subjects))]
            for group in chosen:
                method.launch(device, queries, subjects[1], group, found, len(piece.subjects))
        done = device.copy_out(found, copied, [device.record()])
        if waiting is not None:
            device.finish(waiting.done)
            yield waiting
        waiting = Computing(piece, groups, found, copied, done)
    if waiting is not None:
        device.finish(waiting.done)
        yield waiting

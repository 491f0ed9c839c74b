"""Campaigns of ranks to files: stage by stage, what is complete stays and is not computed again."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.inputs.files import complete_or_absent
from repro.mgemm.campaign import similarities_of_rank
from repro.mgemm.checksum import Checksum
from repro.mgemm.engine import Engine
from repro.mgemm.files import Manifest, RankFile, finish_stage, read_stage, remove_unfinished
from repro.mgemm.problem import Problem
from repro.mgemm.ranks import Communicator
from repro.mgemm.results import at_least, flat, indices
from repro.mgemm.schedule import Decomposition, Tile

Progress = Callable[[int], None]


def write_stages(
    communicator: Communicator,
    engine: Engine,
    own: NDArray[Any],
    folder: Path,
    manifest: Manifest,
    stages: Sequence[int],
    complete: Sequence[int],
    progress: Progress,
) -> Checksum | None:
    """Compute stages into a folder that `files.begin` has prepared, and return the checksum of all of them, on rank 0.

    complete: stages that are there already. progress: told every stage that has just been completed, on rank 0.
    """
    total = 0
    for stage in stages:
        if stage not in complete:
            if communicator.rank == 0:
                remove_unfinished(folder, [stage])
            communicator.allgather(None)
            path = folder / manifest.rank_file(stage, communicator.rank)
            with complete_or_absent(path) as partial, closing(RankFile(manifest, partial)) as file:
                checksum = _compute(communicator, engine, own, manifest, stage, file.write)
            gathered = communicator.gather((file.stored, checksum.total))
            if gathered is not None:
                summed = sum(part for _, part in gathered) if manifest.checksum else None
                finish_stage(folder, manifest, stage, [stored for stored, _ in gathered], summed)
                progress(stage)
        if communicator.rank == 0:
            total += read_stage(folder, manifest, stage)[1] or 0
    return Checksum(total) if manifest.checksum else None


def collect_stages(
    communicator: Communicator,
    engine: Engine,
    own: NDArray[Any],
    manifest: Manifest,
    stages: Sequence[int],
    progress: Progress,
    results: bool,
) -> tuple[NDArray[np.uint32], NDArray[Any], Checksum | None]:
    """Compute stages into memory: indices, values and checksum of all ranks on rank 0, of the rank itself on others.

    results: whether indices and values are wanted beside the checksum; there are none otherwise.
    """
    found: list[tuple[NDArray[np.uint32], NDArray[Any]]] = []

    def keep(tile: Tile, values: NDArray[Any]) -> None:
        if not results:
            return
        if manifest.threshold is None:
            found.append((indices(tile), flat(tile, values).copy()))
        else:
            found.append(at_least(tile, values, manifest.threshold))

    checksum = 0
    for stage in stages:
        checksum += _compute(communicator, engine, own, manifest, stage, keep).total
        if communicator.rank == 0:
            progress(stage)
    joined = (
        np.concatenate([np.empty((0, manifest.way), np.uint32), *(part for part, _ in found)]),
        np.concatenate([np.empty(0, engine.precision), *(part for _, part in found)]),
    )
    gathered = communicator.gather((*joined, checksum))
    every, values, checksums = zip(*(gathered or [(*joined, checksum)]), strict=True)
    total = Checksum(sum(checksums)) if manifest.checksum else None
    return np.concatenate(every), np.concatenate(values), total


def _compute(
    communicator: Communicator,
    engine: Engine,
    own: NDArray[Any],
    manifest: Manifest,
    stage: int,
    take: Callable[[Tile, NDArray[Any]], None],
) -> Checksum:
    """Give the results of a rank to `take`, tile by tile, and return their checksum where one is asked for."""
    as_bytes = manifest.values == "byte" and manifest.threshold is None and not manifest.checksum
    decomposition = Decomposition(*manifest.decomposition)
    problem = Problem(manifest.vectors, manifest.way, manifest.stages, stage, decomposition, as_bytes)
    checksum = Checksum()
    for tile, values in similarities_of_rank(communicator, engine, own, problem):
        take(tile, values)
        if manifest.checksum:
            checksum.add(tile, values, manifest.vectors)
    return checksum

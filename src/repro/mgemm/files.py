"""Similarities in a folder: a file of each rank for each stage, and a manifest that says what the files hold.

`manifest.json` says what was computed. A stage is complete when `stage-K.json` is there, which holds the number of
stored results of every rank and, where it was asked for, the checksum. `similarities.stage-K.rank-R.f32` (or `.u8`)
holds the values of rank R alone, little-endian float32 or one unsigned byte (`metrics.as_bytes`): their indices follow
from the manifest by the schedule (`Manifest.tiles`). Where a threshold was given, it is
`similarities.stage-K.rank-R.records` and holds the results that reach the threshold, each two or three little-endian
uint32 indices, ascending, and the value.
"""

import json
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from repro.errors import InputError
from repro.inputs.files import complete_or_absent, read_bytes
from repro.mgemm.metrics import as_bytes
from repro.mgemm.results import at_least, flat, indices
from repro.mgemm.schedule import Decomposition, Tile, steps_of_rank, work_of

FORMAT = 1
MANIFEST = "manifest.json"
MOST_STAGES = 10**6  # each has files of its own in one folder
ValueType = Literal["float32", "byte"]
_OTHER = {"sha256": "of other vectors", "names": "of vectors with other names"}  # too long to be shown
STORED: dict[str, tuple[str, str]] = {"float32": ("<f4", ".f32"), "byte": ("u1", ".u8")}


@dataclass(frozen=True)
class Manifest:
    """What a folder of similarities holds.

    vectors, fields: n_v and n_f. decomposition: n_pf, n_pv and n_pr. names: of the vectors. sha256: of the vectors'
    values as they were read. threshold: smallest value that is stored, or None for all.
    """

    metric: str
    way: int
    vectors: int
    fields: int
    precision: str
    decomposition: tuple[int, int, int]
    stages: int
    values: ValueType
    threshold: float | None
    checksum: bool
    sha256: str
    names: tuple[str, ...]

    @property
    def value_type(self) -> np.dtype[Any]:
        """The type of a stored value."""
        return np.dtype(STORED[self.values][0])

    @property
    def stored_type(self) -> np.dtype[Any]:
        """The type of a stored result: a value, with its indices where there is a threshold."""
        if self.threshold is None:
            return self.value_type
        return np.dtype([*((name, "<u4") for name in "ijk"[: self.way]), ("value", self.value_type)])

    def stage_file(self, stage: int) -> str:
        """The name of the file that says a stage is complete."""
        return f"stage-{stage}.json"

    def rank_file(self, stage: int, rank: int) -> str:
        """The name of the file of a rank."""
        ending = STORED[self.values][1] if self.threshold is None else ".records"
        return f"similarities.stage-{stage}.rank-{rank}{ending}"

    def tiles(self, stage: int, rank: int) -> Iterator[Tile]:
        """The tiles of a rank in the order in which its values are stored: what makes indices superfluous.

        Of the n_pf ranks that add up the same results, the one with p_f = n mod n_pf keeps those of the n-th step.
        """
        decomposition = Decomposition(*self.decomposition)
        field, block, row = decomposition.place(rank)
        for step in steps_of_rank(self.way, decomposition, row)[field :: decomposition.fields]:
            yield from work_of(step, block, self.vectors, decomposition.vectors, stage, self.stages).tiles


def begin(folder: Path, manifest: Manifest) -> list[int]:
    """Prepare a folder and return the stages that are complete in it: what is missing or damaged is computed again.

    Raises InputError where the folder holds similarities of other vectors or settings, or other files.
    """
    path = folder / MANIFEST
    # Looked at before the manifest is: another job may be beginning the folder.
    foreign = folder.exists() and (not folder.is_dir() or any(not one.name.startswith(".") for one in folder.iterdir()))
    if path.exists():
        found = asdict(read_manifest(folder))
        changed = [key for key, value in asdict(manifest).items() if found[key] != value]
        if changed:
            key, wanted = changed[0], getattr(manifest, changed[0])
            other = _OTHER.get(key) or f"with {key} {found[key]}, not {wanted}"
            raise InputError(f"{folder}: holds similarities {other}; give another folder, or remove this one")
        return [stage for stage in range(manifest.stages) if _is_complete(folder, manifest, stage)]
    if foreign:
        raise InputError(f"{folder}: is no folder of similarities; give a new one")
    _write_manifest(folder, manifest)
    return []


def _write_manifest(folder: Path, manifest: Manifest) -> None:
    with complete_or_absent(folder / MANIFEST) as partial:
        partial.write_text(json.dumps({"format": FORMAT, **asdict(manifest)}, indent=1))


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder. Raises InputError where it is missing or damaged, or of another format."""
    path = folder / MANIFEST
    try:
        content = json.loads(read_bytes(path))
        if content.pop("format") != FORMAT:
            raise InputError(f"{path}: has another format than {FORMAT}")
        content["decomposition"], content["names"] = tuple(content["decomposition"]), tuple(content["names"])
        manifest = Manifest(**content)
        numbers = manifest.vectors, manifest.fields, manifest.stages, *manifest.decomposition
        known = manifest.way in (2, 3) and manifest.values in STORED and len(manifest.decomposition) == 3
        if not known or not all(isinstance(number, int) and number > 0 for number in numbers):
            raise ValueError
        return manifest
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InputError(f"{path}: is damaged; compute the similarities again in another folder") from None


def remove_unfinished(folder: Path, stages: Container[int]) -> None:
    """Remove what a rank that was killed has left of stages."""
    for partial in folder.glob(".partial-*.stage-*"):
        if int(partial.suffixes[0].removeprefix(".stage-")) in stages:
            partial.unlink(missing_ok=True)


def remove_empty(folder: Path) -> None:
    """Remove a folder that holds nothing but a manifest, as a run that failed in its first stage leaves it."""
    with suppress(OSError):  # other ranks remove it too
        if [path.name for path in folder.iterdir()] == [MANIFEST]:
            (folder / MANIFEST).unlink()
            folder.rmdir()


class RankFile:
    """Where a rank writes the results of a stage, `partial` being the unfinished file."""

    def __init__(self, manifest: Manifest, partial: Path) -> None:
        self.stored = 0
        self._complete = 0  # results of the steps before this one
        self._manifest = manifest
        self._stream = partial.open("wb")

    def write(self, tile: Tile, values: NDArray[Any]) -> None:
        """Store the results of a tile; values: (rows, columns) of float32, float64 or stored bytes.

        Tiles come in the order of the manifest; of one that comes in parts, the first rows come last.
        """
        manifest = self._manifest
        if manifest.threshold is None:
            self._stream.seek((self._complete + tile.before) * manifest.value_type.itemsize)
            self._append(self._as_stored(flat(tile, values)))
            if tile.before == 0:
                self._complete = self.stored
            return
        found, reached = at_least(tile, values, manifest.threshold)
        records = np.empty(len(found), manifest.stored_type)
        for name, column in zip("ijk", found.T, strict=False):
            records[name] = column
        records["value"] = self._as_stored(reached)
        self._append(records)

    def close(self) -> None:
        """No more results follow."""
        self._stream.close()

    def _append(self, results: NDArray[Any]) -> None:
        self._stream.write(results.data)
        self.stored += len(results)

    def _as_stored(self, values: NDArray[Any]) -> NDArray[Any]:
        if self._manifest.values == "byte" and values.dtype != np.uint8:
            values = as_bytes(values)
        return np.ascontiguousarray(values, self._manifest.value_type)


def finish_stage(folder: Path, manifest: Manifest, stage: int, stored: Sequence[int], checksum: int | None) -> None:
    """Say that a stage is complete; stored: results in the file of each rank."""
    if not (folder / MANIFEST).exists():  # another job has failed and removed it (`remove_empty`)
        _write_manifest(folder, manifest)
    text = json.dumps({"stored": list(stored), "checksum": None if checksum is None else str(checksum)})
    with complete_or_absent(folder / manifest.stage_file(stage)) as partial:
        partial.write_text(text)


def read_stage(folder: Path, manifest: Manifest, stage: int) -> tuple[list[int], int | None]:
    """What `finish_stage` wrote.

    Raises InputError where the stage is not complete, its file is damaged, or that of a rank is missing or not of the
    length that was written.
    """
    path = folder / manifest.stage_file(stage)
    if not path.exists():
        raise InputError(f"{folder}: stage {stage} of {manifest.stages} is not complete; compute it first")
    try:
        content = json.loads(read_bytes(path))
        stored = [int(count) for count in content["stored"]]
        checksum = int(content["checksum"]) if manifest.checksum else None
        if len(stored) != Decomposition(*manifest.decomposition).ranks:
            raise ValueError
    except (ValueError, TypeError, KeyError, OverflowError):
        raise InputError(f"{path}: is damaged; compute stage {stage} again") from None
    for rank, count in enumerate(stored):
        path = folder / manifest.rank_file(stage, rank)
        size, written = path.stat().st_size if path.is_file() else None, count * manifest.stored_type.itemsize
        if size != written:
            fault = "is missing" if size is None else f"has {size} bytes, {written} were written"
            raise InputError(f"{path}: {fault}; compute stage {stage} again")
    return stored, checksum


def _is_complete(folder: Path, manifest: Manifest, stage: int) -> bool:
    if not (folder / manifest.stage_file(stage)).exists():
        return False
    try:
        read_stage(folder, manifest, stage)
    except InputError:
        return False
    return True


def read_results(folder: Path, stage: int) -> Iterator[tuple[NDArray[np.uint32], NDArray[Any]]]:
    """The results of a complete stage, part by part: indices, (count, way), ascending in each row, and values.

    Bytes are values of uint8: 255 times the similarity. Raises InputError as `read_stage` does.
    """
    manifest = read_manifest(folder)
    stored, _ = read_stage(folder, manifest, stage)
    for rank, count in enumerate(stored):
        results = np.fromfile(folder / manifest.rank_file(stage, rank), manifest.stored_type, count)
        if manifest.threshold is not None:
            yield np.stack([results[name] for name in "ijk"[: manifest.way]], axis=1), results["value"]
            continue
        position = 0
        for tile in manifest.tiles(stage, rank):
            yield indices(tile), results[position : position + tile.count]
            position += tile.count

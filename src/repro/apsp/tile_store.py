"""Where the out-of-core variant keeps its blocks: in page-locked host memory, or in files that survive a kill."""

import json
import os
import shutil
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.device import Device
from repro.inputs.files import complete_or_absent

STATE = "state.json"


class TileStore(ABC):
    """A matrix, or distances and predecessors, as square blocks of which each lies contiguously.

    Within a round every block is read once, then written once.
    """

    first_round: int

    @abstractmethod
    def read(self, i: int, j: int) -> list[NDArray[Any]]:
        """Block (i, j) of every matrix as the round before left it."""

    @abstractmethod
    def write(self, i: int, j: int) -> list[NDArray[Any]]:
        """Where this round's block (i, j) of every matrix goes."""

    @abstractmethod
    def finish_round(self, number: int) -> None:
        """All blocks of a round have been written."""

    def matrix(self, part: int, n: int) -> NDArray[Any]:
        """The first n rows and columns of a matrix, put together."""
        edge = len(self.read(0, 0)[part])
        blocks = -(-n // edge)
        result = np.empty((n, n), self.read(0, 0)[part].dtype)

        def copy(i: int) -> None:
            for j in range(blocks):
                rows, columns = slice(i * edge, min(n, (i + 1) * edge)), slice(j * edge, min(n, (j + 1) * edge))
                result[rows, columns] = self.read(i, j)[part][: rows.stop - rows.start, : columns.stop - columns.start]

        with ThreadPoolExecutor() as pool:
            list(pool.map(copy, range(blocks)))
        return result


def cut(matrix: NDArray[Any], tiles: NDArray[Any], fill: Any) -> None:
    """Copy an n x n matrix into blocks x blocks x edge x edge tiles, with `fill` beyond its end."""
    blocks, edge = len(tiles), tiles.shape[-1]

    def copy(i: int) -> None:
        for j in range(blocks):
            part = matrix[i * edge : (i + 1) * edge, j * edge : (j + 1) * edge]
            if part.shape != (edge, edge):
                tiles[i, j] = fill
            tiles[i, j, : part.shape[0], : part.shape[1]] = part

    with ThreadPoolExecutor() as pool:
        list(pool.map(copy, range(blocks)))


class MemoryStore(TileStore):
    """Blocks in host memory, each overwritten by its successor."""

    def __init__(self, device: Device, matrices: list[NDArray[Any]], fills: list[Any], blocks: int, edge: int) -> None:
        self.first_round = 0
        self._matrices = []
        for matrix, fill in zip(matrices, fills, strict=True):
            tiles = device.host_array((blocks, blocks, edge, edge), matrix.dtype)
            cut(matrix, tiles, fill)
            self._matrices.append(tiles)

    def read(self, i: int, j: int) -> list[NDArray[Any]]:
        """The block itself."""
        return [tiles[i, j] for tiles in self._matrices]

    def write(self, i: int, j: int) -> list[NDArray[Any]]:
        """The block itself."""
        return self.read(i, j)

    def finish_round(self, number: int) -> None:
        """Nothing is to be done."""


def _new_file(path: Path, dtype: np.dtype, shape: tuple[int, ...]) -> np.memmap[Any, Any]:
    """A new array in a file, with its room on the disk: where that runs out later, the process would be killed."""
    array = np.lib.format.open_memmap(path, "w+", dtype, shape)
    with path.open("r+b") as stream:
        os.posix_fallocate(stream.fileno(), 0, path.stat().st_size)
    return array


class FileStore(TileStore):
    """Blocks in two generations of files, so that a killed round leaves the one before it whole.

    folder: its own. key: what the blocks belong to; a folder with another key, or none, begins with `matrices`, and one
    with this key continues after its last finished round. Raises OSError that names the folder where there is no room.
    """

    def __init__(
        self, folder: Path, matrices: list[NDArray[Any]], fills: list[Any], blocks: int, edge: int, key: dict[str, Any]
    ) -> None:
        self._folder = folder
        self._key = {**key, "blocks": blocks, "edge": edge, "dtypes": [str(matrix.dtype) for matrix in matrices]}
        shape = (blocks, blocks, edge, edge)
        folder.mkdir(parents=True, exist_ok=True)
        paths = [[folder / f"blocks-{generation}-{part}.npy" for part in range(len(matrices))] for generation in (0, 1)]
        complete = all(path.exists() for generation in paths for path in generation)
        self.first_round = self._finished_rounds() if complete else 0
        try:
            self._generations = [
                [
                    np.lib.format.open_memmap(path, "r+") if self.first_round else _new_file(path, matrix.dtype, shape)
                    for path, matrix in zip(generation, matrices, strict=True)
                ]
                for generation in paths
            ]
        except OSError as error:
            if not self.first_round:
                shutil.rmtree(folder)
            raise OSError(error.errno, error.strerror, str(folder)) from None
        if not self.first_round:
            for tiles, matrix, fill in zip(self._generations[0], matrices, fills, strict=True):
                cut(matrix, tiles, fill)
        self._round = self.first_round

    def _finished_rounds(self) -> int:
        try:
            state = json.loads((self._folder / STATE).read_text())
        except (OSError, json.JSONDecodeError):
            return 0
        return int(state["rounds"]) if state.get("key") == self._key else 0

    def read(self, i: int, j: int) -> list[NDArray[Any]]:
        """The block of the finished generation."""
        return [tiles[i, j] for tiles in self._generations[self._round % 2]]

    def write(self, i: int, j: int) -> list[NDArray[Any]]:
        """The block of the other generation."""
        return [tiles[i, j] for tiles in self._generations[(self._round + 1) % 2]]

    def finish_round(self, number: int) -> None:
        """The new generation is on disk before the state names it."""
        for tiles in self._generations[(number + 1) % 2]:
            tiles.flush()
        self._round = number + 1
        with complete_or_absent(self._folder / STATE) as partial:
            partial.write_text(json.dumps({"key": self._key, "rounds": self._round}))

"""Results in files: NumPy arrays, and the names of their rows beside each."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.inputs.files import all_or_none

ROWS = 1024  # written at a time


def names_path(path: Path) -> Path:
    """Where the names of a matrix stand: distances.npy, distances.names.txt."""
    return path.with_suffix(".names.txt")


def write_matrices(matrices: Mapping[Path, NDArray[Any]], names: Sequence[str]) -> None:
    """Write matrices as .npy, a band of rows at a time, and a name a line beside each: all files complete, or none."""
    listed = "".join(f"{name}\n" for name in names)
    paths = [*matrices, *map(names_path, matrices)]
    with all_or_none(paths) as partials:
        for partial, matrix in zip(partials[: len(matrices)], matrices.values(), strict=True):
            with partial.open("wb") as stream:
                header = np.lib.format.header_data_from_array_1_0(np.ascontiguousarray(matrix))
                np.lib.format.write_array_header_1_0(stream, header)
                for first in range(0, len(matrix), ROWS):
                    stream.write(np.ascontiguousarray(matrix[first : first + ROWS]).data)
        for partial in partials[len(matrices) :]:
            partial.write_text(listed)

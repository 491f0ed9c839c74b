"""Results in files: a NumPy array, and the names of its rows beside it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.inputs.files import complete_or_absent

ROWS = 1024  # written at a time


def names_path(path: Path) -> Path:
    """Where the names of a matrix stand: distances.npy, distances.names.txt."""
    return path.with_suffix(".names.txt")


def write_matrix(path: Path, matrix: NDArray[Any], names: Sequence[str]) -> None:
    """Write a matrix as .npy, a band of rows at a time, and a name a line beside it; both appear only when complete."""
    with complete_or_absent(path) as partial, complete_or_absent(names_path(path)) as partial_names:
        written = np.lib.format.open_memmap(partial, "w+", matrix.dtype, matrix.shape)
        for first in range(0, len(matrix), ROWS):
            written[first : first + ROWS] = matrix[first : first + ROWS]
        written.flush()
        partial_names.write_text("".join(f"{name}\n" for name in names))

"""A run small enough to be looked at, launch by launch: what Figs. 1 to 5 are drawn from."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.device import open_device
from repro.errors import ReproError
from repro.reorder.numbering import Numbering
from repro.reorder.reference import fill_matrix
from repro.reorder.scoring import Scoring
from repro.reorder.variants import RENUMBERED, ROW_MAJOR, VARIANTS, Layout, fill


@dataclass(frozen=True)
class Toy:
    """Two short sequences and what the paper's two variants did with them.

    size: threads of a block. alignment: of the optimised variant, one letter per column. memory: by variant, the matrix
    as it lies in memory, None where nothing was written. launch: by variant, of every element (row by row) the launch
    that wrote it, counted from 1.
    """

    a: str
    b: str
    size: int
    alignment: str
    memory: dict[str, list[list[int | None]]]
    launch: dict[str, list[list[int]]]

    @classmethod
    def run(cls, a: str, b: str, size: int) -> "Toy":
        """Run both variants on the emulator with the paper's scores.

        Raises ReproError when a matrix is not that of the reference.
        """
        letters = np.frombuffer(a.encode(), np.uint8), np.frombuffer(b.encode(), np.uint8)
        expected = fill_matrix(*letters, Scoring())[1:, 1:]
        memory, launch = {}, {}
        for layout in (ROW_MAJOR, RENUMBERED):
            memory[layout.kernel], launch[layout.kernel] = _observe(layout, letters, size, expected)
        variant = VARIANTS[RENUMBERED.kernel]
        outcome = variant.run(open_device("emulator"), *letters, **variant.complete({"block_size": size}))
        return cls(a, b, size, outcome.alignment.columns, memory, launch)


def _observe(
    layout: Layout, letters: tuple[NDArray[np.uint8], NDArray[np.uint8]], size: int, expected: NDArray[np.int64]
) -> tuple[list[list[int | None]], list[list[int]]]:
    """The matrix as it lies in memory, and of every element the launch after which it was there.

    Memory of the emulator starts with a pattern that no score of a toy has.
    """
    device = open_device("emulator")
    poison = device.empty(1, np.int32).get()[0]
    launch: NDArray[Any] = np.zeros(0, int)
    for number, (matrix, _) in enumerate(
        fill(device, device.upload(letters[0]), device.upload(letters[1]), Scoring(), layout, size), start=1
    ):
        found = matrix.get()
        if number == 1:
            launch = np.zeros(found.shape, int)
        launch[(launch == 0) & (found != poison)] = number
    elements = np.indices(expected.shape)
    places = Numbering(*expected.shape).number(*elements) if layout.renumbered else tuple(elements)
    if not np.array_equal(found[places], expected):
        raise ReproError(f"{layout.kernel}: the toy matrix is not that of the reference")
    kept = [[None if word == poison else int(word) for word in row] for row in found]
    return kept, launch[places].tolist()

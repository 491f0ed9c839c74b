"""An optimal alignment of two strings in linear memory: the paper's future work (section 6).

The middle row splits a problem where its cheapest path crosses (Hirschberg), and the two parts are problems again whose
costs are known; all problems of a level are solved together. Parts of at most 64 rows keep their differences and are
traced back; parts of cost 0 need nothing.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from repro.device import Device
from repro.errors import DeviceError
from repro.wfa.bit_parallel import Crossings, Problems, best_words, solve
from repro.wfa.columns import KERNELS
from repro.wfa.hybrid import search
from repro.wfa.packing import PackedPair
from repro.wfa.pyramid import Letters

LEAF_ROWS = 64
CODES = "=XID"  # SAM's characters of the operations below; I is a letter of a alone, D one of b alone
EQUAL, MISMATCH, INSERTION, DELETION = range(1, 5)  # as in kernels/leaf_paths.cu


@dataclass(frozen=True)
class Path:
    """An alignment as runs: `lengths[x]` times `operations[x]`: EQUAL, MISMATCH, INSERTION or DELETION."""

    operations: NDArray[np.uint8]
    lengths: NDArray[np.int64]

    @property
    def cost(self) -> int:
        """Edits: all operations but `=`."""
        return int(self.lengths[self.operations != EQUAL].sum())

    @property
    def cigar(self) -> str:
        """The runs in SAM's notation."""
        runs = zip(self.lengths.tolist(), self.operations.tolist(), strict=True)
        return "".join(f"{length}{CODES[operation - 1]}" for length, operation in runs)

    def turns(self, a: Letters, b: Letters) -> bool:
        """Replay the path: whether it uses up both strings, with equal letters at every `=` and others at every `X`."""
        steps = np.repeat(self.operations, self.lengths)
        in_a, in_b = steps != DELETION, steps != INSERTION
        if in_a.sum() != len(a) or in_b.sum() != len(b):
            return False
        both = in_a & in_b
        i, j = np.cumsum(in_a)[both] - 1, np.cumsum(in_b)[both] - 1
        return bool(np.array_equal(a[i] == b[j], steps[both] == EQUAL))


def _choose(problems: Problems, which: NDArray[np.bool_]) -> Problems:
    return Problems(*(getattr(problems, field.name)[which] for field in fields(Problems)))


def _parts(problems: Problems, crossings: Crossings) -> Problems:
    """The parts above and below the middle rows, with their exact costs as bounds."""
    if not np.array_equal(crossings.cost, problems.bound):
        raise AssertionError("the parts of an optimal path do not have the costs that were found for them")
    upper = problems.rows - problems.rows // 2
    parts = (
        (problems.row, problems.row + upper),
        (upper, problems.rows - upper),
        (problems.column, problems.column + crossings.column),
        (crossings.column, problems.columns - crossings.column),
        (crossings.above, crossings.cost - crossings.above),
    )
    return Problems(*(np.concatenate(part).astype(np.int64) for part in parts))


def _path(steps: NDArray[np.uint8]) -> Path:
    """The runs of operations at the places i + j - 1 where they end, others 0: a letter of each is two places long."""
    before = np.r_[np.zeros(2, np.uint8), steps]
    previous = np.where(steps > MISMATCH, before[1:-1], before[:-2])
    ends = np.flatnonzero((steps > 0) & (steps != previous))  # of each run's first operation
    operations = steps[ends]
    double = operations <= MISMATCH
    return Path(operations, np.diff(np.r_[ends - double, len(steps)]) >> double)


def optimal_path(device: Device, a: Letters, b: Letters) -> Path:
    """An alignment of the edit distance's cost; a, b: letters, uint8 of shape (m,) and (n,).

    O(m + n) memory on the device, two to four times the time of the distance. Raises DeviceError where the alignment
    found has another cost.
    """
    pair = PackedPair(device, a, b)
    found, crossings = search(pair)
    problems = Problems(*(np.array([value]) for value in (0, pair.m, 0, pair.n, found.distance)))
    kernels = device.compile(KERNELS / "leaf_paths.cu")
    operations = device.full(pair.m + pair.n, np.uint8(0))
    columns = [device.empty(pair.n, np.uint64) for _ in range(2)]
    while True:
        equal, leaf = problems.bound == 0, problems.rows <= LEAF_ROWS
        if (count := int(equal.sum())) > 0:
            places = device.upload(np.stack(_choose(problems, equal).places, axis=1))
            kernels["equal_paths"](count, 256, places, operations)
        if count := int((leaf & ~equal).sum()):
            places = device.upload(np.stack(_choose(problems, leaf & ~equal).places, axis=1))
            kernels["leaf_paths"](-(-count // 64), 64, places, count, pair.a, pair.b, *columns, operations)
        problems = _choose(problems, ~(equal | leaf))
        if len(problems.rows) == 0:
            break
        if crossings is None:
            crossings = solve(pair, problems, best_words(pair, problems))
        problems, crossings = _parts(problems, crossings), None

    path = _path(operations.get())
    if path.cost != found.distance:
        raise DeviceError(
            f"{device.name}: the path found has {path.cost} edits, the distance is {found.distance}; use another device"
        )
    return path


def replayed_path(device: Device, a: Letters, b: Letters) -> Path:
    """`optimal_path`, replayed on the strings. Raises DeviceError where it does not turn a into b."""
    path = optimal_path(device, a, b)
    if not path.turns(a, b):
        raise DeviceError(f"{device.name}: the path found does not turn one string into the other; use another device")
    return path

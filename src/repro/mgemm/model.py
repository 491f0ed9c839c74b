"""Our own performance model, with the terms of the paper's section 5.2, whose equations are not in the text we have.

A rank's steps are taken from the real schedule. A step takes as long as the slowest of what overlaps in it: the mGEMMs
t_G, the communication t_C of the next block of vectors, its transfer to the device t_T,V, the transfer of the values
from the device t_T,M, and the quotients t_CPU. Before the first step come t_C and t_T,V, after the last one t_T,M and
t_CPU: the pipeline's start and end. Each term is a line in what it moves or computes, fitted to what was measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2

import numpy as np
from scipy.optimize import nnls

from repro.mgemm.schedule import Decomposition, Step, Work, steps_of_rank, work_of

TERMS = ("product", "communication", "upload", "download", "quotients")


@dataclass(frozen=True)
class Line:
    """Seconds that grow with amounts: `base` + the sum of amount x `per`."""

    base: float
    per: tuple[float, ...]

    def at(self, *amounts: float) -> float:
        """Seconds for these amounts, of which there are as many as `per` has."""
        return self.base + sum(per * amount for per, amount in zip(self.per, amounts, strict=True))

    @classmethod
    def fitted(cls, amounts: Sequence[Sequence[float]], seconds: Sequence[float]) -> "Line":
        """The line with the least squares of relative errors and no negative coefficient. seconds: above 0."""
        measured = np.asarray(seconds, float)
        columns = np.column_stack([np.ones(len(measured)), np.asarray(amounts, float).reshape(len(measured), -1)])
        scales = columns.max(axis=0).clip(min=1e-300)
        found = nnls(columns / scales / measured[:, None], np.ones(len(measured)))[0] / scales
        return cls(float(found[0]), tuple(float(value) for value in found[1:]))


@dataclass(frozen=True)
class Machine:
    """What the terms cost on one kind of device and network, for one type of elements.

    product: over values and comparisons. communication, upload, download: over bytes. quotients: over values.
    bytes_per_element: of vectors as they are sent and copied. bytes_per_value: of what goes back.
    """

    product: Line
    communication: Line
    upload: Line
    download: Line
    quotients: Line
    bytes_per_element: float
    bytes_per_value: float


@dataclass(frozen=True)
class Run:
    """A run that the model speaks of: one stage, by default the last one, as in the paper."""

    way: int
    vectors: int
    fields: int
    decomposition: Decomposition
    stages: int = 1

    @property
    def comparisons(self) -> float:
        """Element comparisons over the unique pairs or triples of a stage."""
        pairs = self.vectors * (self.vectors - 1) // 2
        count = pairs if self.way == 2 else pairs * (self.vectors - 2) // 3
        return count * self.fields / self.stages

    @classmethod
    def weak(cls, way: int, blocks: int, block_vectors: int, fields: int, load: int, stages: int = 1) -> "Run":
        """Weak scaling as in section 5.5: n_pr follows from n_pv and the load, the blocks or slices of a rank."""
        steps = ceil(blocks / 2 + 1) if way == 2 else (blocks + 1) * (blocks + 2)
        return cls(way, blocks * block_vectors, fields, Decomposition(1, blocks, ceil(steps / load)), stages)


@dataclass(frozen=True)
class Prediction:
    """seconds: of the slowest rank. comparisons_per_second: of all ranks. shares: what each term would take alone."""

    seconds: float
    comparisons_per_second: float
    shares: dict[str, float]


def predict(machine: Machine, run: Run) -> Prediction:
    """What the model says of a run on a machine."""
    ranks = [_rank(machine, run, row) for row in range(run.decomposition.rows)]
    seconds, shares = max(ranks, key=lambda rank: rank[0])
    return Prediction(seconds, run.comparisons / seconds, shares)


def _rank(machine: Machine, run: Run, row: int) -> tuple[float, dict[str, float]]:
    """Seconds of a rank of block row 0, which no rank of another row has more work than, and the sum of each term."""
    first, total, last = 0.0, 0.0, 0.0
    shares = dict.fromkeys(TERMS, 0.0)
    for step in steps_of_rank(run.way, run.decomposition, row):
        terms = _step(machine, run, step)
        if not terms["product"]:
            continue
        shares = {name: shares[name] + seconds for name, seconds in terms.items()}
        first = first or terms["communication"] + terms["upload"]
        total += max(terms.values())
        last = terms["download"] + terms["quotients"]
    return first + total + last, shares


def _step(machine: Machine, run: Run, step: Step) -> dict[str, float]:
    decomposition = run.decomposition
    work = work_of(step, 0, run.vectors, decomposition.vectors, run.stages - 1, run.stages)
    fields = run.fields / decomposition.fields
    if not work.count:
        return dict.fromkeys(TERMS, 0.0)
    others = len(step.offsets)
    vectors_bytes = run.vectors / decomposition.vectors * fields * machine.bytes_per_element
    communication = others * machine.communication.at(vectors_bytes)
    if decomposition.fields > 1:
        communication += ceil(log2(decomposition.fields)) * machine.communication.at(4 * work.count)
    return {
        "product": sum(machine.product.at(count, count * fields) for count in _products(work)),
        "communication": communication,
        "upload": max(1, others) * machine.upload.at(vectors_bytes),
        "download": machine.download.at(work.count * machine.bytes_per_value),
        "quotients": machine.quotients.at(work.count),
    }


def _products(work: Work) -> list[int]:
    """Values of each mGEMM of a step: one for pairs; for triples one for each pivot, and the three of their pairs."""
    counts = [tile.count for tile in work.tiles]
    if work.pivots is None:
        return counts
    rows, columns, pivots = len(work.rows), len(work.columns), len(work.pivots)
    return [*counts, rows * pivots, pivots * columns, rows * columns]

"""Our own performance model, with the terms of the paper's, whose equations are not in the text we have.

A rank's steps are taken from the real schedule. A step takes as long as the slowest of what overlaps in it: the work of
the device, which is the mGEMMs t_G and, here, the quotients; the communication t_C of the next block of vectors; its
transfer to the device t_T,V; and the transfer of the values from the device t_T,M. Before the first step come t_C and
t_T,V, after the last one t_T,M: the pipeline's start and end, of pairs those of a band of their rows. Each term is a
line in what it moves or computes, fitted to what was measured; mGEMMs compute whole tiles.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, comb, log2

import numpy as np
from scipy.optimize import nnls

from repro.mgemm.chunks import BANDS
from repro.mgemm.engine import MOST_PIVOTS
from repro.mgemm.schedule import Decomposition, Step, Work, steps_of_row, work_of

TERMS = ("product", "triples", "quotients", "communication", "upload", "download")
TILE = 64  # rows and columns of the tiles that mGEMMs compute: those of small products, on which it tells


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
        """The line with the least squares of relative errors and no negative coefficient.

        amounts: of each measurement, the one that matters most last. seconds: above 0. One amount alone gives the last
        coefficient, two different ones the base, too; the others are 0: what is small takes as long as a launch does,
        and says nothing of what grows.
        """
        measured = np.asarray(seconds, float)
        columns = np.column_stack([np.ones(len(measured)), np.asarray(amounts, float).reshape(len(measured), -1)])
        by_weight = [columns.shape[1] - 1, 0, *range(columns.shape[1] - 2, 0, -1)]
        kept = by_weight[: len(np.unique(columns, axis=0))]
        scales = columns.max(axis=0).clip(min=1e-300)
        scaled = (columns / scales / measured[:, None])[:, kept]
        found = np.zeros(len(scales))
        found[kept] = nnls(scaled, np.ones(len(measured)))[0] / scales[kept]
        return cls(float(found[0]), tuple(float(value) for value in found[1:]))


@dataclass(frozen=True)
class Machine:
    """What the terms cost on one kind of device and network, for one type of elements.

    product: over values and comparisons. triples: the same of n3' of up to MOST_PIVOTS pivots in one launch, with their
    minima; None for as much as products. quotients: over values. communication, upload, download: over bytes.
    bytes_per_element: of vectors as they are sent and copied. bytes_per_value: of what goes back. overlaps: whether
    copies and messages pass while the device computes.
    """

    product: Line
    triples: Line | None
    quotients: Line
    communication: Line
    upload: Line
    download: Line
    bytes_per_element: float
    bytes_per_value: float
    overlaps: bool = True


@dataclass(frozen=True)
class Run:
    """A run that the model speaks of: stage `stage` of `stages`; None is the last one, which the paper measured."""

    way: int
    vectors: int
    fields: int
    decomposition: Decomposition
    stages: int = 1
    stage: int | None = None

    def work(self, step: Step, block: int = 0) -> Work:
        """What a step of a block row computes."""
        stage = self.stages - 1 if self.stage is None else self.stage
        return work_of(step, block, self.vectors, self.decomposition.vectors, stage, self.stages)

    @property
    def comparisons(self) -> float:
        """Element comparisons over the unique pairs or triples of the stage.

        Of one stage among several the rows are taken to have the same share, as they do where slices are even.
        """
        if self.stages == 1:
            return comb(self.vectors, self.way) * self.fields
        row = sum(_count(self.work(step)) for step in steps_of_row(self.way, self.decomposition))
        return self.decomposition.vectors * row * self.fields

    @classmethod
    def weak(cls, way: int, blocks: int, block_vectors: int, fields: int, load: int, stages: int = 1) -> "Run":
        """Weak scaling as in Figs. 7 to 10: n_pr follows from n_pv and the load, the blocks or slices of a rank."""
        steps = ceil(blocks / 2 + 1) if way == 2 else (blocks + 1) * (blocks + 2)
        return cls(way, blocks * block_vectors, fields, Decomposition(1, blocks, ceil(steps / load)), stages)


@dataclass(frozen=True)
class Prediction:
    """seconds: of the slowest rank. comparisons_per_second: of all ranks. shares: what each term would take alone,
    on that rank, or on the average of devices that ranks share."""

    seconds: float
    comparisons_per_second: float
    shares: dict[str, float]


def predict(machine: Machine, run: Run, devices: int | None = None) -> Prediction:
    """What the model says of a run on a machine.

    devices: that the ranks share, rank r being on device r mod devices, where they take turns; None for one each, when
    no rank has more work than those of block row 0.
    """
    steps = steps_of_row(run.way, run.decomposition)
    rows = run.decomposition.rows
    if devices is None:
        ranks = [_rank(machine, run, steps[row::rows], 0) for row in range(rows)]
        seconds, shares = max(ranks, key=lambda rank: rank[0])
    else:
        places = [run.decomposition.place(rank) for rank in range(run.decomposition.ranks)]
        ranks = [_rank(machine, run, steps[row::rows], block) for _, block, row in places]
        seconds = max(sum(rank[0] for rank in ranks[device::devices]) for device in range(devices))
        shares = {name: sum(rank[1][name] for rank in ranks) / devices for name in TERMS}
    return Prediction(seconds, run.comparisons / seconds, shares)


def _rank(machine: Machine, run: Run, steps: Sequence[Step], block: int) -> tuple[float, dict[str, float]]:
    """Seconds of these steps of a block row, and the sum of each term."""
    works = [(step, work) for step in steps if _count(work := run.work(step, block))]
    terms = [_step(machine, run, step, work) for step, work in works]
    shares = {name: sum((each[name] for each in terms), 0.0) for name in TERMS}
    if not works or not machine.overlaps:
        return sum(shares.values()), shares
    # What passes before the first product and after the last: a band of a triangle or of pairs, or all of it.
    first = 1 / BANDS if works[0][1].kind == "triangle" else 1
    last = 1 / BANDS if works[-1][1].pivots is None else 1
    start, end = terms[0]["communication"] + first * terms[0]["upload"], last * terms[-1]["download"]
    terms[0] |= {"communication": 0.0, "upload": (1 - first) * terms[0]["upload"]}
    terms[-1] |= {"download": (1 - last) * terms[-1]["download"]}
    beside = ("communication", "upload", "download")
    device = [sum(each[name] for name in TERMS if name not in beside) for each in terms]
    slowest = [max(busy, *(each[name] for name in beside)) for busy, each in zip(device, terms, strict=True)]
    return start + sum(slowest) + end, shares


def _step(machine: Machine, run: Run, step: Step, work: Work) -> dict[str, float]:
    decomposition = run.decomposition
    fields = run.fields / decomposition.fields
    values, others = _count(work), len(step.offsets)
    vectors_bytes = run.vectors / decomposition.vectors * fields * machine.bytes_per_element
    communication = others * machine.communication.at(vectors_bytes)
    if decomposition.fields > 1:
        communication += ceil(log2(decomposition.fields)) * machine.communication.at(4 * values)
    triples = machine.triples or machine.product
    return {
        "product": sum(machine.product.at(count, count * fields) for count in _products(work)),
        "triples": sum(triples.at(count, count * fields) for count in _launches(work)),
        "quotients": machine.quotients.at(values),
        "communication": communication,
        "upload": max(1, others) * machine.upload.at(vectors_bytes),
        "download": machine.download.at(values * machine.bytes_per_value),
    }


def _count(work: Work) -> int:
    """Results of a step."""
    if work.kind == "volume" and work.pivots is not None:
        return len(work.rows) * len(work.columns) * len(work.pivots)
    return work.count


def computed(rows: int, columns: int) -> int:
    """Values of the whole tiles that cover a rectangle: an mGEMM takes as long as for all of them."""
    return ceil(rows / TILE) * ceil(columns / TILE) * TILE**2


def _products(work: Work) -> list[int]:
    """Values that each mGEMM of pairs computes: the step's own, or the three that triples need."""
    rows, columns = len(work.rows), len(work.columns)
    if work.kind == "triangle":
        behind = work.rows.start - work.columns.start
        tiles = sum(ceil((columns - behind - row) / TILE) for row in range(0, rows, TILE))
        return [tiles * TILE**2]
    if work.pivots is None:
        return [computed(rows, columns)]
    pivots = len(work.pivots)
    return [computed(rows, pivots), computed(pivots, columns), computed(rows, columns)]


def _launches(work: Work) -> list[int]:
    """Values that each launch of mGEMMs of triples computes, a rectangle for every pivot."""
    if work.pivots is None:
        return []
    if work.kind == "volume":
        each = [computed(len(work.rows), len(work.columns))] * len(work.pivots)
    else:
        each = [computed(len(tile.rows), len(tile.columns)) for tile in work.tiles]
    return [sum(each[start : start + MOST_PIVOTS]) for start in range(0, len(each), MOST_PIVOTS)]

"""From an entry of the configuration to rows of measurements."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.bench.experiment import chosen, make_point, measure_variant, naming
from repro.bench.rows import Row, digest_of, make_row
from repro.bench.sweep import Point
from repro.bench.variant import Variant
from repro.device import Device
from repro.errors import InputError, ReproError
from repro.inputs.reads.sheet import ReadSet
from repro.shuffle.alignments import Alignments
from repro.shuffle.outcome import Outcome
from repro.shuffle.peers import PEERS
from repro.shuffle.reference import rescore
from repro.shuffle.scheme import Gap, Mode, Scheme
from repro.shuffle.variants import VARIANTS
from repro.shuffle.workload import Against, ReadFiles, Workload, load

SYSTEM = "shuffle"
WARM_UP_SEQUENCES = 4
# What is compared with the CPU's references: as many alignments of a batch as have about so many cells.
SCORED_CELLS = 2 * 10**9
ALIGNED_CELLS = 10**8
_SCORES = ("match", "mismatch", "gap_open", "gap_extend")


@dataclass(frozen=True)
class Problem:
    """What is computed of a batch: the scores under a scheme or, with traceback, the alignments too."""

    scheme: Scheme
    traceback: bool

    @property
    def parameters(self) -> dict[str, int | str]:
        """Its part of a row's parameters."""
        scores = {name: getattr(self.scheme, name) for name in _SCORES if getattr(self.scheme, name) is not None}
        return {"mode": self.scheme.mode, "gap": self.scheme.gap, "traceback": int(self.traceback), **scores}

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> "Problem":
        """That of a row with these parameters."""
        given = {name: parameters[name] for name in ("mode", "gap", *_SCORES) if name in parameters}
        return cls(Scheme(**given), bool(parameters["traceback"]))


@dataclass(frozen=True)
class Experiment:
    """Read sets x problems x variants x their settings: what one job measures.

    against, queries, subjects: as in `workload.load`.
    """

    name: str
    variants: list[Variant]
    settings: list[dict[str, int]]
    reads: list[str]
    against: Against
    queries: int | None
    subjects: int | None
    problems: list[Problem]
    repetitions: int

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], sets: Mapping[str, ReadSet], repetitions: int) -> "Experiment":
        """The experiment of a configuration entry.

        sets: the read sets there are, by name. repetitions: how often each run is timed where the entry does not say.
        Raises InputError for an unknown variant, setting or read set, a scheme that is none, and for what a variant or
        a read set cannot give.
        """
        with naming(entry):
            for name in entry["reads"]:
                if name not in sets:
                    nearest = difflib.get_close_matches(name, sets, n=1, cutoff=0.0) or ["none"]
                    raise InputError(f"reads '{name}' are not in the sheet of reads; the nearest is {nearest[0]}")
                if entry["against"] != "reads" and sets[name].source == "file":
                    raise InputError(
                        f"reads '{name}' are a file: which {entry['against']} they come from is not known; choose "
                        "simulated ones"
                    )
            variants, settings = chosen(entry, {**VARIANTS, **PEERS})
            given = [variant.name for variant in variants if variant.name in PEERS]
            if given and True in entry["traceback"]:
                raise InputError(f"{given[0]} gives scores alone; leave traceback out")
            problems = [
                Problem(_scheme(mode, gap, entry["scoring"]), traceback)
                for mode, gap, traceback in product(entry["modes"], entry["gaps"], entry["traceback"])
            ]
        return cls(
            entry["name"],
            variants,
            settings,
            list(entry["reads"]),
            entry["against"],
            entry.get("queries"),
            entry.get("subjects"),
            problems,
            entry.get("repetitions", repetitions),
        )

    def workloads(self, files: Mapping[str, ReadFiles]) -> list[Workload]:
        """The batches, in the order of the read sets. files: by the name of the set."""
        with naming({"name": self.name}):
            return [load(name, files[name], self.against, self.queries, self.subjects) for name in self.reads]

    def points(self, files: Mapping[str, ReadFiles]) -> list[Point]:
        """What is to be measured, batch by batch."""
        return [
            _point(self.name, workload, described, problem, variant, variant.complete(given), self.repetitions)
            for workload in self.workloads(files)
            for described in [workload.described()]
            for problem, variant, given in product(self.problems, self.variants, self.settings)
        ]


def _scheme(mode: Mode, gap: Gap, scoring: Mapping[str, int]) -> Scheme:
    """Linear gaps have gap_extend alone, so gap_open is for the affine ones of an entry."""
    gap_open = scoring["gap_open"] if gap == "affine" else None
    return Scheme(mode, gap, scoring["match"], scoring["mismatch"], gap_open, scoring["gap_extend"])


def _point(
    experiment: str,
    workload: Workload,
    described: dict[str, int | str],
    problem: Problem,
    variant: Variant,
    settings: dict[str, int],
    repetitions: int,
) -> Point:
    parameters = {**problem.parameters, **settings}

    def run(device: Device) -> Row:
        few = workload.part(WARM_UP_SEQUENCES)
        inputs, warm_up = (
            (batch.queries, batch.subjects, batch.pairs, problem.scheme, problem.traceback) for batch in (workload, few)
        )
        measured = measure_variant(device, variant, settings, inputs, warm_up, repetitions)
        outcome = measured.result
        return make_row(
            system=SYSTEM,
            experiment=experiment,
            variant=variant,
            parameters=parameters,
            input=described,
            device=device,
            measurement=measured,
            work=outcome.cells,
            work_unit="cells",
            matrix_cells=workload.cells,
            result=result_of(workload, problem, outcome),
            digest=scores_digest(outcome.scores),
        )

    return make_point(workload.name, variant, parameters, described, repetitions, run)


def result_of(workload: Workload, problem: Problem, outcome: Outcome) -> dict[str, Any]:
    """What is compared of an outcome.

    sum: of all scores. sampled: the digest of those at the positions of `Workload.sample`. symmetric: how many scores
    of reads with each other are the same both ways; None where that cannot be seen. types: alignments by the number
    type that computed them. With traceback, rescored: alignments whose CIGAR adds up to their score; alignments: the
    digest of all; sampled_alignments: that of those at some positions.
    Raises ReproError for an alignment that is none.
    """
    scores = outcome.scores.reshape(workload.shape)
    found: dict[str, Any] = {
        "sum": int(scores.sum(dtype=np.int64)),
        "sampled": scores_digest(scores.reshape(-1)[workload.sample(SCORED_CELLS)]),
        "symmetric": _symmetric(workload, scores),
        "types": dict(outcome.types),
    }
    aligned = outcome.alignments
    if aligned is not None:
        try:
            totals = rescore(workload.queries, workload.subjects, workload.pairs, problem.scheme, aligned)
        except ValueError as error:
            raise ReproError(f"{workload.name}, {problem.parameters}: {error}") from None
        found["rescored"] = int((totals == aligned.score).sum())
        found["alignments"] = alignments_digest(aligned)
        found["sampled_alignments"] = alignments_digest(picked(aligned, workload.sample(ALIGNED_CELLS)))
    return found


def scores_digest(scores: NDArray[Any]) -> str:
    """The digest of scores in their order, whatever the width of their type and the shape of their batch."""
    return digest_of(scores.reshape(-1).astype(np.int64))


def alignments_digest(found: Alignments) -> str:
    """The digest of scores, intervals and CIGARs."""
    return digest_of([digest_of(getattr(found, field.name)) for field in fields(found)])


def picked(found: Alignments, positions: NDArray[np.int64]) -> Alignments:
    """The alignments at some positions, in their order."""
    counts = np.diff(found.offsets)[positions]
    offsets = np.zeros(len(positions) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    chosen = [found.ops[found.offsets[i] : found.offsets[i + 1]] for i in positions]
    return Alignments(
        found.score[positions],
        found.query_begin[positions],
        found.query_end[positions],
        found.subject_begin[positions],
        found.subject_end[positions],
        np.concatenate([np.empty(0, np.uint32), *chosen]),
        offsets,
    )


def _symmetric(workload: Workload, scores: NDArray[Any]) -> int | None:
    if workload.against != "reads":
        return None
    n = min(scores.shape)
    return int((scores[:n, :n] == scores[:n, :n].T).sum())

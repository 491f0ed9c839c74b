"""Every measured batch is compared with the CPU's references, and with every other row that computed the same."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from Bio.Align import PairwiseAligner, substitution_matrices
from numpy.typing import NDArray

from repro.bench.rows import Row
from repro.errors import ReproError
from repro.shuffle.experiment import (
    ALIGNED_CELLS,
    SCORED_CELLS,
    Experiment,
    Problem,
    alignments_digest,
    scores_digest,
)
from repro.shuffle.reference import alignments, scores
from repro.shuffle.scheme import Scheme
from repro.shuffle.workload import ReadFiles, Workload

BIOPYTHON_CELLS = 10**8
LETTERS = "ACGTN"


@dataclass(frozen=True)
class Reference:
    """What the CPU gives for some alignments of a batch under a scheme.

    parameters: those of `Problem`, without traceback. scored, aligned: how many scores and alignments of this package's
    reference there are, evenly spread over the batch, and their digests. biopython: how many of the scores Biopython's
    PairwiseAligner has confirmed.
    """

    name: str
    sha256: str
    parameters: dict[str, Any]
    scored: int
    sampled: str
    biopython: int
    aligned: int
    sampled_alignments: str | None

    @classmethod
    def of(cls, workload: Workload, scheme: Scheme, traceback: bool) -> "Reference":
        """Compute it; alignments only where there is a traceback to be compared with.

        Raises ReproError when this package's reference and Biopython differ.
        """
        pairs = workload.sampled_pairs(workload.sample(SCORED_CELLS))
        found = scores(workload.queries, workload.subjects, pairs, scheme)
        confirmed = np.linspace(0, len(pairs) - 1, len(workload.sample(BIOPYTHON_CELLS))).astype(np.int64)
        other = biopython_scores(workload, pairs[confirmed], scheme)
        if (wrong := np.flatnonzero(other != found[confirmed])).size:
            query, subject = pairs[confirmed[wrong[0]]]
            raise ReproError(
                f"{workload.name}, {scheme}: query {query} with subject {subject}: the reference gives "
                f"{found[confirmed[wrong[0]]]}, Biopython {other[wrong[0]]}"
            )
        traced = workload.sampled_pairs(workload.sample(ALIGNED_CELLS)) if traceback else pairs[:0]
        aligned = alignments(workload.queries, workload.subjects, traced, scheme)
        return cls(
            workload.name,
            str(workload.described()["sha256"]),
            _scheme_parameters(Problem(scheme, False).parameters),
            len(pairs),
            scores_digest(found),
            len(confirmed),
            len(traced),
            alignments_digest(aligned) if traceback else None,
        )


def references_of(experiment: Experiment, files: Mapping[str, ReadFiles]) -> list[Reference]:
    """What the rows of an experiment are compared with."""
    traced = {problem.scheme for problem in experiment.problems if problem.traceback}
    schemes = dict.fromkeys(problem.scheme for problem in experiment.problems)
    return [
        Reference.of(workload, scheme, scheme in traced)
        for workload in experiment.workloads(files)
        for scheme in schemes
    ]


def biopython_scores(workload: Workload, pairs: NDArray[np.int64], scheme: Scheme) -> NDArray[np.int64]:
    """The best scores of some pairs by Biopython's PairwiseAligner: int64, shape (n,)."""
    aligner: Any = PairwiseAligner(mode="local" if scheme.mode == "local" else "global")  # type: ignore[no-untyped-call]
    table: Any = substitution_matrices.Array(LETTERS, dims=2)  # type: ignore[no-untyped-call]
    for (i, j), score in np.ndenumerate(scheme.table()):
        table[LETTERS[i], LETTERS[j]] = int(score)
    aligner.substitution_matrix = table
    aligner.open_gap_score, aligner.extend_gap_score = -scheme.first, -scheme.gap_extend
    if scheme.mode == "semi-global":
        aligner.end_gap_score = 0
    letters = np.frombuffer(LETTERS.encode(), np.uint8)
    batches = workload.queries, workload.subjects
    texts = [{i: letters[batch[i]].tobytes().decode() for i in set(side.tolist())} for batch, side in
             zip(batches, pairs.T, strict=True)]  # fmt: skip
    lengths = np.array([batch.lengths[side] for batch, side in zip(batches, pairs.T, strict=True)])
    found = scheme.against_nothing(lengths.sum(axis=0))
    some = np.flatnonzero(lengths.min(axis=0))  # Biopython refuses empty sequences
    found[some] = [round(aligner.score(texts[0][query], texts[1][subject])) for query, subject in pairs[some].tolist()]
    # An alignment of nothing but free end gaps is one too.
    return np.maximum(found, 0) if scheme.mode == "semi-global" else found


def check(rows: Iterable[Row], references: Iterable[Reference]) -> list[Row]:
    """The rows with what they were compared with.

    Sampled scores and alignments must be the references'. All scores, and all alignments, must be those of every other
    row on the same batch under the same scheme, whatever computed them. Scores must be the same for a pair of reads
    both ways; every alignment must add up to its score.
    Raises ReproError for the first row that is wrong or has no reference.
    """
    known = {(reference.sha256, _key(reference.parameters)): reference for reference in references}
    first: dict[Any, Row] = {}
    first_traced: dict[Any, Row] = {}
    checked = []
    for row in rows:
        where = f"{row['experiment']}: {row['variant']} {row['parameters']} on {row['input']['name']}, {row['device']}"
        key = (row["input"]["sha256"], _key(row["parameters"]))
        if key not in known:
            raise ReproError(f"{where}: there is no reference for these reads; remove results and run again")
        reference, result, earlier = known[key], row["result"], first.setdefault(key, row)
        against: dict[str, Any] = {"reference": reference.scored, "biopython": reference.biopython}
        if result["sampled"] != reference.sampled:
            raise ReproError(f"{where}: some of {reference.scored} scores are wrong, the CPU gives others")
        if earlier is not row:
            against["scores"] = earlier["variant"]
            if row["digest"] != earlier["digest"]:
                raise ReproError(
                    f"{where}: the scores are not those of {earlier['variant']} {earlier['parameters']}: they add up "
                    f"to {result['sum']} and {earlier['result']['sum']}"
                )
        if result["symmetric"] is not None:
            against["symmetric"] = min(row["input"]["queries"], row["input"]["subjects"]) ** 2
            if result["symmetric"] != against["symmetric"]:
                raise ReproError(
                    f"{where}: {against['symmetric'] - result['symmetric']} scores change with the order of two reads"
                )
        if row["parameters"]["traceback"]:
            against |= {"rescored": row["input"]["pairs"], "alignments": reference.aligned}
            if result["rescored"] != row["input"]["pairs"]:
                raise ReproError(
                    f"{where}: {row['input']['pairs'] - result['rescored']} alignments do not add up to their scores"
                )
            if result["sampled_alignments"] != reference.sampled_alignments:
                raise ReproError(f"{where}: some of {reference.aligned} alignments are not those of the CPU")
            traced = first_traced.setdefault(key, row)
            if traced is not row:
                against["all_alignments"] = traced["variant"]
                if result["alignments"] != traced["result"]["alignments"]:
                    raise ReproError(f"{where}: alignments are not those of {traced['variant']} {traced['parameters']}")
        checked.append({**row, "check": {"passed": True, "against": against}})
    return checked


def _scheme_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Those of a scheme among a row's parameters."""
    return Problem(Problem.of({**parameters, "traceback": 0}).scheme, False).parameters


def _key(parameters: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(_scheme_parameters(parameters).items())

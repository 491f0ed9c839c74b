"""Every measured score and alignment is compared with the CPU's, or with another variant's where the CPU has none."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from Bio.Align import PairwiseAligner

from repro.bench.rows import Row, digest_of
from repro.errors import ReproError
from repro.reorder.experiment import random_pair, scoring_of
from repro.reorder.reference import align, best_score
from repro.reorder.scoring import Scoring

MOST_BIOPYTHON_CELLS = 2 * 10**9  # some 10 seconds; beyond it our own reference stands alone
MOST_ALIGNED_CELLS = 11 * 10**8  # for an alignment the reference keeps a byte per cell


@dataclass(frozen=True)
class Reference:
    """What the CPU gives for two random sequences: by this package's reference and by Biopython's PairwiseAligner.

    digest: that of the alignment's columns under the documented tie-break.
    biopython, digest: None where the matrix is too large.
    """

    length: int
    scoring: Scoring
    sha256_a: str
    sha256_b: str
    score: int
    biopython: int | None
    digest: str | None

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> "Reference":
        """The reference that `dataclasses.asdict` made `fields` of."""
        return cls(**{**fields, "scoring": Scoring(**fields["scoring"])})

    @classmethod
    def of(cls, length: int, scoring: Scoring) -> "Reference":
        """Compute it. Raises ReproError when the two differ."""
        a, b = random_pair(length)
        cells = length * length
        score, biopython, digest = best_score(a.letters, b.letters, scoring), None, None
        if cells <= MOST_BIOPYTHON_CELLS:
            scores = {"match_score": scoring.match, "mismatch_score": scoring.mismatch, "gap_score": -scoring.gap}
            aligner: Any = PairwiseAligner(mode="global", **scores)  # type: ignore[no-untyped-call]
            biopython = round(aligner.score(a.letters.tobytes(), b.letters.tobytes()))
            if biopython != score:
                raise ReproError(f"{length} letters: the reference gives score {score}, Biopython {biopython}")
        if cells <= MOST_ALIGNED_CELLS:
            digest = digest_of(align(a.letters, b.letters, scoring))
        return cls(length, scoring, a.sha256, b.sha256, score, biopython, digest)


def check(rows: Iterable[Row], references: Iterable[Reference]) -> list[Row]:
    """The rows with what they were compared with.

    A score must be the reference's. An alignment must add up to its score, and be the reference's where there is one,
    else the same as that of every other variant and block size.
    Raises ReproError for the first row that is wrong or whose input is not that of its reference.
    """
    known = {(r.sha256_a, r.sha256_b, r.scoring): r for r in references}
    alignments: dict[Any, Row] = {}
    checked = []
    for row in rows:
        where = f"{row['experiment']}: {row['variant']} {row['parameters']} on {row['input']['name']}, {row['device']}"
        key = (row["input"]["sha256_a"], row["input"]["sha256_b"], scoring_of(row["parameters"]))
        if key not in known:
            raise ReproError(f"{where}: there is no reference for these sequences; remove results and run again")
        reference, result = known[key], row["result"]
        if result["score"] != reference.score:
            raise ReproError(f"{where}: score {result['score']} is wrong, the CPU gives {reference.score}")
        against: dict[str, Any] = {"reference": reference.score, "biopython": reference.biopython}
        if row["parameters"]["traceback"]:
            if result["alignment_score"] != reference.score:
                raise ReproError(
                    f"{where}: the alignment adds up to {result['alignment_score']}, its score is {reference.score}"
                )
            first = alignments.setdefault(key, row)
            if row["digest"] != (reference.digest or first["digest"]):
                other = "the reference" if reference.digest else f"{first['variant']} {first['parameters']}"
                raise ReproError(f"{where}: the alignment is not that of {other}")
            against["alignment_score"] = result["alignment_score"]
            if reference.digest or first is not row:
                against["alignment"] = "reference" if reference.digest else first["variant"]
        checked.append({**row, "check": {"passed": True, "against": against}})
    return checked

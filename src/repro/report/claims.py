"""What a paper claims, what was measured here, and whether it holds."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd

from repro.inputs.files import complete_or_absent

HOLDS = "holds"
FAILS = "does not hold"
NOT_MEASURED = "not measured here"


@dataclass(frozen=True)
class Claim:
    """One claim: where it stands, what the paper says, what we have, and the verdict."""

    system: str
    section: str
    claim: str
    paper: str
    ours: str
    verdict: str


def judged(passed: int, total: int) -> tuple[str, str]:
    """`ours` and `verdict` of a claim that must hold for every row."""
    if not total:
        return "-", NOT_MEASURED
    return f"{passed} of {total} runs", HOLDS if passed == total else FAILS


def told_apart(value: float, bound: float, digits: int = 3) -> str:
    """A value with `digits` significant digits, or as many more as it takes to see that it is not the bound."""
    while value != bound and digits < 17 and float(f"{value:.{digits}g}") == float(f"{bound:.{digits}g}"):
        digits += 1
    return f"{value:.{digits}g}"


def reached(value: float, bound: float) -> tuple[str, str]:
    """The value as `told_apart` shows it, and the verdict on a claim that it is at least the bound."""
    return told_apart(value, bound), HOLDS if value >= bound else FAILS


def write_claims(path: str | Path, claims: Iterable[Claim]) -> None:
    """Write claims as a tab-separated table with a header."""
    with complete_or_absent(path) as partial:
        pd.DataFrame([asdict(claim) for claim in claims]).to_csv(partial, sep="\t", index=False)

"""From an entry of the configuration to rows of measurements."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from repro.bench.experiment import chosen, make_point, measure_variant, naming, pair_input
from repro.bench.rows import Row, digest_of, make_row
from repro.bench.sweep import Point
from repro.bench.variant import Variant
from repro.device import Device
from repro.inputs.fasta import Sequence
from repro.reorder.scoring import Scoring
from repro.reorder.variants import VARIANTS

SYSTEM = "reorder"
WARM_UP_LETTERS = 64
_ACGT = np.frombuffer(b"ACGT", np.uint8)


@cache
def random_pair(length: int) -> tuple[Sequence, Sequence]:
    """Two random DNA sequences of `length` letters, the same for the same length: what the paper measures on.

    The recurrence takes the same steps whatever the letters are.
    """
    rng = np.random.default_rng(length)
    a, b = (Sequence(f"random-{length}-{side}", rng.choice(_ACGT, length)) for side in "ab")
    return a, b


@dataclass(frozen=True)
class Experiment:
    """Variants x their settings x lengths: what one job measures."""

    name: str
    variants: list[Variant]
    settings: list[dict[str, int]]
    lengths: list[int]
    repetitions: int

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], repetitions: int) -> "Experiment":
        """The experiment of a configuration entry. Raises InputError for an unknown variant or setting.

        repetitions: how often each run is timed where the entry does not say.
        """
        with naming(entry):
            variants, settings = chosen(entry, VARIANTS)
            for variant, given, length in product(variants, settings, entry["lengths"]):
                scoring_of(variant.complete(given)).check_range(length, length)
        return cls(entry["name"], variants, settings, list(entry["lengths"]), entry.get("repetitions", repetitions))

    def points(self) -> list[Point]:
        """What is to be measured, length by length."""
        return [
            _point(self.name, variant, variant.complete(given), length, self.repetitions)
            for length in self.lengths
            for variant in self.variants
            for given in self.settings
        ]

    def scored(self) -> list[tuple[int, Scoring]]:
        """The lengths and scorings whose answers the rows are compared with."""
        scorings = [scoring_of(variant.complete(given)) for variant in self.variants for given in self.settings]
        return [(length, scoring) for length in self.lengths for scoring in dict.fromkeys(scorings)]


def scoring_of(settings: Mapping[str, int]) -> Scoring:
    """The scores among a variant's settings."""
    return Scoring(settings["match"], settings["mismatch"], settings["gap"])


def _point(experiment: str, variant: Variant, settings: dict[str, int], length: int, repetitions: int) -> Point:
    a, b = random_pair(length)
    described = pair_input(f"random-{length}", a, b)
    letters = (a.letters, b.letters)

    def run(device: Device) -> Row:
        warm_up = [whole[:WARM_UP_LETTERS] for whole in letters]
        measured = measure_variant(device, variant, settings, letters, warm_up, repetitions)
        outcome = measured.result
        aligned = outcome.alignment
        row = make_row(
            system=SYSTEM,
            experiment=experiment,
            variant=variant,
            parameters=settings,
            input=described,
            device=device,
            measurement=measured,
            work=outcome.cells,
            work_unit="cells",
            matrix_cells=len(a) * len(b),
            result={
                "score": outcome.score,
                "alignment_score": aligned and aligned.score(*letters, scoring_of(settings)),
            },
            digest=digest_of(aligned.columns if aligned else outcome.score),
        )
        row["counters"]["allocated_bytes"] = outcome.allocated_bytes
        return row

    return make_point(f"{length} letters", variant, settings, described, repetitions, run)

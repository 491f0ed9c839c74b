"""From an entry of the configuration to rows of measurements."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from repro.bench.experiment import chosen, make_point, measure_variant, naming, pair_input
from repro.bench.measure import measure
from repro.bench.rows import Row, digest_of, make_row
from repro.bench.sweep import Point
from repro.bench.variant import Variant
from repro.device import Device
from repro.errors import InputError
from repro.inputs.fasta import Sequence, read_sequence
from repro.wfa.path import Path, optimal_path
from repro.wfa.pyramid import Letters
from repro.wfa.trace import trace
from repro.wfa.variants import VARIANTS

SYSTEM = "wfa"
WARM_UP_LETTERS = 64
ENGINE_LETTERS = 20_000_000  # of longer strings, the first so many make `hybrid` compile the same kernels
BEYOND = "beyond the paper"  # the section of a variant that `trace` does not know
PATHS_OF = "hybrid"


@dataclass(frozen=True)
class PairFiles:
    """Where the sequences of a pair lie, FILE or FILE#NAME, and what the sheet of pairs says of them, if anything.

    prefix: only so many letters of each are compared, from the first; None is all of them. distance: of what is
    compared.
    """

    a: str
    b: str
    length_a: int | None
    length_b: int | None
    distance: int | None
    prefix: int | None = None

    def read(self) -> tuple[Sequence, Sequence]:
        """Both sequences; a prefix is named NAME:1-LETTERS.

        Raises InputError for a length that is not the sheet's or is less than the prefix.
        """
        return self._read(self.a, self.length_a), self._read(self.b, self.length_b)

    def _read(self, path: str, expected: int | None) -> Sequence:
        found = read_sequence(path)
        if expected is not None and len(found) != expected:
            raise InputError(f"{path}: {len(found)} letters, but the sheet of pairs says {expected}")
        if self.prefix is None:
            return found
        if self.prefix > len(found):
            raise InputError(f"{path}: {len(found)} letters, but the configuration wants the first {self.prefix}")
        return Sequence(f"{found.name}:1-{self.prefix}", found.letters[: self.prefix])


def input_name(pair: str, prefix: int | None) -> str:
    """What rows and files call a pair, or the first letters of both its sequences."""
    return pair if prefix is None else f"{pair}-first-{prefix}"


@dataclass(frozen=True)
class Experiment:
    """Variants x their settings x pairs: what one job measures.

    prefix: as in `PairFiles`. trace: points of the trace that each row is to have; 0 is none. path: whether an optimal
    path is measured, too.
    """

    name: str
    variants: list[Variant]
    settings: list[dict[str, int]]
    pairs: list[str]
    repetitions: int
    prefix: int | None
    trace: int
    path: bool

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], known_pairs: Iterable[str], repetitions: int) -> "Experiment":
        """The experiment of a configuration entry. Raises InputError for an unknown variant, setting or pair.

        repetitions: how often each run is timed where the entry does not say.
        """
        known = list(known_pairs)
        with naming(entry):
            for pair in entry["pairs"]:
                if pair not in known:
                    nearest = difflib.get_close_matches(pair, known, n=1, cutoff=0.0) or ["none"]
                    raise InputError(f"pair '{pair}' is not in the sheet of pairs; the nearest is {nearest[0]}")
            variants, settings = chosen(entry, VARIANTS)
            unseen = [variant.name for variant in variants if variant.section == BEYOND]
            if unseen and "trace" in entry:
                raise InputError(
                    f"trace: the paper's variants can be watched, {unseen[0]} cannot; leave one of them out"
                )
            pathless = [variant.name for variant in variants if variant.name != PATHS_OF]
            if pathless and entry.get("path"):
                raise InputError(f"path: of {PATHS_OF} alone, not of {pathless[0]}; leave one of them out")
        return cls(
            entry["name"],
            variants,
            settings,
            list(entry["pairs"]),
            entry.get("repetitions", repetitions),
            entry.get("prefix"),
            entry.get("trace", 0),
            entry.get("path", False),
        )

    @property
    def inputs(self) -> list[str]:
        """The names of what is compared, in the order of the pairs."""
        return [input_name(pair, self.prefix) for pair in self.pairs]

    def points(self, files: Mapping[str, PairFiles]) -> list[Point]:
        """What is to be measured, pair by pair. files: by the name of the pair, with the experiment's prefix."""
        return [
            _point(self, variant, variant.complete(given), name, sequences)
            for name, sequences in (
                (name, files[pair].read()) for name, pair in zip(self.inputs, self.pairs, strict=True)
            )
            for variant in self.variants
            for given in self.settings
        ]


def _point(
    experiment: Experiment,
    variant: Variant,
    settings: dict[str, int],
    name: str,
    sequences: tuple[Sequence, Sequence],
) -> Point:
    a, b = sequences
    described = pair_input(name, a, b)
    letters = (a.letters, b.letters)

    def run(device: Device) -> Row:
        # Which kernels `hybrid` compiles depends on the strings; on the emulator its time is not worth as much again.
        whole = variant.name == PATHS_OF and device.kind == "cuda"
        most = ENGINE_LETTERS if whole else WARM_UP_LETTERS
        warm_up = a.letters[:most], b.letters[:most]
        measured = measure_variant(device, variant, settings, letters, warm_up, experiment.repetitions)
        outcome = measured.result
        row = make_row(
            system=SYSTEM,
            experiment=experiment.name,
            variant=variant,
            parameters=settings,
            input=described,
            device=device,
            measurement=measured,
            work=outcome.cells,
            work_unit="cells",
            matrix_cells=len(a) * len(b),
            result=outcome.distance,
            digest=digest_of(outcome.distance),
        )
        if experiment.trace:
            row["trace"] = trace(device, lambda watched: variant.run(watched, *letters, **settings), experiment.trace)
        if experiment.path:
            row["path"] = measured_path(device, letters, warm_up, experiment.repetitions)
        return row

    more: dict[str, Any] = {"trace": experiment.trace, **({"path": True} if experiment.path else {})}
    return make_point(name, variant, settings, described, experiment.repetitions, run, **more)


def measured_path(
    device: Device, letters: tuple[Letters, Letters], warm_up: tuple[Letters, Letters], repetitions: int
) -> dict[str, Any]:
    """Times of an optimal path, its cost, and whether it turns one string into the other, which is not timed."""
    found: list[Path] = []

    def walk() -> int:
        found[:] = [optimal_path(device, *letters)]
        return found[0].cost

    measured = measure(device, walk, repetitions, lambda: optimal_path(device, *warm_up))
    times = {name: asdict(getattr(measured, name)) for name in ("total_seconds", "kernel_seconds")}
    return {"cost": measured.result, "replayed": found[0].turns(*letters), **times}

"""What the experiments of all systems share: errors that name them, variants with settings, points to be measured."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import product
from typing import Any

from repro.bench.measure import Measurement, measure
from repro.bench.rows import Row
from repro.bench.sweep import Point
from repro.bench.variant import Variant, choose
from repro.device import Device
from repro.errors import InputError
from repro.inputs import fasta


@contextmanager
def naming(entry: Mapping[str, Any]) -> Iterator[None]:
    """Let every InputError of the block say which experiment of the configuration it is about."""
    try:
        yield
    except InputError as error:
        raise InputError(f"experiment {entry['name']}: {error}") from None


def chosen(entry: Mapping[str, Any], variants: Mapping[str, Variant]) -> tuple[list[Variant], list[dict[str, int]]]:
    """The variants of a configuration entry, and every combination of the settings it gives.

    Raises InputError for an unknown variant and for a setting that one of them does not take.
    """
    names, values = entry["settings"].keys(), entry["settings"].values()
    settings = [dict(zip(names, combination, strict=True)) for combination in product(*values)]
    found = [choose(variants, name) for name in entry["variants"]]
    for variant, given in product(found, settings):
        variant.complete(given)
    return found, settings


def measure_variant(
    device: Device,
    variant: Variant,
    settings: Mapping[str, int],
    inputs: Sequence[Any],
    warm_up: Sequence[Any],
    repetitions: int,
) -> Measurement[Any]:
    """Measure a variant on `inputs`. warm_up: small ones of the same specialisation."""
    run = partial(variant.run, device, **settings)
    return measure(device, lambda: run(*inputs), repetitions, lambda: run(*warm_up))


def pair_input(name: str, a: fasta.Sequence, b: fasta.Sequence) -> dict[str, Any]:
    """The column `input` of a row on two sequences. name: what rows and figures call the pair."""
    return {
        "name": name,
        "a": a.name,
        "b": b.name,
        "len_a": len(a),
        "len_b": len(b),
        "sha256_a": a.sha256,
        "sha256_b": b.sha256,
    }


def make_point(
    name: str,
    variant: Variant,
    parameters: Mapping[str, int | str],
    input: Mapping[str, Any],
    repetitions: int,
    run: Callable[[Device], Row],
    **more: Any,
) -> Point:
    """The point of a variant with its parameters on an input.

    name: of the input, for people. input: what tells it from others. more: what else tells this row from others.
    """
    key = {"variant": variant.name, "parameters": parameters, "input": input, "repetitions": repetitions, **more}
    given = " ".join(f"{parameter}={value}" for parameter, value in parameters.items())
    return Point(f"{name} {variant.name} {given}", key, run)

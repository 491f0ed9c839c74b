"""Scores and alignments of a batch on a device, as functions."""

from repro.bench.variant import choose
from repro.device import Device
from repro.shuffle.alignments import Alignments
from repro.shuffle.letters import Letters, Pairs
from repro.shuffle.outcome import Outcome, Scores
from repro.shuffle.scheme import Scheme
from repro.shuffle.variants import VARIANTS


def scores(
    device: Device,
    queries: Letters,
    subjects: Letters,
    pairs: Pairs,
    scheme: Scheme,
    variant: str = "auto",
    **settings: int,
) -> Scores:
    """The best scores of a batch: int32, or int64 where 32 bits might not hold one, in the caller's order.

    Shape (queries, subjects) for pairs "all", else (n,). variant: one of `variants.VARIANTS`, whose settings these are.
    Raises InputError for what is wrong with pairs, variant or settings.
    """
    return _run(device, queries, subjects, pairs, scheme, False, variant, settings).scores


def alignments(
    device: Device,
    queries: Letters,
    subjects: Letters,
    pairs: Pairs,
    scheme: Scheme,
    variant: str = "auto",
    **settings: int,
) -> Alignments:
    """The best alignments of a batch in the caller's order; of equally good ones that which `reference` names.

    variant: one of `variants.VARIANTS`, whose settings these are.
    Raises InputError for what is wrong with pairs, variant or settings.
    """
    found = _run(device, queries, subjects, pairs, scheme, True, variant, settings).alignments
    assert found is not None, "a traceback was asked for"
    return found


def _run(
    device: Device,
    queries: Letters,
    subjects: Letters,
    pairs: Pairs,
    scheme: Scheme,
    traceback: bool,
    variant: str,
    settings: dict[str, int],
) -> Outcome:
    chosen = choose(VARIANTS, variant)
    found: Outcome = chosen.run(device, queries, subjects, pairs, scheme, traceback, **chosen.complete(settings))
    return found

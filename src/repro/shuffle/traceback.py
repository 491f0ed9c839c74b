"""Alignments of a batch on a device, as a function."""

from repro.bench.variant import choose
from repro.device import Device
from repro.shuffle.alignments import Alignments
from repro.shuffle.letters import Letters, Pairs
from repro.shuffle.scheme import Scheme
from repro.shuffle.variants import VARIANTS, Outcome


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
    chosen = choose(VARIANTS, variant)
    outcome: Outcome = chosen.run(device, queries, subjects, pairs, scheme, True, **chosen.complete(settings))
    assert outcome.alignments is not None, "a traceback was asked for"
    return outcome.alignments

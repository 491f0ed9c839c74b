"""The global alignment of two sequences, as a function."""

import numpy as np
from numpy.typing import NDArray

from repro.bench.variant import choose
from repro.device import Device, open_device
from repro.inputs.fasta import sequence
from repro.reorder.scoring import comparable
from repro.reorder.variants import VARIANTS, Outcome

Letters = NDArray[np.uint8]


def align(
    a: str | bytes | Letters,
    b: str | bytes | Letters,
    match: int = 1,
    mismatch: int = 0,
    gap: int = 1,
    variant: str = "compact",
    device: Device | str = "auto",
) -> Outcome:
    """The best global alignment by Needleman-Wunsch with linear gaps: its `score` and `alignment`.

    a, b: text, folded to upper case, or letters as `repro.inputs.fasta` reads them. match, mismatch: scores of equal
    and unequal letters; gap: penalty of a letter in a gap, 0 or more. variant: as `repro variants reorder` lists them.
    device: one that is open, or what `repro.device.open_device` takes.
    Which letters are equal says `repro.reorder.scoring.comparable`; of equally good alignments it is the one that, from
    the end, goes diagonally first, else takes a letter of a.
    Raises InputError for what is no letter, an unknown variant, and scores that 32 bits may not hold.
    """
    letters = [x if isinstance(x, np.ndarray) else sequence(name, x).letters for name, x in (("a", a), ("b", b))]
    chosen = choose(VARIANTS, variant)
    settings = chosen.complete({"match": match, "mismatch": mismatch, "gap": gap})
    opened = open_device(device) if isinstance(device, str) else device
    outcome: Outcome = chosen.run(opened, *comparable(*letters), **settings)
    return outcome

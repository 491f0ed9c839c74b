"""Programs of others that give the same scores on the CPU, measured as variants: independent checks, and speeds."""

import importlib.util
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from repro.bench.variant import Variant
from repro.device import Device
from repro.shuffle.letters import Letters, Pairs, pair_indices
from repro.shuffle.outcome import Outcome
from repro.shuffle.parasail_peer import parasail_scores
from repro.shuffle.scheme import Scheme
from repro.shuffle.seqan_peer import seqan_installed, seqan_scores

Scores = Callable[[Letters, Letters, Pairs, Scheme], NDArray[np.int64]]


def _peer(name: str, program: str, scores: Scores) -> Variant:
    def run(
        device: Device, queries: Letters, subjects: Letters, pairs: Pairs, scheme: Scheme, traceback: bool
    ) -> Outcome:
        chosen, partners = pair_indices(pairs, len(queries), len(subjects))
        cells = int(queries.lengths[chosen] @ subjects.lengths[partners])
        return Outcome(scores(queries, subjects, pairs, scheme), cells)

    return Variant(name, "-", f"{program} on all cores of the host: scores alone", run)


PEERS = {
    peer.name: peer
    for peer in (_peer("parasail", "parasail", parasail_scores), _peer("seqan", "SeqAn 2", seqan_scores))
}


def not_installed() -> dict[str, str]:
    """The peers that are not installed here, and what brings each."""
    missing = {}
    if importlib.util.find_spec("parasail") is None:
        missing["parasail"] = "pip install '.[test]' brings it"
    if not seqan_installed():
        missing["seqan"] = "its headers do (Debian: apt install libseqan2-dev)"
    return missing

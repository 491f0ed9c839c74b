"""The papers that are reproduced, by the name of their package."""

from collections.abc import Mapping
from importlib import import_module

from repro.bench.variant import Variant
from repro.errors import InputError

SYSTEMS = {
    "wfa": "Edit distance of very long strings by the wavefront algorithm (Castells-Rufas 2023)",
    "shuffle": "Global, semi-global and local alignments of batches by warp shuffles (AnySeq/GPU, Müller et al. 2022)",
    "reorder": "Needleman-Wunsch with the matrix reordered so that memory accesses coalesce",
    "mgemm": "Similarities of all pairs and triples of vectors, on one GPU to many (CoMet, Joubert et al. 2018)",
    "apsp": "All-pairs shortest paths in tiles, for graphs of any size (Katz and Kider 2008)",
}


def variants_of(system: str) -> Mapping[str, Variant]:
    """The variants of a system by name. Raises InputError for an unknown system."""
    if system not in SYSTEMS:
        raise InputError(f"no system '{system}'; choose one of: {', '.join(SYSTEMS)}")
    found: Mapping[str, Variant] = import_module(f"repro.{system}.variants").VARIANTS
    return found

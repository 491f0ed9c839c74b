"""Scores by parasail (Daily, 2016) on all cores of the CPU: an independent check, and a speed to compare with."""

import ctypes
import importlib.util
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from repro.errors import InputError
from repro.shuffle.letters import Letters, Pairs, pair_indices
from repro.shuffle.scheme import Scheme

LETTERS = b"ACGTN"
POINTER, INT = ctypes.c_void_p, ctypes.c_int
# Not parasail's striped kernels: their local scores are too low where a gap's letters cost the same (1.3.4).
FUNCTIONS = {"global": "nw_scan", "semi-global": "sg_scan", "local": "sw_scan"}


def parasail_scores(queries: Letters, subjects: Letters, pairs: Pairs, scheme: Scheme) -> NDArray[np.int64]:
    """The best scores: int64, shape (queries, subjects) for "all", else (n,).

    parasail knows no empty sequence and leaves the borders out of a semi-global alignment's ends: such scores are set
    here as this package defines them.
    Raises InputError where parasail is not installed or 32 bits do not hold the scores.
    """
    if importlib.util.find_spec("parasail") is None:
        raise InputError("parasail is not installed, which this comparison needs: pip install parasail")
    import parasail

    chosen, partners = pair_indices(pairs, len(queries), len(subjects))
    table = scheme.table()
    matrix = parasail.matrix_create(LETTERS.decode(), 1, 0)
    for i, j in np.ndindex(table.shape):
        matrix[j, i] = int(table[i, j])  # the vector kernels read a subject's row, the plain ones a query's
    longest = max(queries.lengths, default=0) + max(subjects.lengths, default=0)
    bits = _lane_bits(int(longest) * max(int(np.abs(table).max()), scheme.first))
    found: NDArray[np.int64] = _scores(
        np.frombuffer(LETTERS, np.uint8)[queries.codes],
        np.frombuffer(LETTERS, np.uint8)[subjects.codes],
        queries.offsets,
        subjects.offsets,
        chosen,
        partners,
        ctypes.cast(matrix.pointer, ctypes.c_void_p).value,
        _function(f"profile_create_{bits}", POINTER, POINTER, INT, POINTER),
        _function(f"{FUNCTIONS[scheme.mode]}_profile_{bits}", POINTER, POINTER, POINTER, INT, INT, INT),
        _function("result_get_score", INT, POINTER),
        _function("result_free", None, POINTER),
        _function("profile_free", None, POINTER),
        scheme.first,
        scheme.gap_extend,
    )
    lengths = np.array([queries.lengths[chosen], subjects.lengths[partners]])
    empty = lengths.min(axis=0) == 0
    found[empty] = scheme.against_nothing(lengths.sum(axis=0)[empty])
    if scheme.mode == "semi-global":
        found = np.maximum(found, 0)
    return found.reshape(len(queries), len(subjects)) if isinstance(pairs, str) and pairs == "all" else found


def _lane_bits(largest: int) -> int:
    """The narrower of parasail's lanes that hold every intermediate score."""
    if largest >= 2**30:
        raise InputError(f"parasail: scores up to {largest:,} are possible, more than 32 bits hold; use smaller scores")
    return 16 if largest < 2**14 else 32


def _function(name: str, *types: Any) -> Any:
    """A function of parasail's C interface that compiled code can call: its result's type, then its arguments'."""
    import parasail

    return ctypes.CFUNCTYPE(*types)((f"parasail_{name}", ctypes.CDLL(parasail.get_library())))


@numba.njit(parallel=True)
def _scores(  # type: ignore[no-untyped-def]
    queries, subjects, starts, begins, chosen, partners, matrix,
    create, align, get_score, free_result, free_profile, first, further,
):  # fmt: skip
    found = np.zeros(len(chosen), np.int64)
    # One profile serves the pairs of one query that stand together; no thread takes more than 64 pairs at a time.
    for block in numba.prange((len(chosen) + 63) // 64):
        previous, profile = -1, np.uintp(0)
        for pair in range(64 * block, min(64 * block + 64, len(chosen))):
            i, j = chosen[pair], partners[pair]
            m, n = starts[i + 1] - starts[i], begins[j + 1] - begins[j]
            if m == 0 or n == 0:
                continue
            if i != previous:
                if previous >= 0:
                    free_profile(profile)
                previous = i
                profile = create(queries.ctypes.data + starts[i], m, matrix)
            result = align(profile, subjects.ctypes.data + begins[j], n, first, further)
            found[pair] = get_score(result)
            free_result(result)
        if previous >= 0:
            free_profile(profile)
    return found

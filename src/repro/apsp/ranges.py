"""What a type can hold: how "no path" is written in it, and which weights it computes exactly or must refuse."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from repro.errors import InputError

NO_PREDECESSOR = -9999  # as in scipy.sparse.csgraph
# "No path" inside the kernels; for integers so small that the sum of two does not wrap around.
INFINITE: dict[np.dtype, Any] = {
    np.dtype(np.float32): np.float32(np.inf),
    np.dtype(np.float64): np.float64(np.inf),
    np.dtype(np.int32): np.int32(2**30 - 1),
    np.dtype(np.int16): np.int16(2**14 - 1),
}


def distance_type(dtype: DTypeLike) -> np.dtype:
    """The dtype, when distances can have it. Raises InputError for another one."""
    choose = "choose float32, float64, int32 or int16"
    try:
        wanted = np.dtype(dtype)
    except TypeError:
        raise InputError(f"distances cannot be {dtype}; {choose}") from None
    if wanted not in INFINITE:
        raise InputError(f"distances cannot be {wanted}; {choose}")
    return wanted


def unreachable(dtype: np.dtype) -> Any:
    """How results say "no path": inf, or the largest value of an integer type."""
    return np.iinfo(dtype).max if dtype.kind == "i" else dtype.type(np.inf)


def check_before(weights: NDArray[Any]) -> None:
    """Refuse weights whose paths might leave the range of their type.

    weights: n x n with INFINITE for no edge. Integers that are not negative are left to `check_after`: how long the
    shortest paths are is known only then. Raises InputError that names a wider type.
    """
    finite = weights[weights != INFINITE[weights.dtype]]
    if not finite.size or (weights.dtype.kind == "i" and finite.min() >= 0):
        return
    largest = max(abs(finite.max().item()), abs(finite.min().item()))
    longest = largest * max(1, len(weights) - 1)
    whole = weights.dtype.kind == "i"
    # "No path" plus negative weights must stay above every distance.
    limit = int(INFINITE[weights.dtype]) // 2 if whole else np.finfo(weights.dtype).max.item()
    if longest > limit:
        shape = "d" if whole else "g"
        raise InputError(
            f"paths of {len(weights)} vertices with weights up to {largest:{shape}} may reach {longest:{shape}}, "
            f"beyond what {weights.dtype} computes with ({limit:{shape}}); choose {wider(weights.dtype)}"
        )


def check_after(distances: NDArray[Any], weights: NDArray[Any]) -> None:
    """Refuse integer distances when a longer path may have been taken for none. Raises InputError.

    Along a path whose length leaves the range, lengths grow by at most the largest weight a step: so one lies within
    the largest weight of the range's end, and it has been computed.
    """
    if weights.dtype.kind != "i" or not weights.size:
        return
    infinite = INFINITE[weights.dtype]
    longest = int(distances.max(initial=0, where=distances != infinite))
    largest = int(weights.max(initial=0, where=weights != infinite))
    if longest + largest >= infinite:
        raise InputError(
            f"paths as long as {longest} with weights up to {largest} come too near to {infinite}, the end of "
            f"{weights.dtype}; choose {wider(weights.dtype)}"
        )


def wider(dtype: np.dtype) -> str:
    """What to choose where weights or distances do not fit a type."""
    names = {"int16": "int32 or float64", "float32": "float64", "int32": "float64"}
    return names.get(dtype.name, "smaller weights")

"""Weights in text: integers stay integers when all of them are."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from repro.errors import InputError


def parse_weight(where: str, word: str) -> int | float:
    """Return a weight; raises InputError naming `where` for what is no finite number or no 64-bit integer."""
    try:
        weight: int | float = int(word)
    except ValueError:
        try:
            weight = float(word)
        except ValueError:
            raise InputError(f"{where}: weight {word!r} is not a number") from None
    if not math.isfinite(weight) or (isinstance(weight, int) and abs(weight) >= 2**63):
        raise InputError(f"{where}: weight {word} is not finite or too large")
    return weight


def weight_array(weights: Sequence[int | float]) -> npt.NDArray[Any]:
    """Return weights as int64 when all are integers, else as float64."""
    return np.array(weights, dtype=np.int64 if all(isinstance(w, int) for w in weights) else np.float64)

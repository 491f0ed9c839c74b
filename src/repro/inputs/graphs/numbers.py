"""Numbers in the text of a graph file."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from repro.errors import InputError

# A file that says more is damaged, or its matrix would fit nowhere; found out before memory is asked for.
MOST_NODES = 10_000_000


def parse_node(where: str, word: str, nodes: int) -> int:
    """Return the index from 0 of a node that is written from 1; raises InputError for what is outside 1 to `nodes`."""
    if not word.isdecimal() or len(word) > 18 or not 1 <= int(word) <= nodes:
        raise InputError(f"{where}: node {word!r}; give a number from 1 to {nodes}")
    return int(word) - 1


def parse_size(where: str, word: str) -> int:
    """Return a number of nodes; raises InputError for what is no whole number or more than MOST_NODES."""
    if not word.isdecimal() or len(word) > 18 or int(word) > MOST_NODES:
        raise InputError(f"{where}: {word!r} nodes; give a whole number up to {MOST_NODES}")
    return int(word)


def parse_weight(where: str, word: str) -> int | float:
    """Return a weight; raises InputError naming `where` for what is no finite number or no 64-bit integer."""
    try:
        weight: int | float = int(word)
    except ValueError:
        try:
            weight = float(word)
        except ValueError:
            raise InputError(f"{where}: weight {word!r} is not a number; write one") from None
    if not math.isfinite(weight) or (isinstance(weight, int) and abs(weight) >= 2**63):
        raise InputError(f"{where}: weight {word}; give a finite number, a whole one below 2^63")
    return weight


def weight_array(weights: Sequence[int | float]) -> npt.NDArray[Any]:
    """Return weights as int64 when all are integers, else as float64."""
    return np.array(weights, dtype=np.int64 if all(isinstance(w, int) for w in weights) else np.float64)

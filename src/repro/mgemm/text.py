"""Similarities as text: a line for each, with the names of its vectors, in the order of the vectors."""

import csv
import io
from collections.abc import Sequence
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

_LINES = 1 << 18  # formatted at a time


def write_table(stream: TextIO, names: Sequence[str], indices: NDArray[Any], values: NDArray[Any]) -> None:
    """Write tab-separated i, j[, k] and value under a header, ordered by i, then j, then k.

    indices: (count, 2 or 3), ascending in each row, in any order of rows. Values are written with the fewest digits
    that give them back in their type; names that hold a tab, a quote or a line's end are quoted.
    """
    quoted = np.array([_quoted(name).encode() for name in names])
    order = np.arange(len(indices)) if _is_sorted(indices) else np.lexsort(indices.T[::-1])
    stream.write("\t".join([*"ijk"[: indices.shape[1]], "value"]) + "\n")
    for start in range(0, len(order), _LINES):
        part = order[start : start + _LINES]
        lines = values[part].astype(np.bytes_)
        for axis in reversed(range(indices.shape[1])):
            lines = np.strings.add(np.strings.add(quoted[indices[part, axis]], b"\t"), lines)
        stream.write(b"\n".join(lines.tolist()).decode() + "\n")


def _is_sorted(indices: NDArray[Any]) -> bool:
    """Whether rows follow each other in lexicographic order."""
    before, after = indices[:-1], indices[1:]
    larger = np.zeros(max(0, len(indices) - 1), bool)
    for axis in reversed(range(indices.shape[1])):
        larger = (after[:, axis] > before[:, axis]) | ((after[:, axis] == before[:, axis]) & larger)
    return bool(larger.all())


def _quoted(name: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter="\t", lineterminator="\n").writerow([name])
    return text.getvalue().removesuffix("\n")

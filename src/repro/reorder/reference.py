"""Needleman-Wunsch on the CPU, independent of the kernels: Eq. (1), linear gaps."""

import numba
import numpy as np
from numpy.typing import NDArray

from repro.reorder.scoring import Scoring

Letters = NDArray[np.uint8]


def fill_matrix(a: Letters, b: Letters, scoring: Scoring) -> NDArray[np.int64]:
    """The whole matrix F with its borders F(i, 0) = -i d and F(0, j) = -j d: int64, shape (len(a) + 1, len(b) + 1)."""
    matrix: NDArray[np.int64] = _fill_matrix(a, b, scoring.match, scoring.mismatch, scoring.gap)
    return matrix


def best_score(a: Letters, b: Letters, scoring: Scoring) -> int:
    """F(len(a), len(b)) with one row of the matrix in memory: for sequences whose matrix does not fit."""
    return int(_last_score(a, b, scoring.match, scoring.mismatch, scoring.gap))


def trace_back(matrix: NDArray[np.int64], a: Letters, b: Letters, scoring: Scoring) -> str:
    """The alignment as one letter per column, `=`, `X`, `I` or `D`, from the whole matrix.

    Where several steps explain an element, the diagonal one is taken, else the one from above (`I`, a letter of `a`
    alone), else the one from the left (`D`, a letter of `b` alone).
    """
    i, j = len(a), len(b)
    columns = []
    while i or j:
        if i and j and matrix[i, j] == matrix[i - 1, j - 1] + scoring.of(a[i - 1] == b[j - 1]):
            columns.append("=" if a[i - 1] == b[j - 1] else "X")
            i, j = i - 1, j - 1
        elif i and matrix[i, j] == matrix[i - 1, j] - scoring.gap:
            columns.append("I")
            i -= 1
        else:
            columns.append("D")
            j -= 1
    return "".join(reversed(columns))


def align(a: Letters, b: Letters, scoring: Scoring) -> str:
    """The alignment that `trace_back` finds, with a byte of memory per element instead of its score."""
    steps = _fill_steps(a, b, scoring.match, scoring.mismatch, scoring.gap)
    columns: bytes = _walk(steps, a, b)[::-1].tobytes()
    return columns.decode()


@numba.njit(cache=True)
def _fill_steps(a, b, match, mismatch, gap):  # type: ignore[no-untyped-def]
    steps = np.empty((len(a) + 1, len(b) + 1), np.uint8)
    steps[0, :] = ord("D")
    steps[:, 0] = ord("I")
    row = -gap * np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        diagonal = row[0]
        row[0] = -gap * i
        for j in range(1, len(b) + 1):
            aligned, above = diagonal + (match if a[i - 1] == b[j - 1] else mismatch), row[j]
            best = max(aligned, above - gap, row[j - 1] - gap)
            steps[i, j] = ord("=") if best == aligned else ord("I") if best == above - gap else ord("D")
            diagonal, row[j] = above, best
    return steps


@numba.njit(cache=True)
def _walk(steps, a, b):  # type: ignore[no-untyped-def]
    i, j, length = len(a), len(b), 0
    columns = np.empty(i + j, np.uint8)
    while i or j:
        step = steps[i, j]
        columns[length] = ord("X") if step == ord("=") and a[i - 1] != b[j - 1] else step
        length += 1
        i -= step != ord("D")
        j -= step != ord("I")
    return columns[:length]


@numba.njit(cache=True)
def _fill_matrix(a, b, match, mismatch, gap):  # type: ignore[no-untyped-def]
    f = np.empty((len(a) + 1, len(b) + 1), np.int64)
    f[0, :] = -gap * np.arange(len(b) + 1)
    f[:, 0] = -gap * np.arange(len(a) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            diagonal = f[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else mismatch)
            f[i, j] = max(diagonal, f[i - 1, j] - gap, f[i, j - 1] - gap)
    return f


@numba.njit(cache=True)
def _last_score(a, b, match, mismatch, gap):  # type: ignore[no-untyped-def]
    row = -gap * np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        diagonal = row[0]
        row[0] = -gap * i
        for j in range(1, len(b) + 1):
            above = row[j]
            row[j] = max(diagonal + (match if a[i - 1] == b[j - 1] else mismatch), above - gap, row[j - 1] - gap)
            diagonal = above
    return row[len(b)]

"""Edit operations of a read, as codes and as CIGAR text."""

import numpy as np
import numpy.typing as npt
from numba import njit

MATCH, MISMATCH, INSERTION, DELETION = range(4)
_LETTERS = np.frombuffer(b"=XID", dtype=np.uint8)
_GAP = ord("-")


def cigar_of(operations: npt.NDArray[np.uint8]) -> bytes:
    """Return the CIGAR (= X I D) of operations given as codes, uint8, (operations,)."""
    operations = np.ascontiguousarray(operations)
    text = np.empty(2 * operations.size + 20, dtype=np.uint8)
    return text[: _write(operations, _LETTERS, text)].tobytes()


def operations_of(genome: npt.NDArray[np.uint8], read: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return the codes of an alignment given as two rows of ASCII codes with gaps, uint8, (columns,) each."""
    same = np.where(genome == read, MATCH, MISMATCH)
    return np.where(genome == _GAP, INSERTION, np.where(read == _GAP, DELETION, same)).astype(np.uint8)


@njit(cache=True)
def _write(operations, letters, text):  # type: ignore[no-untyped-def]
    at = 0
    i = 0
    while i < operations.size:
        run = 1
        while i + run < operations.size and operations[i + run] == operations[i]:
            run += 1
        scale = 1
        while scale * 10 <= run:
            scale *= 10
        while scale > 0:
            text[at] = 48 + run // scale % 10
            at += 1
            scale //= 10
        text[at] = letters[operations[i]]
        at += 1
        i += run
    return at

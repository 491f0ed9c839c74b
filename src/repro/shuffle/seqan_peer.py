"""Scores by SeqAn 2 (Reinert et al., 2017) on all cores of the CPU: the CPU library that the paper compares with.

SeqAn is headers alone; its program here is compiled for a mode, a gap model and a width of lanes when it is
first used, and kept in the cache of modules.
"""

import ctypes
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from repro.device.cache import cached
from repro.device.toolchain import compiler, error_line
from repro.errors import DeviceError, InputError
from repro.shuffle.letters import Letters, Pairs, pair_indices
from repro.shuffle.scheme import Gap, Mode, Scheme

PROGRAM = Path(__file__).with_suffix(".cpp")
OPTIONS = "-std=c++17 -O3 -march=native -fopenmp -DSEQAN_SIMD_ENABLED -DNDEBUG -fPIC -shared -w"
MODES: dict[Mode, int] = {"global": 0, "semi-global": 1, "local": 2}
GAPS: dict[Gap, str] = {"linear": "LinearGaps", "affine": "AffineGaps"}


@cache
def _macros() -> str:
    """What the C++ compiler defines for this processor and for the version of SeqAn; nothing without SeqAn."""
    try:
        command = [compiler()[0], *OPTIONS.split(), "-E", "-dM", "-x", "c++", "-"]
    except DeviceError:
        return ""
    probe = "#include <seqan/version.h>"
    done = subprocess.run(command, input=probe, capture_output=True, text=True, check=False)
    return "" if done.returncode else done.stdout


def seqan_installed() -> bool:
    """Whether the C++ compiler finds SeqAn's headers."""
    return _macros() != ""


def seqan_scores(queries: Letters, subjects: Letters, pairs: Pairs, scheme: Scheme) -> NDArray[np.int64]:
    """The best scores: int64, shape (queries, subjects) for "all", else (n,).

    SeqAn is not given empty sequences, which spoil the scores of the pairs that are computed with them.
    Raises InputError where SeqAn is not installed, for a matrix of letters, and where 32 bits do not hold the scores.
    """
    if scheme.matrix is not None:
        raise InputError("SeqAn is given scores of equal and unequal letters here, no matrix")
    chosen, partners = pair_indices(pairs, len(queries), len(subjects))
    longest = int(max(queries.lengths, default=0)) + int(max(subjects.lengths, default=0))
    largest = longest * max(abs(scheme.match), abs(scheme.mismatch), scheme.first)
    if largest >= 2**30:
        raise InputError(f"SeqAn: scores up to {largest:,} are possible, more than 32 bits hold; use smaller scores")
    function = _program(scheme.mode, scheme.gap, "int16_t" if largest < 2**14 else "int32_t")
    lengths = np.array([queries.lengths[chosen], subjects.lengths[partners]])
    scores = scheme.against_nothing(lengths.sum(axis=0))
    some = np.flatnonzero(lengths.min(axis=0))
    found = np.empty(len(some), np.int64)
    codes = [np.ascontiguousarray(letters.codes, np.uint8) for letters in (queries, subjects)]
    offsets = [np.ascontiguousarray(letters.offsets, np.int64) for letters in (queries, subjects)]
    indices = [np.ascontiguousarray(each[some], np.int64) for each in (chosen, partners)]
    function(
        codes[0].ctypes, offsets[0].ctypes, len(queries), codes[1].ctypes, offsets[1].ctypes, len(subjects),
        indices[0].ctypes, indices[1].ctypes, len(some),
        scheme.match, scheme.mismatch, scheme.first, scheme.gap_extend, found.ctypes,
    )  # fmt: skip
    scores[some] = found
    return scores.reshape(len(queries), len(subjects)) if isinstance(pairs, str) and pairs == "all" else scores


@cache
def _program(mode: Mode, gap: Gap, lane: str):  # type: ignore[no-untyped-def]
    """The compiled function. Raises InputError without SeqAn, DeviceError where its program does not compile."""
    if not seqan_installed():
        raise InputError("SeqAn is not installed, which this comparison needs: apt install libseqan2-dev")
    options = f"{OPTIONS} -DREPRO_MODE={MODES[mode]} -DREPRO_GAPS={GAPS[gap]} -DREPRO_LANE={lane}"
    command, identity = compiler()
    with tempfile.TemporaryDirectory() as directory:
        library = Path(directory) / "seqan.so"

        def build() -> bytes:
            done = subprocess.run(
                [command, *options.split(), str(PROGRAM), "-o", str(library)],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise DeviceError(f"{PROGRAM.name} does not compile: {error_line(done.stderr)}")
            return library.read_bytes()

        library.write_bytes(cached([PROGRAM.read_text(), options, identity, _macros()], build))
        function = ctypes.CDLL(str(library)).seqan_scores
    pointer, number, integer = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
    function.argtypes = [
        pointer, pointer, number, pointer, pointer, number, pointer, pointer, number,
        integer, integer, integer, integer, pointer,
    ]  # fmt: skip
    function.restype = None
    return function

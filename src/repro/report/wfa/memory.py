"""Memory limits of section 4.1: the longest strings of equal length by the paper's formulas and as allocated here."""

import math
from collections.abc import Iterable

import pandas as pd

WORD = 4  # bytes of a pyramid value
# What each variant of the paper allocates for results; others have no line.
RESULT_BYTES = {"baseline": 0, "dynamic-work-items": 0, "minimised-reads": WORD, "shared-memory-prefetch": WORD} | (
    dict.fromkeys(
        ("tiling-global", "tiling-register", "tiling-shared", "parallel-workgroup", "dynamic-diamond"), 2 * WORD
    )
)
MEMORIES = {"NVIDIA RTX 3090, 24 GB": 24 * 10**9, "NVIDIA H200, 141 GB": 141 * 10**9}


def whole_pyramid(memory_bytes: int) -> int:
    """n_max where the whole pyramid is kept: n^2 values."""
    return math.isqrt(memory_bytes // WORD)


def two_columns(memory_bytes: int) -> int:
    """n_max where two columns of 2 n + 1 values are kept, as the paper simplifies it: memory / (4 values)."""
    return memory_bytes // (4 * WORD)


def allocated_bytes(variant: str, m: int, n: int, tile_length: int = 0) -> int:
    """What a variant of the paper allocates for strings of m and n letters: letters, two columns, results, tiles."""
    columns = 2 * WORD * (m + n + 1)
    tiles = 2 * tile_length**2 * ((m + n) // (2 * tile_length) + 2) if variant == "tiling-global" else 0
    return m + n + columns + RESULT_BYTES[variant] + WORD * tiles


def longest(variant: str, memory_bytes: int, tile_length: int = 0) -> int:
    """The longest strings of equal length for which a variant fits into a memory."""
    low, high = 0, memory_bytes
    while low < high:
        middle = (low + high + 1) // 2
        fits = allocated_bytes(variant, middle, middle, tile_length) <= memory_bytes
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


def memory_table(tile_lengths: Iterable[tuple[str, int]]) -> pd.DataFrame:
    """One line per memory: the formulas, and what each (variant, tile length; 0 where it has none) fits."""
    lines = []
    for name, memory_bytes in MEMORIES.items():
        lines += [
            (name, memory_bytes, "whole pyramid", "sqrt(M / w)", whole_pyramid(memory_bytes)),
            (name, memory_bytes, "two columns", "M / (4 w)", two_columns(memory_bytes)),
        ]
        for variant, tile in tile_lengths:
            how = "as allocated" + (f", tile length {tile}" if tile else "")
            lines.append((name, memory_bytes, variant, how, longest(variant, memory_bytes, tile)))
    return pd.DataFrame(lines, columns=["memory", "bytes", "what", "limit", "longest_letters"])

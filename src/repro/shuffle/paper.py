"""The launches of the paper's kernels: one warp per alignment, or per two in the halves of a half2."""

from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from repro.device import Array, Device
from repro.device.source import Constant
from repro.shuffle.batch import Group
from repro.shuffle.engine import Method, OnDevice
from repro.shuffle.ranges import fits
from repro.shuffle.reference import MODES
from repro.shuffle.scheme import Scheme

KERNELS = Path(__file__).parent / "kernels"
PROFILE_ROWS = 6
TYPES: dict[str, type[np.generic]] = {"half2": np.float32, "fp32": np.float32, "int32": np.int32, "int64": np.int64}


def method(kind: str, scheme: Scheme, columns: int) -> Method:
    """The paper's kernel on numbers of a kind, one of `ranges.LARGEST`. columns: k, of a thread."""
    return Method(kind, partial(fits, kind, scheme), partial(_launch, kind, scheme, columns))


def _launch(
    kind: str,
    scheme: Scheme,
    columns: int,
    device: Device,
    queries: OnDevice,
    subjects: OnDevice,
    group: Group,
    scores: Array,
    pitch: int,
) -> None:
    halves = 2 if kind == "half2" else 1
    every = group.places is None
    constants: dict[str, Constant] = {
        **constants_of(scheme),
        "COLUMNS": columns,
        "HALVES": halves,
        "SHARED_QUERY": every,
        "ALL": every,
        "T": TYPES[kind],
        "Score": scores.dtype.type,
    }
    kernel = device.compile(KERNELS / "scores.cu", constants)["shuffle_scores"]
    p = device.warp_size
    value_bytes = 8 if kind == "int64" else 4
    shared = PROFILE_ROWS * p * columns * value_bytes
    width = -(-len(group.subjects) // halves)
    tasks = width * len(group.queries) if every else width
    blocks = min(tasks, kernel.most_resident_blocks(p, shared))
    stages = max(1, -(-group.columns // (p * columns)))
    border_rows = group.rows if stages > 1 else 0
    border_bytes = 2 * border_rows * (1 + (scheme.gap == "affine")) * value_bytes
    blocks = within_memory(device, blocks, border_bytes)
    borders = device.empty(max(1, blocks * border_bytes), np.uint8)
    lists = [group.queries if every else even(group.queries, halves), even(group.subjects, halves)]
    lists.append(np.zeros(1, np.int32) if group.places is None else even(group.places, halves))
    kernel(
        blocks,
        p,
        *(queries.codes, queries.offsets, subjects.codes, subjects.offsets),
        *map(device.upload, lists),
        device.upload(scheme.table()),
        *(borders, scores, tasks, width, pitch, border_rows),
        shared_bytes=shared,
    )


def constants_of(scheme: Scheme) -> dict[str, Constant]:
    """What every kernel is specialised by that takes the scores of gaps at compile time."""
    return {
        "MODE": MODES[scheme.mode],
        "AFFINE": scheme.gap == "affine",
        "FIRST": scheme.first,
        "FURTHER": scheme.gap_extend,
    }


def even(indices: NDArray[np.integer], multiple: int) -> NDArray[np.integer]:
    """The list with its last entry repeated, as often as it takes to a multiple of entries."""
    return np.concatenate([indices, np.repeat(indices[-1:], -len(indices) % multiple)])


def within_memory(device: Device, blocks: int, bytes_per_block: int) -> int:
    """So many blocks, or as many as keep what they need within half of the free memory, at least 1."""
    free = (device.memory_bytes - device.memory_used) // 2
    return max(1, min(blocks, free // max(1, bytes_per_block)))

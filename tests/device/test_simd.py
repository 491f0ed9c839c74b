"""The intrinsics on four bytes in a word give what numpy gives, byte by byte."""

from pathlib import Path

import numpy as np


def test_every_simd_intrinsic(device):
    rng = np.random.default_rng(11)
    edges = np.array([0, 0x7F80FF01, 0x80808080, 0xFFFFFFFF], np.uint32)
    triples = np.stack(np.meshgrid(edges, edges, edges)).reshape(3, -1)
    random = rng.integers(0, 2**32, (3, 200), dtype=np.uint64).astype(np.uint32)
    a, b, c = operands = np.ascontiguousarray(np.concatenate([triples, random], axis=1))
    output = device.empty((7, len(a)), np.uint32)
    kernel = device.compile(Path(__file__).with_name("simd.cu"))["simd"]
    kernel(3, 128, *map(device.upload, operands), output, len(a))

    def bytes_of(words, dtype):
        return words.view(dtype).reshape(-1, 4).astype(np.int64)

    x, y = bytes_of(a, np.uint8), bytes_of(b, np.uint8)
    differences = abs(x - y)
    halves = a.view(np.uint16).reshape(-1, 2).astype(np.int64)
    signed = (bytes_of(a, np.int8) * bytes_of(b, np.int8)).sum(axis=1)
    expected = [
        np.minimum(x, y).astype(np.uint8).view(np.uint32).ravel(),
        differences.astype(np.uint8).view(np.uint32).ravel(),
        differences.sum(axis=1),
        (x * y).sum(axis=1) + c & 0xFFFFFFFF,
        signed + c.view(np.int32) & 0xFFFFFFFF,
        *((halves * y[:, part]).sum(axis=1) + c & 0xFFFFFFFF for part in (slice(0, 2), slice(2, 4))),
    ]
    assert output.get().tolist() == [row.tolist() for row in expected]

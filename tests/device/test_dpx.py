"""The DPX intrinsics give what numpy gives, lane by lane, wherever a sum wraps around."""

from pathlib import Path

import numpy as np

OPERANDS = 512


def test_every_dpx_intrinsic(device):
    rng = np.random.default_rng(9)
    edges = np.array([0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF], np.uint32)
    triples = np.stack(np.meshgrid(edges, edges, edges)).reshape(3, -1)
    random = rng.integers(0, 2**32, (3, OPERANDS), dtype=np.uint64).astype(np.uint32)
    a, b, c = operands = np.ascontiguousarray(np.concatenate([triples, random], axis=1))
    expected = np.array(list(results(a, b, c)))
    output = device.empty(expected.shape, np.uint32)
    kernel = device.compile(Path(__file__).with_name("dpx.cu"))["dpx"]
    kernel(8, 128, *map(device.upload, operands), output, len(a))
    assert output.get().tolist() == expected.tolist()


def results(a, b, c):
    """The rows of the kernel's output."""
    types = (np.int32, np.uint32, np.int16, np.uint16)

    def on(dtype, operation, *words):
        return operation(*(np.ascontiguousarray(word).view(dtype) for word in words)).view(np.uint32)

    for choice in (np.maximum, np.minimum):
        for dtype in types:
            yield on(dtype, lambda x, y, z, choice=choice: choice(choice(x, y), z), a, b, c)
    for choice in (np.maximum, np.minimum):
        for dtype in types:
            yield on(dtype, lambda x, y, z, choice=choice: choice(x + y, z), a, b, c)
    for pick in (
        lambda choice, x, y, z: choice(x, y),
        lambda choice, x, y, z: choice(choice(x, y), z),
        lambda choice, x, y, z: choice(x + y, z),
    ):
        for choice in (np.maximum, np.minimum):
            for dtype in (np.int32, np.int16):
                yield on(dtype, lambda *words, pick=pick, choice=choice: np.maximum(pick(choice, *words), 0), a, b, c)
    for choice, first in ((np.maximum, np.greater_equal), (np.minimum, np.less_equal)):
        for dtype in types:
            yield on(dtype, choice, a, b)
            chosen = first(a.view(dtype), b.view(dtype)).astype(np.uint32).reshape(len(a), -1)
            yield from chosen.T[::-1]  # the high half comes first

"""mma's fragments hold what the PTX ISA says, and copies beside arithmetic arrive when they are waited for."""

from pathlib import Path

import numpy as np
import pytest

from repro.device import open_device

KERNELS = Path(__file__).with_name("fragments.cu")


def test_the_fragments_of_m16n8k256_on_bits(device):
    rng = np.random.default_rng(5)
    a = rng.integers(0, 2**32, (16, 8), dtype=np.uint64).astype(np.uint32)  # rows of 256 bits
    b = rng.integers(0, 2**32, (8, 8), dtype=np.uint64).astype(np.uint32)  # columns of 256 bits
    lane = np.arange(32)
    group, inside = lane // 4, lane % 4
    registers_a = np.stack([a[group + 8 * (i % 2), inside + 4 * (i // 2)] for i in range(4)], axis=1)
    registers_b = np.stack([b[group, inside + 4 * i] for i in range(2)], axis=1)
    start = rng.integers(-1000, 1000, (32, 4), dtype=np.int32)
    d = device.upload(start)
    kernel = device.compile(KERNELS, {"KEPT": 1})["bits_m16n8k256"]
    kernel(1, 32, *map(device.upload, (np.ascontiguousarray(registers_a), np.ascontiguousarray(registers_b))), d)
    products = np.bitwise_count(a[:, None] & b).sum(axis=-1)
    expected = [products[group + 8 * (i // 2), 2 * inside + i % 2] + start[:, i] for i in range(4)]
    assert d.get().tolist() == np.stack(expected, axis=1).tolist()


@pytest.mark.parametrize("slabs", [1, 2, 5])
def test_copies_have_arrived_when_their_groups_are_waited_for(device, slabs):
    values = np.random.default_rng(6).integers(0, 1000, (slabs, 128), dtype=np.int32)
    output = device.empty(128, np.int32)
    device.compile(KERNELS, {"KEPT": 1})["staged_sum"](1, 128, device.upload(values), output, slabs)
    assert output.get().tolist() == np.roll(values.sum(axis=0), -4).tolist()


def test_a_copy_that_is_not_waited_for_shows():
    values = np.random.default_rng(6).integers(0, 1000, (3, 128), dtype=np.int32)
    device = open_device("emulator", thread_order="reverse")
    output = device.empty(128, np.int32)
    device.compile(KERNELS, {"KEPT": 2})["staged_sum"](1, 128, device.upload(values), output, 3)
    assert output.get().tolist() != np.roll(values.sum(axis=0), -4).tolist()

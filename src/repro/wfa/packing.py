"""Two strings on a device, their letters renamed to small codes and packed for the kernels of `hybrid`."""

import math
from functools import cached_property

import numpy as np

from repro.device import Array, Device
from repro.wfa.columns import KERNELS
from repro.wfa.pyramid import Letters

SOURCE = KERNELS / "packing.cu"
LEAST_STAGED = 1 << 21  # letters of a string that several threads of the host copy
SHARE = 4  # of the host's cores one in so many copies: to wake more threads takes longer than they save


def on_device(device: Device, string: Letters) -> Array:
    """The letters in the device's memory."""
    if len(string) < LEAST_STAGED:
        return device.upload(string)
    letters = device.empty(len(string), np.uint8)
    device.wait(device.stage_in(letters, string, after=(device.record(),), sharing=SHARE))
    return letters


class PackedPair:
    """Two strings and the codes 0, 1, .. of their letters.

    a, b: letters, uint8 of shape (m,) and (n,). planes: bits that tell `symbols` different letters apart.
    """

    def __init__(self, device: Device, a: Letters, b: Letters) -> None:
        self.device, self.m, self.n = device, len(a), len(b)
        self.a, self.b = on_device(device, a), on_device(device, b)
        present = device.zeros(256, np.int32)
        kernel = device.compile(SOURCE, {"BITS": 8})["note_symbols"]
        if longer := max(self.m, self.n):
            kernel((min(512, -(-longer // 256)), 2), 256, self.a, self.m, self.b, self.n, present)
        found = np.flatnonzero(present.get())
        self.symbols = len(found)
        self.planes = max(1, math.ceil(math.log2(max(1, self.symbols))))
        codes = np.zeros(256, np.uint8)
        codes[found] = np.arange(self.symbols)
        self.code_of = device.upload(codes)

    @property
    def bits(self) -> int:
        """Bits of a code in `codes`: 2, 4 or 8, so that no letter straddles two words."""
        return next(bits for bits in (2, 4, 8) if bits >= self.planes)

    @cached_property
    def codes(self) -> tuple[Array, Array, Array, Array]:
        """Codes of `bits` bits of a, b, a backwards and b backwards, and one word of padding after each."""
        kernel = self.device.compile(SOURCE, {"BITS": self.bits})["pack_codes"]
        words_a, words_b = (length * self.bits // 32 + 2 for length in (self.m, self.n))
        packed = self.device.empty(2 * (words_a + words_b), np.uint32)
        grid = -(-max(words_a, words_b) // 256), 4
        kernel(grid, 256, self.a, self.m, self.b, self.n, self.code_of, packed, words_a, words_b)
        half = words_a + words_b
        return packed[:words_a], packed[words_a:half], packed[half : half + words_a], packed[half + words_a :]

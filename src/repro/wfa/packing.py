"""Two strings on a device, their letters renamed to small codes and packed for the kernels of `hybrid`."""

import math
from functools import cached_property

import numpy as np

from repro.device import Array, Device
from repro.wfa.columns import KERNELS
from repro.wfa.pyramid import Letters


class PackedPair:
    """Two strings and the codes 0, 1, .. of their letters.

    a, b: letters, uint8 of shape (m,) and (n,). planes: bits that tell `symbols` different letters apart.
    """

    def __init__(self, device: Device, a: Letters, b: Letters) -> None:
        self.device, self.m, self.n = device, len(a), len(b)
        self.a, self.b = device.upload(a), device.upload(b)
        present = device.zeros(256, np.int32)
        kernel = device.compile(KERNELS / "packing.cu", {"BITS": 8})["note_symbols"]
        for letters in (self.a, self.b):
            if length := letters.shape[0]:
                kernel(min(1024, -(-length // 256)), 256, letters, length, present)
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
        kernel = self.device.compile(KERNELS / "packing.cu", {"BITS": self.bits})["pack_codes"]
        packed = []
        for backwards in (False, True):
            for letters in (self.a, self.b):
                words = letters.shape[0] * self.bits // 32 + 2
                packed.append(self.device.empty(words, np.uint32))
                kernel(
                    -(-words // 256), 256, letters, letters.shape[0], self.code_of, packed[-1], words, backwards
                )  # fmt: skip
        a, b, a_back, b_back = packed
        return a, b, a_back, b_back

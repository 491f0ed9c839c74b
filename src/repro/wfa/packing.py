"""Two strings on a device, their letters renamed to small codes and packed for the kernels of `hybrid`."""

from functools import cached_property

import numpy as np

from repro.device import Array, Device
from repro.wfa.columns import KERNELS
from repro.wfa.pyramid import Letters

SOURCE = KERNELS / "packing.cu"
LEAST_STAGED = 1 << 21  # letters of a string that several threads of the host copy
SYMBOLS = 256  # values of a byte
FURTHER = 8  # windows of each lane that wavefronts read at once in long runs, and a word more, also beyond a string
SHARE = 4  # of the host's cores one in so many copies: to wake more threads takes longer than they save


def copy_in(letters: Array, string: Letters) -> None:
    """Copy a string into the device's memory, before the launches from now on."""
    if len(string) < LEAST_STAGED:
        letters.set(string)
    else:
        device = letters.device
        device.wait(device.stage_in(letters, string, after=(device.record(),), sharing=SHARE))


class PackedPair:
    """Two strings and the codes 0, 1, .. of their letters.

    a, b: letters, uint8 of shape (m,) and (n,). code_of: codes of the letters that occur, uint32. planes: bits that
    tell `symbols` different letters apart. bits: 2, 4 or 8 of a code in `codes`, so that no letter straddles two words.
    """

    def __init__(self, device: Device, a: Letters, b: Letters) -> None:
        self.device, self.m, self.n = device, len(a), len(b)
        letters = device.empty(self.m + self.n, np.uint8)
        self.a, self.b = letters[: self.m], letters[self.m :]
        copy_in(self.a, a)
        copy_in(self.b, b)
        self.code_of = device.zeros(2 * SYMBOLS + 2, np.uint32)
        kernel = device.compile(SOURCE, {"BITS": 8})["number_symbols"]
        if longer := max(self.m, self.n):
            kernel((min(512, -(-longer // SYMBOLS)), 2), SYMBOLS, self.a, self.m, self.b, self.n, self.code_of)
        self.symbols = int(self.code_of.get()[SYMBOLS])
        self.planes = max(1, (self.symbols - 1).bit_length())
        self.bits = next(bits for bits in (2, 4, 8) if bits >= self.planes)

    @cached_property
    def codes(self) -> Array:
        """Codes of `bits` bits of a, b, a backwards and b backwards, padding after each."""
        kernel = self.device.compile(SOURCE, {"BITS": self.bits})["pack_codes"]
        words_a, words_b = (length * self.bits // 32 + 2 for length in (self.m, self.n))
        packed = self.device.empty(2 * (words_a + words_b) + 32 * (FURTHER + 1), np.uint32)
        grid = -(-max(words_a, words_b) // 256), 4
        kernel(grid, 256, self.a, self.m, self.b, self.n, self.code_of, packed)
        return packed

"""Two strings on a device, their letters renamed to small codes and packed for the kernels of `hybrid`."""

import math
from functools import cached_property

import numpy as np

from repro.device import Array, Device, Kernel
from repro.wfa.columns import KERNELS
from repro.wfa.pyramid import Letters


class PackedPair:
    """Letters of two strings as codes 0, 1, ..: as few bits each as the number of different letters allows.

    a, b: letters, uint8 of shape (m,) and (n,).
    """

    def __init__(self, device: Device, a: Letters, b: Letters) -> None:
        self.device, self.m, self.n = device, len(a), len(b)
        self._letters = device.upload(a), device.upload(b)
        present = device.zeros(256, np.int32)
        kernel = self._kernel("note_symbols", 1, 1)
        for letters in self._letters:
            if length := letters.shape[0]:
                kernel(min(1024, -(-length // 256)), 256, letters, length, present)
        symbols = np.flatnonzero(present.get())
        self.symbols = len(symbols)
        codes = np.zeros(256, np.uint8)
        codes[symbols] = np.arange(self.symbols)
        self._codes = device.upload(codes)
        self.planes = max(1, math.ceil(math.log2(max(1, self.symbols))))

    def _kernel(self, name: str, planes: int, bits: int) -> Kernel:
        return self.device.compile(KERNELS / "packing.cu", {"PLANES": planes, "BITS": bits})[name]

    @property
    def bits(self) -> int:
        """Bits of a code in `codes`: 2, 4 or 8, so that no letter straddles two words."""
        return next(bits for bits in (2, 4, 8) if bits >= self.planes)

    def bit_planes(self, words: int, padding: tuple[int, int]) -> Array:
        """Bit planes of a and of a backwards, lowest bit first, uint32 of shape (2 planes words,).

        padding: empty positions before the first letter, for each direction.
        """
        planes = self.device.empty(2 * self.planes * words, np.uint32)
        kernel, letters = self._kernel("pack_planes", self.planes, 1), self._letters[0]
        for backwards, skipped in enumerate(padding):
            part = planes[backwards * self.planes * words :]
            kernel(-(-words // 8), 256, letters, self.m, self._codes, part, words, skipped, bool(backwards))
        return planes

    def byte_codes(self, length: int) -> Array:
        """Codes of b and of b backwards, a byte each, then 0 up to `length`, a multiple of 4: uint32, (length / 2,)."""
        words = length // 4
        packed = self.device.empty(2 * words, np.uint32)
        for backwards in (False, True):
            self._pack(self._letters[1], 8, packed[words * backwards :], words, backwards)
        return packed

    @cached_property
    def codes(self) -> tuple[Array, Array, Array, Array]:
        """Codes of `bits` bits of a, b, a backwards and b backwards, and one word of padding after each."""
        packed = []
        for backwards in (False, True):
            for letters in self._letters:
                words = letters.shape[0] * self.bits // 32 + 2
                packed.append(self.device.empty(words, np.uint32))
                self._pack(letters, self.bits, packed[-1], words, backwards)
        a, b, a_back, b_back = packed
        return a, b, a_back, b_back

    def _pack(self, letters: Array, bits: int, packed: Array, words: int, backwards: bool) -> None:
        kernel = self._kernel("pack_codes", 1, bits)
        kernel(-(-words // 256), 256, letters, letters.shape[0], self._codes, packed, words, backwards)

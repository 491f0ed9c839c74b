// Gains that are bytes: a word has those of two columns, each column's for the low half and then, twice as large, for the
// high half.
#pragma once

// The word with a column's gains added to either half. A dot product with what is worth 1 in either half does so, on the
// multiplier's pipe: 2^16 is twice the largest power of two that it takes.
__device__ __forceinline__ unsigned plus_bytes(unsigned word, const unsigned* gains, int column) {
    constexpr unsigned WORTH = 0x80000001;
    return column % 2 ? __dp2a_hi(WORTH, gains[column / 2], word) : __dp2a_lo(WORTH, gains[column / 2], word);
}

// Values with tags below them, as stored.cuh describes: borders, and what a pair of letters gains.
#pragma once
#include "stored.cuh"

constexpr int CODES = PAD + 1, TABLE_ROW = 8;  // of the table of gains
constexpr int OPEN = FIRST - FURTHER;
constexpr int SCALE = 16;
constexpr int LOWEST_GAIN = -2 * OPEN - 1;  // two letters and no gap are worth less than two gaps from here on
constexpr int BIAS = MODE == LOCAL ? LOCAL_BIAS : 4 * OPEN + 1;
constexpr int NEW_GAP = MODE == LOCAL ? FIRST : OPEN;  // what the first letter of a gap costs
constexpr unsigned FULL_16 = 0xFFFF;
static_assert(MODE == GLOBAL || COLUMNS <= SCALE, "a tag for every column");

constexpr unsigned VALUES = both(-SCALE);  // without tags
// Linear gaps: what is kept of a row is stamped, one less than the row above, so that what comes from above or diagonally
// is tagged without an addition. Before a block, stamps start anew.
constexpr unsigned FIRST_STAMP = both(AFFINE ? 0 : BLOCK), STAMP = both(AFFINE ? 0 : 1);
constexpr int DIAGONAL = AFFINE ? 0 : 1;  // of its tag, this much is the stamp's
constexpr unsigned NO_GAP = both((MODE == LOCAL ? BIAS - FIRST : BIAS - 3 * OPEN) * SCALE), FLOOR = both(BIAS * SCALE);

__device__ __forceinline__ unsigned half_of(unsigned word, int half) { return half ? word >> 16 : word & FULL_16; }
__device__ __forceinline__ unsigned larger(unsigned a, unsigned b) { return __vimax3_u16x2(a, b, b); }

// H(i, 0) or H(0, j) where so many letters were passed.
__device__ __forceinline__ int border(int letters) {
    if (MODE == LOCAL) return BIAS * SCALE;
    if (MODE == SEMI_GLOBAL) return (BIAS + FURTHER * max(letters, 0)) * SCALE;
    return (BIAS - ((ALL ? letters != 0 : letters > 0) ? OPEN : 0)) * SCALE;
}
__device__ __forceinline__ unsigned border_after(const Sequence* of, int passed) {
    return packed(border(passed - of[0].pads), border(passed - of[1].pads));
}
// What a pair of codes gains, with its tag.
__device__ __forceinline__ int gain(const int* table, int row, int column) {
    if (row == PAD || column == PAD) {
        if (MODE == LOCAL || row == column) return UNEQUAL - DIAGONAL;
        return (MODE == SEMI_GLOBAL ? FURTHER : ALL ? 0 : -2 * OPEN) * SCALE + UNEQUAL - DIAGONAL;
    }
    int score = table[row * 5 + column];
    return (MODE == LOCAL ? score : max(score + 2 * FURTHER, LOWEST_GAIN)) * SCALE + (row == column && row < 4 ? EQUAL : UNEQUAL) - DIAGONAL;
}

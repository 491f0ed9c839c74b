// What packed.cu keeps of the cells of two alignments in the halves of a word: borders, and what a pair of letters gains.
#pragma once
#include "sequences.cuh"

constexpr int GROUPS = WARP_SIZE / LANES;
constexpr int OPEN = FIRST - FURTHER;
constexpr int LARGEST_HALF = 2047, TOO_LARGE = -1;
constexpr int EXCEEDED = 1 << 15;  // below every 16-bit number, as -EXCEEDED
// Folded coordinates: what is added to all H', E', F'. Two queries: H' is kept so much smaller, and scores are larger,
// so that the halves of a looked-up word need not be negative.
constexpr int BIAS = 4 * OPEN;
constexpr int SHIFT = ALL || MODE == LOCAL ? 0 : 2 * OPEN;

__device__ __forceinline__ int signed_half(unsigned word, int half) { return short(half ? word >> 16 : word); }
// The bits of a whole number times 2^-24 as a half.
__host__ __device__ constexpr int half_bits(int value) { return value < 0 ? 0x8000 | -value : value; }
// Local scores: H is kept so much smaller than cells are, where gaps open from it.
constexpr int LOWERED = ADJACENT_GAPS ? FIRST : 0;
// As integers 0 is so much, from which a letter and a gap lead to nothing negative.
constexpr int FLOOR = !WIDE ? 0 : ADJACENT_GAPS ? FIRST : 3 * FIRST;

// What is kept of H(i, 0) or H(0, j) where so many letters were passed.
__device__ __forceinline__ int border(int letters) {
    if (MODE == LOCAL) return WIDE ? FLOOR - LOWERED : half_bits(-LOWERED);
    if (MODE == SEMI_GLOBAL) return BIAS - SHIFT + FURTHER * max(letters, 0);
    return BIAS - SHIFT - ((ALL ? letters != 0 : letters > 0) ? OPEN : 0);
}
__device__ __forceinline__ unsigned top_border(const Sequence* subject, int columns) {
    return packed(border(columns - subject[0].pads), border(columns - subject[1].pads));
}
// After at least one row, as the compiler is told.
__device__ __forceinline__ unsigned left_border(const Sequence* query, int rows) {
    return ALL ? both(border(max(rows, 1))) : packed(border(rows - query[0].pads), border(rows - query[1].pads));
}

// What a border leaves for a gap.
__device__ __forceinline__ unsigned gap_after(unsigned border) {
    return MODE == LOCAL ? both(FLOOR) : border + both(SHIFT) - both(OPEN);
}

// What is added to the kept value diagonally before a cell.
__device__ __forceinline__ int gain(const int* table, int row, int column) {
    if (row == PAD || column == PAD) {
        if (MODE == LOCAL) return WIDE ? LOWERED : half_bits(LOWERED);
        if (ALL) return MODE == SEMI_GLOBAL ? FURTHER : 0;
        return SHIFT + (row == column ? 0 : MODE == SEMI_GLOBAL ? FURTHER : -2 * OPEN);
    }
    int score = __ldg(table + row * 5 + column);
    if (MODE == LOCAL) return WIDE ? max(score, -2 * FIRST) + LOWERED : half_bits(max(score + LOWERED, -LARGEST_HALF));
    return SHIFT + max(score + 2 * FURTHER, -2 * OPEN);
}

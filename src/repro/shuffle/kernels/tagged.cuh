// Values with tags below them: borders, and what a pair of letters gains, looked up in shared memory.
#pragma once
#include "bytes.cuh"
#include "stored.cuh"

constexpr int CODES = PAD + 1, TABLE_ROW = 8;  // of the table of gains
constexpr int OPEN = FIRST - FURTHER;
constexpr int SCALE = 16;
constexpr int LOWEST_GAIN = -2 * OPEN - 1;  // two letters and no gap are worth less than two gaps from here on
constexpr int BIAS = MODE == LOCAL ? LOCAL_BIAS : 4 * OPEN + 1;
constexpr int NEW_GAP = MODE == LOCAL ? FIRST : OPEN;  // what the first letter of a gap costs
constexpr int TOGETHER = 8;                            // words that are parted into those of either alignment
static_assert(4 * ROW_WORDS % TOGETHER == 0, "four rows fill such words");
constexpr int GAINS = BYTES ? COLUMNS / 2 : COLUMNS;   // words for a row
static_assert(!BYTES || (ALL && MODE != LOCAL), "sums are those of words, and both subjects' gains looked up at once");
constexpr int STAGED_WORDS = CELL_WORDS + 4;           // of a thread: so far apart, its neighbours' lie in other banks
constexpr unsigned FULL_16 = 0xFFFF;
static_assert(MODE == GLOBAL || COLUMNS <= SCALE, "a tag for every column");

template <int WORDS>
struct alignas(4 * WORDS) Words {
    unsigned word[WORDS];
};

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

// The gains of a thread's columns with every code of a row, in shared memory: both subjects' in a word where they have one
// query, else those of the low half's subject, then of the high half's, in columns of two; or as BYTES.
__device__ __forceinline__ void fill_profile(Four* words, const int* gains, const Sequence* subject, int first_column) {
    if (BYTES) {
        __shared__ uint4 tables[LETTERS];
        make_byte_tables(tables, [&](int row, int code) { return gains[row * TABLE_ROW + code]; });
        return fill_bytes(words, tables, subject, first_column);
    }
    for (int four = 0; four < COLUMNS / 4; ++four) {
        int codes[2][4], eight = four % (COLUMNS / 8) * 8;
        Sequence only = one_of(subject, four >= COLUMNS / 8);
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int k = 0; k < 2; ++k)
                codes[k][i] = ALL ? code_at(subject[k], first_column + 4 * four + i)
                                  : code_at(only, first_column + eight + 2 * i + k);
        for (int row = 0; row < LETTERS; ++row) {
            Four found;
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                int low = gains[row * TABLE_ROW + codes[0][i]], high = gains[row * TABLE_ROW + codes[1][i]];
                found.word[i] = ALL ? low + (unsigned(high) << 16) : packed(low, high);
            }
            words[(row * (COLUMNS / 4) + four) * WARP_SIZE] = found;
        }
    }
}
__device__ __forceinline__ void look_up(const Four* words, const int* code, unsigned* gains) {
    if (BYTES) return look_up_bytes(words, code[0], gains);
    const Four* first = words + code[0] * (COLUMNS / 4) * WARP_SIZE;
    if (ALL) {
#pragma unroll
        for (int c = 0; c < COLUMNS; c += 4) {
            Four found = first[c / 4 * WARP_SIZE];
#pragma unroll
            for (int i = 0; i < 4; ++i) gains[c + i] = found.word[i];
        }
        return;
    }
    const Four* second = words + (code[1] * (COLUMNS / 4) + COLUMNS / 8) * WARP_SIZE;
#pragma unroll
    for (int c = 0; c < COLUMNS; c += 8) {
        Four low = first[c / 8 * WARP_SIZE], high = second[c / 8 * WARP_SIZE];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            gains[c + 2 * i] = __byte_perm(low.word[i], high.word[i], 0x5410);
            gains[c + 2 * i + 1] = __byte_perm(low.word[i], high.word[i], 0x7632);
        }
    }
}

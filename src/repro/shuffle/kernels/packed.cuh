// Words of two 16-bit halves: how packed.cu borders, looks up and computes cells.
#pragma once
#include <cuda_fp16.h>
#include "bytes.cuh"

constexpr int GROUPS = WARP_SIZE / LANES;
constexpr int OPEN = FIRST - FURTHER;
constexpr int LARGEST_HALF = 2047, TOO_LARGE = -1;
constexpr int EXCEEDED = 1 << 15;  // below every 16-bit number, as -EXCEEDED
// Folded coordinates: what is added to all H', E', F'. Two queries: H' is kept so much smaller, and scores are larger,
// so that the halves of a looked-up word need not be negative.
constexpr int BIAS = 4 * OPEN;
constexpr int SHIFT = ALL || MODE == LOCAL ? 0 : 2 * OPEN;
// Scores: of the first columns of a thread permuted from a register, of the others looked up in shared memory, where a
// word has one column's for both subjects or, as BYTES, two columns'.
constexpr int LOOKED_UP = COLUMNS - PERMUTED, GAINS = BYTES ? COLUMNS / 2 : COLUMNS;  // words for a row
static_assert(LOOKED_UP % (ALL && !BYTES ? 4 : 8) == 0, "whole words of four columns, or of eight of one subject");
static_assert(!BYTES || (ALL && !PERMUTED && MODE != LOCAL), "sums are those of words, and both subjects' gains looked up at once");

__device__ __forceinline__ int warp_max(int value) {
    for (int lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2) value = max(value, __shfl_xor_sync(FULL_MASK, value, lanes));
    return value;
}

__device__ __forceinline__ int signed_half(unsigned word, int half) { return short(half ? word >> 16 : word); }
// The bits of a whole number times 2^-24 as a half.
__host__ __device__ constexpr int half_bits(int value) { return value < 0 ? 0x8000 | -value : value; }
__device__ __forceinline__ unsigned plus_halves(unsigned a, unsigned b) {
    __half2 sum = __hadd2(reinterpret_cast<__half2&>(a), reinterpret_cast<__half2&>(b));
    return reinterpret_cast<unsigned&>(sum);
}

// Local scores as halves, or as integers where those are too narrow.
constexpr bool AS_HALVES = MODE == LOCAL && !WIDE;
// A difference on the multiplier's pipe, since that of the maxima is full: times 1, which only the launch knows to be 1.
__device__ __forceinline__ unsigned less(unsigned word, unsigned constant) { return word * gridDim.y - constant; }

constexpr unsigned NO_GAP = MODE == LOCAL ? 0 : both(BIAS - 3 * OPEN);

// What is kept of H(i, 0) or H(0, j) where so many letters were passed.
__device__ __forceinline__ int border(int letters) {
    if (MODE == LOCAL) return WIDE ? 0 : half_bits(-FIRST);
    if (MODE == SEMI_GLOBAL) return BIAS - SHIFT + FURTHER * max(letters, 0);
    return BIAS - SHIFT - ((ALL ? letters != 0 : letters > 0) ? OPEN : 0);
}
__device__ __forceinline__ unsigned top_border(const Sequence* subject, int columns) {
    return packed(border(columns - subject[0].pads), border(columns - subject[1].pads));
}
__device__ __forceinline__ unsigned left_border(const Sequence* query, int rows) {
    return ALL ? both(border(rows)) : packed(border(rows - query[0].pads), border(rows - query[1].pads));
}
// What folding adds to the last column from the row after so many to the next: the best of those so far is kept as if it
// were in the present one.
__device__ __forceinline__ unsigned folded(const Sequence* query, int rows) {
    if (ALL) return both(FURTHER);
    return packed(rows < query[0].pads ? 0 : FURTHER, rows < query[1].pads ? 0 : FURTHER);
}

// What is added to the kept value diagonally before a cell.
__device__ __forceinline__ int gain(const int* table, int row, int column) {
    if (row == PAD || column == PAD) {
        if (MODE == LOCAL) return WIDE ? FIRST : half_bits(FIRST);
        if (ALL) return MODE == SEMI_GLOBAL ? FURTHER : 0;
        return SHIFT + (row == column ? 0 : MODE == SEMI_GLOBAL ? FURTHER : -2 * OPEN);
    }
    int score = __ldg(table + row * 5 + column);
    if (MODE == LOCAL) return WIDE ? max(score, -2 * FIRST) + FIRST : half_bits(max(score + FIRST, -LARGEST_HALF));
    return SHIFT + max(score + 2 * FURTHER, -2 * OPEN);
}

constexpr unsigned ZERO_BYTES = 0x7070;  // byte 7 of a table is 0: the upper byte of a gain

// tables: for the code of a query's letter, 8 bytes by the code of a subject's. words: in shared memory, by the code of a
// query's letter (4, 5 with others, 6 with pads) and by four columns, or by eight columns of one subject where queries
// differ, or as BYTES. selectors: which bytes of a table the two subjects of a column take.
struct Profile {
    const uint2* tables;
    Four* words;
    unsigned selectors[PERMUTED ? PERMUTED : 1];
};

constexpr int TABLE_WORDS = BYTES ? 24 : PERMUTED ? 16 : 0;

__device__ __forceinline__ Profile make_profile(unsigned* shared, const int* table) {
    Profile profile;
    profile.tables = reinterpret_cast<const uint2*>(shared);
    profile.words = reinterpret_cast<Four*>(shared + TABLE_WORDS) + threadIdx.x;
    if (BYTES) make_byte_tables(reinterpret_cast<uint4*>(shared), [&](int row, int code) { return gain(table, row, code); });
    if (PERMUTED && threadIdx.x < LETTERS) {
        unsigned low = 0, high = 0;
        for (int code = 0; code < 4; ++code) low |= (gain(table, threadIdx.x, code) & 0xFF) << 8 * code;
        for (int code = 4; code < 6; ++code) high |= (gain(table, threadIdx.x, code) & 0xFF) << 8 * (code - 4);
        reinterpret_cast<uint2*>(shared)[threadIdx.x] = make_uint2(low, high);
    }
    __syncwarp();
    return profile;
}

__device__ __forceinline__ void fill_profile(Profile& profile, const int* table, const Sequence* subject, int first_column) {
#pragma unroll
    for (int c = 0; c < PERMUTED; ++c) {
        unsigned low = code_at(subject[0], first_column + c), high = code_at(subject[1], first_column + c);
        profile.selectors[c] = (low & 7) | (high & 7) << 8 | ZERO_BYTES;
    }
    first_column += PERMUTED;
    if (BYTES) return fill_bytes(profile.words, reinterpret_cast<const uint4*>(profile.tables), subject, first_column);
    for (int four = 0; four < LOOKED_UP / 4; ++four) {
        // Two subjects of four columns each, or eight columns of one subject: the first half of `four` is for subject 0.
        int codes[2][4], eight = (four < LOOKED_UP / 8 ? four : four - LOOKED_UP / 8) * 8;
        Sequence only = one_of(subject, four >= LOOKED_UP / 8);
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half)
                codes[half][i] = ALL ? code_at(subject[half], first_column + 4 * four + i)
                                     : code_at(only, first_column + eight + 2 * i + half);
        for (int row = 0; row < LETTERS; ++row) {
            Four words;
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                int low = gain(table, row, codes[0][i]), high = gain(table, row, codes[1][i]);
                // Folded, the word that is added as a whole; else each half by itself.
                words.word[i] = ALL && MODE != LOCAL ? low + (unsigned(high) << 16) : packed(low, high);
            }
            profile.words[(row * (LOOKED_UP / 4) + four) * WARP_SIZE] = words;
        }
    }
}

// The codes of a row's letters in both queries; ALL: in the first.
struct Row {
    int code[2];
};

__device__ __forceinline__ Row load_row(const Sequence* query, int row, int rows) {
    if (ALL) return {{unsigned(row) < unsigned(rows) ? __ldg(query[0].codes + row) : PAD, PAD}};
    return {{code_at(query[0], row), code_at(query[1], row)}};
}

// The cell of a column: above and the left one are kept values; so is what is left in `above`.
__device__ __forceinline__ unsigned compute_cell(unsigned aligned, unsigned& above, unsigned& gap, unsigned& f, unsigned left) {
    unsigned cell;
    if (MODE == LOCAL) {
        // As integers nothing is negative: `aligned` is no smaller than the floor.
        if (AFFINE) {
            gap = WIDE ? __viaddmax_s16x2(gap, both(-FURTHER), above) : __viaddmax_s16x2_relu(gap, both(-FURTHER), above);
            f = WIDE ? __viaddmax_s16x2(f, both(-FURTHER), left) : __viaddmax_s16x2_relu(f, both(-FURTHER), left);
            cell = __vimax3_s16x2(aligned, gap, f);
        } else cell = WIDE ? __vimax3_s16x2(aligned, above, left) : __vimax3_s16x2_relu(aligned, above, left);
        above = WIDE ? less(cell, both(FIRST)) : plus_halves(cell, both(half_bits(-FIRST)));
    } else {
        if (AFFINE) {
            gap = __viaddmax_s16x2(above, both(SHIFT - OPEN), gap);
            f = __viaddmax_s16x2(left, both(SHIFT - OPEN), f);
            cell = __vimax3_s16x2(aligned, gap, f);
        } else cell = __vimax3_s16x2(aligned, above, left);
        above = cell - both(SHIFT);
    }
    return cell;
}

// What all columns of a thread gain in a row.
__device__ __forceinline__ void look_up(const Profile& profile, Row row, unsigned* gains) {
    if (BYTES) return look_up_bytes(profile.words, row.code[0], gains);
    if (PERMUTED) {
        uint2 bytes = profile.tables[row.code[0]];
#pragma unroll
        for (int c = 0; c < PERMUTED; ++c) gains[c] = __byte_perm(bytes.x, bytes.y, profile.selectors[c]);
    }
    const Four* words = profile.words + row.code[0] * (LOOKED_UP / 4) * WARP_SIZE;
    if (ALL) {
#pragma unroll
        for (int four = 0; four < LOOKED_UP / 4; ++four) {
            Four found = words[four * WARP_SIZE];
#pragma unroll
            for (int i = 0; i < 4; ++i) gains[PERMUTED + 4 * four + i] = found.word[i];
        }
        return;
    }
    const Four* others = profile.words + (row.code[1] * (LOOKED_UP / 4) + LOOKED_UP / 8) * WARP_SIZE;
#pragma unroll
    for (int eight = 0; eight < LOOKED_UP / 8; ++eight) {
        Four low = words[eight * WARP_SIZE], high = others[eight * WARP_SIZE];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            gains[8 * eight + 2 * i] = __byte_perm(low.word[i], high.word[i], 0x5410);
            gains[8 * eight + 2 * i + 1] = __byte_perm(low.word[i], high.word[i], 0x7632);
        }
    }
}

// TOGETHER rows of all columns of a thread, column by column, so that a row need not wait for the end of the one above.
// left, f: what enters each row from the left, afterwards what leaves it to the right. diagonal: above the first left.
template <int TOGETHER>
__device__ __forceinline__ void compute_rows(const Profile& profile, const Row* rows, unsigned* h, unsigned* e,
                                             unsigned* f, unsigned* left, unsigned& diagonal, unsigned& best) {
    unsigned gains[TOGETHER][GAINS], diagonals[TOGETHER], no_gap = 0, odd = 0;
#pragma unroll
    for (int i = 0; i < TOGETHER; ++i) {
        look_up(profile, rows[i], gains[i]);
        diagonals[i] = i ? left[i - 1] : diagonal;
    }
    diagonal = left[TOGETHER - 1];
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c)
#pragma unroll
        for (int i = 0; i < TOGETHER; ++i) {
            unsigned above = h[c];
            unsigned aligned = AS_HALVES       ? plus_halves(diagonals[i], gains[i][c])
                               : MODE == LOCAL ? __viaddmax_s16x2(diagonals[i], gains[i][c], both(FIRST))
                                               : BYTES         ? plus_bytes(diagonals[i], gains[i], c)
                                               : diagonals[i] + gains[i][c];
            unsigned cell = compute_cell(aligned, h[c], AFFINE ? e[c] : no_gap, f[i], left[i]);
            diagonals[i] = above;
            left[i] = h[c];
            if (MODE == LOCAL) {
                if ((c * TOGETHER + i) % 2) best = __vimax3_s16x2(best, odd, cell);
                odd = cell;
            }
        }
}

// The score of one half, the same in all lanes of a group.
__device__ __forceinline__ int result(unsigned corner, unsigned best, unsigned column_best, int row_best,
                                      const Sequence& query, const Sequence& subject, int half) {
    if (MODE == GLOBAL)
        return signed_half(__shfl_sync(FULL_MASK, corner, LANES - 1, LANES), half) + SHIFT - BIAS -
               FURTHER * (query.length + subject.length);
    int found = signed_half(best, half);
    if (MODE == SEMI_GLOBAL) {
        int last_column = signed_half(__shfl_sync(FULL_MASK, column_best, LANES - 1, LANES), half);
        found = max(row_best, last_column - FURTHER * (query.length + subject.length)) + SHIFT - BIAS;
        found = max(found, 0);
    }
    for (int lanes = LANES / 2; lanes > 0; lanes /= 2) found = max(found, __shfl_xor_sync(FULL_MASK, found, lanes, LANES));
    if (MODE == LOCAL && WIDE) return max(found - FIRST, 0);
    return MODE == LOCAL && found > LARGEST_HALF ? TOO_LARGE : found;
}

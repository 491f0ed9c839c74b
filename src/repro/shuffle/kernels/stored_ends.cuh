// Where stored.cu's alignments end, of equal ones the first: that which follow.cu starts from.
#pragma once
#include "stored.cuh"

constexpr unsigned FULL_16 = 0xFFFF;
constexpr int PLACES = 32;  // LOCAL: a best value with its column, the first one's largest, has so many of them
static_assert(COLUMNS <= PLACES && (LARGEST_HALF + 1) * PLACES == FULL_16 + 1, "a place for every column");

__device__ __forceinline__ unsigned half_of(unsigned word, int half) { return half ? word >> 16 : word & FULL_16; }

template <class Key>
__device__ __forceinline__ Key group_max(Key value) {
#pragma unroll
    for (int lanes = LANES / 2; lanes > 0; lanes /= 2) {
        Key other = __shfl_xor_sync(FULL_MASK, value, lanes, LANES);
        value = other > value ? other : value;
    }
    return value;
}

// Of alignment `half`. Columns count from the thread's first one. h: of the last row of its columns. best: LOCAL: the best of
// its cells, with its column; SEMI_GLOBAL: of its last column, as if in the last row. best_row: the letters of the query up
// to there.
__device__ __forceinline__ void find_end(const Sequence& query, const Sequence& subject, const unsigned* h, unsigned best,
                                         int best_row, int half, End& end) {
    int m = query.length, n = subject.length;
    end = {0, 0, m, 0, n, 0, 0, 0};
    auto score_of = [&](unsigned word, int letters) { return signed_half(word, half) + SHIFT - BIAS - FURTHER * letters; };
    if (MODE == GLOBAL) end.score = score_of(h[COLUMNS - 1], m + n);
    if (MODE == SEMI_GLOBAL) {
        int of_row = 0, of_column = score_of(best, m + n), first_letters = 0;  // a score of 0 is the border's
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            int letters = c + 1 - subject.pads, score = score_of(h[c], m + max(letters, 0));
            if (score > of_row) of_row = score, first_letters = letters;
        }
        unsigned key = group_max(unsigned(of_row) << 16 | (FULL_16 - first_letters));
        of_row = int(key >> 16);
        if (best_row == m || of_row > of_column) end.score = of_row, end.subject_end = FULL_16 - int(key & FULL_16);
        else end.score = of_column, end.query_end = best_row;
    }
    if (MODE == LOCAL) {
        int found = int(half_of(best, half)), score = found / PLACES;
        int letters = PLACES - found % PLACES - subject.pads;
        unsigned long long key = (unsigned long long)score << 32 | (FULL_16 - best_row) << 16 | (FULL_16 - letters);
        key = group_max(score > 0 ? key : 0ull);
        end = {int(key >> 32), 0, int(FULL_16 - (key >> 16 & FULL_16)), 0, int(FULL_16 - (key & FULL_16)), 0, 0, 0};
        if (!key) end = {};
    }
}

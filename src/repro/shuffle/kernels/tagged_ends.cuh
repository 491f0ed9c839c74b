// Where stored.cu's alignments end, of equal ones the first: that which follow.cu starts from.
#pragma once
#include "tagged.cuh"

template <class Key>
__device__ __forceinline__ Key group_max(Key value) {
#pragma unroll
    for (int lanes = LANES / 2; lanes > 0; lanes /= 2) {
        Key other = __shfl_xor_sync(FULL_MASK, value, lanes, LANES);
        value = other > value ? other : value;
    }
    return value;
}

// Of alignment `half`. h: of the last row of this thread's columns. best: LOCAL: the best of its cells, tagged for the
// column; SEMI_GLOBAL: of its last column. best_row: the letters of the query up to there.
__device__ __forceinline__ void find_end(const Sequence* query, const Sequence* subject, int first_column,
                                         const unsigned* h, unsigned best, const int* best_row, int half, End& end) {
    int m = query[half].length, n = subject[half].length;
    end = {0, 0, m, 0, n, 0, 0, 0};
    if (MODE == GLOBAL) end.score = int(half_of(h[COLUMNS - 1], half)) / SCALE - BIAS - FURTHER * (m + n);
    if (MODE == SEMI_GLOBAL) {
        // The last row's first best, tagged by the column, the first one's tag the largest; a score of 0 is the border's.
        unsigned before = packed(first_column - subject[0].pads, first_column - subject[1].pads), of_columns = 0;
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            unsigned letters = __viaddmax_s16x2(before, both(c + 1), 0);
            of_columns = larger(of_columns, (h[c] & VALUES) + both(COLUMNS - 1 - c) - letters * (FURTHER * SCALE));
        }
        int found = int(half_of(of_columns, half)), score = found / SCALE - BIAS - FURTHER * m;
        int letters = first_column + COLUMNS - found % SCALE - subject[half].pads;
        unsigned key = score > 0 ? unsigned(score) << 16 | (FULL_16 - letters) : FULL_16;
        key = group_max(key);
        int of_row = int(key >> 16), of_column = int(half_of(best, half)) / SCALE - BIAS - FURTHER * n;
        if (best_row[half] == m || of_row > of_column) end.score = of_row, end.subject_end = FULL_16 - int(key & FULL_16);
        else end.score = of_column, end.query_end = best_row[half];
    }
    if (MODE == LOCAL) {
        int score = int(half_of(best, half)) / SCALE - BIAS, column = first_column + COLUMNS - 1 - int(half_of(best, half)) % SCALE;
        unsigned long long key = (unsigned long long)score << 32 | (FULL_16 - best_row[half]) << 16 |
                                 (FULL_16 - (column + 1 - subject[half].pads));
        key = group_max(score > 0 ? key : 0ull);
        end = {int(key >> 32), 0, int(FULL_16 - (key >> 16 & FULL_16)), 0, int(FULL_16 - (key & FULL_16)), 0, 0, 0};
        if (!key) end = {};
    }
}

// Where stored.cu's gains come from, of all columns of a thread with the letters of a row.
#pragma once
#include "bytes.cuh"
#include "tagged.cuh"
#include "words.cuh"

constexpr int GAINS = BYTES ? COLUMNS / 2 : COLUMNS;  // words for a row
static_assert(!BYTES || (ALL && MODE != LOCAL), "sums are those of words, and both subjects' gains looked up at once");

// words: of fill_words, or as BYTES of fill_bytes.
__device__ __forceinline__ void fill_profile(Quad<unsigned>* words, const int* gains, const Sequence* subject,
                                             int first_column) {
    if (BYTES) {
        __shared__ uint4 tables[LETTERS];
        make_byte_tables(tables, [&](int row, int code) { return gains[row * TABLE_ROW + code]; });
        return fill_bytes(words, tables, subject, first_column);
    }
    for (int four = 0; four < COLUMNS / 4; ++four) {
        int eight = four % (COLUMNS / 8) * 8;
        fill_words<COLUMNS>(words, subject, first_column, four, eight, [&](int row, int of_low, int of_high) {
            int low = gains[row * TABLE_ROW + of_low], high = gains[row * TABLE_ROW + of_high];
            return ALL ? low + (unsigned(high) << 16) : packed(low, high);
        });
    }
}
__device__ __forceinline__ void look_up(const Quad<unsigned>* words, const int* code, unsigned* gains) {
    if (BYTES) return look_up_bytes(words, code[0], gains);
    look_up_words<COLUMNS>(words, code, gains);
}

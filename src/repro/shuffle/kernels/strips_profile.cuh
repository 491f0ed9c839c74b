// Where the gains of strips.cu come from: bytes, of the columns of either half with the letter of either's row. Two halves'
// bytes are brought together by permutations or, SPACED, by a sum, where every second byte is 0 and the other half's.
#pragma once
#include "strips.cuh"

constexpr int LETTERS = 5;
// Of the profile, which has the low halves' gains, then the high ones'; of each by letter of the query, the columns of a
// lane, in parts that one instruction loads.
constexpr int BYTES = 1 + SPACED;  // of a column
static_assert(PART * BYTES <= 16, "one load");
constexpr int PARTS = COLUMNS / PART, PART_BYTES = PART * BYTES;
constexpr int LETTER_BYTES = P * COLUMNS * BYTES, HALF_BYTES = LETTERS * LETTER_BYTES;
static_assert(COLUMNS % PART == 0 && PART % 4 == 0, "whole parts");

struct alignas(PART_BYTES) Part {
    unsigned word[PART_BYTES / 4];
};

// The gains of a lane's columns but those skipped, of one half of its words, from `first` on, a position in the subject; of
// high halves twice as large.
__device__ __forceinline__ void fill_profile(unsigned char* profile, const int* table, const uint8_t* subject, int first,
                                             int skipped, int half) {
    for (int c = skipped; c < COLUMNS; ++c) {
        int position = first + c - skipped, code = position < 0 ? LETTERS : __ldg(subject + position);
        for (int letter = 0; letter < LETTERS; ++letter) {
            int gain = code == LETTERS ? (MODE == SEMI_GLOBAL ? FURTHER : 0)
                                       : max(__ldg(table + letter * LETTERS + code) + DIAGONAL, -2 * OPENING);
            unsigned char* place = profile + letter * LETTER_BYTES + c / PART * (P * PART_BYTES) + c % PART * BYTES;
            if (SPACED) place[0] = place[1] = 0;
            place[SPACED && half] = (1 + half) * (SHIFT + gain);
        }
    }
}
// What a row gains, of either half.
struct Gains {
    unsigned low[COLUMNS * BYTES / 4], high[COLUMNS * BYTES / 4];
};
// A part of the gains of one half, from the place of its letter.
__device__ __forceinline__ void look_up(const unsigned char* profile, unsigned place, int part, unsigned* gains) {
    Part found = *reinterpret_cast<const Part*>(profile + place + part * (P * PART_BYTES));
#pragma unroll
    for (int i = 0; i < PART_BYTES / 4; ++i) gains[part * (PART_BYTES / 4) + i] = found.word[i];
}
// The same for both halves of all rows. codes: of letters, a byte each, those of the low half's rows first.
__device__ __forceinline__ void look_up(const unsigned char* profile, unsigned codes, int part, Gains* gains) {
    unsigned place = threadIdx.x * PART_BYTES;
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
        unsigned worth = LETTER_BYTES << 16 * i;
        look_up(profile, __dp2a_lo(worth, codes, place), part, gains[i].low);
        look_up(profile, __dp2a_hi(worth, codes, place + HALF_BYTES), part, gains[i].high);
    }
}
// The word with what a column gains added to either half. High halves' bytes are twice as large, for a factor of 16 bits
// that brings them there. A sum is a multiply-add, by gridDim.y, which is 1, so that it is not on the maxima's pipe.
__device__ __forceinline__ unsigned plus_gains(unsigned word, const Gains& gains, int column) {
    int place = column * BYTES / 4;
    unsigned low = gains.low[place], high = gains.high[place];
    unsigned bytes = SPACED ? low * gridDim.y + high : __byte_perm(low, high, column % 4 < 2 ? 0x5140 : 0x7362);
    return column % 2 ? __dp2a_hi(0x80000001u, bytes, word) : __dp2a_lo(0x80000001u, bytes, word);
}

// Where the gains of strips.cu come from: bytes, of the columns of either half with the letter of either's row.
#pragma once
#include "strips.cuh"

constexpr int LETTERS = 5;
// Of the profile, which has the low halves' gains, then the high ones'; of each by letter of the query, COLUMNS bytes a
// lane, in parts that one instruction loads.
constexpr int PART = COLUMNS < 16 ? COLUMNS : 16, PARTS = COLUMNS / PART, QUADS = COLUMNS / 4;
constexpr int LETTER_BYTES = P * COLUMNS, HALF_BYTES = LETTERS * LETTER_BYTES;
static_assert(PART == 4 || PART == 8 || COLUMNS % 16 == 0, "whole parts");

struct alignas(PART) Part {
    unsigned word[PART / 4];
};

// The gains of a lane's columns, of one half of its words, from `first` on, a position in the subject.
__device__ __forceinline__ void fill_profile(unsigned char* profile, const int* table, const uint8_t* subject, int first,
                                             int factor) {
    for (int c = 0; c < COLUMNS; ++c) {
        int code = first + c < 0 ? LETTERS : __ldg(subject + first + c);
        for (int letter = 0; letter < LETTERS; ++letter) {
            int gain = code == LETTERS ? (MODE == SEMI_GLOBAL ? FURTHER : 0)
                                       : max(__ldg(table + letter * LETTERS + code) + DIAGONAL, -2 * OPENING);
            profile[letter * LETTER_BYTES + c / PART * (P * PART) + c % PART] = factor * (SHIFT + gain);
        }
    }
}
// What a row gains: of either half, a byte a column.
struct Gains {
    unsigned low[QUADS], high[QUADS];
};
// A part of the gains of one half, from the place of its letter.
__device__ __forceinline__ void look_up(const unsigned char* profile, unsigned place, int part, unsigned* gains) {
    Part found = *reinterpret_cast<const Part*>(profile + place + part * (P * PART));
#pragma unroll
    for (int i = 0; i < PART / 4; ++i) gains[part * (PART / 4) + i] = found.word[i];
}
// The same for both halves of all rows. codes: of letters, a byte each, those of the low half's rows first.
__device__ __forceinline__ void look_up(const unsigned char* profile, unsigned codes, int part, Gains* gains) {
    unsigned place = threadIdx.x * PART;
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
        unsigned worth = LETTER_BYTES << 16 * i;
        look_up(profile, __dp2a_lo(worth, codes, place), part, gains[i].low);
        look_up(profile, __dp2a_hi(worth, codes, place + HALF_BYTES), part, gains[i].high);
    }
}
// The word with what a column gains added to either half. High halves' bytes are twice as large, for a factor of 16 bits
// that brings them there. Linear gaps leave the maxima's pipe time for a permutation in place of a product.
__device__ __forceinline__ unsigned plus_gains(unsigned word, const Gains& gains, int column) {
    unsigned low = gains.low[column / 4], high = gains.high[column / 4], place = column % 2 * 16;
    bool first = column % 4 < 2;
    if (!AFFINE) {
        unsigned bytes = __byte_perm(low, high, first ? 0x5140 : 0x7362);
        return place ? __dp2a_hi(0x80000001u, bytes, word) : __dp2a_lo(0x80000001u, bytes, word);
    }
    word = first ? __dp2a_lo(1u << place, low, word) : __dp2a_hi(1u << place, low, word);
    return first ? __dp2a_lo(0x8000u << place, high, word) : __dp2a_hi(0x8000u << place, high, word);
}

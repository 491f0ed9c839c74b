// Gains that are words, in shared memory. Where two subjects have one query (ALL), a word has a column's with either; else
// each subject has words of its own, of two columns, since two letters of queries look them up.
#pragma once
#include "quad.cuh"
#include "sequences.cuh"

// Fills a Quad for every letter of a query. words: by letter and by four columns of both subjects, or by eight of the first
// one and then of the second, those of a thread a warp apart. eight: the first of eight columns. gain(row, low, high): a
// letter's word, with the codes of two columns.
template <int COUNT, class Gain>
__device__ __forceinline__ void fill_words(Quad<unsigned>* words, const Sequence* subject, int first_column, int four,
                                           int eight, Gain gain) {
    int codes[2][4];
    Sequence only = one_of(subject, four >= COUNT / 8);
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half)
            codes[half][i] = ALL ? code_at(subject[half], first_column + 4 * four + i)
                                 : code_at(only, first_column + eight + 2 * i + half);
    for (int row = 0; row < LETTERS; ++row) {
        Quad<unsigned> found;
#pragma unroll
        for (int i = 0; i < 4; ++i) found.entry[i] = gain(row, codes[0][i], codes[1][i]);
        words[(row * (COUNT / 4) + four) * WARP_SIZE] = found;
    }
}
// code: of a row's letters in both queries; ALL: in the first.
template <int COUNT>
__device__ __forceinline__ void look_up_words(const Quad<unsigned>* words, const int* code, unsigned* gains) {
    const Quad<unsigned>* first = words + code[0] * (COUNT / 4) * WARP_SIZE;
    if (ALL) {
#pragma unroll
        for (int four = 0; four < COUNT / 4; ++four) {
            Quad<unsigned> found = first[four * WARP_SIZE];
#pragma unroll
            for (int i = 0; i < 4; ++i) gains[4 * four + i] = found.entry[i];
        }
        return;
    }
    const Quad<unsigned>* second = words + (code[1] * (COUNT / 4) + COUNT / 8) * WARP_SIZE;
#pragma unroll
    for (int eight = 0; eight < COUNT / 8; ++eight) {
        Quad<unsigned> low = first[eight * WARP_SIZE], high = second[eight * WARP_SIZE];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            gains[8 * eight + 2 * i] = __byte_perm(low.entry[i], high.entry[i], 0x5410);
            gains[8 * eight + 2 * i + 1] = __byte_perm(low.entry[i], high.entry[i], 0x7632);
        }
    }
}

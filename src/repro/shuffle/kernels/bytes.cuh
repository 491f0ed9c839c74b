// Gains that are bytes, in shared memory: a word has those of two columns with a letter of the query, each column's for
// the low half's subject and then, twice as large, for the high half's.
#pragma once
#include "plus_bytes.cuh"
#include "quad.cuh"
#include "sequences.cuh"

// For every letter of a query the gains with a subject's codes as bytes, once and, for high halves, twice.
// gain(row, code): a number from 0 to 127.
template <class Gain>
__device__ __forceinline__ void make_byte_tables(uint4* tables, Gain gain) {
    if (threadIdx.x < LETTERS) {
        unsigned once[2] = {}, twice[2] = {};
        for (int code = 0; code <= PAD; ++code) {
            unsigned byte = gain(threadIdx.x, code);
            once[code / 4] |= byte << code % 4 * 8, twice[code / 4] |= 2 * byte << code % 4 * 8;
        }
        tables[threadIdx.x] = make_uint4(once[0], once[1], twice[0], twice[1]);
    }
    __syncwarp();
}

// words: by letter of a query and by eight columns, those of a thread a warp apart. tables: of make_byte_tables.
__device__ __forceinline__ void fill_bytes(Quad<unsigned>* words, const uint4* tables, const Sequence* subject,
                                           int first_column) {
#pragma unroll 1
    for (int eight = 0; eight < COLUMNS / 8; ++eight) {
        unsigned selectors[2][2] = {};  // for four columns each
#pragma unroll
        for (int half = 0; half < 2; ++half)
#pragma unroll
            for (int c = 0; c < 8; ++c)
                selectors[half][c / 4] |= code_at(subject[half], first_column + 8 * eight + c) << c % 4 * 4;
#pragma unroll 1
        for (int row = 0; row < LETTERS; ++row) {
            uint4 table = tables[row];
            Quad<unsigned> found;
#pragma unroll
            for (int four = 0; four < 2; ++four) {
                unsigned low = __byte_perm(table.x, table.y, selectors[0][four]);
                unsigned high = __byte_perm(table.z, table.w, selectors[1][four]);
                found.entry[2 * four] = __byte_perm(low, high, 0x5140);
                found.entry[2 * four + 1] = __byte_perm(low, high, 0x7362);
            }
            words[(row * (COLUMNS / 8) + eight) * WARP_SIZE] = found;
        }
    }
}
__device__ __forceinline__ void look_up_bytes(const Quad<unsigned>* words, int code, unsigned* gains) {
#pragma unroll
    for (int eight = 0; eight < COLUMNS / 8; ++eight) {
        Quad<unsigned> found = words[(code * (COLUMNS / 8) + eight) * WARP_SIZE];
#pragma unroll
        for (int i = 0; i < 4; ++i) gains[4 * eight + i] = found.entry[i];
    }
}

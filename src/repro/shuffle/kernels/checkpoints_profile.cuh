// Where the gains of checkpoints.cu come from, of all columns of a lane with the letters of a row.
#pragma once
#include "checkpoints_words.cuh"
#include "quad.cuh"

// The gains of COLUMNS columns with every code of a row: WORDs where one query serves all halves, else scores of the low
// half's subject, then of the high half's, in columns of two. gains: in shared memory, by code of a row and of a column.
__device__ __forceinline__ void fill_profile(Quad<WORD>* words, const Whole* gains, const uint8_t* const* subject,
                                             const Whole* n, int first_column, int stripes) {
    for (int four = 0; four < COLUMNS / 4; ++four) {
        int codes[2][4], half = four / (COLUMNS / 8), eight = four % (COLUMNS / 8) * 8;
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int k = 0; k < HALVES; ++k) {
                int of = SHARED_QUERY ? k : half, column = first_column + (SHARED_QUERY ? 4 * four + i : eight + 2 * i + k);
                Whole letters = of ? n[HALVES - 1] : n[0];
                codes[k][i] = code_at(of ? subject[HALVES - 1] : subject[0], letters, column - (stripes * COLUMNS - letters));
            }
        for (int row = 0; row < CODES; ++row) {
            Quad<WORD> found;
#pragma unroll
            for (int i = 0; i < 4; ++i)
                found.entry[i] = make_gain(gains[row * TABLE_ROW + codes[0][i]], gains[row * TABLE_ROW + codes[HALVES - 1][i]]);
            words[(row * (COLUMNS / 4) + four) * WARP_SIZE] = found;
        }
    }
}

__device__ __forceinline__ void look_up(const Quad<WORD>* words, const int* code, WORD* gains) {
    if (SHARED_QUERY) {
#pragma unroll
        for (int four = 0; four < COLUMNS / 4; ++four) {
            Quad<WORD> found = words[(code[0] * (COLUMNS / 4) + four) * WARP_SIZE];
#pragma unroll
            for (int i = 0; i < 4; ++i) gains[4 * four + i] = found.entry[i];
        }
    } else
#pragma unroll
        for (int eight = 0; eight < COLUMNS / 8; ++eight) {
            Quad<WORD> low = words[(code[0] * (COLUMNS / 4) + eight) * WARP_SIZE];
            Quad<WORD> high = words[(code[HALVES - 1] * (COLUMNS / 4) + COLUMNS / 8 + eight) * WARP_SIZE];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                gains[8 * eight + 2 * i] = __byte_perm(unsigned(low.entry[i]), unsigned(high.entry[i]), 0x5410);
                gains[8 * eight + 2 * i + 1] = __byte_perm(unsigned(low.entry[i]), unsigned(high.entry[i]), 0x7632);
            }
        }
}

// The recurrence of packed.cu, in the coordinates that it describes, for a thread's columns.
#pragma once
#include <cuda_fp16.h>
#include "packed_profile.cuh"

__device__ __forceinline__ unsigned plus_halves(unsigned a, unsigned b) {
    __half2 sum = __hadd2(reinterpret_cast<__half2&>(a), reinterpret_cast<__half2&>(b));
    return reinterpret_cast<unsigned&>(sum);
}

// Local scores as halves, or as integers where those are too narrow.
constexpr bool AS_HALVES = MODE == LOCAL && !WIDE;
// A difference on the multiplier's pipe, since that of the maxima is full: times 1, which only the launch knows to be 1.
__device__ __forceinline__ unsigned less(unsigned word, unsigned constant) { return word * gridDim.y - constant; }

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

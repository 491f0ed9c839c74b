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
// Sums on the multiplier's pipe, since that of the maxima is full: times 1, which only the launch knows to be 1.
__device__ __forceinline__ unsigned plus(unsigned word, unsigned other) { return word * gridDim.y + other; }
__device__ __forceinline__ unsigned less(unsigned word, unsigned constant) { return word * gridDim.y - constant; }

// What is kept of the cell diagonally before, with a pair of letters.
__device__ __forceinline__ unsigned aligned_with(unsigned diagonal, const unsigned* gains, int column) {
    if (BYTES) return plus_bytes(diagonal, gains, column);
    if (AS_HALVES) return plus_halves(diagonal, gains[column]);
    if (WIDE) return ADJACENT_GAPS ? __viaddmax_s16x2(diagonal, gains[column], both(FLOOR)) : plus(diagonal, gains[column]);
    return diagonal + gains[column];
}
// What a cell leaves for gaps in a local alignment.
__device__ __forceinline__ unsigned opened(unsigned cell) {
    return WIDE ? less(cell, both(FIRST)) : plus_halves(cell, both(half_bits(-FIRST)));
}
// The cell of a column, from the kept value `above`, which is replaced, and the left one. gap and f are what the cells above
// and on the left leave for this one, afterwards what it leaves for the next, from what comes diagonally if that is enough.
__device__ __forceinline__ unsigned compute_cell(unsigned aligned, unsigned& above, unsigned& gap, unsigned& f, unsigned left) {
    unsigned cell = AFFINE      ? __vimax3_s16x2(aligned, gap, f)
                    : AS_HALVES ? __vimax3_s16x2_relu(aligned, above, left)
                                : __vimax3_s16x2(aligned, above, left);
    unsigned from = ADJACENT_GAPS ? cell : aligned;
    if (MODE != LOCAL) {
        if (AFFINE) gap = __viaddmax_s16x2(from, both(-OPEN), gap), f = __viaddmax_s16x2(from, both(-OPEN), f);
        above = cell - both(SHIFT);
        return cell;
    }
    unsigned lower = opened(from);
    if (AFFINE && AS_HALVES) {
        gap = __viaddmax_s16x2_relu(gap, both(-FURTHER), lower);
        f = __viaddmax_s16x2_relu(f, both(-FURTHER), lower);
    } else if (AFFINE) {
        // Nothing is below the floor: `aligned` is not, or else what comes from above.
        gap = ADJACENT_GAPS ? __viaddmax_s16x2(gap, both(-FURTHER), lower)
                            : __vimax3_s16x2(less(gap, both(FURTHER)), lower, both(FLOOR));
        f = __viaddmax_s16x2(f, both(-FURTHER), lower);
    }
    above = ADJACENT_GAPS ? lower : cell;
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
            unsigned aligned = aligned_with(diagonals[i], gains[i], c);
            unsigned cell = compute_cell(aligned, h[c], AFFINE ? e[c] : no_gap, f[i], left[i]);
            diagonals[i] = above;
            left[i] = h[c];
            if (MODE == LOCAL) {
                if ((c * TOGETHER + i) % 2) best = __vimax3_s16x2(best, odd, cell);
                odd = cell;
            }
        }
}

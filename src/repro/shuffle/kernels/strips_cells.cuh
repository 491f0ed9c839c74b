// The recurrence of strips.cu for a lane's columns, in either half another row of the matrix.
#pragma once
#include "strips_profile.cuh"

__device__ __forceinline__ unsigned merged(unsigned now, unsigned before, unsigned mask) {
    return (now & mask) | (before & ~mask);
}

// From what is kept of H, H less an opening.
__device__ __forceinline__ unsigned opened(unsigned kept) { return SHIFT == OPENING ? kept : kept + both(SHIFT) - both(OPENING); }

// A row of a lane's columns. left, f: what enters from the left, afterwards what leaves to the
// right. diagonal: above the first left. GUARDED: only in the halves that `mask` has.
template <bool GUARDED>
__device__ __forceinline__ void compute_row(const Gains& gains, unsigned* h, unsigned* e, unsigned& f, unsigned left,
                                            unsigned& diagonal, unsigned& best, unsigned floor, unsigned mask) {
    unsigned above_left = diagonal, odd = 0;
    diagonal = GUARDED ? merged(left, diagonal, mask) : left;
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
        unsigned above = h[c], cell, aligned = plus_gains(MODE == LOCAL ? 0 : above_left, gains, c);
        if (MODE == LOCAL) aligned = __viaddmax_s16x2(above_left, aligned, floor);
        above_left = above;
        if (AFFINE) {
            unsigned gap;
            if (MODE == LOCAL) {
                gap = __viaddmax_s16x2(e[c], both(-FURTHER), opened(above));
                f = __viaddmax_s16x2(f, both(-FURTHER), opened(left));
            } else {
                gap = __viaddmax_s16x2(above, both(SHIFT - OPENING), e[c]);
                f = __viaddmax_s16x2(left, both(SHIFT - OPENING), f);
            }
            cell = __vimax3_s16x2(aligned, gap, f);
            e[c] = GUARDED ? merged(gap, e[c], mask) : gap;
        } else cell = __vimax3_s16x2(aligned, opened(above), opened(left));
        if (MODE == LOCAL) {
            unsigned counted = GUARDED ? cell & mask : cell;
            if (c % 2) best = __vimax3_s16x2(best, odd, counted);
            odd = counted;
        }
        left = SHIFT ? cell * gridDim.y - both(SHIFT) : cell;  // gridDim.y is 1: on the multiplier's pipe
        h[c] = GUARDED ? merged(left, h[c], mask) : left;
    }
}

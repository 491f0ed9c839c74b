// The recurrence of strips.cu for a lane's columns, in either half another row of the matrix.
#pragma once
#include "strips_profile.cuh"

__device__ __forceinline__ unsigned merged(unsigned now, unsigned before, unsigned mask) {
    return (now & mask) | (before & ~mask);
}

// From what is kept of H, H less an opening.
__device__ __forceinline__ unsigned opened(unsigned kept) { return SHIFT == OPENING ? kept : kept + both(SHIFT) - both(OPENING); }

// ROWS rows of a lane's columns, column by column, so that a row need not wait for the end of the one above. left, f: what
// enters each of them from the left, afterwards what leaves it to the right. diagonal: above the first left. gains: those
// of the first PART columns and so on; next(part) follows them when they are not needed any more. GUARDED: of each row
// only the halves that its mask has. WHOLE: all parts, else from first_part on.
template <bool GUARDED, bool WHOLE, class Next>
__device__ __forceinline__ void compute_rows(int first_part, Gains* gains, unsigned* h, unsigned* e, unsigned* f,
                                             unsigned* left, unsigned& diagonal, unsigned& best, unsigned floor, const unsigned* masks,
                                             Next next) {
    unsigned above_left[ROWS], odd = 0;
#pragma unroll
    for (int i = 0; i < ROWS; ++i) above_left[i] = i ? left[i - 1] : diagonal;
    diagonal = GUARDED ? merged(left[ROWS - 1], diagonal, masks[ROWS - 1]) : left[ROWS - 1];
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
        if (!WHOLE && part < first_part) continue;
#pragma unroll
        for (int c = part * PART; c < (part + 1) * PART; ++c) {
#pragma unroll
            for (int i = 0; i < ROWS; ++i) {
                unsigned above = h[c], aligned = plus_gains(MODE == LOCAL ? 0 : above_left[i], gains[i], c);
                if (MODE == LOCAL) aligned = __viaddmax_s16x2(above_left[i], aligned, floor);
                above_left[i] = above;
                unsigned cell = AFFINE ? __vimax3_s16x2(aligned, e[c], f[i])
                                       : __vimax3_s16x2(aligned, opened(above), opened(left[i]));
                left[i] = SHIFT ? cell * gridDim.y - both(SHIFT) : cell;  // gridDim.y is 1: on the multiplier's pipe
                if (AFFINE) {
                    unsigned from = ADJACENT_GAPS ? cell : aligned, gap;
                    if (MODE == LOCAL) {
                        gap = __viaddmax_s16x2(e[c], both(-FURTHER), opened(left[i]));
                        f[i] = __viaddmax_s16x2(f[i], both(-FURTHER), opened(left[i]));
                    } else {
                        gap = __viaddmax_s16x2(from, both(-OPENING), e[c]);
                        f[i] = __viaddmax_s16x2(from, both(-OPENING), f[i]);
                    }
                    e[c] = GUARDED ? merged(gap, e[c], masks[i]) : gap;
                }
                if (MODE == LOCAL) {
                    unsigned counted = GUARDED ? cell & masks[i] : cell;
                    if ((c * ROWS + i) % 2) best = __vimax3_s16x2(best, odd, counted);
                    odd = counted;
                }
                h[c] = GUARDED ? merged(left[i], h[c], masks[i]) : left[i];
            }
        }
        next(part);
    }
}

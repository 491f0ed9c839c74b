// The recurrence of stored.cu: a row of a thread's columns, and the tags that its maxima chose, parted from the values.
#pragma once
#include "tagged_profile.cuh"

constexpr int TOGETHER = 8;  // words that are parted into those of either alignment
static_assert(4 * ROW_WORDS % TOGETHER == 0, "four rows fill such words");

// The tags of several words, the first one's highest: sums of words and of words without tags differ by them.
struct Tags {
    unsigned sum, values;
};
__device__ __forceinline__ void append(Tags& tags, unsigned word, unsigned value) {
    tags.sum = tags.sum * (1 << BITS) + word;
    tags.values = tags.values * (1 << BITS) + value;
}
__device__ __forceinline__ unsigned taken(Tags& tags) {
    unsigned found = tags.sum - tags.values;
    tags = {0, 0};
    return found;
}

// A row of a thread's columns. h: of the row above, afterwards of this one, stamped. left, f: what enters from the left,
// afterwards what leaves to the right. LOCAL: E is no less than 0, nor is, with linear gaps, what e and f are then: H less
// a gap. opens: what opening a gap from above adds, with its tag. best: LOCAL: the largest value of the row with a tag for
// its column, the first one's largest.
__device__ __forceinline__ void compute_row(const unsigned* gains, unsigned opens, unsigned stamp, unsigned diagonal,
                                            unsigned* h, unsigned* e, unsigned& f, unsigned& left, unsigned* cells,
                                            unsigned& f_tags, unsigned& best) {
    constexpr unsigned EXTENDS = both(-FURTHER * SCALE);
    Tags of_cells = {0, 0}, of_f = {0, 0};
    unsigned odd = 0;
    best = 0;
    if (!AFFINE && MODE == LOCAL) f = __viaddmax_u16x2(left, EXTENDS, FLOOR + stamp);
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
        unsigned above = h[c], gap_up = above, gap_left = left;
        if (AFFINE) {
            unsigned extended_e = MODE == LOCAL ? __viaddmax_u16x2(e[c], EXTENDS, FLOOR + both(ABOVE)) : e[c];
            unsigned extended_f = MODE == LOCAL ? f - both(FURTHER * SCALE) : f;
            e[c] = __viaddmax_u16x2(above, opens, extended_e);
            f = __viaddmax_u16x2(left, both(-NEW_GAP * SCALE + LEFT + 1 + c % STRIP), extended_f);
        }
        if (AFFINE || MODE == LOCAL) gap_up = e[c], gap_left = f;
        unsigned cell = BYTES ? __vimax3_u16x2(plus_bytes(diagonal, gains, c), gap_up, gap_left)
                        : ALL ? __vimax3_u16x2(diagonal + gains[c], gap_up, gap_left)
                              : __viaddmax_u16x2(diagonal, gains[c], larger(gap_up, gap_left));
        diagonal = above;
        h[c] = left = (cell & VALUES) | stamp;
        if (!AFFINE && MODE == LOCAL) e[c] = f = __viaddmax_u16x2(left, EXTENDS, FLOOR + stamp);
        append(of_cells, cell, left);
        if (c % PER_WORD == PER_WORD - 1) cells[c / PER_WORD] = taken(of_cells);
        if (AFFINE && c % STRIP == STRIP - 1) {
            unsigned value = f & VALUES;
            append(of_f, f, value);
            f = value;
        }
        if (MODE == LOCAL) {
            unsigned tagged = left - stamp + both(COLUMNS - 1 - c);
            if (c % 2) best = __vimax3_u16x2(best, odd, tagged);
            odd = tagged;
        }
    }
    f_tags = taken(of_f);
}

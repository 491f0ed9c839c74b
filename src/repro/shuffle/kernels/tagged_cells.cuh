// The recurrence of stored.cu: a row of a thread's columns, and the tags that its maxima chose, parted from the values.
#pragma once
#include "tagged_profile.cuh"

constexpr int TOGETHER = 8;  // words that are parted into those of either alignment
static_assert(4 * ROW_WORDS % TOGETHER == 0, "four rows fill such words");

// The tags of COUNT words, the first one's lowest. values: the same without tags, maybe stamped: the sums differ by tags.
template <int COUNT>
__device__ __forceinline__ unsigned tags_of(const unsigned* words, const unsigned* values) {
    unsigned sum = 0, of_values = 0;
#pragma unroll
    for (int k = COUNT - 1; k >= 0; --k) {
        sum = sum * (1 << BITS) + words[k];
        of_values = of_values * (1 << BITS) + values[k];
    }
    return sum - of_values;
}

// Where the integer pipe has time left, fewer instructions gather the bytes of cells, of which the lower halves hold a
// tag and the row's stamp.
constexpr bool TAGS_AS_BYTES = !AFFINE && MODE != LOCAL;
constexpr int OF_LOW = TAGS_AS_BYTES ? 0x6420 : 0x5410, OF_HIGH = TAGS_AS_BYTES ? 0x7531 : 0x7632;  // bytes of two words
// The tags of eight cells, the first one's lowest: of the low halves in bytes 0 and 2, of the high ones in 1 and 3.
__device__ __forceinline__ unsigned tags_by_bytes(const unsigned* cell, unsigned stamp) {
    // Only the launch knows the mask, so that a choice between the bits of two words stays one instruction.
    unsigned lower_halves = 0x0F0F0F0F * gridDim.y;
    auto two = [&](int c) { return __byte_perm(cell[c], cell[c + 4], 0x6420); };
    auto four = [&](int c) { return (two(c) & lower_halves) | (two(c + 2) * 16 & ~lower_halves); };
    return four(1) * 4 + (four(0) - stamp * 0x5555);
}

// A row of a thread's columns. h: of the row above, afterwards of this one, stamped. left, f: what enters from the left,
// afterwards what leaves to the right. LOCAL: E is no less than 0, nor is, with linear gaps, what e and f are then: H less
// a gap. opens: what opening a gap from above adds, with its tag. best: LOCAL: the largest value of the row with a tag for
// its column, the first one's largest.
__device__ __forceinline__ void compute_row(const unsigned* gains, unsigned opens, unsigned stamp, unsigned diagonal,
                                            unsigned* h, unsigned* e, unsigned& f, unsigned& left, unsigned* cells,
                                            unsigned& f_tags, unsigned& best) {
    constexpr unsigned EXTENDS = both(-FURTHER * SCALE);
    unsigned of_word[PER_WORD], f_ends[COLUMNS / STRIP], f_values[COLUMNS / STRIP], odd = 0;
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
        of_word[c % PER_WORD] = cell;
        if (c % PER_WORD == PER_WORD - 1)
            cells[c / PER_WORD] = TAGS_AS_BYTES ? tags_by_bytes(of_word, stamp) : tags_of<PER_WORD>(of_word, h + c + 1 - PER_WORD);
        if (AFFINE && c % STRIP == STRIP - 1) {
            f_ends[c / STRIP] = f;
            f = f_values[c / STRIP] = f & VALUES;
        }
        if (MODE == LOCAL) {
            unsigned tagged = left - stamp + both(COLUMNS - 1 - c);
            if (c % 2) best = __vimax3_u16x2(best, odd, tagged);
            odd = tagged;
        }
    }
    if (AFFINE) f_tags = tags_of<COLUMNS / STRIP>(f_ends, f_values);
}

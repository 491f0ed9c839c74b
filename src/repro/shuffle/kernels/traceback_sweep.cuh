// One pass over the matrices of one problem, or of two in the halves of a half2, by a warp: where paths come from, or by
// which steps.
//
// H is held less a gap's first letter, as gaps open from it; the scores of letters have that added.
#pragma once
#include "columns.cuh"
#include "modes.cuh"
#include "quad.cuh"
#include "values.cuh"

constexpr int P = WARP_SIZE;
constexpr int ANYWHERE = 2;  // of where a path comes from, in place of H and E: it begins in this strip
constexpr int E_EXTENDS = 4, F_EXTENDS = 8, STEP_BITS = 4;
constexpr int CODES = PAD + 1;

// A rectangle of a matrix, and how paths begin: in its corner, in H or E, or anywhere at its left border.
struct Rectangle {
    const uint8_t *query, *subject;
    int m, n, begins;
};
// What passes from lane to lane and from stage to stage: H and F, and where they came from.
struct Cell {
    Value h, f;
    unsigned h_from, f_from;
};
// What a sweep writes. Crossings: of a row, where H of each column came from, then E; `height` rows apart, and for each
// half its last row. Steps: of a cell, a byte, `letters` to a row. score: of the last cell, unless null.
struct Kept {
    unsigned* crossings;
    int pitch, height, strips;
    uint8_t* steps;
    Cell* border;
    Score* score[HALVES];
};

__device__ __forceinline__ unsigned in_all(unsigned one) { return HALVES == 2 ? one | one << 16 : one; }
// Where a path left the last crossing row, or began: column << 2 | H, E or ANYWHERE, in each half of a half2.
__device__ __forceinline__ unsigned origin(int column, int state) { return in_all(unsigned(column) << 2 | state); }
__device__ __forceinline__ unsigned of_half(unsigned word, int half) {
    return HALVES == 2 ? word >> 16 * half & 0xFFFF : word;
}
// One half of a value, as a number that compares.
template <class V>
__device__ __forceinline__ V half_of(V value, int) { return value; }
__device__ __forceinline__ float half_of(__half2 value, int half) { return half ? __high2float(value) : __low2float(value); }
using Found = decltype(half_of(Value(), 0));
// The best end of one half so far: of equal scores the first row's, then the first column's.
struct End {
    Found score;
    int row, column;
    unsigned from;
};
__device__ __forceinline__ void first_of_warp(End& end) {
    for (int lanes = P / 2; lanes > 0; lanes /= 2) {
        End other = {__shfl_xor_sync(FULL_MASK, end.score, lanes), __shfl_xor_sync(FULL_MASK, end.row, lanes),
                     __shfl_xor_sync(FULL_MASK, end.column, lanes), __shfl_xor_sync(FULL_MASK, end.from, lanes)};
        bool later = other.row != end.row ? other.row > end.row : other.column > end.column;
        if (other.score > end.score || (other.score == end.score && !later)) end = other;
    }
}

// Of each half whether a > b, and one of two numbers by that.
template <class V>
__device__ __forceinline__ bool exceeds(V a, V b) { return a > b; }
__device__ __forceinline__ unsigned exceeds(__half2 a, __half2 b) { return __hgt2_mask(a, b); }
__device__ __forceinline__ unsigned chosen(bool first, unsigned a, unsigned b) { return first ? a : b; }
__device__ __forceinline__ unsigned chosen(unsigned first, unsigned a, unsigned b) { return (a & first) | (b & ~first); }

using Choice = decltype(exceeds(Value(), Value()));

template <int C>
__device__ __forceinline__ void keep_crossings(const Kept& kept, int row, int before, const unsigned (&h_from)[C],
                                               const unsigned (&e_from)[C]) {
    unsigned* of_row = kept.crossings + size_t(2 * row) * kept.pitch + before;
#pragma unroll
    for (int c = 0; c < C; c += 4) {
        *reinterpret_cast<Quad<unsigned>*>(of_row + c) = {h_from[c], h_from[c + 1], h_from[c + 2], h_from[c + 3]};
        if (AFFINE)
            *reinterpret_cast<Quad<unsigned>*>(of_row + kept.pitch + c) = {e_from[c], e_from[c + 1], e_from[c + 2], e_from[c + 3]};
    }
}

// H(i, 0) or, of_row, H(0, j). A path that begins inside a gap goes on with it and reaches no cell of the first row.
template <bool WHOLE>
__device__ __forceinline__ Single border(const Rectangle& of, int letters, bool of_row) {
    Single none = single(lowest(Whole()));
    if (WHOLE || of.begins == ANYWHERE) return of_row && letters && !WHOLE ? none : single(-FIRST);
    if (of.begins == E) return of_row ? none : single(-FIRST - Whole(letters) * FURTHER);
    return single(-FIRST - (letters ? FIRST + Whole(letters - 1) * FURTHER : 0));
}
template <bool WHOLE>
__device__ __forceinline__ Value borders(const Rectangle* of, int letters, bool of_row) {
    return joined(border<WHOLE>(of[0], of_row ? min(letters, of[0].n) : letters, of_row),
                  border<WHOLE>(of[HALVES - 1], of_row ? min(letters, of[HALVES - 1].n) : letters, of_row));
}

// DIVIDES: keeps crossings, else steps. C: columns of a lane. WHOLE: of whole matrices in which alignments begin and end
// where they may; `end` takes over where they end.
template <bool DIVIDES, int C, bool WHOLE>
__device__ __forceinline__ void sweep(const Rectangle* of, const Single* scores, const Kept& kept, End* end) {
    constexpr bool FLOOR = WHOLE && MODE == LOCAL;
    int lane = threadIdx.x, rows = max(of[0].m, of[HALVES - 1].m), letters = max(of[0].n, of[HALVES - 1].n);
    const Value none = value_of(lowest(Whole()));
    bool free_low = WHOLE || of[0].begins == ANYWHERE, free_high = WHOLE || of[HALVES - 1].begins == ANYWHERE;
    Value left_border = borders<WHOLE>(of, 1, false);
    Value left_step = make_value(free_low ? 0 : -FURTHER, free_high ? 0 : -FURTHER);
    unsigned left_from = unsigned(free_low ? ANYWHERE : E) | (HALVES == 2 ? unsigned(free_high ? ANYWHERE : E) << 16 : 0);
    for (int first_column = 0; first_column < letters; first_column += P * C) {
        int before = first_column + lane * C;  // letters before the lane's columns
        int lanes = min(P, (letters - first_column + C - 1) / C);
        Value h[C], e[C];
        unsigned h_from[C], e_from[C];
        int code[HALVES][C];
#pragma unroll
        for (int c = 0; c < C; ++c) {
            h[c] = borders<WHOLE>(of, before + c + 1, true);
            e[c] = none;
            h_from[c] = e_from[c] = origin(before + c + 1, H);
#pragma unroll
            for (int half = 0; half < HALVES; ++half)
                code[half][c] = before + c < of[half].n ? of[half].subject[before + c] : PAD;
        }
        Value corner = borders<WHOLE>(of, before, true);
        unsigned corner_from = origin(before, H);
        Cell right = {h[C - 1], none, h_from[C - 1], 0}, entering = {none, none, 0, 0};
        int next[HALVES], crossing = 0, next_crossing = kept.height;
#pragma unroll
        for (int half = 0; half < HALVES; ++half) next[half] = of[half].m > 0 ? of[half].query[0] : PAD;
        if (first_column > 0 && lane == 0) entering = kept.border[0];
        bool hands_on = lane == P - 1 && first_column + P * C < letters;
        auto keep_last = [&](int row) {
#pragma unroll
            for (int half = 0; half < HALVES; ++half) {
                if (WHOLE || row != of[half].m) continue;
                if constexpr (DIVIDES) keep_crossings(kept, kept.strips + half, before, h_from, e_from);
#pragma unroll
                for (int c = 0; c < C; ++c)
                    if (kept.score[half] && before + c + 1 == of[half].n) *kept.score[half] = score_in(h[c], half) + FIRST;
            }
        };
        for (int step = 0; step < rows + lanes - 1; ++step) {
            Cell left;
            left.h = __shfl_up_sync(FULL_MASK, right.h, 1);
            if (AFFINE) left.f = __shfl_up_sync(FULL_MASK, right.f, 1);
            if (DIVIDES) left.h_from = __shfl_up_sync(FULL_MASK, right.h_from, 1);
            if (DIVIDES && AFFINE) left.f_from = __shfl_up_sync(FULL_MASK, right.f_from, 1);
            int i = step - lane + 1;
            if (i < 1 || i > rows) continue;
            if (hands_on && i > 1) kept.border[i - 2] = right;
            if (lane == 0) {
                if (first_column > 0) {
                    left = entering;
                    if (i < rows) entering = kept.border[i];
                } else {
                    left = {left_border, none, left_from, left_from};
                    left_border = plus(left_border, left_step);
                }
            }
            if (HALVES == 2) keep_last(i - 1);
            if constexpr (DIVIDES)
                if (i - 1 == next_crossing) {
                    // The cells of the row above are what paths come from from here on; along it they came from above.
                    keep_crossings(kept, crossing++, before, h_from, e_from);
                    next_crossing += kept.height;
                    corner_from = origin(before, H);
#pragma unroll
                    for (int c = 0; c < C; ++c) h_from[c] = origin(before + c + 1, H), e_from[c] = origin(before + c + 1, E);
                }
            Value diagonal = corner;
            unsigned diagonal_from = corner_from;
            corner = left.h, corner_from = left.h_from;
            const Single* row_scores[HALVES];
#pragma unroll
            for (int half = 0; half < HALVES; ++half) {
                row_scores[half] = scores + next[half] * CODES;
                next[half] = i < of[half].m ? of[half].query[i] : PAD;
            }
            Value row_best = none;
            uint8_t* row_steps = kept.steps + ((i - 1) * letters + before);
#pragma unroll
            for (int c = 0; c < C; ++c) {
                Value gained = joined(row_scores[0][code[0][c]], row_scores[HALVES - 1][code[HALVES - 1][c]]);
                Value aligned = plus(diagonal, gained), above = h[c];
                unsigned above_from = h_from[c];
                Choice e_extends = {}, f_extends = {};  // never where gaps are linear
                if (AFFINE) {
                    Value e_extended = plus(e[c], value_of(-FURTHER)), f_extended = plus(left.f, value_of(-FURTHER));
                    e_extends = exceeds(e_extended, above), f_extends = exceeds(f_extended, left.h);
                    e[c] = larger(above, e_extended), left.f = larger(left.h, f_extended);
                } else e[c] = above, left.f = left.h;
                if (DIVIDES) {
                    e_from[c] = chosen(e_extends, e_from[c], above_from);
                    left.f_from = chosen(f_extends, left.f_from, left.h_from);
                }
                Choice by_f = exceeds(left.f, e[c]);
                Value gap = larger(e[c], left.f), cell = larger(aligned, gap);
                Choice by_gap = exceeds(gap, aligned);
                if (DIVIDES) {
                    unsigned from = chosen(by_gap, chosen(by_f, left.f_from, e_from[c]), diagonal_from);
                    if (FLOOR) {
                        from = chosen(exceeds(cell, value_of(0)), from, origin(before + c + 1, ANYWHERE));
                        cell = larger(cell, value_of(0));
                    }
                    h_from[c] = left.h_from = from;
                } else {
                    unsigned taken = chosen(by_gap, chosen(by_f, in_all(F), in_all(E)), in_all(H)) |
                                     chosen(e_extends, in_all(E_EXTENDS), 0) | chosen(f_extends, in_all(F_EXTENDS), 0);
                    if (before + c < letters) row_steps[c] = uint8_t(HALVES == 2 ? taken | taken >> (16 - STEP_BITS) : taken);
                }
                diagonal = above, diagonal_from = above_from;
                h[c] = left.h = plus(cell, value_of(-FIRST));
                if (FLOOR) row_best = larger(row_best, left.h);
            }
#pragma unroll
            for (int half = 0; half < HALVES; ++half) {
                const Rectangle& one = of[half];
                if (WHOLE) {
                    bool last = i == one.m, owns = before < one.n && one.n <= before + C;  // the last row or column
                    Value found = FLOOR ? row_best : h[0];
#pragma unroll
                    for (int c = 1; c < C; ++c)
                        if (!FLOOR && (last || before + c + 1 == one.n)) found = last ? larger(found, h[c]) : h[c];
                    Found best = half_of(found, half);
                    if ((FLOOR || last || owns) && best > end[half].score) {
                        end[half].score = best;
                        end[half].row = i;
#pragma unroll
                        for (int c = C - 1; c >= 0; --c)
                            if (half_of(h[c], half) == best && (FLOOR || last || before + c + 1 == one.n))
                                end[half].column = before + c + 1, end[half].from = of_half(h_from[c], half);
                    }
                }
            }
            right = left;
        }
        keep_last(rows);
        if (hands_on) kept.border[rows - 1] = right;
        __syncwarp();  // the next stage reads what this one wrote
    }
}

// What checkpoints.cu kept of an alignment, as its traceback reads it: values of the cells beside a block and above it.
#pragma once
#include "checkpoints.cuh"

__device__ __forceinline__ int unpacked(unsigned word, int half) { return short(half ? word >> 16 : word); }
__device__ __forceinline__ int unpacked(int word, int) { return word; }
__device__ __forceinline__ long long unpacked(long long word, int) { return word; }

// One alignment and what the score pass kept of it. Rows and columns count from 0, what fills up in front included.
struct Matrix {
    const WORD* kept;
    const uint8_t* query;
    const uint8_t* subject;
    const Whole* gains;  // in shared memory, by code of a query's letter and of a subject's
    Layout layout;
    Penalties cost;
    long long m, n;
    int row_pads, column_pads, half;
};

__device__ __forceinline__ Whole value_at(const Matrix& matrix, long long place) {
    return unpacked(matrix.kept[place], matrix.half);
}
__device__ __forceinline__ Whole column_value(const Matrix& matrix, long long plane, int stripe, int row) {
    const Layout& layout = matrix.layout;
    return value_at(matrix, plane + column_place(layout, stripe, row + lane_of(layout, stripe)));
}
// H beside a row, left of a stripe; row -1 is above the first.
__device__ __forceinline__ Whole left_h(const Matrix& matrix, int stripe, int row) {
    if (row < 0) return border(matrix.cost, (long long)stripe * COLUMNS - matrix.column_pads);
    if (stripe == 0) return border(matrix.cost, row + 1 - matrix.row_pads);
    return column_value(matrix, 0, stripe - 1, row);
}
__device__ __forceinline__ Whole left_f(const Matrix& matrix, int stripe, int row) {
    return stripe == 0 ? no_gap(matrix.cost) : column_value(matrix, matrix.layout.f_columns, stripe - 1, row);
}
__device__ __forceinline__ int first_row(const Layout& layout, int stripe, int block) {
    return max(block * BLOCK - lane_of(layout, stripe), 0);
}
// The score of a kept value after so many letters of either.
__device__ __forceinline__ Whole score_of(const Matrix& matrix, Whole kept, long long i, long long j) {
    return MODE == LOCAL ? kept : kept - bias(matrix.cost) - matrix.cost.further * (i + j);
}

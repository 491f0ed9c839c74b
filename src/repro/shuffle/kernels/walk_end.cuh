// Where an alignment ends whose score pass was checkpoints.cu: the first of the best ends.
#pragma once
#include "walk_block.cuh"

struct End {
    Whole score;
    long long i, j;  // letters before it
};

struct Found {
    Whole score;
    long long place;
};

// Of what the threads of an alignment found, the first of the largest.
__device__ __forceinline__ Found first_of_largest(Found found) {
    for (int lanes = WALKERS / 2; lanes > 0; lanes /= 2) {
        Found other = {__shfl_xor_sync(FULL_MASK, found.score, lanes), __shfl_xor_sync(FULL_MASK, found.place, lanes)};
        if (other.score > found.score || (other.score == found.score && other.place < found.place)) found = other;
    }
    return found;
}

// The first block of a stripe after which `best` is its best.
__device__ __forceinline__ int block_of_best(const Matrix& matrix, int stripe, Whole best) {
    int low = 0, high = matrix.layout.blocks - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (value_at(matrix, best_place(matrix.layout, stripe, middle)) == best) high = middle;
        else low = middle + 1;
    }
    return low;
}

__device__ End find_end(const Matrix& matrix, Moves moves, int walker) {
    const Layout& layout = matrix.layout;
    long long m = matrix.m, n = matrix.n;
    int last = layout.stripes - 1;
    if (MODE == GLOBAL) return {score_of(matrix, column_value(matrix, 0, last, layout.rows - 1), m, n), m, n};
    if (MODE == SEMI_GLOBAL) {
        Found of_column = {0, 0}, of_row = {0, 0};
#pragma unroll 4
        for (long long i = 1 + walker; i <= m; i += WALKERS) {
            Whole score = score_of(matrix, column_value(matrix, 0, last, int(i) - 1 + matrix.row_pads), i, n);
            if (score > of_column.score) of_column = {score, i};
        }
#pragma unroll 4
        for (long long j = 1 + walker; j <= n; j += WALKERS) {
            Whole score = score_of(matrix, value_at(matrix, last_row_place(layout, 0) + j - 1 + matrix.column_pads), m, j);
            if (score > of_row.score) of_row = {score, j};
        }
        of_column = first_of_largest(of_column);
        of_row = first_of_largest(of_row);
        if (of_column.place == m || of_row.score > of_column.score) return {of_row.score, m, of_row.place};
        return {of_column.score, of_column.place, n};
    }
    Found best = {0, 0};
    for (int stripe = walker; stripe < layout.stripes; stripe += WALKERS)
        best.score = max(best.score, value_at(matrix, best_place(layout, stripe, layout.blocks - 1)));
    best = first_of_largest(best);
    if (best.score == 0) return {0, 0, 0};
    Cell end = {layout.rows, 0};
    for (int stripe = walker; stripe < layout.stripes; stripe += WALKERS) {
        if (value_at(matrix, best_place(layout, stripe, layout.blocks - 1)) != best.score) continue;
        int block = block_of_best(matrix, stripe, best.score), row = first_row(layout, stripe, block);
        int last_row = min(block * BLOCK + BLOCK - 1 - lane_of(layout, stripe), end.row);
        if (row >= end.row) continue;
        Cell cell = compute_block<true>(matrix, stripe, block, min(last_row, layout.rows - 1), moves, best.score);
        if (cell.row >= 0 && cell.row < end.row) end = cell;
    }
    constexpr long long CELL = 1ll << 32;
    long long first = first_of_largest({best.score, end.row * CELL + end.column}).place;
    return {best.score, int(first / CELL) + 1 - matrix.row_pads, int(first % CELL) + 1 - matrix.column_pads};
}

// Where an alignment ends whose score pass was checkpoints.cu: the first of the best ends.
#pragma once
#include "walk_block.cuh"

struct End {
    Whole score;
    long long i, j;  // letters before it
};

__device__ End find_end(const Matrix& matrix, Moves moves) {
    const Layout& layout = matrix.layout;
    long long m = matrix.m, n = matrix.n;
    int last = layout.stripes - 1;
    if (MODE == GLOBAL) return {score_of(matrix, column_value(matrix, 0, last, layout.rows - 1), m, n), m, n};
    if (MODE == SEMI_GLOBAL) {
        End best = {0, 0, n};
        for (long long i = 1; i <= m; ++i) {
            Whole score = score_of(matrix, column_value(matrix, 0, last, int(i) - 1 + matrix.row_pads), i, n);
            if (score > best.score) best = {score, i, n};
        }
        End of_row = {0, m, 0};
        for (long long j = 1; j <= n; ++j) {
            Whole score = score_of(matrix, value_at(matrix, last_row_place(layout, 0) + j - 1 + matrix.column_pads), m, j);
            if (score > of_row.score) of_row = {score, m, j};
        }
        return best.i == m || of_row.score > best.score ? of_row : best;
    }
    Whole best = 0;
    for (int stripe = 0; stripe < layout.stripes; ++stripe)
        best = max(best, value_at(matrix, best_place(layout, stripe, layout.blocks - 1)));
    if (best == 0) return {0, 0, 0};
    Cell end = {layout.rows, 0};
    for (int stripe = 0; stripe < layout.stripes; ++stripe) {
        if (value_at(matrix, best_place(layout, stripe, layout.blocks - 1)) != best) continue;
        int block = 0;
        while (value_at(matrix, best_place(layout, stripe, block)) != best) ++block;
        int row = first_row(layout, stripe, block), last_row = min(block * BLOCK + BLOCK - 1 - lane_of(layout, stripe), end.row);
        if (row >= end.row) continue;
        Cell cell = compute_block<true>(matrix, stripe, block, min(last_row, layout.rows - 1), moves, best);
        if (cell.row >= 0 && cell.row < end.row) end = cell;
    }
    return {best, end.row + 1 - matrix.row_pads, end.column + 1 - matrix.column_pads};
}

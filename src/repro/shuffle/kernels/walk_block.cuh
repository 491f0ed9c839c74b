// A block of the matrix computed again from its edges, for what the score pass did not keep: where values came from.
#pragma once
#include "kept.cuh"

// Threads for an alignment: of a long one a warp, whose lanes compute blocks that its path is about to cross.
constexpr int WALKERS = STAGED ? WARP_SIZE : 1;
constexpr int THREADS = STAGED ? WARP_SIZE : 128;

// Appends whether a < b.
__device__ __forceinline__ void append(unsigned& bits, int a, int b) {
    bits = __funnelshift_l(unsigned(a - b), bits, 1);
}
__device__ __forceinline__ void append(unsigned& bits, long long a, long long b) { bits = bits << 1 | (a < b); }

struct Cell {
    int row, column;
};

// Where a cell's value came from, for the rows of a block: two bits per column, the first column's the highest. cells: H
// comes not diagonally; then, that it comes from F rather than from E. gaps: E, then F, extends a gap.
struct Moves {
    unsigned (*cells)[THREADS];
    unsigned (*gaps)[THREADS];
};

// Computes the rows of a block up to `last_row` again. SEARCH: returns the first cell whose H is `target`, in place of
// storing moves.
template <bool SEARCH>
__device__ Cell compute_block(const Matrix& matrix, int stripe, int block, int last_row, Moves moves, Whole target) {
    const Layout& layout = matrix.layout;
    const Penalties& cost = matrix.cost;
    Whole h[COLUMNS], e[COLUMNS];
    int codes[COLUMNS], begin = first_row(layout, stripe, block);
    long long place = row_place(layout, stripe, block);
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
        h[c] = value_at(matrix, layout.h_rows + place + c);
        e[c] = AFFINE ? value_at(matrix, layout.e_rows + place + c) : 0;
        codes[c] = code_at(matrix.subject, matrix.n, (long long)stripe * COLUMNS + c - matrix.column_pads);
    }
    Whole corner = left_h(matrix, stripe, begin - 1);
    Cell found = {-1, -1};
    for (int row = begin; row <= last_row; ++row) {
        Whole diagonal = corner, left = left_h(matrix, stripe, row), f = AFFINE ? left_f(matrix, stripe, row) : 0;
        const Whole* gains = matrix.gains + code_at(matrix.query, matrix.m, row - matrix.row_pads) * TABLE_ROW;
        unsigned cells = 0, gaps = 0;
        Whole largest = 0;
        corner = left;
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            Whole above = h[c], aligned = diagonal + gains[codes[c]], gap;
            if (!AFFINE) {
                append(cells, above, left);
                gap = max(above, left);
            } else {
                if (MODE == LOCAL) {
                    e[c] -= cost.further;
                    f -= cost.further;
                } else {
                    above -= cost.open;
                    left -= cost.open;
                }
                append(gaps, above, e[c]);
                append(gaps, left, f);
                e[c] = max(above, e[c]);
                f = max(left, f);
                append(cells, e[c], f);
                gap = max(e[c], f);
            }
            if (MODE == LOCAL) gap -= cost.further + (AFFINE ? cost.open : 0);
            append(cells, aligned, gap);
            diagonal = h[c];
            left = max(aligned, gap);
            if (MODE == LOCAL) left = max(left, Whole(0));
            h[c] = left;
            if (SEARCH) largest = max(largest, left);
        }
        if (SEARCH) {
            if (largest != target) continue;
            found.row = row;
#pragma unroll
            for (int c = COLUMNS - 1; c >= 0; --c)
                if (h[c] == target) found.column = stripe * COLUMNS + c;
            return found;
        }
        moves.cells[row - begin][threadIdx.x] = cells;
        if (AFFINE) moves.gaps[row - begin][threadIdx.x] = gaps;
    }
    return found;
}

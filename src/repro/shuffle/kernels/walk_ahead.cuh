// Which blocks the threads of an alignment compute before its path is followed: those along the diagonal that it is on.
#pragma once
#include "walk_block.cuh"

// Of a stripe, whose cells a path along the diagonal leaves by one of two blocks, and one more either way it may bend.
constexpr int AHEAD_ROWS = WALKERS == 1 ? 1 : 3;
constexpr int AHEAD_STRIPES = WALKERS / AHEAD_ROWS;

// The block of a thread; none is -1. lowest: of its stripe's blocks, the one furthest down. first_stripe: where the path is.
struct Ahead {
    int stripe, block, last_row, lowest, first_stripe;
};

// row, column: of the cell where the path is.
__device__ __forceinline__ Ahead blocks_ahead(const Matrix& matrix, int row, int column, int walker) {
    const Layout& layout = matrix.layout;
    Ahead ahead;
    ahead.first_stripe = column / COLUMNS;
    ahead.stripe = ahead.first_stripe - walker / AHEAD_ROWS;
    int lane = ahead.stripe < 0 ? 0 : lane_of(layout, ahead.stripe);
    bool first = ahead.stripe == ahead.first_stripe;
    // In the first stripe the path is in the lowest block, in others the diagonal is in the middle of the middle one.
    int middle = max(row - (column - ahead.stripe * COLUMNS - COLUMNS / 2), 0);
    ahead.lowest = first ? (row + lane) / BLOCK : (middle + lane) / BLOCK + AHEAD_ROWS / 2;
    ahead.block = ahead.lowest - walker % AHEAD_ROWS;
    ahead.last_row = min(ahead.block * BLOCK + BLOCK - 1 - lane, first ? row : layout.rows - 1);
    bool exists = ahead.stripe >= 0 && ahead.block < layout.blocks && ahead.last_row >= 0;
    if (!exists || walker >= AHEAD_ROWS * AHEAD_STRIPES) ahead.block = -1;
    return ahead;
}

// Which thread computed a block; none: -1.
__device__ __forceinline__ int walker_of(const Ahead& ahead, int stripe, int block) {
    int by = (ahead.first_stripe - stripe) * AHEAD_ROWS;
    if (by >= AHEAD_ROWS * AHEAD_STRIPES) return -1;
    int lowest = __shfl_sync(FULL_MASK, ahead.lowest, by);
    return unsigned(lowest - block) < unsigned(AHEAD_ROWS) ? by + lowest - block : -1;
}

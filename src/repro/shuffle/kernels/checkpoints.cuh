// What the score pass keeps for the traceback, and where: the cells along the edges of blocks.
//
// A stripe is COLUMNS columns of the matrix, which one lane computes; its rows are cut into blocks. Kept are the last
// column of every stripe and the state of a lane before every block, so that any block can be computed again from its
// edges alone. Lane t of a stripe is in row k - t in step k, and a block is BLOCK steps: those of neighbouring lanes are
// a row apart.
//
// T is the type of a score. Where it is 16 bits wide, a WORD holds the two alignments of a unit, else there is one.
//
// Where a subject has more columns than the lanes of a unit, which are a whole warp then, warps share it: each computes a
// stage of as many stripes as it has lanes, and hands the last column on to the next one through an edge.
//
// Values but local ones have the price of extending gaps folded in, H'(i, j) = H(i, j) + further (i + j), so that only
// opening one costs, open = first - further, and two letters gain s + 2 further. A bias keeps them from being negative.
// Local ones are plain, but E and F are kept without the price of opening, E* = E + first.
//
// The last column of a subject is the last of its last stripe, and the last row of a query the last row: what is missing
// in front is filled with columns and rows that repeat the border.
#pragma once
#include "modes.cuh"
#include "whole.cuh"

constexpr int COLUMNS = 16, BLOCK = 16;
constexpr int HALVES = sizeof(T) == 2 ? 2 : 1;
constexpr int CODES = PAD + 1, TABLE_ROW = 8;  // of the table of gains
constexpr int EDGE_WORDS = BLOCK * (1 + AFFINE);  // of BLOCK rows: H, then F, of the last column of a stage

struct Unit {
    long long query[2], m[2], subject[2], n[2];  // where the letters start, and how many, at least one
    long long place;                             // where its words start
};

struct Penalties {
    Whole further, open;
};

__device__ __forceinline__ Penalties make_penalties(int first, int further) { return {further, Whole(first) - further}; }
__device__ __forceinline__ Whole bias(const Penalties& cost) { return MODE == LOCAL ? 0 : 4 * cost.open; }
// What is kept of H(i, 0) or H(0, j) where so many letters were passed, and of E and F there.
__device__ __forceinline__ Whole border(const Penalties& cost, Whole letters) {
    if (MODE == LOCAL) return 0;
    if (MODE == SEMI_GLOBAL) return bias(cost) + cost.further * max(letters, Whole(0));
    return bias(cost) - (letters > 0 ? cost.open : 0);
}
__device__ __forceinline__ Whole no_gap(const Penalties& cost) { return MODE == LOCAL ? 0 : bias(cost) - 3 * cost.open; }

// Where the words of a unit lie, from its place on: blocks of steps one after the other, the stripes of each side by side,
// so that what a warp writes lies together. First the last columns of the stripes, then the states before the blocks.
struct Layout {
    int stripes, rows, stages, idle, blocks, steps;  // idle: lanes of the first stage
    long long f_columns, h_rows, e_rows, ends, edges;
};

__device__ __forceinline__ Layout make_layout(const Unit& unit) {
    Layout layout;
    layout.stripes = (int(max(unit.n[0], unit.n[1])) + COLUMNS - 1) / COLUMNS;
    layout.rows = int(max(unit.m[0], unit.m[1]));
    layout.stages = (layout.stripes + LANES - 1) / LANES;
    layout.idle = layout.stages * LANES - layout.stripes;
    layout.blocks = (layout.rows + LANES - 1 + BLOCK - 1) / BLOCK;
    layout.steps = layout.blocks * BLOCK;
    long long plane = (long long)layout.stripes * layout.steps;
    layout.f_columns = plane;
    layout.h_rows = layout.f_columns + (AFFINE ? plane : 0);
    layout.e_rows = layout.h_rows + plane;
    layout.ends = layout.e_rows + (AFFINE ? plane : 0);
    long long ends = MODE == GLOBAL ? 0 : (long long)layout.stripes * (MODE == LOCAL ? layout.blocks : COLUMNS);
    layout.edges = layout.ends + ends;
    return layout;
}
__device__ __forceinline__ int lane_of(const Layout& layout, int stripe) { return (stripe + layout.idle) % LANES; }
__device__ __forceinline__ long long column_place(const Layout& layout, int stripe, int step) {
    return ((long long)(step / BLOCK) * layout.stripes + stripe) * BLOCK + step % BLOCK;
}
__device__ __forceinline__ long long row_place(const Layout& layout, int stripe, int block) {
    return ((long long)block * layout.stripes + stripe) * COLUMNS;
}
// LOCAL: of the best of a stripe up to the end of a block. SEMI_GLOBAL: of the last row.
__device__ __forceinline__ long long best_place(const Layout& layout, int stripe, int block) {
    return layout.ends + (long long)block * layout.stripes + stripe;
}
__device__ __forceinline__ long long last_row_place(const Layout& layout, int stripe) {
    return layout.ends + (long long)stripe * COLUMNS;
}

// Of the edge on the right of a stage, from a row on that is a multiple of BLOCK.
__device__ __forceinline__ long long edge_place(const Layout& layout, int stage, int row) {
    return layout.edges + ((long long)stage * layout.blocks + row / BLOCK) * EDGE_WORDS;
}

// What a pair of codes gains; `lowest`: no less than that.
__device__ __forceinline__ Whole gain(const int* table, int row, int column, const Penalties& cost, Whole lowest) {
    if (row == PAD || column == PAD) {
        if (MODE == LOCAL || row == column) return 0;
        return MODE == SEMI_GLOBAL ? cost.further : -2 * cost.open;
    }
    Whole score = table[row * 5 + column];
    return max(lowest, MODE == LOCAL ? score : score + 2 * cost.further);
}

__device__ __forceinline__ int code_at(const uint8_t* codes, long long length, long long position) {
    return position >= 0 && position < length ? codes[position] : PAD;
}

// What the score pass of `auto` stores of every cell, and where: which of its neighbours its value comes from.
//
// Values are multiples of SCALE, and a sum that enters a maximum carries a tag below them, so that the maximum itself
// says what it chose, and among equals chooses the largest tag: diagonally (a letter that is equal or not), else from
// above (E), else from the left (F). With linear gaps these are the tags
//   0 left, 1 above, 2 diagonally, unequal, 3 equal
// of 2 bits. With affine gaps E and F are tagged where they open a gap, by the step of a block of BLOCK steps and by the
// column of a strip of STRIP columns, and keep the tag while they extend it; H takes the tag over. So 4 bits tell where
// the gap that ends in a cell was opened, however long it is within the block or strip:
//   0 left, opened before the strip, 1 to STRIP in that column of it, STRIP + 1 above, opened before the block,
//   STRIP + 2 to STRIP + 1 + BLOCK in that step of it, 14 diagonally, unequal, 15 equal,
// and at the end of every block and strip those of E and F are stored too, where longer gaps are looked up.
//
// LANES threads have COLUMNS columns each of two alignments in the halves of a word, GROUPS such units a warp. Thread t of
// a unit is in row k - t in step k. What is missing in front of the shorter of two queries or subjects is filled with
// rows and columns that repeat the border.
#pragma once
#include "sequences.cuh"

constexpr int GROUPS = WARP_SIZE / LANES;
constexpr int BLOCK = 8, STRIP = 4;
constexpr int BITS = AFFINE ? 4 : 2, PER_WORD = 16 / BITS;  // cells of one alignment in a word
constexpr int LEFT = 0, ABOVE = AFFINE ? STRIP + 1 : 1, UNEQUAL = (1 << BITS) - 2, EQUAL = UNEQUAL + 1;
static_assert(!AFFINE || ABOVE + BLOCK < UNEQUAL, "all tags differ");

// Words of a warp: of each block the cells of its threads, of each those of one alignment, row by row and the first
// column's tag lowest, then the other's, since their paths part; then F's tags at the ends of strips, four rows of a thread
// together, then E's at the end of the block, both alignments' in the halves of a word.
constexpr int ROW_WORDS = COLUMNS / PER_WORD, CELL_WORDS = BLOCK * ROW_WORDS;
constexpr int E_WORDS = COLUMNS / PER_WORD;
constexpr int F_PLACE = WARP_SIZE * CELL_WORDS, E_PLACE = F_PLACE + WARP_SIZE * BLOCK;
constexpr int BLOCK_WORDS = AFFINE ? E_PLACE + WARP_SIZE * E_WORDS : F_PLACE;

// Of an alignment: what follow.cu starts from, and what it adds.
struct alignas(16) End {
    int score, query_begin, query_end, subject_begin, subject_end, columns, runs, unused;
};

// Where alignment `half` of a unit stands in the lists: all queries with all subjects, two of them a unit, or one list of
// alignments, two of them a unit.
struct Position {
    int query, subject;
};
__device__ __forceinline__ Position position_of(int unit, int half, int subject_units) {
    if (ALL) return {unit / subject_units, unit % subject_units * 2 + half};
    return {unit * 2 + half, unit * 2 + half};
}

// What the score pass of `auto` stores of two alignments, and where: the edges of blocks of BLOCK rows and STRIP columns, so
// that each can be computed again from what is stored of it alone, but for the cell diagonally before it.
//
// LANES threads have COLUMNS columns each, as in packed.cu; thread t of a unit is in row k - t in step k, and a block is
// BLOCK steps. Neighbouring cells differ by little, and so do all cells of a block: a byte, the value modulo 256, tells
// each edge relative to another one.
#pragma once
#include "packed.cuh"

constexpr int BLOCK = 8, STRIP = 16;
constexpr int STRIPS = COLUMNS / STRIP;  // of a thread
static_assert(COLUMNS % STRIP == 0, "strips are those of one thread");

template <int WORDS>
struct alignas(4 * WORDS) Words {
    unsigned word[WORDS];
};
using RowEdge = Words<STRIP / 4>;     // of a block: a byte for each of its columns
using ColumnEdge = Words<BLOCK / 2>;  // a byte for each of its rows of either alignment

// Of a warp, for each of its blocks: H, and with affine gaps E, in the row above, of each strip of the threads of the one
// alignment of a unit, then of the other; then H, and F, in the column to the left, of each strip. E and F are what the
// next row and column take.
constexpr int PLANES = AFFINE ? 2 : 1, SIDES = 2 * STRIPS * WARP_SIZE;
constexpr int COLUMNS_PLACE = PLANES * SIDES * (STRIP / 4), BLOCK_WORDS = COLUMNS_PLACE + PLANES * SIDES * (BLOCK / 4);
__host__ __device__ constexpr int side(int plane, int half, int strip, int thread) {
    return ((plane * 2 + half) * STRIPS + strip) * WARP_SIZE + thread;
}

// The lowest bytes of two words' halves: of low, high, low and high ones.
__device__ __forceinline__ unsigned four_bytes(const unsigned* words) { return __byte_perm(words[0], words[1], 0x6420); }
// The lowest bytes of four words' low halves, and of their high ones.
__device__ __forceinline__ void part(const unsigned* words, unsigned& of_low, unsigned& of_high) {
    unsigned first = __byte_perm(words[0], words[1], 0x6240), second = __byte_perm(words[2], words[3], 0x6240);
    of_low = __byte_perm(first, second, 0x5410), of_high = __byte_perm(first, second, 0x7632);
}

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

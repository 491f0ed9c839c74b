// Min-plus products of tiles in shared memory, with the result in registers: what phases 2 and 3 consist of.
//
// A block of THREADS = 16 x TY threads computes ROWS x COLUMNS words. A thread holds groups of 4 rows by G columns that
// are 4 TY rows or 16 G columns apart, so that a warp reads its operands in whole 16-byte (8-byte) pieces.
#pragma once
#include "words.cuh"

constexpr int DEPTH = 64;  // pivots per round; also the depth of what is in shared memory at a time
constexpr int TY = THREADS / 16;

struct Place {
    int x, y;  // of the thread among 16 x TY, such that a warp covers 8 x 4
};

__device__ __forceinline__ Place place() {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return {warp % 2 * 8 + lane % 8, warp / 2 * 4 + lane / 8};
}

template <int N>
struct alignas(N * sizeof(Word) < 16 ? N * sizeof(Word) : 16) Pack {
    Word word[N];
};

// The words of a tile that one thread holds.
template <int ROWS, int COLUMNS>
struct Part {
    static constexpr int G = COLUMNS / 16 < 4 ? COLUMNS / 16 : 4;
    static constexpr int R = ROWS / TY, C = COLUMNS / 16;
    Word word[R][C];
};

__device__ __forceinline__ int row_of(int r, Place at) { return r / 4 * TY * 4 + at.y * 4 + r % 4; }
template <int G>
__device__ __forceinline__ int column_of(int c, Place at) { return c / G * 16 * G + at.x * G + c % G; }

template <class P>
__device__ __forceinline__ void load(P& part, const Word* from, long long pitch, Place at) {
#pragma unroll
    for (int r = 0; r < P::R; ++r)
#pragma unroll
        for (int c = 0; c < P::C; c += P::G) {
            auto pack = *reinterpret_cast<const Pack<P::G>*>(from + row_of(r, at) * pitch + column_of<P::G>(c, at));
#pragma unroll
            for (int g = 0; g < P::G; ++g) part.word[r][c + g] = pack.word[g];
        }
}

template <class P>
__device__ __forceinline__ void store_group(const P& part, Word* to, int r, int c) {
    Pack<P::G> pack;
#pragma unroll
    for (int g = 0; g < P::G; ++g) pack.word[g] = part.word[r][c + g];
    *reinterpret_cast<Pack<P::G>*>(to) = pack;
}

template <class P>
__device__ __forceinline__ void store(const P& part, Word* to, long long pitch, Place at) {
#pragma unroll
    for (int r = 0; r < P::R; ++r)
#pragma unroll
        for (int c = 0; c < P::C; c += P::G)
            store_group(part, to + row_of(r, at) * pitch + column_of<P::G>(c, at), r, c);
}

// Operands of a product lie in shared memory with pivots in pairs: left [DEPTH / 2][rows][2] and right
// [DEPTH / 2][columns][2], where the second pivot of a pair comes first. So the two operands of a sum are loaded into
// registers of different parity, which are different banks of the register file, and are read in one cycle. Of four
// columns that a thread holds side by side, the first two lie among the first two of 16 threads, then the others: a warp
// reads consecutive bytes.
__device__ __forceinline__ int left_index(int k, int row, int rows) { return (k / 2 * rows + row) * 2 + k % 2; }
template <int G>
__device__ __forceinline__ int right_index(int k, int column, int columns) {
    int x = column / G % 16, half = column % G / 2;
    return (k / 2 * columns + column / (16 * G) * 16 * G + half * 32 + x * 2 + column % 2) * 2 + 1 - k % 2;
}

// One row of a left operand, from the words of a row that hold a pair of pivots: the same one if it holds both.
__device__ __forceinline__ void put_left(Word* left, Word one, Word two) {
    *reinterpret_cast<Pack<2>*>(left) = {spread(one, 0), spread(two, LANES - 1)};
}

// Two columns of a right operand, from the rows of a pair of pivots.
__device__ __forceinline__ void put_right(Word* right, const Word* one, const Word* two) {
    *reinterpret_cast<Pack<4>*>(right) = {two[0], one[0], two[1], one[1]};
}

// Spread over each word.
template <class P>
__device__ __forceinline__ void store_left(const P& part, Word* left, Place at) {
#pragma unroll
    for (int r = 0; r < P::R; ++r)
#pragma unroll
        for (int k = 0; k < P::C * LANES; k += 2)
            put_left(left + left_index(column_of<P::G>(k / LANES, at) * LANES, row_of(r, at), P::R * TY),
                     part.word[r][k / LANES], part.word[r][(k + 1) / LANES]);
}

template <class P>
__device__ __forceinline__ void store_right(const P& part, Word* right, Place at) {
#pragma unroll
    for (int r = 0; r < P::R; r += 2)
#pragma unroll
        for (int c = 0; c < P::C; c += 2)
            put_right(right + right_index<P::G>(row_of(r + 1, at), column_of<P::G>(c, at), P::C * 16), part.word[r] + c,
                      part.word[r + 1] + c);
}

// Where a thread's first row and column are in operands.
__device__ __forceinline__ const Word* own_left(const Word* left, Place at) { return left + at.y * 8; }
__device__ __forceinline__ const Word* own_right(const Word* right, Place at) { return right + at.x * 4; }

template <class P>
struct Operands {
    Word a[2][P::R], b[2][P::C];
};

// What a thread needs of the pivots k and k + 1, k even, from its own first row and column on.
template <class P>
__device__ __forceinline__ void load_pair(Operands<P>& of, const Word* left, const Word* right, int k) {
    constexpr Place first = {0, 0};
#pragma unroll
    for (int r = 0; r < P::R; r += 2) {
        auto pack = *reinterpret_cast<const Pack<4>*>(left + left_index(k, row_of(r, first), P::R * TY));
#pragma unroll
        for (int g = 0; g < 4; ++g) of.a[g % 2][r + g / 2] = pack.word[g];
    }
#pragma unroll
    for (int c = 0; c < P::C; c += 2) {
        int column = column_of<P::G>(c, first);
        auto pack = *reinterpret_cast<const Pack<4>*>(right + right_index<P::G>(k + 1, column, P::C * 16));
#pragma unroll
        for (int g = 0; g < 4; ++g) of.b[1 - g % 2][c + g / 2] = pack.word[g];
    }
}

// part = min(part, left * right), both in shared memory.
template <class P>
__device__ __forceinline__ void relax_all(P& part, const Word* left, const Word* right, Place at) {
    constexpr int UNROLL = P::R * P::C > 32 ? 1 : 2;  // a large part leaves no registers for a second pair of pivots
    left = own_left(left, at);
    right = own_right(right, at);
#pragma unroll UNROLL
    for (int k = 0; k < DEPTH; k += 2) {
        Operands<P> of;
        load_pair(of, left, right, k);
#pragma unroll
        for (int r = 0; r < P::R; ++r)
#pragma unroll
            for (int c = 0; c < P::C; ++c)
                part.word[r][c] = relax2(part.word[r][c], of.a[0][r], of.b[0][c], of.a[1][r], of.b[1][c]);
    }
}

// A left operand from rows whose DEPTH / LANES words are consecutive.
template <int ROWS>
__device__ __forceinline__ void fill_left(Word* left, const Word* from, long long pitch) {
    constexpr int N = 16 / sizeof(Word);
#pragma unroll
    for (int i = threadIdx.x; i < ROWS * DEPTH / LANES / N; i += THREADS) {
        int row = i % ROWS, first = i / ROWS * N;
        Pack<N> pack = *reinterpret_cast<const Pack<N>*>(from + row * pitch + first);
#pragma unroll
        for (int k = 0; k < N * LANES; k += 2)
            put_left(left + left_index(first * LANES + k, row, ROWS), pack.word[k / LANES], pack.word[(k + 1) / LANES]);
    }
}

// A right operand from DEPTH rows.
template <int COLUMNS>
__device__ __forceinline__ void fill_right(Word* right, const Word* from, long long pitch) {
    constexpr int G = Part<16, COLUMNS>::G;
#pragma unroll
    for (int i = threadIdx.x; i < DEPTH / 2 * COLUMNS / G; i += THREADS) {
        int k = i / (COLUMNS / G) * 2, column = i % (COLUMNS / G) * G;
        auto one = *reinterpret_cast<const Pack<G>*>(from + k * pitch + column);
        auto two = *reinterpret_cast<const Pack<G>*>(from + (k + 1) * pitch + column);
#pragma unroll
        for (int c = 0; c < G; c += 2)
            put_right(right + right_index<G>(k + 1, column + c, COLUMNS), one.word + c, two.word + c);
    }
}

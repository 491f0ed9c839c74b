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

// Operands of a product lie in shared memory with PAIR pivots side by side: left [DEPTH / PAIR][rows][PAIR] and right
// [DEPTH / PAIR][columns][PAIR], where the last pivot of a pair comes first. With pairs, the two operands of a sum are
// loaded into registers of different parity, which are different banks of the register file, and are read in one cycle.
// A thread loads AT_ONCE words of an operand at a time: of WIDE of the rows or of the G columns that it holds side by
// side. The columns of 16 threads are consecutive.
constexpr int AT_ONCE = 4, WIDE = AT_ONCE / PAIR;
__device__ __forceinline__ int left_index(int k, int row, int rows) {
    return (k / PAIR * rows + row) * PAIR + k % PAIR;
}
template <int G>
__device__ __forceinline__ int right_index(int k, int column, int columns) {
    int place = column;
    if (WIDE < G)
        place = column / (16 * G) * 16 * G + column % G / WIDE * 16 * WIDE + column / G % 16 * WIDE + column % WIDE;
    return (k / PAIR * columns + place) * PAIR + PAIR - 1 - k % PAIR;
}

// A pair of pivots of one row, which these words hold, spread over each word.
__device__ __forceinline__ void put_left(Word* left, const Word* words, int k) {
    Pack<PAIR> pack;
#pragma unroll
    for (int p = 0; p < PAIR; ++p) pack.word[p] = spread(words[(k + p) / LANES], (k + p) % LANES);
    *reinterpret_cast<Pack<PAIR>*>(left) = pack;
}

template <class P>
__device__ __forceinline__ void store_left(const P& part, Word* left, Place at) {
#pragma unroll
    for (int r = 0; r < P::R; ++r)
#pragma unroll
        for (int k = 0; k < P::C * LANES; k += PAIR)
            put_left(left + left_index(column_of<P::G>(k / LANES, at) * LANES + k % LANES, row_of(r, at), P::R * TY),
                     part.word[r], k);
}

template <class P>
__device__ __forceinline__ void store_right(const P& part, Word* right, Place at) {
#pragma unroll
    for (int r = 0; r < P::R; r += PAIR)
#pragma unroll
        for (int c = 0; c < P::C; c += WIDE) {
            Pack<AT_ONCE> pack;
#pragma unroll
            for (int g = 0; g < AT_ONCE; ++g) pack.word[g] = part.word[r + PAIR - 1 - g % PAIR][c + g / PAIR];
            int index = right_index<P::G>(row_of(r + PAIR - 1, at), column_of<P::G>(c, at), P::C * 16);
            *reinterpret_cast<Pack<AT_ONCE>*>(right + index) = pack;
        }
}

// Where a thread's first row and column are in operands.
__device__ __forceinline__ const Word* own_left(const Word* left, Place at) { return left + at.y * 4 * PAIR; }
__device__ __forceinline__ const Word* own_right(const Word* right, Place at) { return right + at.x * AT_ONCE; }

// What a thread needs of N pivots.
template <class P, int N>
struct Operands {
    Word a[N][P::R], b[N][P::C];
};

// Those from k on, a multiple of PAIR; left and right from the thread's own first row and column on.
template <class P, int N>
__device__ __forceinline__ void load(Operands<P, N>& of, const Word* left, const Word* right, int k) {
    constexpr Place first = {0, 0};
#pragma unroll
    for (int step = 0; step < N; step += PAIR) {
#pragma unroll
        for (int r = 0; r < P::R; r += WIDE) {
            int index = left_index(k + step, row_of(r, first), P::R * TY);
            auto pack = *reinterpret_cast<const Pack<AT_ONCE>*>(left + index);
#pragma unroll
            for (int g = 0; g < AT_ONCE; ++g) of.a[step + g % PAIR][r + g / PAIR] = pack.word[g];
        }
#pragma unroll
        for (int c = 0; c < P::C; c += WIDE) {
            int index = right_index<P::G>(k + step + PAIR - 1, column_of<P::G>(c, first), P::C * 16);
            auto pack = *reinterpret_cast<const Pack<AT_ONCE>*>(right + index);
#pragma unroll
            for (int g = 0; g < AT_ONCE; ++g) of.b[step + PAIR - 1 - g % PAIR][c + g / PAIR] = pack.word[g];
        }
    }
}

// part = min(part, left * right), both in shared memory.
template <class P>
__device__ __forceinline__ void relax_all(P& part, const Word* left, const Word* right, Place at) {
    constexpr int R = P::R, C = P::C;
    constexpr int UNROLL = R * C > 32 ? 1 : 2;  // a large part leaves no registers for a second pair of steps
    left = own_left(left, at);
    right = own_right(right, at);
#pragma unroll UNROLL
    for (int k = 0; k < DEPTH; k += 2) {
        Operands<P, 2> of;
        load(of, left, right, k);
#pragma unroll
        for (int r = 0; r < R; ++r)
#pragma unroll
            for (int c = 0; c < C; ++c)
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
        for (int k = 0; k < N * LANES; k += PAIR)
            put_left(left + left_index(first * LANES + k, row, ROWS), pack.word, k);
    }
}

// A right operand from DEPTH rows.
template <int COLUMNS>
__device__ __forceinline__ void fill_right(Word* right, const Word* from, long long pitch) {
    constexpr int G = Part<16, COLUMNS>::G, N = G < 16 / sizeof(Word) ? G : 16 / sizeof(Word);
    constexpr int W = N < WIDE ? N : WIDE;
#pragma unroll
    for (int i = threadIdx.x; i < DEPTH / PAIR * COLUMNS / N; i += THREADS) {
        int k = i / (COLUMNS / N) * PAIR, column = i % (COLUMNS / N) * N;
        Pack<N> rows[PAIR];
#pragma unroll
        for (int p = 0; p < PAIR; ++p) rows[p] = *reinterpret_cast<const Pack<N>*>(from + (k + p) * pitch + column);
#pragma unroll
        for (int c = 0; c < N; c += W) {
            Pack<W * PAIR> pack;
#pragma unroll
            for (int g = 0; g < W * PAIR; ++g) pack.word[g] = rows[PAIR - 1 - g % PAIR].word[c + g / PAIR];
            *reinterpret_cast<Pack<W * PAIR>*>(right + right_index<G>(k + PAIR - 1, column + c, COLUMNS)) = pack;
        }
    }
}

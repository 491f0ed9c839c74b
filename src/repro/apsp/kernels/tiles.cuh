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

// As a left operand: [column][row], one distance spread over each word.
template <class P>
__device__ __forceinline__ void store_left(const P& part, Word* left, Place at) {
#pragma unroll
    for (int r = 0; r < P::R; ++r)
#pragma unroll
        for (int c = 0; c < P::C; ++c)
#pragma unroll
            for (int lane = 0; lane < LANES; ++lane)
                left[(column_of<P::G>(c, at) * LANES + lane) * P::R * TY + row_of(r, at)] =
                    spread(part.word[r][c], lane);
}

// part = min(part, left * right); left: [DEPTH][rows], right: [DEPTH][columns], both in shared memory.
template <class P>
__device__ __forceinline__ void relax_all(P& part, const Word* left, const Word* right, Place at) {
    constexpr int R = P::R, C = P::C, G = P::G;
    constexpr int UNROLL = R * C > 32 ? 1 : 2;  // a large part leaves no registers for a second pair of steps
    left += at.y * 4;
    right += at.x * G;
#pragma unroll UNROLL
    for (int k = 0; k < DEPTH; k += 2) {
        Word a[2][R], b[2][C];
#pragma unroll
        for (int step = 0; step < 2; ++step) {
#pragma unroll
            for (int r = 0; r < R; r += 4) {
                auto pack = *reinterpret_cast<const Pack<4>*>(left + ((k + step) * R + r) * TY);
#pragma unroll
                for (int g = 0; g < 4; ++g) a[step][r + g] = pack.word[g];
            }
#pragma unroll
            for (int c = 0; c < C; c += G) {
                auto pack = *reinterpret_cast<const Pack<G>*>(right + (k + step) * C * 16 + c / G * 16 * G);
#pragma unroll
                for (int g = 0; g < G; ++g) b[step][c + g] = pack.word[g];
            }
        }
#pragma unroll
        for (int r = 0; r < R; ++r)
#pragma unroll
            for (int c = 0; c < C; ++c) part.word[r][c] = relax2(part.word[r][c], a[0][r], b[0][c], a[1][r], b[1][c]);
    }
}

// left[k][row] = from[row][k], k below DEPTH: the rows of `from` are consecutive in its DEPTH / LANES words.
template <int ROWS>
__device__ __forceinline__ void fill_left(Word* left, const Word* from, long long pitch) {
    constexpr int N = 16 / sizeof(Word);
#pragma unroll
    for (int i = threadIdx.x; i < ROWS * DEPTH / LANES / N; i += THREADS) {
        int row = i % ROWS, first = i / ROWS * N;
        Pack<N> pack = *reinterpret_cast<const Pack<N>*>(from + row * pitch + first);
#pragma unroll
        for (int g = 0; g < N; ++g)
#pragma unroll
            for (int lane = 0; lane < LANES; ++lane)
                left[((first + g) * LANES + lane) * ROWS + row] = spread(pack.word[g], lane);
    }
}

// right[k][column] = from[k][column], k below DEPTH.
template <int COLUMNS>
__device__ __forceinline__ void fill_right(Word* right, const Word* from, long long pitch) {
    constexpr int N = 16 / sizeof(Word);
#pragma unroll
    for (int i = threadIdx.x; i < DEPTH * COLUMNS / N; i += THREADS) {
        int k = i / (COLUMNS / N), column = i % (COLUMNS / N) * N;
        *reinterpret_cast<Pack<N>*>(right + k * COLUMNS + column) =
            *reinterpret_cast<const Pack<N>*>(from + k * pitch + column);
    }
}

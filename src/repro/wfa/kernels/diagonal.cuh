// One diagonal of a wavefront: how far it reaches, along equal letters, and what it takes from its neighbours.
//
// Letters are packed, 32 / BITS to a word. FURTHER: the windows of a lane that are read at once in runs longer than a
// warp's.
#pragma once
#include "packed.cuh"

constexpr int UNREACHED = -(1 << 30), NOT_REACHED = 0x7FFFFFFF;
constexpr int LETTERS = 32 / BITS;

__device__ __forceinline__ unsigned window(const unsigned* packed, unsigned position) {
    const unsigned* word = packed + position / LETTERS;
    return __funnelshift_l(word[1], word[0], BITS * position);  // modulo 32
}

// Letters that are equal from row i, column j on, LETTERS at most.
__device__ __forceinline__ int equal_letters(const unsigned* P, const unsigned* T, unsigned i, unsigned j) {
    return __clz(int(window(P, i) ^ window(T, j))) / BITS;
}

__device__ __forceinline__ int least_of_warp(int value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(FULL_MASK, value);
#else
    for (int apart = 16; apart > 0; apart /= 2) value = min(value, __shfl_xor_sync(FULL_MASK, value, apart));
    return value;
#endif
}

// The row where a run of equal letters from `row` on ends, if it ends within a window of each lane of the warp.
__device__ __forceinline__ int end_of_run(const unsigned* P, const unsigned* T, int row, int diagonal, int limit) {
    int start = min(limit, row + int(threadIdx.x % 32) * LETTERS);
    int run = min(limit - start, equal_letters(P, T, start, start + diagonal));
    return least_of_warp(run < LETTERS ? start + run : NOT_REACHED);
}

// The window that begins in this lane's word and ends in the next lane's, the last lane's in the first one's `following`.
__device__ __forceinline__ unsigned joined(unsigned word, unsigned following, int position) {
    int lane = threadIdx.x % 32;
    unsigned next = __shfl_sync(FULL_MASK, lane == 0 ? following : word, lane + 1);  // modulo 32
    return __funnelshift_l(next, word, BITS * position);
}

// As end_of_run, wherever it ends. A word of FURTHER windows of each lane is read at once, for each read takes as long as
// all of them; what is read beyond a string cannot move the end, which is `limit` at most. Out of line, as few runs are
// so long: the columns of a launch are to stay in the first-level instruction cache.
__device__ __noinline__ int end_of_long_run(const unsigned* P, const unsigned* T, int row, int diagonal, int limit) {
    int lane = threadIdx.x % 32, column = row + diagonal, end = NOT_REACHED;
    P += row / LETTERS + lane;
    T += column / LETTERS + lane;
    for (; end == NOT_REACHED && row < limit; row += FURTHER * 32 * LETTERS) {
        unsigned of_P[FURTHER + 1], of_T[FURTHER + 1];
#pragma unroll
        for (int part = 0; part <= FURTHER; ++part) {
            of_P[part] = P[32 * part];
            of_T[part] = T[32 * part];
        }
#pragma unroll
        for (int part = 0; part < FURTHER; ++part) {
            unsigned unequal = joined(of_P[part], of_P[part + 1], row) ^ joined(of_T[part], of_T[part + 1], column);
            if (unequal) end = min(end, row + (32 * part + lane) * LETTERS + __clz(int(unequal)) / BITS);
        }
        end = least_of_warp(end);
        P += 32 * FURTHER;
        T += 32 * FURTHER;
    }
    return min(end, limit);
}

// One of the wavefronts on a lane's diagonal k; no letters of a diagonal outside the matrix are compared.
struct Diagonal {
    const unsigned* P;
    const unsigned* T;
    int limit, last, k, row;  // the last row, the same or 0, the diagonal inside the matrix, the furthest row
    bool longer;              // the run of equal letters is longer than a window
};

// Rows that are not reached begin at the last one, so that no run moves them.
__device__ __forceinline__ void extend(Diagonal& diagonal) {
    int start = int(min(unsigned(diagonal.row), unsigned(diagonal.last)));
    int run = equal_letters(diagonal.P, diagonal.T, start, start + diagonal.k);
    diagonal.longer = run == LETTERS && start < diagonal.last - LETTERS;
    diagonal.row += min(run, diagonal.last - start);
}

// Runs longer than a window, one after the other, by the whole warp.
__device__ __forceinline__ void extend_further(Diagonal& diagonal) {
    for (unsigned waiting = __ballot_sync(FULL_MASK, diagonal.longer); waiting; waiting &= waiting - 1) {
        int source = __ffs(waiting) - 1, row = __shfl_sync(FULL_MASK, diagonal.row, source);
        int k = __shfl_sync(FULL_MASK, diagonal.k, source), limit = __shfl_sync(FULL_MASK, diagonal.last, source);
        int end = end_of_run(diagonal.P, diagonal.T, row, k, limit);
        if (end == NOT_REACHED) end = end_of_long_run(diagonal.P, diagonal.T, row + 32 * LETTERS, k, limit);
        if (threadIdx.x % 32 == source) diagonal.row = end;
    }
}

__device__ __forceinline__ void advance(Diagonal& diagonal, int insertion, int deletion) {
    diagonal.row = min(diagonal.limit, max(insertion, max(diagonal.row, deletion) + 1));
    extend(diagonal);
}

// The value itself, out of the compiler's sight: it would compute it again in every column.
template <class Value>
__device__ __forceinline__ Value kept(Value value) {
    return __shfl_sync(FULL_MASK, value, threadIdx.x % 32);
}
__device__ __forceinline__ const unsigned* kept(const unsigned* letters) {
    return reinterpret_cast<const unsigned*>(kept(reinterpret_cast<unsigned long long>(letters)));
}

__device__ __forceinline__ Diagonal diagonal_of(Strings strings, int m, int n, int k, int row) {
    int limit = min(m, n - k);
    return {kept(strings.P), kept(strings.T), kept(limit), kept(max(0, limit)), kept(max(-m, min(k, n))), row, false};
}

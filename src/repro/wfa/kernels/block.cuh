// The diagonals of a block, and letters on their way before it needs them: a miss in any warp makes all of it wait.
#pragma once
#include "diagonal.cuh"

constexpr int KEPT = 32 - 2 * EXCHANGE;            // diagonals of a warp
constexpr int SPAN = WARPS * KEPT + 2 * EXCHANGE;  // of a block
static_assert(KEPT >= EXCHANGE && COLUMNS % EXCHANGE == 0 && SPAN > 2 * COLUMNS, "too few diagonals");

// The first and the last row reached by any diagonal of the block.
__device__ __forceinline__ void note_range(int row, int* range) {
    int least = least_of_warp(row < 0 ? NOT_REACHED : row), most = -least_of_warp(-row);
    if (threadIdx.x % 32 == 0) {
        atomicMin(range, least);
        atomicMax(range + 1, most);
    }
}

// Reads a word of every sector that the block's diagonals around `k` will need in this launch, so that the first-level
// cache holds them. range: the first and the last row reached.
__device__ __forceinline__ unsigned fetched_letters(Strings strings, int m, int n, int k, const int* range) {
    constexpr int SECTOR = 8 * LETTERS, MOST = 512 * SECTOR;
    int passed = range[1] - range[0];  // by up to SPAN / 2 columns
    unsigned words = 0;
    if (passed < 0 || passed > MOST) return words;
    int end = range[1] + int((long long)passed * COLUMNS / (SPAN / 2)) + 32 * LETTERS + SPAN / 2;
    for (int i = range[0] - SPAN / 2 + int(threadIdx.x) * SECTOR; i < end; i += 32 * WARPS * SECTOR)
        words ^= strings.P[max(0, min(i, m)) / LETTERS] ^ strings.T[max(0, min(i + k, n)) / LETTERS];
    return words;
}

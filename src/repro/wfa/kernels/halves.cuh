// Both directions of a problem, each from an end of the matrix to its middle row, cut into strips.

#include "problems.cuh"

constexpr int ROWS = 32 * WORDS;  // of a lane
constexpr int STRIP = 32 * ROWS;

// One direction of a problem: 0 goes from the start of both substrings to the middle row, 1 from their ends.
struct Half {
    int direction, rows, padding, n, low, high, strips, chunks;
    long long first_strip, first_chunk;  // in arrays over the strips or the chunks of all problems and directions
};

__device__ __forceinline__ Half half_of(const Problem& problem, int direction) {
    Half half;
    half.direction = direction;
    half.rows = int(direction ? problem.rows / 2 : problem.rows - problem.rows / 2);
    half.padding = int(problem.strips) * STRIP - half.rows;
    half.n = int(problem.columns);
    half.low = int(problem.low);
    half.high = int(problem.high);
    half.strips = int(problem.strips);
    half.chunks = int(problem.chunks);
    half.first_strip = 2 * problem.strips_before + direction * problem.strips;
    half.first_chunk = 2 * problem.chunks_before + direction * problem.chunks;
    return half;
}

// The chunks [begin, end) that a strip computes: the band's diagonals over its rows.
__device__ __forceinline__ int begin_of(const Half& half, int strip) {
    return max(0, max(0, strip * STRIP - half.padding) + half.low) / CHUNK;
}
__device__ __forceinline__ int end_of(const Half& half, int strip) {
    return (min(half.n, (strip + 1) * STRIP - half.padding + half.high) + CHUNK - 1) / CHUNK;
}

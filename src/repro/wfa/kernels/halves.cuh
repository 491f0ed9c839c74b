// Both directions of a problem, each from an end of the matrix to its middle row, cut into strips.

#include "problems.cuh"

constexpr int COLUMNS = 32 * WORDS;  // of a lane
constexpr int STRIP = 32 * COLUMNS;

// One direction of a problem: 0 goes from the start of both substrings to the middle row, 1 from their ends.
struct Half {
    int direction, rows, n, low, high, strips, chunks;
    long long first_strip, first_chunk;  // in arrays over the strips or the chunks of all problems and directions
};

__device__ __forceinline__ Half half_of(const Problem& problem, int direction) {
    Half half;
    half.direction = direction;
    half.rows = int(direction ? problem.rows / 2 : problem.rows - problem.rows / 2);
    half.n = int(problem.columns);
    half.low = int(problem.low);
    half.high = int(problem.high);
    half.strips = int(problem.strips);
    half.chunks = int(problem.chunks);
    half.first_strip = 2 * problem.strips_before + direction * problem.strips;
    half.first_chunk = 2 * problem.chunks_before + direction * problem.chunks;
    return half;
}

// The rows [begin, end) that a strip computes: the band's diagonals over its columns, and whole chunks but for the last
// rows of the half.
__device__ __forceinline__ int begin_of(const Half& half, int strip) {
    return min(half.rows, max(0, strip * STRIP - half.high)) / CHUNK * CHUNK;
}
__device__ __forceinline__ int end_of(const Half& half, int strip) {
    return min(half.rows, ((strip + 1) * STRIP - half.low + CHUNK - 1) / CHUNK * CHUNK);
}

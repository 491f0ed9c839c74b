// Where the cheapest path crosses the middle row, from the differences that both directions leave there.

#include "halves.cuh"

// The values of a problem's middle row are kept at the first column of each chunk, one more than there are chunks.
__device__ __forceinline__ long long first_value(const Half& half, int problem) {
    return half.first_chunk + 2 * problem + half.direction;
}

// Sums the middle row's differences up; one block for each problem and direction.
extern "C" __global__ void middle_values(const long long* batch, const unsigned* middle, const int* passed,
                                         int* values) {
    extern __shared__ int sums[];
    int thread = threadIdx.x, threads = blockDim.x;
    Half half = half_of(reinterpret_cast<const Problem*>(batch)[blockIdx.x / 2], blockIdx.x % 2);
    int first = begin_of(half, half.strips - 1), last = end_of(half, half.strips - 1);
    values += first_value(half, blockIdx.x / 2);

    auto inclusive_scan = [&](int value) {
        sums[thread] = value;
        __syncthreads();
        for (int distance = 1; distance < threads; distance *= 2) {
            int other = thread >= distance ? sums[thread - distance] : 0;
            __syncthreads();
            sums[thread] += other;
            __syncthreads();
        }
        int result = sums[thread], total = sums[threads - 1];
        __syncthreads();
        return make_int2(result, total);
    };
    int part = 0;
    for (int strip = thread; strip < half.strips; strip += threads) part += passed[half.first_strip + strip];
    int base = half.rows + inclusive_scan(part).y;
    for (int start = first; start < last; start += threads) {
        int chunk = start + thread, change = 0;
        if (chunk < last) {
            unsigned word = middle[half.first_chunk + chunk];
            change = __popc(word >> 16) - __popc(word & 0xFFFF);
        }
        int2 scanned = inclusive_scan(change);
        if (chunk < last) values[chunk] = base + scanned.x - change;
        base += scanned.y;
    }
    if (thread == 0) values[last] = base;
}

__device__ int value_at(const unsigned* middle, const int* values, const Half& half, int problem, int column) {
    int value = values[first_value(half, problem) + column / CHUNK], rest = column % CHUNK;
    if (rest == 0) return value;
    unsigned word = middle[half.first_chunk + column / CHUNK];
    return value + __popc(word >> (32 - rest)) - __popc((word & 0xFFFF) >> (16 - rest));
}

// The cheapest crossing of each middle row, over the columns for which both directions have values: the cost in the
// upper half of a word, the column, the first one of equal cost, in the lower. blockIdx.x is the problem.
extern "C" __global__ void best_crossing(const long long* batch, const unsigned* middle, const int* values,
                                         unsigned long long* best) {
    const Problem& problem = reinterpret_cast<const Problem*>(batch)[blockIdx.x];
    Half forward = half_of(problem, 0), backward = half_of(problem, 1);
    int n = forward.n, final = forward.strips - 1;
    int begin = max(CHUNK * begin_of(forward, final), n - min(n, CHUNK * end_of(backward, final)));
    int end = min(min(n, CHUNK * end_of(forward, final)), n - CHUNK * begin_of(backward, final));
    for (long long x = blockIdx.y * blockDim.x + threadIdx.x; begin + x <= end; x += gridDim.y * blockDim.x) {
        int column = begin + int(x);
        int cost = value_at(middle, values, forward, blockIdx.x, column) +
                   value_at(middle, values, backward, blockIdx.x, n - column);
        atomicMin(best + blockIdx.x, (unsigned long long)cost << 32 | unsigned(column));
    }
}

// The cost of the part above the middle row, for the crossing found.
extern "C" __global__ void cost_above(const long long* batch, int count, const unsigned* middle, const int* values,
                                      const unsigned long long* best, unsigned long long* above) {
    int problem = blockIdx.x * blockDim.x + threadIdx.x;
    if (problem >= count) return;
    Half forward = half_of(reinterpret_cast<const Problem*>(batch)[problem], 0);
    above[problem] = (unsigned long long)value_at(middle, values, forward, problem, int(best[problem] & 0xFFFFFFFFu));
}

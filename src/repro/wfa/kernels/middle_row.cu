// Where the cheapest path crosses the middle row, from the differences that both directions leave there.

#include "halves.cuh"

constexpr int WORDS_OF_STRIP = STRIP / 32;

// The values of a problem's middle row are kept at the first column of each word, one more than there are words.
__device__ __forceinline__ long long first_value(const Half& half, int problem) {
    return half.first_strip * WORDS_OF_STRIP + 2 * problem + half.direction;
}

// Sums the differences up, from the right border of the last strip to the left end of the band; one block for each
// problem and direction.
extern "C" __global__ void middle_values(const long long* batch, const unsigned* ends, const int* passed, int* values) {
    extern __shared__ int sums[];
    int thread = threadIdx.x, threads = blockDim.x;
    Half half = half_of(reinterpret_cast<const Problem*>(batch)[blockIdx.x / 2], blockIdx.x % 2);
    int words = half.strips * WORDS_OF_STRIP, first = max(0, half.rows + half.low) / 32;
    ends += 2 * half.first_strip * WORDS_OF_STRIP;
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
    int value = half.strips * STRIP + inclusive_scan(part).y;
    if (thread == 0) values[words] = value;
    for (int done = 0; done < words - first; done += threads) {
        int word = words - 1 - done - thread, change = 0;
        if (word >= first) change = __popc(ends[2 * word]) - __popc(ends[2 * word + 1]);
        int2 scanned = inclusive_scan(change);
        if (word >= first) values[word] = value - scanned.x;
        value -= scanned.y;
    }
}

__device__ int value_at(const unsigned* ends, const int* values, const Half& half, int problem, int column) {
    int word = column / 32, value = values[first_value(half, problem) + word];
    unsigned before = (1u << column % 32) - 1;
    if (before == 0) return value;
    ends += 2 * (half.first_strip * WORDS_OF_STRIP + word);
    return value + __popc(ends[0] & before) - __popc(ends[1] & before);
}

// The cheapest crossing of each middle row, over the columns of the band: the cost in the upper half of a word, the
// column, the first one of equal cost, in the lower. blockIdx.x is the problem.
extern "C" __global__ void best_crossing(const long long* batch, const unsigned* ends, const int* values,
                                         unsigned long long* best) {
    const Problem& problem = reinterpret_cast<const Problem*>(batch)[blockIdx.x];
    Half forward = half_of(problem, 0), backward = half_of(problem, 1);
    int begin = max(0, forward.rows + forward.low), end = min(forward.n, forward.rows + forward.high);
    unsigned long long least = ~0ull;
    for (long long x = blockIdx.y * blockDim.x + threadIdx.x; begin + x <= end; x += gridDim.y * blockDim.x) {
        int column = begin + int(x);
        int cost = value_at(ends, values, forward, blockIdx.x, column) +
                   value_at(ends, values, backward, blockIdx.x, forward.n - column);
        least = min(least, (unsigned long long)cost << 32 | unsigned(column));
    }
    // One of a warp, as all of them would wait for the same word.
    for (int apart = 16; apart > 0; apart /= 2) least = min(least, __shfl_xor_sync(FULL_MASK, least, apart));
    if (threadIdx.x % 32 == 0) atomicMin(best + blockIdx.x, least);
}

// The cost of the part above the middle row, for the crossing found.
extern "C" __global__ void cost_above(const long long* batch, int count, const unsigned* ends, const int* values,
                                      const unsigned long long* best, unsigned long long* above) {
    int problem = blockIdx.x * blockDim.x + threadIdx.x;
    if (problem >= count) return;
    Half forward = half_of(reinterpret_cast<const Problem*>(batch)[problem], 0);
    above[problem] = (unsigned long long)value_at(ends, values, forward, problem, int(best[problem] & 0xFFFFFFFFu));
}

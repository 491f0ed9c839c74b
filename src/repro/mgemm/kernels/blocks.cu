// What kernels read: vectors side by side, their sums, and for triples the minima with each pivot.
#include "words.cuh"

constexpr int SIDE = 32;

// Word k of a vector, 0 behind its last field.
template <class E>
__device__ E word_of(const E* vector, int k, int elements) { return k < elements ? vector[k] : E(0); }
__device__ unsigned word_of(const unsigned char* vector, int k, int elements) {
    unsigned word = 0;
    if (PLANES == 0) {
        for (int b = 0; b < 4; ++b)
            if (4 * k + b < elements) word |= unsigned(vector[4 * k + b]) << 8 * b;
    } else {
        // Plane p of 32 fields is the bits [field > p]; the minimum of two fields is the sum over planes of their ANDs.
        int plane = k % (PLANES + (PLANES == 0)), first = k / (PLANES + (PLANES == 0)) * 32;
        for (int b = 0; b < 32; ++b)
            if (first + b < elements) word |= unsigned(vector[first + b] > plane) << b;
    }
    return word;
}

// raw: vectors x elements. They become vectors `start` and following of `block`, which has `words` words of each.
extern "C" __global__ void mgemm_arrange(const Element* raw, Word* block, long long pitch, int start, int vectors,
                                         int elements, int words) {
    __shared__ Word tile[SIDE][SIDE + 1];
    int first_word = blockIdx.x * SIDE, first_vector = blockIdx.y * SIDE;
    for (int v = threadIdx.y; v < SIDE; v += blockDim.y)
        if (first_vector + v < vectors)
            tile[v][threadIdx.x] =
                word_of(raw + (long long)(first_vector + v) * elements, first_word + threadIdx.x, elements);
    __syncthreads();
    // Written in the order of memory: vectors side by side, or a group's words.
    for (int other = threadIdx.y; other < SIDE; other += blockDim.y) {
        int k = GROUP == 1 ? other : threadIdx.x, v = GROUP == 1 ? threadIdx.x : other;
        if (first_word + k < words && first_vector + v < vectors)
            block[place(first_word + k, start + first_vector + v, pitch)] = tile[v][k];
    }
}

__device__ __forceinline__ unsigned sum_of(unsigned char field) { return field; }

// totals[start + v] = the sum of raw[v]. A block for each vector: there are few where vectors are long.
extern "C" __global__ void mgemm_raw_sums(const Element* raw, Total* totals, int start, int elements) {
    __shared__ Total parts[SIDE];
    const Element* vector = raw + (long long)blockIdx.x * elements;
    Total total = 0;
    for (int k = threadIdx.x; k < elements; k += blockDim.x) total += Total(sum_of(vector[k]));
    for (int lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2) total += __shfl_down_sync(FULL_MASK, total, lanes);
    if (threadIdx.x % WARP_SIZE == 0) parts[threadIdx.x / WARP_SIZE] = total;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int warp = 1; warp < blockDim.x / WARP_SIZE; ++warp) total += parts[warp];
    totals[start + blockIdx.x] = total;
}

// totals[v] = the sum of vector v's fields, as they lie in `block`.
extern "C" __global__ void mgemm_sums(const Word* block, Total* totals, long long pitch, int start, int vectors, int words) {
    __shared__ Total parts[SIDE / 4][SIDE + 1];
    int v = blockIdx.x * SIDE + threadIdx.x;
    Total total = 0;
    if (v < vectors)
        for (int k = threadIdx.y; k < words; k += SIDE / 4) total += Total(sum_of(block[place(k, start + v, pitch)]));
    parts[threadIdx.y][threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.y > 0 || v >= vectors) return;
    for (int part = 1; part < SIDE / 4; ++part) total += parts[part][threadIdx.x];
    totals[start + v] = total;
}

// minima: [words / GROUP][pivots * stride][GROUP], the minima of the first `rows_before + z * row_step` rows with pivot z.
extern "C" __global__ void mgemm_minima(const Word* block, const Word* pivots, Word* minima, long long pitch,
                                        long long pivot_pitch, long long minima_pitch, int start, int pivot_start,
                                        int stride, int words, int rows, int rows_before, int row_step) {
    int inside = blockIdx.x * blockDim.x + threadIdx.x, row = inside / GROUP, z = blockIdx.z;
    int limit = rows_before + z * row_step;
    if (row >= (limit < rows ? limit : rows)) return;
    for (int group = blockIdx.y; group < words / GROUP; group += gridDim.y) {
        int k = group * GROUP + inside % GROUP;
        minima[place(k, z * stride + row, minima_pitch)] =
            minimum(block[place(k, start + row, pitch)], pivots[place(k, pivot_start + z, pivot_pitch)]);
    }
}

// Section 4.2.1: each thread fetches the cell of its own diagonal into shared memory, and those at the ends of the
// block one more, so that a cell of the previous column is read from global memory once instead of three times.
#include "wavefront.cuh"

extern "C" __global__ void wfa_shared_memory_prefetch(const uint8_t* P, const uint8_t* T, const int* previous,
                                                      int* current, int* distance, int m, int n, int r) {
    extern __shared__ int column[];  // blockDim.x cells and one beyond each end
    int first = int(blockIdx.x * blockDim.x) - min(r, m), k = first + int(threadIdx.x);
    auto fetch = [&](int diagonal) {
        bool computed = diagonal > -r && diagonal < r && diagonal >= -m && diagonal <= n;
        column[diagonal - first + 1] = computed ? previous[diagonal + m] : UNREACHED;
    };
    fetch(k);
    if (threadIdx.x == 0) fetch(k - 1);
    if (threadIdx.x == blockDim.x - 1) fetch(k + 1);
    __syncthreads();

    if (k > min(r, n)) return;
    const int* middle = column + threadIdx.x + 1;
    int radius = extend(P, T, m, n, k, r == 0 ? 0 : step(k, middle[1], middle[0], middle[-1]));
    current[k + m] = radius;
    if (k == n - m && radius >= min(m, n) && r < *distance) *distance = r;
}

// Section 4.1.1: one thread per cell of the widest possible column, one launch per column.
#include "wavefront.cuh"

extern "C" __global__ void wfa_baseline(const uint8_t* P, const uint8_t* T, const int* previous, int* current, int* seen,
                                        int m, int n, int r) {
    int k = int(blockIdx.x * blockDim.x + threadIdx.x) - m;
    if (k > n || k < -r || k > r) return;
    int radius = cell(P, T, previous, m, n, r, k);
    current[k + m] = radius;
    if (k == n - m) __stwt(seen, radius);
}

// Section 4.1.2: as many threads as the column has cells.
#include "wavefront.cuh"

extern "C" __global__ void wfa_dynamic_work_items(const uint8_t* P, const uint8_t* T, const int* previous, int* current,
                                                  int* seen, int m, int n, int r) {
    int k = int(blockIdx.x * blockDim.x + threadIdx.x) - min(r, m);
    if (k > min(r, n)) return;
    int radius = cell(P, T, previous, m, n, r, k);
    current[k + m] = radius;
    if (k == n - m) __stwt(seen, radius);
}

// Section 4.1.3: many launches between two reads. The column that first reaches the end is kept on the device, so that
// the columns launched after it cannot change the distance.
#include "wavefront.cuh"

extern "C" __global__ void wfa_minimised_reads(const uint8_t* P, const uint8_t* T, const int* previous, int* current,
                                               int* distance, int m, int n, int r) {
    int k = int(blockIdx.x * blockDim.x + threadIdx.x) - min(r, m);
    if (k > min(r, n)) return;
    int radius = cell(P, T, previous, m, n, r, k);
    current[k + m] = radius;
    if (k == n - m && radius >= min(m, n) && r < *distance) *distance = r;
}

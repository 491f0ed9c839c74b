// Section 4.2.2, shared store: one thread per tile, its cells in shared memory, those of equal number side by side.
// Small tiles are unrolled: their numbers are constants then, and most of the addresses.
#include "tile.cuh"

extern "C" __global__ void wfa_tiling_shared(const uint8_t* P, const uint8_t* T, int* last, int* before, int* distance,
                                             int m, int n, int first_centre, int tiles, int first_column) {
    int tile = blockIdx.x * blockDim.x + threadIdx.x;
    if (tile >= tiles) return;
    extern __shared__ int cells[];  // 2 TILE^2 per thread
    auto store = [=](int number) -> int& { return cells[number * blockDim.x + threadIdx.x]; };
    compute_tile<(TILE <= 4)>(P, T, last, before, distance, m, n, first_centre + 2 * TILE * tile, first_column, store);
}

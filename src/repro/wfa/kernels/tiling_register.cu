// Section 4.2.2, register store: one thread per tile, its cells in an array that full unrolling turns into registers.
#include "tile.cuh"

extern "C" __global__ void wfa_tiling_register(const uint8_t* P, const uint8_t* T, int* last, int* before, int* distance,
                                               int m, int n, int first_centre, int tiles, int first_column) {
    int tile = blockIdx.x * blockDim.x + threadIdx.x;
    if (tile >= tiles) return;
    int cells[2 * TILE * TILE];
    auto store = [&](int number) -> int& { return cells[number]; };
    compute_tile<true>(P, T, last, before, distance, m, n, first_centre + 2 * TILE * tile, first_column, store);
}

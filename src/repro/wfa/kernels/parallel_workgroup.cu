// Section 4.2.3: one block per tile, one thread per diagonal the tile touches: 2 TILE + 1, because the cells at its
// corners depend on one diagonal beyond each. Section 4.3 launches the same kernel for fewer tiles.
#include "tile.cuh"

extern "C" __global__ void __launch_bounds__(2 * TILE + 1)
    wfa_parallel_workgroup(const uint8_t* P, const uint8_t* T, int* last, int* before, int* distance, int* bound, int m,
                           int n, int first_centre, int first_column) {
    __shared__ int columns[2][2 * TILE + 1];  // the columns of even and of odd s
    int offset = int(threadIdx.x) - TILE, away = offset < 0 ? -offset : offset;
    int k = first_centre + 2 * TILE * int(blockIdx.x) + offset;
    bool inside = k >= -m && k <= n;
    int* even = columns[0] + threadIdx.x;
    int* odd = columns[1] + threadIdx.x;

    // Column s of a tile reads column s - 1 of its neighbours: a - 1 or a - 2 where they have not begun.
    *(away % 2 ? even : odd) = inside ? last[k + m] : UNREACHED;
    *(away % 2 ? odd : even) = inside ? before[k + m] : UNREACHED;
    __syncthreads();

    for (int s = 0; s < 2 * TILE; ++s) {
        if (inside && away <= reach(s)) {
            const int* previous = s % 2 ? even : odd;
            int r = first_column + s;
            int radius = extend(P, T, m, n, k, r == 0 ? 0 : step(k, previous[1], previous[0], previous[-1]));
            *(s % 2 ? odd : even) = radius;
            if (k == n - m) {
                note_solution(distance, m, n, r, radius);
                atomicMin(bound, min(m, n) - radius + r);
            }
        }
        __syncthreads();
    }
    if (inside && away < TILE) {
        last[k + m] = *(away % 2 ? even : odd);
        before[k + m] = *(away % 2 ? odd : even);
    }
}

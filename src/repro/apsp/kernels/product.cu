// A min-plus product of matrices of their own: d = min(init, left * right), d of ROWS gridDim.y rows by COLUMNS
// gridDim.x words; `init` may be d itself. All are row-major, d and init with the same pitch, in words. Between left and
// right lie `depth` distances, a multiple of DEPTH.
//
// local memory: sm_75 sm_80 sm_90
#include "tiles.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
apsp_product(Word* d, const Word* init, const Word* left, const Word* right, int pitch, int left_pitch, int right_pitch,
             int depth) {
    extern __shared__ __align__(16) Word shared[];
    Word *left_shared = shared, *right_shared = shared + DEPTH * ROWS;
    Place at = place();
    long long tile = (long long)blockIdx.y * ROWS * pitch + blockIdx.x * COLUMNS;
    left += (long long)blockIdx.y * ROWS * left_pitch;
    right += blockIdx.x * COLUMNS;
    Part<ROWS, COLUMNS> mine;
    load(mine, init + tile, pitch, at);
    for (int first = 0; first < depth; first += DEPTH) {
        if (first > 0) __syncthreads();
        fill_left<ROWS>(left_shared, left + first / LANES, left_pitch);
        fill_right<COLUMNS>(right_shared, right + (long long)first * right_pitch, right_pitch);
        __syncthreads();
        relax_all(mine, left_shared, right_shared, at);
    }
    store(mine, d + tile, pitch, at);
}

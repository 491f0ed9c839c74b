// One mma of a warp, its registers as every lane gives and gets them, and copies beside arithmetic in stages.
#include "../../src/repro/mgemm/kernels/copies.cuh"
#include "../../src/repro/mgemm/kernels/mma.cuh"

extern "C" __global__ void bits_m16n8k256(const unsigned* a, const unsigned* b, int* d) {
    int lane = threadIdx.x;
    int sum[4];
    for (int i = 0; i < 4; ++i) sum[i] = d[4 * lane + i];
    mma_and_popc(sum, {a[4 * lane], a[4 * lane + 1], a[4 * lane + 2], a[4 * lane + 3]}, {b[2 * lane], b[2 * lane + 1]});
    for (int i = 0; i < 4; ++i) d[4 * lane + i] = sum[i];
}

// output[i] = the sum over slabs of input[slab][i + 4], a quarter of the threads copying for all; waits for all but
// KEPT of its groups, of which the last one may be kept.
extern "C" __global__ void staged_sum(const int* input, int* output, int slabs) {
    __shared__ __align__(16) int stages[2][128];
    int sum = 0;
    auto fill = [&](int slab) {
        if (threadIdx.x < 32) begin_copy(stages[slab % 2] + 4 * threadIdx.x, input + slab * 128 + 4 * threadIdx.x);
    };
    fill(0);
    close_group();
    for (int slab = 0; slab < slabs; ++slab) {
        if (slab + 1 < slabs) fill(slab + 1);
        close_group();
        await_groups<KEPT>();
        __syncthreads();
        sum += stages[slab % 2][(threadIdx.x + 4) % 128];
        __syncthreads();
    }
    output[threadIdx.x] = sum;
}

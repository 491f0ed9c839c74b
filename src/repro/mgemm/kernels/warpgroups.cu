// Bits by the tensor cores of compute capability 9.0: a block of WARPGROUPS warpgroups, each with 64 x 256 results.
//
// left, right: as words.cuh says, so that 512 bits of consecutive vectors, a slab, are consecutive memory. One thread
// brings a slab of the block's vectors into a stage by two bulk copies, and wgmma reads it as it lies. Tiles begin where
// eight vectors do, which may be before the first one that is asked for.
//
// architectures: sm_90a
#include "rectangles.cuh"
#include "wgmma.cuh"

constexpr int GROUP = 16, ROWS = 64 * WARPGROUPS, COLUMNS = 256;
constexpr int STAGE = (ROWS + COLUMNS) * GROUP, PIECES = STAGE / 4;
constexpr int AHEAD = STAGES - 2;  // slabs that are filled before they are read: of the last two, products may be under way

extern "C" __global__ void __launch_bounds__(128 * WARPGROUPS, 1)
mgemm_warpgroups(const unsigned* left, const unsigned* right, unsigned* result, long long left_pitch,
                 long long right_pitch, int left_start, int left_stride, int right_start, int words, int rows,
                 int columns, int rows_before, int row_step, int columns_before, int column_step, int diagonal) {
    extern __shared__ __align__(1024) unsigned shared[];
    Barrier *full = reinterpret_cast<Barrier*>(shared + STAGES * STAGE), *empty = full + STAGES;
    Rectangle mine = rectangle(blockIdx.z, rows, columns, rows_before, row_step, columns_before, column_step);
    // Blocks that run at once are BAND rows of tiles, so that together they read few vectors.
    int width = gridDim.x, inside = blockIdx.y % BAND * width + blockIdx.x, top = blockIdx.y - blockIdx.y % BAND;
    int height = gridDim.y - top < BAND ? gridDim.y - top : BAND;
    left_start += blockIdx.z * left_stride;
    int first_row = (top + inside % height) * ROWS - left_start % 8;
    int first_column = inside / height * COLUMNS - right_start % 8, last_column = first_column + COLUMNS - 1;
    if (first_row >= mine.rows || last_column < mine.first_column || last_column + diagonal <= first_row) return;
    left += (left_start + first_row) * (long long)GROUP;
    right += (right_start + first_column) * (long long)GROUP;

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) {
            make_barrier(full + s, 1);
            make_barrier(empty + s, 4 * WARPGROUPS);
        }
        publish_barriers();
    }
    __syncthreads();
    int slabs = words / GROUP, warp = __shfl_sync(FULL_MASK, threadIdx.x / 32, 0), lane = threadIdx.x % 32;
    auto fill = [&](int slab) {
        int s = slab % STAGES;
        unsigned* to = shared + s * STAGE;
        if (slab >= STAGES) await_phase(empty + s, slab / STAGES % 2 ^ 1);
        arrive_expecting(full + s, STAGE * 4);
        begin_bulk_copy(to, left + slab * left_pitch * GROUP, ROWS * GROUP * 4, full + s);
        begin_bulk_copy(to + ROWS * GROUP, right + slab * right_pitch * GROUP, COLUMNS * GROUP * 4, full + s);
    };
    if (threadIdx.x == 0)
        for (int slab = 0; slab < AHEAD && slab < slabs; ++slab) fill(slab);

    int sum[COLUMNS / 2] = {};
    Descriptor a = describe(shared + warp / 4 * 64 * GROUP), b = describe(shared + ROWS * GROUP);
    int stage = 0, parity = 0;
#pragma unroll 1
    for (int slab = 0; slab < slabs; ++slab) {
        await_phase(full + stage, parity);
        begin_products();
        wgmma_and_popc(sum, a + stage * PIECES, b + stage * PIECES);
        wgmma_and_popc(sum, a + stage * PIECES + 2, b + stage * PIECES + 2);
        close_products();
        if (threadIdx.x == 0 && slab + AHEAD < slabs) fill(slab + AHEAD);
        __syncwarp();
        await_products<1>();
        if (slab > 0 && lane == 0) arrive(empty + (stage > 0 ? stage : STAGES) - 1);
        if (++stage == STAGES) stage = 0, parity ^= 1;
    }
    await_products<0>();
#pragma unroll
    for (int d = 0; d < 2; ++d) {
        int row = first_row + warp * 16 + lane / 4 + d * 8;
        if (row < 0 || row >= mine.rows) continue;
        unsigned* out = result + mine.offset + (long long)row * mine.columns - mine.first_column;
#pragma unroll
        for (int n = 0; n < COLUMNS / 8; ++n)
#pragma unroll
            for (int odd = 0; odd < 2; ++odd) {
                int column = first_column + n * 8 + lane % 4 * 2 + odd;
                if (column >= mine.first_column && column < columns) out[column] = unsigned(sum[n * 4 + d * 2 + odd]);
            }
    }
}

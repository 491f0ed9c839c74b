// Bits by the tensor cores: a block of WARPS_Y x WARPS_X warps, each with WARP_ROWS x WARP_COLUMNS results.
//
// left, right: as words.cuh says, so that a slab of 512 bits of consecutive vectors is consecutive memory. A lane reads
// 16 bytes of a vector at once, words 4 t to 4 t + 3, and takes them as the words t and t + 4 of two products: the order
// of bits does not matter as long as it is the same on both sides.
//
// architectures: sm_80 sm_90 sm_100 sm_120
#include "copies.cuh"
#include "mma.cuh"
#include "rectangles.cuh"

constexpr int GROUP = 16;
constexpr int ROWS = WARPS_Y * WARP_ROWS, COLUMNS = WARPS_X * WARP_COLUMNS, THREADS = 32 * WARPS_Y * WARPS_X;
constexpr int STAGE = (ROWS + COLUMNS) * GROUP;
constexpr int M = WARP_ROWS / 16, N = WARP_COLUMNS / 8;

template <int SIDE>
__device__ __forceinline__ void fill(unsigned* shared, const unsigned* from) {
    static_assert(SIDE * 4 % THREADS == 0, "every thread copies equally much");
#pragma unroll
    for (int i = 0; i < SIDE * 4; i += THREADS)
        begin_copy(shared + (i + threadIdx.x) * 4, from + (i + threadIdx.x) * 4);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
mgemm_tensor(const unsigned* left, const unsigned* right, unsigned* result, long long left_pitch, long long right_pitch,
             int left_start, int left_stride, int right_start, int words, int rows, int columns, int rows_before,
             int row_step, int columns_before, int column_step, int diagonal) {
    extern __shared__ __align__(16) unsigned shared[];
    Rectangle mine = rectangle(blockIdx.z, rows, columns, rows_before, row_step, columns_before, column_step);
    int first_row = blockIdx.y * ROWS, first_column = blockIdx.x * COLUMNS, last_column = first_column + COLUMNS - 1;
    if (first_row >= mine.rows || last_column < mine.first_column || last_column + diagonal <= first_row) return;
    left_start += blockIdx.z * left_stride;
    left += (long long)(left_start + first_row) * GROUP;
    right += (long long)(right_start + first_column) * GROUP;
    long long left_slab = left_pitch * GROUP, right_slab = right_pitch * GROUP;

    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    int warp_row = warp / WARPS_X * WARP_ROWS, warp_column = warp % WARPS_X * WARP_COLUMNS;
    int a_quarter = t ^ (left_start + g) / 2 % 4, b_quarter = t ^ (right_start + g) / 2 % 4;
    int sum[M][N][4] = {};
    int slabs = words / GROUP;
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < slabs) {
            fill<ROWS>(shared + s * STAGE, left + s * left_slab);
            fill<COLUMNS>(shared + s * STAGE + ROWS * GROUP, right + s * right_slab);
        }
        close_group();
    }
    const unsigned *left_next = left + (STAGES - 1) * left_slab, *right_next = right + (STAGES - 1) * right_slab;
    unsigned *now = shared, *filled = shared + (STAGES - 1) * STAGE;
    for (int slab = 0; slab < slabs; ++slab) {
        await_groups<STAGES - 2>();
        __syncthreads();
        if (slab + STAGES - 1 < slabs) {
            fill<ROWS>(filled, left_next);
            fill<COLUMNS>(filled + ROWS * GROUP, right_next);
            left_next += left_slab;
            right_next += right_slab;
        }
        close_group();
        const unsigned *a_from = now + (warp_row + g) * GROUP + 4 * a_quarter;
        const unsigned *b_from = now + (ROWS + warp_column + g) * GROUP + 4 * b_quarter;
        unsigned a[2][M][4];
#pragma unroll
        for (int m = 0; m < M; ++m) {
            uint4 low = *reinterpret_cast<const uint4*>(a_from + m * 16 * GROUP);
            uint4 high = *reinterpret_cast<const uint4*>(a_from + (m * 16 + 8) * GROUP);
            gather(a[0][m], low.x, high.x, low.y, high.y);
            gather(a[1][m], low.z, high.z, low.w, high.w);
        }
#pragma unroll
        for (int n = 0; n < N; ++n) {
            uint4 b = *reinterpret_cast<const uint4*>(b_from + n * 8 * GROUP);
#pragma unroll
            for (int m = 0; m < M; ++m) mma_and_popc(sum[m][n], a[0][m], {b.x, b.y});
#pragma unroll
            for (int m = 0; m < M; ++m) mma_and_popc(sum[m][n], a[1][m], {b.z, b.w});
        }
        filled = now;
        now = now + STAGE == shared + STAGES * STAGE ? shared : now + STAGE;
    }
#pragma unroll
    for (int m = 0; m < M; ++m)
#pragma unroll
        for (int d = 0; d < 4; ++d) {
            int row = first_row + warp_row + m * 16 + g + d / 2 * 8;
            if (row >= mine.rows) continue;
            unsigned* out = result + mine.offset + (long long)row * mine.columns - mine.first_column;
#pragma unroll
            for (int n = 0; n < N; ++n) {
                int column = first_column + warp_column + n * 8 + 2 * t + d % 2;
                if (column >= mine.first_column && column < columns) out[column] = unsigned(sum[m][n][d]);
            }
        }
}

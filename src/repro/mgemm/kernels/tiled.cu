// The tiling of a matrix product (GEMM) with another operation in place of multiply-add: table 1.
//
// A block computes ROWS x COLUMNS results from slabs of DEPTH words of its vectors, which wait in shared memory in
// STAGES stages. A thread holds R x C results in groups of 16 bytes that lie TY (TX) groups apart, so that a warp, 8 x 4
// threads, reads consecutive groups. left, right: [words][pitch]; left_totals, right_totals: sums of their vectors.
//
// local memory: sm_75 sm_100 sm_120
#include "copies.cuh"
#include "operations.cuh"
#include "rectangles.cuh"

constexpr int TX = COLUMNS / C, TY = ROWS / R, THREADS = TX * TY;
constexpr int V = 16 / sizeof(Word);
constexpr int STAGE = DEPTH * (ROWS + COLUMNS);

struct alignas(16) Pack { Word word[V]; };

// N words of a thread, in packs that lie SPAN words apart.
template <int N, int SPAN>
__device__ __forceinline__ void load(Word (&to)[N], const Word* from) {
#pragma unroll
    for (int n = 0; n < N; n += V) {
        Pack pack = *reinterpret_cast<const Pack*>(from + n / V * SPAN);
#pragma unroll
        for (int v = 0; v < V; ++v) to[n + v] = pack.word[v];
    }
}

// Begins to copy a slab of SIDE vectors: shared[k][vector] = from[k][vector].
template <int SIDE>
__device__ __forceinline__ void fill(Word* shared, const Word* from, long long pitch) {
    static_assert(DEPTH * SIDE / V % THREADS == 0, "every thread copies the same number of packs");
#pragma unroll
    for (int i = 0; i < DEPTH * SIDE / V; i += THREADS) {
        int k = (i + threadIdx.x) / (SIDE / V), v = (i + threadIdx.x) % (SIDE / V) * V;
        begin_copy(shared + k * SIDE + v, from + k * pitch + v);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
mgemm_tiled(const Word* left, const Word* right, const Total* left_totals, const Total* right_totals, Sum* result,
            long long left_pitch, long long right_pitch, int left_start, int left_stride, int right_start, int words,
            int rows, int columns, int rows_before, int row_step, int columns_before, int column_step, int diagonal) {
    extern __shared__ __align__(16) Word shared[];
    Rectangle mine = rectangle(blockIdx.z, rows, columns, rows_before, row_step, columns_before, column_step);
    left_start += blockIdx.z * left_stride;
    // Tiles begin where 16 aligned bytes do.
    int first_row = blockIdx.y * ROWS - left_start % V, first_column = blockIdx.x * COLUMNS - right_start % V;
    int last_column = first_column + COLUMNS - 1;
    if (first_row >= mine.rows || last_column < mine.first_column || first_column >= columns ||
        last_column + diagonal <= first_row)
        return;
    left += left_start + first_row;
    right += right_start + first_column;

    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int x = warp % (TX / 8) * 8 + lane % 8, y = warp / (TX / 8) * 4 + lane / 8;
    Sum sum[R][C] = {};
    int slabs = words / DEPTH;
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < slabs) {
            fill<ROWS>(shared + s * STAGE, left + s * DEPTH * left_pitch, left_pitch);
            fill<COLUMNS>(shared + s * STAGE + DEPTH * ROWS, right + s * DEPTH * right_pitch, right_pitch);
        }
        close_group();
    }
    const Word *left_next = left + (STAGES - 1) * DEPTH * left_pitch, *right_next = right + (STAGES - 1) * DEPTH * right_pitch;
    Word *now = shared, *filled = shared + (STAGES - 1) * STAGE;
    for (int slab = 0; slab < slabs; ++slab) {
        await_groups<STAGES - 2>();
        __syncthreads();
        if (slab + STAGES - 1 < slabs) {
            fill<ROWS>(filled, left_next, left_pitch);
            fill<COLUMNS>(filled + DEPTH * ROWS, right_next, right_pitch);
            left_next += DEPTH * left_pitch;
            right_next += DEPTH * right_pitch;
        }
        close_group();
        const Word *a_from = now + y * V, *b_from = now + DEPTH * ROWS + x * V;
        Word a[2][R], b[2][C];
        load<R, TY * V>(a[0], a_from);
        load<C, TX * V>(b[0], b_from);
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            if (k + 1 < DEPTH) {
                load<R, TY * V>(a[(k + 1) % 2], a_from + (k + 1) * ROWS);
                load<C, TX * V>(b[(k + 1) % 2], b_from + (k + 1) * COLUMNS);
            }
#pragma unroll
            for (int r = 0; r < R; ++r)
#pragma unroll
                for (int c = 0; c < C; ++c) accumulate(sum[r][c], a[k % 2][r], b[k % 2][c]);
        }
        filled = now;
        now = now + STAGE == shared + STAGES * STAGE ? shared : now + STAGE;
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
        int row = first_row + (r / V * TY + y) * V + r % V;
        if (row < 0 || row >= mine.rows) continue;
        Sum* out = result + mine.offset + (long long)row * mine.columns - mine.first_column;
#pragma unroll
        for (int c = 0; c < C; ++c) {
            int column = first_column + (c / V * TX + x) * V + c % V;
            if (column >= mine.first_column && column < columns)
                out[column] = numerator(sum[r][c], left_totals[left_start + row], right_totals[right_start + column]);
        }
    }
}

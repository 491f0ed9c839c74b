// Wavefronts from both ends of the matrix until they meet: d is the least sum of edits for which, on some diagonal, the
// forward wavefront has come as far as the backward one.
//
// Position x of the rows is diagonal k = x + lowest of the matrix, for the forward wavefront over P and T, and diagonal
// n - m - k for the backward one over the reversed strings, whose `width` rows follow it; the value is the furthest row
// reached. The results are the distance and, forward and backward, how far each window has come. A launch advances
// both by COLUMNS columns. A warp holds 32 neighbouring diagonals, a lane one of each direction, or one of one direction
// where the wavefronts are too far apart to meet, and passes values on by shuffles; after EXCHANGE columns the EXCHANGE
// outermost ones of either side come from the neighbouring warps through shared memory. Of its diagonals a block likewise
// keeps all but COLUMNS at either end. What lacks neighbours may fall short meanwhile, but never goes too far.
//
// blockIdx.y is a window: 0 compares the strings. The others begin `stride` rows further from either end each, on any
// diagonal near the main one, and only tell how similar the strings are there.
#include "block.cuh"
#include "diagonal.cuh"

// Column 0, in all arrays: the first diagonal of window 0; of the others the cells of an antidiagonal that are near the
// main diagonal.
extern "C" __global__ void bidirectional_start(const unsigned* packed, int* rows, int* rows_next, int* results, int m,
                                               int n, int lowest, int width, int stride, int near) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, k = x + lowest, k_back = n - m - k;
    long long value = 2ll * blockIdx.y * width + x;
    int skipped = int(blockIdx.y) * stride;
    auto first = [&](int k) {
        if (blockIdx.y == 0) return k == 0 ? 0 : UNREACHED;
        return k >= -near && k <= near ? skipped + (near - k) / 2 : UNREACHED;
    };
    Diagonal ahead = diagonal_of(strings_of(packed, m, n, false), m, n, k, first(k));
    Diagonal back = diagonal_of(strings_of(packed, m, n, true), m, n, k_back, first(k_back));
    extend(ahead);
    extend(back);
    extend_further(ahead);
    extend_further(back);
    if (x >= width) return;
    rows[value] = ahead.row;
    rows[value + width] = back.row;
    rows_next[value] = rows_next[value + width] = UNREACHED;
    if (x < 2) results[1 + 2 * blockIdx.y + x] = 0;
    if (blockIdx.y == 0 && k == 0) *results = m == n && ahead.row == m ? 0 : NOT_REACHED;
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 2)
    bidirectional(const unsigned* packed, const int* rows_in, int* rows_out, int* results, int m, int n, int lowest,
                  int width, int first, int column) {
    __shared__ int rows[2][2][SPAN];  // of even and odd exchanges, forward and backward
    __shared__ int range[2][2];
    __shared__ bool met_before;
    int lane = threadIdx.x % 32, position = int(threadIdx.x / 32) * KEPT + lane;
    int x = first + int(blockIdx.x) * (SPAN - 2 * COLUMNS) + position - COLUMNS, k = x + lowest;
    bool owned = lane >= EXCHANGE && lane < 32 - EXCHANGE, stored = x >= 0 && x < width;
    bool received = !owned && position >= EXCHANGE && position < SPAN - EXCHANGE;
    long long value = 2ll * blockIdx.y * width + x;
    Strings forwards = strings_of(packed, m, n, false), backwards = strings_of(packed, m, n, true);
    Diagonal ahead = diagonal_of(forwards, m, n, k, stored ? rows_in[value] : UNREACHED);
    Diagonal back = diagonal_of(backwards, m, n, n - m - k, stored ? rows_in[value + width] : UNREACHED);

    if (threadIdx.x < 4) range[threadIdx.x / 2][threadIdx.x % 2] = threadIdx.x % 2 ? -1 : NOT_REACHED;
    // By one thread for all of the block, because other blocks of this launch may lower it meanwhile.
    if (threadIdx.x == 0) met_before = *static_cast<volatile int*>(results) <= 2 * column;
    __syncthreads();
    if (met_before) return;
    note_range(ahead.row, range[0]);
    note_range(back.row, range[1]);
    __syncthreads();
    int middle = first + int(blockIdx.x) * (SPAN - 2 * COLUMNS) - COLUMNS + SPAN / 2 + lowest;
    unsigned fetched = fetched_letters(forwards, m, n, middle, range[0]) ^
                       fetched_letters(backwards, m, n, n - m - middle, range[1]);
    if (owned) rows[0][0][position] = int(fetched);  // overwritten after the first barrier; without it nothing is read

    // Wavefronts that advanced apart may have met before; then their distance is at most this.
    int met = ahead.row + back.row >= m ? 2 * column : 2 * (column + COLUMNS) + 1;
#pragma unroll 1
    for (int step = 0; step < COLUMNS; step += EXCHANGE) {
        if (step > 0) {
            auto& exchanged = rows[step / EXCHANGE % 2];
            if (owned) {
                exchanged[0][position] = ahead.row;
                exchanged[1][position] = back.row;
            }
            __syncthreads();
            if (received) {
                ahead.row = exchanged[0][position];
                back.row = exchanged[1][position];
            }
        }
#pragma unroll
        for (int more = 1; more <= EXCHANGE; ++more) {
            // Of diagonals x - 1 and x + 1; at the ends of the warp a lane gets its own, which adds nothing.
            int before = __shfl_up_sync(FULL_MASK, ahead.row, 1), after = __shfl_down_sync(FULL_MASK, ahead.row, 1);
            int before_back = __shfl_up_sync(FULL_MASK, back.row, 1), other = back.row;
            int after_back = __shfl_down_sync(FULL_MASK, back.row, 1);
            advance(ahead, before, after);
            advance(back, after_back, before_back);
            extend_further(ahead);
            extend_further(back);
            int edits = 2 * (column + step + more);
            if (ahead.row + other >= m) met = min(met, edits - 1);
            if (ahead.row + back.row >= m) met = min(met, edits);
        }
    }
    if (blockIdx.y == 0 && met <= 2 * (column + COLUMNS)) atomicMin(results, met);
    if (stored && owned && position >= COLUMNS && position < SPAN - COLUMNS) {
        rows_out[value] = ahead.row;
        rows_out[value + width] = back.row;
    }
}

// As `bidirectional`, but a block for each direction, blockIdx.z, and no meeting. first: the lowest diagonal of either.
extern "C" __global__ void __launch_bounds__(32 * WARPS, 2)
    wavefronts_apart(const unsigned* packed, const int* rows_in, int* rows_out, int m, int n, int lowest, int width,
                     int first) {
    __shared__ int rows[2][SPAN];  // of even and odd exchanges
    __shared__ int range[2];
    bool backwards = blockIdx.z == 1;
    Strings strings = strings_of(packed, m, n, backwards);
    int lane = threadIdx.x % 32, position = int(threadIdx.x / 32) * KEPT + lane;
    int lowest_of_block = first + int(blockIdx.x) * (SPAN - 2 * COLUMNS) - COLUMNS, k = lowest_of_block + position;
    int x = (backwards ? n - m - k : k) - lowest;
    bool owned = lane >= EXCHANGE && lane < 32 - EXCHANGE, stored = x >= 0 && x < width;
    bool received = !owned && position >= EXCHANGE && position < SPAN - EXCHANGE;
    long long value = (2ll * blockIdx.y + (backwards ? 1 : 0)) * width + x;  // with blockIdx.z registers do not suffice
    Diagonal diagonal = diagonal_of(strings, m, n, k, stored ? rows_in[value] : UNREACHED);

    if (threadIdx.x < 2) range[threadIdx.x] = threadIdx.x ? -1 : NOT_REACHED;
    __syncthreads();
    note_range(diagonal.row, range);
    __syncthreads();
    unsigned fetched = fetched_letters(strings, m, n, lowest_of_block + SPAN / 2, range);
    if (owned) rows[0][position] = int(fetched);  // overwritten, as above

#pragma unroll 1
    for (int done = 0; done < COLUMNS; done += EXCHANGE) {
        if (done > 0) {
            auto& exchanged = rows[done / EXCHANGE % 2];
            if (owned) exchanged[position] = diagonal.row;
            __syncthreads();
            if (received) diagonal.row = exchanged[position];
        }
#pragma unroll
        for (int more = 0; more < EXCHANGE; ++more) {
            int before = __shfl_up_sync(FULL_MASK, diagonal.row, 1), after = __shfl_down_sync(FULL_MASK, diagonal.row, 1);
            advance(diagonal, before, after);
            extend_further(diagonal);
        }
    }
    if (stored && owned && position >= COLUMNS && position < SPAN - COLUMNS) rows_out[value] = diagonal.row;
}

// How far each window has come, forward and then backward: half the antidiagonals passed, which is letters of a string.
extern "C" __global__ void bidirectional_progress(const int* rows, int* results, int m, int n, int lowest, int width,
                                                  int stride, int near) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, k = x + lowest;
    long long value = 2ll * blockIdx.y * width + x;
    int began = blockIdx.y == 0 ? 0 : int(blockIdx.y) * stride + near / 2;
    int row = x < width ? rows[value] : UNREACHED, row_back = x < width ? rows[value + width] : UNREACHED;
    int ahead = -least_of_warp(row < 0 ? 0 : began - k / 2 - row);
    int back = -least_of_warp(row_back < 0 ? 0 : began - (n - m - k) / 2 - row_back);
    if (threadIdx.x % 32 == 0) {
        atomicMax(results + 1 + 2 * blockIdx.y, ahead);
        atomicMax(results + 2 + 2 * blockIdx.y, back);
    }
}

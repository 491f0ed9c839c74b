// Wavefronts from both ends of the matrix until they meet: d is the least sum of edits for which, on some diagonal, the
// forward wavefront has come as far as the backward one.
//
// Position x of the arrays is diagonal k = x + lowest of the matrix, for the forward wavefront over P and T, and diagonal
// n - m - k for the backward one over the reversed strings; the value is the furthest row reached. A launch advances
// both by COLUMNS columns. A warp holds 32 neighbouring diagonals, a lane one of each direction, or one of one direction
// where the wavefronts are too far apart to meet, and passes values on by shuffles; after EXCHANGE columns the EXCHANGE outermost ones of either side come from the neighbouring warps through
// shared memory. Of its diagonals a block likewise keeps all but COLUMNS at either end. What lacks neighbours may fall
// short meanwhile, but never goes too far. Letters are packed, 32 / BITS to a word, first letter highest; one padding
// word follows each string.
//
// blockIdx.y is a window: 0 compares the strings. The others begin `stride` rows further from either end each, on any
// diagonal near the main one, and only tell how similar the strings are there.

constexpr int UNREACHED = -(1 << 30), NOT_REACHED = 0x7FFFFFFF;
constexpr int LETTERS = 32 / BITS;
constexpr int KEPT = 32 - 2 * EXCHANGE;                // diagonals of a warp
constexpr int SPAN = WARPS * KEPT + 2 * EXCHANGE;      // of a block
static_assert(KEPT >= EXCHANGE && COLUMNS % EXCHANGE == 0 && SPAN > 2 * COLUMNS, "too few diagonals");
constexpr int FURTHER = 8;                             // windows of a lane at once, in runs longer than a warp's

__device__ __forceinline__ unsigned window(const unsigned* packed, unsigned position) {
    const unsigned* word = packed + position / LETTERS;
    return __funnelshift_l(word[1], word[0], BITS * position);  // modulo 32
}

// Letters that are equal from row i, column j on, LETTERS at most.
__device__ __forceinline__ int equal_letters(const unsigned* P, const unsigned* T, unsigned i, unsigned j) {
    return __clz(int(window(P, i) ^ window(T, j))) / BITS;
}

__device__ __forceinline__ int least_of_warp(int value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(FULL_MASK, value);
#else
    for (int apart = 16; apart > 0; apart /= 2) value = min(value, __shfl_xor_sync(FULL_MASK, value, apart));
    return value;
#endif
}

// The row where a run of equal letters from `row` on ends, if it ends within LENGTH windows of each lane of the warp.
template <int LENGTH>
__device__ __forceinline__ int end_of_run(const unsigned* P, const unsigned* T, int row, int diagonal, int limit) {
    int end = NOT_REACHED;
#pragma unroll
    for (int part = 0; part < LENGTH; ++part) {
        int start = min(limit, row + (part * 32 + int(threadIdx.x % 32)) * LETTERS);
        int run = min(limit - start, equal_letters(P, T, start, start + diagonal));
        if (run < LETTERS) end = min(end, start + run);
    }
    return least_of_warp(end);
}

// One of the wavefronts on a lane's diagonal k; no letters of a diagonal outside the matrix are compared.
struct Diagonal {
    const unsigned* P;
    const unsigned* T;
    int limit, last, k, row;  // the last row, the same or 0, the diagonal inside the matrix, the furthest row
    bool longer;              // the run of equal letters is longer than a window
};

// Rows that are not reached begin at the last one, so that no run moves them.
__device__ __forceinline__ void extend(Diagonal& diagonal) {
    int start = int(min(unsigned(diagonal.row), unsigned(diagonal.last)));
    int run = equal_letters(diagonal.P, diagonal.T, start, start + diagonal.k);
    diagonal.longer = run == LETTERS && start < diagonal.last - LETTERS;
    diagonal.row += min(run, diagonal.last - start);
}

// Runs longer than a window, one after the other, by the whole warp.
__device__ __forceinline__ void extend_further(Diagonal& diagonal) {
    for (unsigned waiting = __ballot_sync(FULL_MASK, diagonal.longer); waiting; waiting &= waiting - 1) {
        int source = __ffs(waiting) - 1, row = __shfl_sync(FULL_MASK, diagonal.row, source);
        int k = __shfl_sync(FULL_MASK, diagonal.k, source), limit = __shfl_sync(FULL_MASK, diagonal.last, source);
        int end = end_of_run<1>(diagonal.P, diagonal.T, row, k, limit);
        for (row += 32 * LETTERS; end == NOT_REACHED; row += FURTHER * 32 * LETTERS)
            end = end_of_run<FURTHER>(diagonal.P, diagonal.T, row, k, limit);
        if (threadIdx.x % 32 == source) diagonal.row = end;
    }
}

__device__ __forceinline__ void advance(Diagonal& diagonal, int insertion, int deletion) {
    diagonal.row = min(diagonal.limit, max(insertion, max(diagonal.row, deletion) + 1));
    extend(diagonal);
}

// The value itself, out of the compiler's sight: it would compute it again in every column.
__device__ __forceinline__ int kept(int value) { return __shfl_sync(FULL_MASK, value, threadIdx.x % 32); }

__device__ __forceinline__ Diagonal diagonal_of(const unsigned* P, const unsigned* T, int m, int n, int k, int row) {
    int limit = min(m, n - k);
    return {P, T, kept(limit), kept(max(0, limit)), kept(max(-m, min(k, n))), row, false};
}

// Reads a word of every sector that the block's diagonals around `k` will need in this launch, so that the first-level
// cache holds them: a miss in any warp makes all of the block wait. range: the first and the last row reached.
__device__ __forceinline__ unsigned fetched_letters(const unsigned* P, const unsigned* T, int m, int n, int k,
                                                    const int* range) {
    constexpr int SECTOR = 8 * LETTERS, MOST = 512 * SECTOR;
    int passed = range[1] - range[0];  // by up to SPAN / 2 columns
    unsigned words = 0;
    if (passed < 0 || passed > MOST) return words;
    int end = range[1] + passed / 2 + 32 * LETTERS + SPAN / 2;
    for (int i = range[0] - SPAN / 2 + int(threadIdx.x) * SECTOR; i < end; i += 32 * WARPS * SECTOR)
        words ^= P[max(0, min(i, m)) / LETTERS] ^ T[max(0, min(i + k, n)) / LETTERS];
    return words;
}

// The first and the last row reached by any diagonal of the block.
__device__ __forceinline__ void note_range(int row, int* range) {
    int least = least_of_warp(row < 0 ? NOT_REACHED : row), most = -least_of_warp(-row);
    if (threadIdx.x % 32 == 0) {
        atomicMin(range, least);
        atomicMax(range + 1, most);
    }
}

// Column 0, in all arrays: the first diagonal of window 0; of the others the cells of an antidiagonal that are near the
// main diagonal.
extern "C" __global__ void bidirectional_start(const unsigned* P, const unsigned* T, const unsigned* P_back,
                                               const unsigned* T_back, int* forward, int* backward, int* forward_next,
                                               int* backward_next, int* distance, int* progress, int m, int n,
                                               int lowest, int width, int stride, int near) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, k = x + lowest, k_back = n - m - k;
    long long value = (long long)blockIdx.y * width + x;
    int skipped = int(blockIdx.y) * stride;
    auto first = [&](int k) {
        if (blockIdx.y == 0) return k == 0 ? 0 : UNREACHED;
        return k >= -near && k <= near ? skipped + (near - k) / 2 : UNREACHED;
    };
    Diagonal ahead = diagonal_of(P, T, m, n, k, first(k));
    Diagonal back = diagonal_of(P_back, T_back, m, n, k_back, first(k_back));
    extend(ahead);
    extend(back);
    extend_further(ahead);
    extend_further(back);
    if (x >= width) return;
    forward[value] = ahead.row;
    backward[value] = back.row;
    forward_next[value] = backward_next[value] = UNREACHED;
    if (x < 2) progress[2 * blockIdx.y + x] = 0;
    if (blockIdx.y == 0 && k == 0) *distance = m == n && ahead.row == m ? 0 : NOT_REACHED;
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 2)
    bidirectional(const unsigned* P, const unsigned* T, const unsigned* P_back, const unsigned* T_back,
                  const int* forward_in, const int* backward_in, int* forward_out, int* backward_out, int* distance,
                  int m, int n, int lowest, int width, int first, int column) {
    // The wavefronts have met in an earlier launch. Volatile, because blocks of this launch may lower it meanwhile.
    if (*static_cast<volatile int*>(distance) <= 2 * column) return;
    __shared__ int rows[2][2][SPAN];  // of even and odd exchanges, forward and backward
    __shared__ int range[2][2];
    int lane = threadIdx.x % 32, position = int(threadIdx.x / 32) * KEPT + lane;
    int x = first + int(blockIdx.x) * (SPAN - 2 * COLUMNS) + position - COLUMNS, k = x + lowest;
    bool owned = lane >= EXCHANGE && lane < 32 - EXCHANGE, stored = x >= 0 && x < width;
    bool received = !owned && position >= EXCHANGE && position < SPAN - EXCHANGE;
    long long value = (long long)blockIdx.y * width + x;
    Diagonal ahead = diagonal_of(P, T, m, n, k, stored ? forward_in[value] : UNREACHED);
    Diagonal back = diagonal_of(P_back, T_back, m, n, n - m - k, stored ? backward_in[value] : UNREACHED);

    if (threadIdx.x < 4) range[threadIdx.x / 2][threadIdx.x % 2] = threadIdx.x % 2 ? -1 : NOT_REACHED;
    __syncthreads();
    note_range(ahead.row, range[0]);
    note_range(back.row, range[1]);
    __syncthreads();
    int middle = first + int(blockIdx.x) * (SPAN - 2 * COLUMNS) - COLUMNS + SPAN / 2 + lowest;
    unsigned fetched = fetched_letters(P, T, m, n, middle, range[0]) ^
                       fetched_letters(P_back, T_back, m, n, n - m - middle, range[1]);
    if (owned) rows[0][0][position] = int(fetched);  // overwritten after the first barrier; without it nothing is read

    // Wavefronts that advanced apart may have met before; then their distance is at most this.
    int met = ahead.row + back.row >= m ? 2 * column : 2 * (column + COLUMNS) + 1;
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
            if (__any_sync(FULL_MASK, ahead.longer || back.longer)) {
                extend_further(ahead);
                extend_further(back);
            }
            int edits = 2 * (column + step + more);
            if (ahead.row + other >= m) met = min(met, edits - 1);
            if (ahead.row + back.row >= m) met = min(met, edits);
        }
    }
    if (blockIdx.y == 0 && met <= 2 * (column + COLUMNS)) atomicMin(distance, met);
    if (stored && owned && position >= COLUMNS && position < SPAN - COLUMNS) {
        forward_out[value] = ahead.row;
        backward_out[value] = back.row;
    }
}

// As `bidirectional`, but a block for each direction, blockIdx.z, and no meeting. first: the lowest diagonal of either.
extern "C" __global__ void __launch_bounds__(32 * WARPS, 2)
    wavefronts_apart(const unsigned* P, const unsigned* T, const unsigned* P_back, const unsigned* T_back,
                     const int* forward_in, const int* backward_in, int* forward_out, int* backward_out, int m, int n,
                     int lowest, int width, int first) {
    __shared__ int rows[2][SPAN];  // of even and odd exchanges
    __shared__ int range[2];
    bool backwards = blockIdx.z == 1;
    if (backwards) {
        P = P_back;
        T = T_back;
    }
    int lane = threadIdx.x % 32, position = int(threadIdx.x / 32) * KEPT + lane;
    int lowest_of_block = first + int(blockIdx.x) * (SPAN - 2 * COLUMNS) - COLUMNS, k = lowest_of_block + position;
    int x = (backwards ? n - m - k : k) - lowest;
    bool owned = lane >= EXCHANGE && lane < 32 - EXCHANGE, stored = x >= 0 && x < width;
    bool received = !owned && position >= EXCHANGE && position < SPAN - EXCHANGE;
    long long value = (long long)blockIdx.y * width + x;
    const int* before_launch = backwards ? backward_in : forward_in;
    Diagonal diagonal = diagonal_of(P, T, m, n, k, stored ? before_launch[value] : UNREACHED);

    if (threadIdx.x < 2) range[threadIdx.x] = threadIdx.x ? -1 : NOT_REACHED;
    __syncthreads();
    note_range(diagonal.row, range);
    __syncthreads();
    unsigned fetched = fetched_letters(P, T, m, n, lowest_of_block + SPAN / 2, range);
    if (owned) rows[0][position] = int(fetched);  // overwritten, as above

    for (int step = 0; step < COLUMNS; step += EXCHANGE) {
        if (step > 0) {
            auto& exchanged = rows[step / EXCHANGE % 2];
            if (owned) exchanged[position] = diagonal.row;
            __syncthreads();
            if (received) diagonal.row = exchanged[position];
        }
#pragma unroll
        for (int more = 0; more < EXCHANGE; ++more) {
            int before = __shfl_up_sync(FULL_MASK, diagonal.row, 1), after = __shfl_down_sync(FULL_MASK, diagonal.row, 1);
            advance(diagonal, before, after);
            if (__any_sync(FULL_MASK, diagonal.longer)) extend_further(diagonal);
        }
    }
    if (stored && owned && position >= COLUMNS && position < SPAN - COLUMNS)
        (backwards ? backward_out : forward_out)[value] = diagonal.row;
}

// How far each window has come, forward and then backward: half the antidiagonals passed, which is letters of a string.
extern "C" __global__ void bidirectional_progress(const int* forward, const int* backward, int* progress, int m, int n,
                                                  int lowest, int width, int stride, int near) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, k = x + lowest;
    long long value = (long long)blockIdx.y * width + x;
    int began = blockIdx.y == 0 ? 0 : int(blockIdx.y) * stride + near / 2;
    int row = x < width ? forward[value] : UNREACHED, row_back = x < width ? backward[value] : UNREACHED;
    int ahead = -least_of_warp(row < 0 ? 0 : began - k / 2 - row);
    int back = -least_of_warp(row_back < 0 ? 0 : began - (n - m - k) / 2 - row_back);
    if (threadIdx.x % 32 == 0) {
        atomicMax(progress + 2 * blockIdx.y, ahead);
        atomicMax(progress + 2 * blockIdx.y + 1, back);
    }
}

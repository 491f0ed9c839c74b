// Wavefronts from both ends of the matrix until they meet: d is the least sum of edits for which, on some diagonal, the
// forward wavefront has come as far as the backward one.
//
// Position x of the arrays is diagonal k = x + lowest of the matrix, for the forward wavefront over P and T, and diagonal
// n - m - k for the backward one over the reversed strings; the value is the furthest row reached. A launch advances
// both by COLUMNS columns, half of a block's threads each: of its DIAGONALS diagonals a block keeps the inner
// DIAGONALS - 2 COLUMNS; nearer to its ends it lacks neighbours and may fall short, but never goes too far. Letters are
// packed, 32 / BITS to a word, first letter lowest; one padding word follows each string.

constexpr int UNREACHED = -(1 << 30);
constexpr int LETTERS = 32 / BITS;

__device__ __forceinline__ unsigned window(const unsigned* packed, int position) {
    const unsigned* word = packed + position / LETTERS;
    return __funnelshift_r(word[0], word[1], BITS * (position % LETTERS));
}

// Letters that are equal from row i, column j on, LETTERS at most.
__device__ __forceinline__ int equal_letters(const unsigned* P, const unsigned* T, int i, int j) {
    unsigned difference = window(P, i) ^ window(T, j);
    return difference ? (__ffs(difference) - 1) / BITS : LETTERS;
}

// Extends each lane's row along its diagonal to `limit` at most; all lanes of a warp come here together, on neighbouring
// diagonals that rise or fall with the lane (`slope` 1 or -1). Runs longer than a window are extended one after the
// other, by the whole warp.
__device__ int extend(const unsigned* P, const unsigned* T, int i, int k, int slope, int limit) {
    bool longer = false;
    if (i >= 0 && i + k >= 0 && i < limit) {
        int run = equal_letters(P, T, i, i + k);
        longer = run == LETTERS && i + LETTERS < limit;
        i = min(limit, i + run);
    }
    int lane = threadIdx.x % 32;
    for (unsigned waiting = __ballot_sync(FULL_MASK, longer); waiting; waiting &= waiting - 1) {
        int source = __ffs(waiting) - 1;
        int row = __shfl_sync(FULL_MASK, i, source), end = __shfl_sync(FULL_MASK, limit, source);
        int diagonal = k + slope * (source - lane);
        unsigned stopped = 0;
        while (!stopped) {
            int start = row + lane * LETTERS;
            int run = start < end ? min(end - start, equal_letters(P, T, start, start + diagonal)) : 0;
            stopped = __ballot_sync(FULL_MASK, run < LETTERS);
            int full = stopped ? __ffs(stopped) - 1 : 32;
            row += full * LETTERS + (full < 32 ? __shfl_sync(FULL_MASK, run, full % 32) : 0);
        }
        if (lane == source) i = row;
    }
    return i;
}

// forward and backward at column 0, in arrays that hold UNREACHED elsewhere.
extern "C" __global__ void bidirectional_start(const unsigned* P, const unsigned* T, const unsigned* P_back,
                                               const unsigned* T_back, int* forward, int* backward, int* distance,
                                               int m, int n, int lowest) {
    int lane = threadIdx.x, limit = lane == 0 ? min(m, n) : 0;
    int row = extend(P, T, 0, lane, 1, limit), row_back = extend(P_back, T_back, 0, lane, 1, limit);
    if (lane == 0) {
        forward[-lowest] = row;
        backward[n - m - lowest] = row_back;
        if (m == n && row == m) *distance = 0;
    }
}

extern "C" __global__ void __launch_bounds__(2 * DIAGONALS)
    bidirectional(const unsigned* P, const unsigned* T, const unsigned* P_back, const unsigned* T_back,
                  const int* forward_in, const int* backward_in, int* forward_out, int* backward_out, int* distance,
                  int m, int n, int lowest, int first, int width, int column) {
    // The wavefronts have met in an earlier launch. Volatile, because blocks of this launch may lower it meanwhile.
    if (*static_cast<volatile int*>(distance) <= 2 * column) return;
    __shared__ int rows[2][2][DIAGONALS + 2];  // of even and odd columns, forward and backward, one more at each end
    bool back = threadIdx.x >= DIAGONALS;
    int position = threadIdx.x % DIAGONALS, own = position + 1;
    int x = first + int(blockIdx.x) * (DIAGONALS - 2 * COLUMNS) + position - COLUMNS;
    int slope = back ? -1 : 1, k = back ? n - m - (x + lowest) : x + lowest;
    const unsigned* Q = back ? P_back : P;
    const unsigned* S = back ? T_back : T;
    bool inside = x >= 0 && x < width && k >= -m && k <= n;
    int limit = inside ? min(m, n - k) : 0;
    int row = inside ? (back ? backward_in : forward_in)[x] : UNREACHED;
    if (threadIdx.x < 8) rows[threadIdx.x / 4][threadIdx.x / 2 % 2][threadIdx.x % 2 * (DIAGONALS + 1)] = UNREACHED;
    rows[0][back][own] = row;
    __syncthreads();

    int met = 2 * (column + COLUMNS) + 1, other = rows[0][1][own];
    for (int step = 1; step <= COLUMNS; ++step) {
        const int* before = rows[(step - 1) % 2][back] + own;
        int furthest = max(before[-slope], max(before[0], before[slope]) + 1);  // diagonals k - 1, k, k + 1
        row = extend(Q, S, inside ? min(limit, furthest) : UNREACHED, k, slope, limit);
        rows[step % 2][back][own] = row;
        __syncthreads();
        int edits = 2 * (column + step);
        if (row + other >= m) met = min(met, edits - 1);
        other = rows[step % 2][1][own];
        if (row + other >= m) met = min(met, edits);
    }
    if (!back && met <= 2 * (column + COLUMNS)) atomicMin(distance, met);
    if (inside && position >= COLUMNS && position < DIAGONALS - COLUMNS) (back ? backward_out : forward_out)[x] = row;
}

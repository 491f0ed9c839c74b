// Wavefronts from both ends of the matrix until they meet: d is the least sum of edits for which, on some diagonal, the
// forward wavefront has come as far as the backward one.
//
// Position x of the arrays is diagonal k = x + lowest of the matrix, for the forward wavefront over P and T, and diagonal
// n - m - k for the backward one over the reversed strings; the value is the furthest row reached. A launch advances
// both by COLUMNS columns, half of a block's threads each, EACH neighbouring diagonals to a thread: of its DIAGONALS
// diagonals a block keeps the inner DIAGONALS - 2 COLUMNS; nearer to its ends it lacks neighbours and may fall short, but
// never goes too far. Letters are packed, 32 / BITS to a word, first letter lowest; one padding word follows each string.

constexpr int UNREACHED = -(1 << 30);
constexpr unsigned LETTERS = 32 / BITS;
constexpr int THREADS = DIAGONALS / EACH;  // of one direction

__device__ __forceinline__ unsigned window(const unsigned* packed, unsigned position) {
    const unsigned* word = packed + position / LETTERS;
    return __funnelshift_r(word[0], word[1], BITS * position);  // modulo 32
}

// Letters that are equal from row i, column j on, LETTERS at most.
__device__ __forceinline__ int equal_letters(const unsigned* P, const unsigned* T, unsigned i, unsigned j) {
    return __clz(__brev(window(P, i) ^ window(T, j))) / BITS;
}

// One diagonal of a wavefront: row i is column i + shift; rows from `low` on and below `limit` have letters to compare.
// Where the diagonal lies outside the matrix, there are none.
struct Diagonal {
    int shift, low, limit;
};

__device__ __forceinline__ Diagonal diagonal_of(int k, int m, int n) {
    if (k < -m || k > n) return {0, 0, UNREACHED};
    return {k, max(0, -k), min(m, n - k)};
}

// Moves `row` on by the letters that are equal, LETTERS at most; true if there may be more.
__device__ __forceinline__ bool extend(const unsigned* P, const unsigned* T, const Diagonal& on, int& row) {
    bool inside = unsigned(row - on.low) < unsigned(on.limit - on.low);
    unsigned start = inside ? row : on.low;
    int run = equal_letters(P, T, start, start + on.shift);
    if (inside) row = min(on.limit, row + run);
    return inside && run == LETTERS && row < on.limit;
}

// Moves the rows of the lanes for which `longer` on to the ends of their runs, one after the other, by the whole warp.
__device__ __forceinline__ void extend_together(const unsigned* P, const unsigned* T, const Diagonal& on, int& row,
                                                bool longer) {
    int lane = threadIdx.x % 32;
    for (unsigned waiting = __ballot_sync(FULL_MASK, longer); waiting; waiting &= waiting - 1) {
        int source = __ffs(waiting) - 1;
        int reached = __shfl_sync(FULL_MASK, row, source), end = __shfl_sync(FULL_MASK, on.limit, source);
        int shift = __shfl_sync(FULL_MASK, on.shift, source);
        unsigned stopped = 0;
        while (!stopped) {
            int start = reached + lane * int(LETTERS);
            int run = start < end ? min(end - start, equal_letters(P, T, start, start + shift)) : 0;
            stopped = __ballot_sync(FULL_MASK, run < int(LETTERS));
            int full = stopped ? __ffs(stopped) - 1 : 32;
            reached += full * int(LETTERS) + (full < 32 ? __shfl_sync(FULL_MASK, run, full % 32) : 0);
        }
        if (lane == source) row = reached;
    }
}

// forward and backward at column 0, in arrays that hold UNREACHED elsewhere.
extern "C" __global__ void bidirectional_start(const unsigned* P, const unsigned* T, const unsigned* P_back,
                                               const unsigned* T_back, int* forward, int* backward, int* distance,
                                               int m, int n, int lowest) {
    Diagonal main = {0, 0, min(m, n)};
    int row = 0, row_back = 0;
    extend_together(P, T, main, row, threadIdx.x == 0);
    extend_together(P_back, T_back, main, row_back, threadIdx.x == 0);
    if (threadIdx.x == 0) {
        forward[-lowest] = row;
        backward[n - m - lowest] = row_back;
        if (m == n && row == m) *distance = 0;
    }
}

// What both kernels below share. `note(step, row)` is called by all threads after each column.
template <class Note>
__device__ __forceinline__ void advance(const unsigned* P, const unsigned* T, const Diagonal (&on)[EACH],
                                        int (&row)[EACH], bool back, Note note) {
    // The outer rows of each thread, of even and odd columns, forward and backward, and one more at each end.
    __shared__ int first_rows[2][2][THREADS + 2], last_rows[2][2][THREADS + 2];
    int own = threadIdx.x % THREADS + 1;
    if (threadIdx.x < 4) {
        last_rows[threadIdx.x / 2][threadIdx.x % 2][0] = UNREACHED;
        first_rows[threadIdx.x / 2][threadIdx.x % 2][THREADS + 1] = UNREACHED;
    }
    // Diagonal k + 1 is the next position of a forward wavefront, and the one before of a backward one.
    int from_left = back, from_right = !back;
    for (int step = 1; step <= COLUMNS; ++step) {
        first_rows[step % 2][back][own] = row[0];
        last_rows[step % 2][back][own] = row[EACH - 1];
        __syncthreads();
        int left = last_rows[step % 2][back][own - 1], after = first_rows[step % 2][back][own + 1];
        bool longer[EACH], any = false;
#pragma unroll
        for (int x = 0; x < EACH; ++x) {
            int right = x + 1 < EACH ? row[x + 1] : after, same = row[x];
            row[x] = min(on[x].limit, max(left + from_left, max(same + 1, right + from_right)));
            left = same;
            longer[x] = extend(P, T, on[x], row[x]);
            any |= longer[x];
        }
        if (__any_sync(FULL_MASK, any))
#pragma unroll
            for (int x = 0; x < EACH; ++x) extend_together(P, T, on[x], row[x], longer[x]);
        note(step, row);
    }
}

// The block's part of both wavefronts.
struct Part {
    bool back;
    int x;  // the thread's first position
    const unsigned *P, *T;
    Diagonal on[EACH];
    int row[EACH];
};

__device__ __forceinline__ Part part_of(const unsigned* P, const unsigned* T, const unsigned* P_back,
                                        const unsigned* T_back, const int* forward, const int* backward, int m, int n,
                                        int lowest, int first, int width) {
    Part part;
    part.back = threadIdx.x >= THREADS;
    part.x = first + int(blockIdx.x) * (DIAGONALS - 2 * COLUMNS) - COLUMNS + int(threadIdx.x % THREADS) * EACH;
    part.P = part.back ? P_back : P;
    part.T = part.back ? T_back : T;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        int x = part.x + e, k = x + lowest;
        bool stored = x >= 0 && x < width;
        part.on[e] = diagonal_of(stored ? (part.back ? n - m - k : k) : n + 1, m, n);
        part.row[e] = part.on[e].limit >= 0 ? (part.back ? backward : forward)[x] : UNREACHED;
    }
    return part;
}

// Writes both wavefronts COLUMNS columns on, and into `met` the column that the launch began at if they have met.
extern "C" __global__ void __launch_bounds__(2 * THREADS)
    bidirectional(const unsigned* P, const unsigned* T, const unsigned* P_back, const unsigned* T_back,
                  const int* forward_in, const int* backward_in, int* forward_out, int* backward_out, volatile int* met,
                  int m, int n, int lowest, int first, int width, int column) {
    __shared__ int back_rows[DIAGONALS];
    // After the launch in which they met, the arrays it began with are kept.
    if (*met < column) return;
    Part part = part_of(P, T, P_back, T_back, forward_in, backward_in, m, n, lowest, first, width);
    advance(part.P, part.T, part.on, part.row, part.back, [](int, const int (&)[EACH]) {});
    int position = threadIdx.x % THREADS * EACH;
    for (int e = 0; e < EACH; ++e) {
        if (part.back) back_rows[position + e] = part.row[e];
        if (part.on[e].limit >= 0 && position + e >= COLUMNS && position + e < DIAGONALS - COLUMNS)
            (part.back ? backward_out : forward_out)[part.x + e] = part.row[e];
    }
    __syncthreads();
    bool meet = false;
    for (int e = 0; e < EACH; ++e) meet |= !part.back && part.row[e] + back_rows[position + e] >= m;
    if (meet) *met = column;
}

// The columns of the launch in which the wavefronts met, once more: the least sum of edits.
extern "C" __global__ void __launch_bounds__(2 * THREADS)
    bidirectional_end(const unsigned* P, const unsigned* T, const unsigned* P_back, const unsigned* T_back,
                      const int* forward_in, const int* backward_in, int* distance, int m, int n, int lowest, int first,
                      int width, int column) {
    __shared__ int back_rows[2][DIAGONALS];  // of even and odd columns
    Part part = part_of(P, T, P_back, T_back, forward_in, backward_in, m, n, lowest, first, width);
    int position = threadIdx.x % THREADS * EACH, least = 2 * (column + COLUMNS) + 1;
    for (int e = 0; e < EACH; ++e)
        if (part.back) back_rows[0][position + e] = part.row[e];
    advance(part.P, part.T, part.on, part.row, part.back, [&](int step, const int (&row)[EACH]) {
        for (int e = 0; e < EACH; ++e)
            if (part.back) back_rows[step % 2][position + e] = row[e];
        __syncthreads();
        for (int e = 0; e < EACH; ++e)
            for (int behind = 0; behind < 2; ++behind)
                if (!part.back && row[e] + back_rows[(step - behind) % 2][position + e] >= m)
                    least = min(least, 2 * (column + step) - behind);
    });
    if (!part.back && least <= 2 * (column + COLUMNS)) atomicMin(distance, least);
}

// The traceback of `auto`: a thread per alignment walks from its end to its begin through the blocks of checkpoints.cuh,
// each computed again from its edges when the path enters it, so that only those that it crosses cost anything. A long
// alignment has a warp, all lanes of which walk; before that they compute as many blocks along the diagonal.
//
// Ties are broken as in reference.py: diagonally, else a letter of the query, else one of the subject; a gap is opened
// rather than extended; the first of the best ends is taken.
#include "columns.cuh"
#include "walk_ahead.cuh"
#include "walk_end.cuh"

constexpr Whole LOWEST = -(1ll << 31);  // of a gain: none is smaller

// Columns of an alignment, from its end.
struct Columns {
    unsigned* words;
    unsigned word;
    int count;
    bool mine;  // to be written
};

__device__ __forceinline__ void flush(Columns& path) {
    if (path.mine) path.words[(path.count - 1) / PER_WORD] = path.word;
    path.word = 0;
}
__device__ __forceinline__ void append(Columns& path, int kind) {
    path.word |= unsigned(kind) << 2 * (path.count % PER_WORD);
    if (++path.count % PER_WORD == 0) flush(path);
}

// scores: one per alignment. ends: query_begin, query_end, subject_begin, subject_end and number of columns of each.
// columns: words of PER_WORD columns, from the end of an alignment on, those of alignment i from column_places[i] on.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
shuffle_walk(const uint8_t* queries, const uint8_t* subjects, const long long* units, const int* table, const WORD* words,
             const long long* column_places, long long* scores, int* ends, unsigned* columns, int count, int first,
             int further) {
    __shared__ Whole gains[CODES * TABLE_ROW];
    __shared__ unsigned cells[BLOCK][THREADS], gaps[AFFINE ? BLOCK : 1][THREADS];
    const Penalties cost = make_penalties(first, further);
    for (int i = threadIdx.x; i < CODES * TABLE_ROW; i += THREADS)
        gains[i] = gain(table, i / TABLE_ROW, min(i % TABLE_ROW, PAD), cost, LOWEST);
    __syncthreads();
    int alignment = (blockIdx.x * THREADS + threadIdx.x) / WALKERS, half = alignment % HALVES;
    int walker = threadIdx.x % WALKERS, first_walker = threadIdx.x - walker;
    if (alignment >= count) return;
    const Unit& unit = reinterpret_cast<const Unit*>(units)[alignment / HALVES];
    const Layout layout = make_layout(unit);
    long long m = unit.m[half], n = unit.n[half];
    const Matrix matrix = {words + unit.place, queries + unit.query[half], subjects + unit.subject[half], gains, layout, cost,
                           m, n, int(layout.rows - m), int((long long)layout.stripes * COLUMNS - n), half};
    const Moves moves = {cells, gaps};
    const End end = find_end(matrix, moves, walker);

    Columns path = {columns + column_places[alignment], 0, 0, walker == 0};
    long long i = end.i, j = end.j;
    Whole score = end.score;  // LOCAL: of what is left
    int state = H;
    bool stopped = MODE == LOCAL && score == 0;
    while (i > 0 && j > 0 && !stopped) {
        const Ahead ahead = blocks_ahead(matrix, int(i) - 1 + matrix.row_pads, int(j) - 1 + matrix.column_pads, walker);
        if (WALKERS > 1) __syncwarp();
        if (ahead.block >= 0) compute_block<false>(matrix, ahead.stripe, ahead.block, ahead.last_row, moves, 0);
        if (WALKERS > 1) __syncwarp();
        while (i > 0 && j > 0 && !stopped) {
            int row = int(i) - 1 + matrix.row_pads, stripe = int(j - 1 + matrix.column_pads) / COLUMNS;
            int block = (row + lane_of(layout, stripe)) / BLOCK, begin = first_row(layout, stripe, block);
            int by = WALKERS > 1 ? walker_of(ahead, stripe, block) : 0;
            if (by < 0) break;
            for (;;) {
                row = int(i) - 1 + matrix.row_pads;
                int column = int(j - 1 + matrix.column_pads) - stripe * COLUMNS;
                if (i == 0 || j == 0 || row < begin || column < 0) break;
                unsigned shift = 2 * (COLUMNS - 1 - column), cell = cells[row - begin][first_walker + by] >> shift;
                unsigned gap = AFFINE ? gaps[row - begin][first_walker + by] >> shift : 0;
                if (state == H && cell & 1) state = cell & 2 ? F : E;
                if (state == H) {
                    int a = matrix.query[i - 1], b = matrix.subject[j - 1];
                    append(path, a == b && a < 4 ? EQUAL : UNEQUAL);
                    if (MODE == LOCAL) score -= gains[a * TABLE_ROW + b];
                    --i, --j;
                } else {
                    bool insertion = state == E, extends = AFFINE && gap & (insertion ? 2 : 1);
                    append(path, insertion ? INSERTION : DELETION);
                    if (MODE == LOCAL) score += extends ? further : AFFINE ? first : further;
                    if (!extends) state = H;
                    if (insertion) --i;
                    else --j;
                }
                if (MODE == LOCAL && state == H && score == 0) {
                    stopped = true;
                    break;
                }
            }
            if (WALKERS == 1) break;
        }
    }
    if (MODE == GLOBAL) {
        for (; i > 0; --i) append(path, INSERTION);
        for (; j > 0; --j) append(path, DELETION);
    }
    if (path.count % PER_WORD) flush(path);
    if (walker > 0) return;
    scores[alignment] = end.score;
    int* found = ends + 5 * (long long)alignment;
    found[0] = int(i), found[1] = int(end.i), found[2] = int(j), found[3] = int(end.j), found[4] = path.count;
}

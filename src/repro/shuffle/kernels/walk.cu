// The traceback of `auto`: a thread per alignment walks from its end to its begin through the blocks of checkpoints.cuh,
// each computed again from its edges when the path enters it, so that only those that it crosses cost anything.
//
// Ties are broken as in reference.py: diagonally, else a letter of the query, else one of the subject; a gap is opened
// rather than extended; the first of the best ends is taken.
#include "checkpoints.cuh"

constexpr int THREADS = 128;
constexpr int EQUAL = 0, UNEQUAL = 1, INSERTION = 2, DELETION = 3;  // two bits per column of an alignment
constexpr int PER_WORD = 16;                                        // columns of an alignment
constexpr Value LOWEST = -(1ll << 31);                               // of a gain: none is smaller
constexpr int H = 0, E = 1, F = 2;                                  // matrices

__device__ __forceinline__ int unpacked(unsigned word, int half) { return short(half ? word >> 16 : word); }
__device__ __forceinline__ int unpacked(int word, int) { return word; }
__device__ __forceinline__ long long unpacked(long long word, int) { return word; }

// Appends whether a < b.
__device__ __forceinline__ void append(unsigned& bits, int a, int b) {
    bits = __funnelshift_l(unsigned(a - b), bits, 1);
}
__device__ __forceinline__ void append(unsigned& bits, long long a, long long b) { bits = bits << 1 | (a < b); }

// One alignment and what the score pass kept of it. Rows and columns count from 0, what fills up in front included.
struct Matrix {
    const WORD* kept;
    const uint8_t* query;
    const uint8_t* subject;
    const Value* gains;  // in shared memory, by code of a query's letter and of a subject's
    Layout layout;
    Penalties cost;
    long long m, n;
    int row_pads, column_pads, half;
};

__device__ __forceinline__ Value value_at(const Matrix& matrix, long long place) {
    return unpacked(matrix.kept[place], matrix.half);
}
__device__ __forceinline__ Value column_value(const Matrix& matrix, long long plane, int stripe, int row) {
    const Layout& layout = matrix.layout;
    return value_at(matrix, plane + column_place(layout, stripe, row + lane_of(layout, stripe)));
}
// H beside a row, left of a stripe; row -1 is above the first.
__device__ __forceinline__ Value left_h(const Matrix& matrix, int stripe, int row) {
    if (row < 0) return border(matrix.cost, (long long)stripe * COLUMNS - matrix.column_pads);
    if (stripe == 0) return border(matrix.cost, row + 1 - matrix.row_pads);
    return column_value(matrix, 0, stripe - 1, row);
}
__device__ __forceinline__ Value left_f(const Matrix& matrix, int stripe, int row) {
    return stripe == 0 ? no_gap(matrix.cost) : column_value(matrix, matrix.layout.f_columns, stripe - 1, row);
}
__device__ __forceinline__ int first_row(const Layout& layout, int stripe, int block) {
    return max(block * BLOCK - lane_of(layout, stripe), 0);
}
// The score of a kept value after so many letters of either.
__device__ __forceinline__ Value score_of(const Matrix& matrix, Value kept, long long i, long long j) {
    return MODE == LOCAL ? kept : kept - bias(matrix.cost) - matrix.cost.further * (i + j);
}

struct Cell {
    int row, column;
};

// Where a cell's value came from, for the rows of a block: two bits per column, the first column's the highest. cells: H
// comes not diagonally; then, that it comes from F rather than from E. gaps: E, then F, extends a gap.
struct Moves {
    unsigned (*cells)[THREADS];
    unsigned (*gaps)[THREADS];
};

// Computes the rows of a block up to `last_row` again. SEARCH: returns the first cell whose H is `target`, in place of
// storing moves.
template <bool SEARCH>
__device__ Cell compute_block(const Matrix& matrix, int stripe, int block, int last_row, Moves moves, Value target) {
    const Layout& layout = matrix.layout;
    const Penalties& cost = matrix.cost;
    Value h[COLUMNS], e[COLUMNS];
    int codes[COLUMNS], begin = first_row(layout, stripe, block);
    long long place = row_place(layout, stripe, block);
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
        h[c] = value_at(matrix, layout.h_rows + place + c);
        e[c] = AFFINE ? value_at(matrix, layout.e_rows + place + c) : 0;
        codes[c] = code_at(matrix.subject, matrix.n, (long long)stripe * COLUMNS + c - matrix.column_pads);
    }
    Value corner = left_h(matrix, stripe, begin - 1);
    Cell found = {-1, -1};
    for (int row = begin; row <= last_row; ++row) {
        Value diagonal = corner, left = left_h(matrix, stripe, row), f = AFFINE ? left_f(matrix, stripe, row) : 0;
        const Value* gains = matrix.gains + code_at(matrix.query, matrix.m, row - matrix.row_pads) * TABLE_ROW;
        unsigned cells = 0, gaps = 0;
        Value largest = 0;
        corner = left;
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            Value above = h[c], aligned = diagonal + gains[codes[c]], gap;
            if (!AFFINE) {
                append(cells, above, left);
                gap = max(above, left);
            } else {
                if (MODE == LOCAL) {
                    e[c] -= cost.further;
                    f -= cost.further;
                } else {
                    above -= cost.open;
                    left -= cost.open;
                }
                append(gaps, above, e[c]);
                append(gaps, left, f);
                e[c] = max(above, e[c]);
                f = max(left, f);
                append(cells, e[c], f);
                gap = max(e[c], f);
            }
            if (MODE == LOCAL) gap -= cost.further + (AFFINE ? cost.open : 0);
            append(cells, aligned, gap);
            diagonal = h[c];
            left = max(aligned, gap);
            if (MODE == LOCAL) left = max(left, Value(0));
            h[c] = left;
            if (SEARCH) largest = max(largest, left);
        }
        if (SEARCH) {
            if (largest != target) continue;
            found.row = row;
#pragma unroll
            for (int c = COLUMNS - 1; c >= 0; --c)
                if (h[c] == target) found.column = stripe * COLUMNS + c;
            return found;
        }
        moves.cells[row - begin][threadIdx.x] = cells;
        if (AFFINE) moves.gaps[row - begin][threadIdx.x] = gaps;
    }
    return found;
}

struct End {
    Value score;
    long long i, j;  // letters before it
};

__device__ End find_end(const Matrix& matrix, Moves moves) {
    const Layout& layout = matrix.layout;
    long long m = matrix.m, n = matrix.n;
    int last = layout.stripes - 1;
    if (MODE == GLOBAL) return {score_of(matrix, column_value(matrix, 0, last, layout.rows - 1), m, n), m, n};
    if (MODE == SEMI_GLOBAL) {
        End best = {0, 0, n};
        for (long long i = 1; i <= m; ++i) {
            Value score = score_of(matrix, column_value(matrix, 0, last, int(i) - 1 + matrix.row_pads), i, n);
            if (score > best.score) best = {score, i, n};
        }
        End of_row = {0, m, 0};
        for (long long j = 1; j <= n; ++j) {
            Value score = score_of(matrix, value_at(matrix, last_row_place(layout, 0) + j - 1 + matrix.column_pads), m, j);
            if (score > of_row.score) of_row = {score, m, j};
        }
        return best.i == m || of_row.score > best.score ? of_row : best;
    }
    Value best = 0;
    for (int stripe = 0; stripe < layout.stripes; ++stripe)
        best = max(best, value_at(matrix, best_place(layout, stripe, layout.blocks - 1)));
    if (best == 0) return {0, 0, 0};
    Cell end = {layout.rows, 0};
    for (int stripe = 0; stripe < layout.stripes; ++stripe) {
        if (value_at(matrix, best_place(layout, stripe, layout.blocks - 1)) != best) continue;
        int block = 0;
        while (value_at(matrix, best_place(layout, stripe, block)) != best) ++block;
        int row = first_row(layout, stripe, block), last_row = min(block * BLOCK + BLOCK - 1 - lane_of(layout, stripe), end.row);
        if (row >= end.row) continue;
        Cell cell = compute_block<true>(matrix, stripe, block, min(last_row, layout.rows - 1), moves, best);
        if (cell.row >= 0 && cell.row < end.row) end = cell;
    }
    return {best, end.row + 1 - matrix.row_pads, end.column + 1 - matrix.column_pads};
}

// Columns of an alignment, from its end, two bits each.
struct Columns {
    unsigned* words;
    unsigned word;
    int count;
};

__device__ __forceinline__ void flush(Columns& path) {
    path.words[(path.count - 1) / PER_WORD] = path.word;
    path.word = 0;
}
__device__ __forceinline__ void append(Columns& path, int kind) {
    path.word |= unsigned(kind) << 2 * (path.count % PER_WORD);
    if (++path.count % PER_WORD == 0) flush(path);
}

// scores: one per alignment. ends: query_begin, query_end, subject_begin, subject_end and number of columns of each.
// columns: words of PER_WORD columns, from the end of an alignment on, those of alignment i from column_places[i] on.
extern "C" __global__ void __launch_bounds__(THREADS)
shuffle_walk(const uint8_t* queries, const uint8_t* subjects, const long long* units, const int* table, const WORD* words,
             const long long* column_places, long long* scores, int* ends, unsigned* columns, int count, int first,
             int further) {
    __shared__ Value gains[CODES * TABLE_ROW];
    __shared__ unsigned cells[BLOCK][THREADS], gaps[AFFINE ? BLOCK : 1][THREADS];
    const Penalties cost = make_penalties(first, further);
    for (int i = threadIdx.x; i < CODES * TABLE_ROW; i += THREADS)
        gains[i] = gain(table, i / TABLE_ROW, min(i % TABLE_ROW, PAD), cost, LOWEST);
    __syncthreads();
    int alignment = blockIdx.x * THREADS + threadIdx.x, half = alignment % HALVES;
    if (alignment >= count) return;
    const Unit& unit = reinterpret_cast<const Unit*>(units)[alignment / HALVES];
    const Layout layout = make_layout(unit);
    long long m = unit.m[half], n = unit.n[half];
    const Matrix matrix = {words + unit.place, queries + unit.query[half], subjects + unit.subject[half], gains, layout, cost,
                           m, n, int(layout.rows - m), int((long long)layout.stripes * COLUMNS - n), half};
    const Moves moves = {cells, gaps};
    const End end = find_end(matrix, moves);

    Columns path = {columns + column_places[alignment], 0, 0};
    long long i = end.i, j = end.j;
    Value score = end.score;  // LOCAL: of what is left
    int state = H;
    bool stopped = MODE == LOCAL && score == 0;
    while (i > 0 && j > 0 && !stopped) {
        int row = int(i) - 1 + matrix.row_pads, stripe = int(j - 1 + matrix.column_pads) / COLUMNS;
        int block = (row + lane_of(layout, stripe)) / BLOCK, begin = first_row(layout, stripe, block);
        compute_block<false>(matrix, stripe, block, row, moves, 0);
        for (;;) {
            row = int(i) - 1 + matrix.row_pads;
            int column = int(j - 1 + matrix.column_pads) - stripe * COLUMNS;
            if (i == 0 || j == 0 || row < begin || column < 0) break;
            unsigned shift = 2 * (COLUMNS - 1 - column), cell = cells[row - begin][threadIdx.x] >> shift;
            unsigned gap = AFFINE ? gaps[row - begin][threadIdx.x] >> shift : 0;
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
    }
    if (MODE == GLOBAL) {
        for (; i > 0; --i) append(path, INSERTION);
        for (; j > 0; --j) append(path, DELETION);
    }
    if (path.count % PER_WORD) flush(path);
    scores[alignment] = end.score;
    int* found = ends + 5 * (long long)alignment;
    found[0] = int(i), found[1] = int(end.i), found[2] = int(j), found[3] = int(end.j), found[4] = path.count;
}

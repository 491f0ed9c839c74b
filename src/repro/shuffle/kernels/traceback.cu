// Tracebacks of the paper's variants (section 3.2): predecessors where they are stored, else what Hirschberg's division
// needs, by one warp per problem or per two in the halves of a half2.
//
// A problem is a rectangle of a matrix. Where predecessors are not stored, every cell carries where its path came from,
// forward: the cell on the middle row from which the path went on down, or for an alignment that may begin anywhere the
// cell where it begins. So both ways lead to the same alignment, that of reference.py, which scores of two halves from
// either end would not with affine gaps.
#include "columns.cuh"
#include "modes.cuh"
#include "values.cuh"

constexpr int P = WARP_SIZE;
constexpr int STOP = 3;  // of a stored byte, in place of the matrix that H came from
constexpr int E_EXTENDS = 4, F_EXTENDS = 8;
constexpr int STORED_LETTERS = 128, STORED_CELLS = STORED_LETTERS * STORED_LETTERS / 4, COLUMN_WORDS = STORED_LETTERS / PER_WORD;
using Origin = long long;
constexpr Origin LEFT_DIAGONALLY = 2;  // of a middle row: column << 2, this, and 1 if in E

struct Problem {
    long long query, subject;     // where the letters start
    long long m, n;               // how many, at least one
    long long middle;             // the row whose crossing is wanted
    long long begins_in_e, ends_in_e;
};

template <class S>
__device__ __forceinline__ S widened(long long score, S) { return S(score); }
// Columns beyond a subject, which do not count, may need more than 32 bits.
__device__ __forceinline__ int widened(long long score, int) { return int(max(score, (long long)lowest(int()))); }
__device__ __forceinline__ __half widened(long long score, __half) { return __float2half(float(score)); }

// What passes from lane to lane and from stage to stage: H and F, and where they came from.
struct Cell {
    Value h, f;
    Origin h_from[HALVES], f_from[HALVES];
};

// One half of a value, as a number that compares.
template <class V>
__device__ __forceinline__ V half_of(V value, int) { return value; }
__device__ __forceinline__ float half_of(__half2 value, int half) { return half ? __high2float(value) : __low2float(value); }

// H(i, 0) or, of_row, H(0, j). A path that goes on inside a gap begins with it and reaches no cell of the first row.
__device__ __forceinline__ Single border(const Problem& problem, long long letters, bool of_row) {
    if (MODE != GLOBAL) return single(0);
    if (problem.begins_in_e) return of_row ? lowest(Single()) : widened(-letters * FURTHER, Single());
    return letters == 0 ? single(0) : widened(-FIRST - (letters - 1) * FURTHER, Single());
}
// Where a border's path came from, in row i and column j, one of them 0.
__device__ __forceinline__ Origin border_from(const Problem& problem, long long i, long long j) {
    if (MODE != GLOBAL) return i << 32 | j;
    return j << 2 | (j == 0 && i > problem.middle && (problem.middle > 0 || problem.begins_in_e));
}

__device__ __forceinline__ Cell passed_on(const Cell& cell) {
    Cell found;
    found.h = __shfl_up_sync(FULL_MASK, cell.h, 1);
    found.f = __shfl_up_sync(FULL_MASK, cell.f, 1);
#pragma unroll
    for (int half = 0; half < HALVES; ++half) {
        found.h_from[half] = __shfl_up_sync(FULL_MASK, cell.h_from[half], 1);
        found.f_from[half] = __shfl_up_sync(FULL_MASK, cell.f_from[half], 1);
    }
    return found;
}

// The best end of one half so far: score and, of equal ones, the first row, then the first column.
struct End {
    long long score, i, j;
    Origin from;
};
__device__ __forceinline__ bool before(const End& a, const End& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.i != b.i ? a.i < b.i : a.j < b.j;
}

// problems: `count` of them, HALVES to a block of one warp. borders: the last column of a stage, `border_rows` cells per
// block. results: score, i, j of the end, and where it came from. STORED: the columns of the alignment too, two bits each
// from its end on in COLUMN_WORDS words, their number, and in place of the origin the begin, i << 32 | j.
extern "C" __global__ void shuffle_traceback(const uint8_t* queries, const uint8_t* subjects, const long long* problems,
                                             const int* table, unsigned char* borders, long long* results,
                                             unsigned* columns, int* column_counts, int count, long long border_rows) {
    __shared__ uint8_t stored[STORED ? HALVES * STORED_CELLS : 1];
    __shared__ int scores[32];
    int lane = threadIdx.x;
    if (lane < 25) scores[lane] = table[lane];
    __syncwarp();
    Cell* border_cells = reinterpret_cast<Cell*>(borders) + blockIdx.x * border_rows;
    Problem problem[HALVES];
    long long rows = 0, letters = 0;
#pragma unroll
    for (int half = 0; half < HALVES; ++half) {
        problem[half] = reinterpret_cast<const Problem*>(problems)[min(int(blockIdx.x) * HALVES + half, count - 1)];
        rows = max(rows, problem[half].m);
        letters = max(letters, problem[half].n);
    }
    const Value NONE = lowest(Value());
    End end[HALVES];
#pragma unroll
    for (int half = 0; half < HALVES; ++half) {
        long long column = MODE == LOCAL ? 0 : problem[half].n;
        end[half] = {MODE == GLOBAL ? -(1ll << 62) : 0, 0, column, column};
    }
    int stages = int((letters + P * COLUMNS - 1) / (P * COLUMNS));
    for (int stage = 0; stage < stages; ++stage) {
        long long first_column = ((long long)stage * P + lane) * COLUMNS;  // letters before the lane's columns
        Value h[COLUMNS], e[COLUMNS];
        Origin h_from[HALVES][COLUMNS], e_from[HALVES][COLUMNS], corner_from[HALVES];
        int code[HALVES][COLUMNS];
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            h[c] = joined(border(problem[0], first_column + c + 1, true), border(problem[HALVES - 1], first_column + c + 1, true));
            e[c] = NONE;
#pragma unroll
            for (int half = 0; half < HALVES; ++half) {
                const Problem& of = problem[half];
                h_from[half][c] = border_from(of, 0, first_column + c + 1);
                e_from[half][c] = (first_column + c + 1) << 2 | 1;
                code[half][c] = first_column + c < of.n ? subjects[of.subject + first_column + c] : 4;
            }
        }
        Value corner = joined(border(problem[0], first_column, true), border(problem[HALVES - 1], first_column, true));
        Cell right;
        right.h = h[COLUMNS - 1];
        right.f = NONE;
#pragma unroll
        for (int half = 0; half < HALVES; ++half) {
            corner_from[half] = border_from(problem[half], 0, first_column);
            right.h_from[half] = h_from[half][COLUMNS - 1];
            right.f_from[half] = 0;
        }
        for (long long step = 0; step < rows + P - 1; ++step) {
            Cell left = passed_on(right);
            long long i = step - lane + 1;
            if (i < 1 || i > rows) continue;
            if (lane == 0) {
                if (stage > 0) left = border_cells[i - 1];
                else {
                    left.h = joined(border(problem[0], i, false), border(problem[HALVES - 1], i, false));
                    left.f = NONE;
#pragma unroll
                    for (int half = 0; half < HALVES; ++half) left.h_from[half] = left.f_from[half] = border_from(problem[half], i, 0);
                }
            }
            Value diagonal = corner;
            Origin diagonal_from[HALVES];
            corner = left.h;
#pragma unroll
            for (int half = 0; half < HALVES; ++half) {
                diagonal_from[half] = corner_from[half];
                corner_from[half] = left.h_from[half];
            }
            int row_code[HALVES];
#pragma unroll
            for (int half = 0; half < HALVES; ++half)
                row_code[half] = i <= problem[half].m ? queries[problem[half].query + i - 1] : 4;
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) {
                long long j = first_column + c + 1;
                Value gained = make_value(scores[row_code[0] * 5 + code[0][c]], scores[row_code[HALVES - 1] * 5 + code[HALVES - 1][c]]);
                Value aligned = plus(diagonal, gained), above = h[c];
                Value e_opened = plus(above, value_of(-FIRST)), e_extended = plus(e[c], value_of(-FURTHER));
                Value f_opened = plus(left.h, value_of(-FIRST)), f_extended = plus(left.f, value_of(-FURTHER));
                Value new_e = larger(e_opened, e_extended), new_f = larger(f_opened, f_extended);
                Value cell = larger(aligned, larger(new_e, new_f));
                if (MODE == LOCAL) cell = larger(cell, value_of(0));
#pragma unroll
                for (int half = 0; half < HALVES; ++half) {
                    const Problem& of = problem[half];
                    auto now = half_of(cell, half);
                    bool e_extends = half_of(e_extended, half) > half_of(e_opened, half);
                    bool f_extends = half_of(f_extended, half) > half_of(f_opened, half);
                    int from = MODE == LOCAL && now == 0 ? STOP : now == half_of(aligned, half) ? H : now == half_of(new_e, half) ? E : F;
                    Origin above_from = h_from[half][c];
                    if (STORED && i <= of.m && j <= of.n)
                        stored[half * STORED_CELLS + (i - 1) * of.n + j - 1] =
                            uint8_t(from | (e_extends ? E_EXTENDS : 0) | (f_extends ? F_EXTENDS : 0));
                    if (!e_extends) e_from[half][c] = above_from;
                    if (!f_extends) left.f_from[half] = left.h_from[half];
                    Origin down = MODE == GLOBAL && i == of.middle + 1 ? LEFT_DIAGONALLY : 0;
                    Origin origin = from == H ? diagonal_from[half] | down : from == E ? e_from[half][c] : left.f_from[half];
                    if (MODE == LOCAL && from == STOP) origin = i << 32 | j;
                    diagonal_from[half] = above_from;
                    if (MODE == GLOBAL && i == of.middle) {
                        origin = j << 2;
                        e_from[half][c] = j << 2 | 1;
                    }
                    h_from[half][c] = left.h_from[half] = origin;
                    bool whole = i == of.m && j == of.n, ends = MODE == LOCAL ? i <= of.m && j <= of.n
                                                              : MODE == SEMI_GLOBAL ? (i == of.m && j <= of.n) || (j == of.n && i <= of.m)
                                                                                    : whole;
                    if (!ends) continue;
                    bool in_e = MODE == GLOBAL && of.ends_in_e;
                    End here = {(long long)(in_e ? half_of(new_e, half) : now), i, j, in_e ? e_from[half][c] : origin};
                    if (before(here, end[half])) end[half] = here;
                }
                diagonal = above;
                h[c] = left.h = cell;
                e[c] = new_e;
                left.f = new_f;
            }
            right = left;
            if (lane == P - 1 && stage < stages - 1) border_cells[i - 1] = right;
        }
        __syncwarp();  // the next stage reads what this one wrote
    }
#pragma unroll
    for (int half = 0; half < HALVES; ++half) {
        for (int lanes = P / 2; lanes > 0; lanes /= 2) {
            End other = {__shfl_xor_sync(FULL_MASK, end[half].score, lanes), __shfl_xor_sync(FULL_MASK, end[half].i, lanes),
                         __shfl_xor_sync(FULL_MASK, end[half].j, lanes), __shfl_xor_sync(FULL_MASK, end[half].from, lanes)};
            if (before(other, end[half])) end[half] = other;
        }
        long long index = (long long)blockIdx.x * HALVES + half;
        if (lane != 0 || index >= count) continue;
        const Problem& of = problem[half];
        long long i = end[half].i, j = end[half].j;
        if (STORED) {
            int state = of.ends_in_e ? E : H, length = 0;
            unsigned word = 0;
            while ((i > 0 && j > 0) || (MODE == GLOBAL && (i > 0 || j > 0))) {
                int kind;
                if (i == 0) kind = DELETION;
                else if (j == 0) kind = INSERTION;
                else {
                    int move = stored[half * STORED_CELLS + (i - 1) * of.n + j - 1];
                    if (state == H) state = move & 3;
                    if (state == STOP) break;
                    int a = queries[of.query + i - 1], b = subjects[of.subject + j - 1];
                    kind = state == H ? (a == b && a < 4 ? EQUAL : UNEQUAL) : state == E ? INSERTION : DELETION;
                    if (state == E && !(move & E_EXTENDS)) state = H;
                    else if (state == F && !(move & F_EXTENDS)) state = H;
                }
                if (kind != DELETION) --i;
                if (kind != INSERTION) --j;
                word |= unsigned(kind) << 2 * (length % PER_WORD);
                if (++length % PER_WORD == 0) columns[index * COLUMN_WORDS + length / PER_WORD - 1] = word, word = 0;
            }
            if (length % PER_WORD) columns[index * COLUMN_WORDS + length / PER_WORD] = word;
            column_counts[index] = length;
        }
        long long* found = results + 4 * index;
        found[0] = end[half].score;
        found[1] = end[half].i;
        found[2] = end[half].j;
        found[3] = STORED ? i << 32 | j : end[half].from;
    }
}

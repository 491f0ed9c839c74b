// Scores as in sections 3.1 and 3.2: one warp per alignment (two in the halves of a half2), COLUMNS columns per thread in
// registers, the rightmost cell and the query's letters handed on by shuffles, scores from a profile in shared memory.
//
// The last column of a subject is the last of the last thread, and the last row of a query the last row: what is missing
// in front is filled with columns and rows that repeat the border. A subject longer than WARP_SIZE x COLUMNS takes
// several stages from left to right; the last column of one is the left border of the next, in global memory, read and
// written once per WARP_SIZE steps. Two alignments of a half2 may have different lengths; the longer ones count.
#include "quad.cuh"
#include "sequences.cuh"
#include "values.cuh"

constexpr int P = WARP_SIZE;
constexpr int LETTERS = PAD + 1;
constexpr int QUADS = COLUMNS / 4;

// H(i, 0) or H(0, j): a gap of so many letters, or 0 where end gaps are free.
__device__ __forceinline__ Whole border(Whole letters) {
    return MODE != GLOBAL || letters <= 0 ? 0 : -FIRST - (letters - 1) * FURTHER;
}

// What a column scores with a row: pads lead from border to border by gaps, and from corner to corner for nothing.
__device__ __forceinline__ Single profile_entry(const int* table, int row, int column) {
    if (row != PAD && column != PAD) return single(__ldg(table + row * 5 + column));
    return MODE == GLOBAL && (row != PAD || column != PAD) ? lowest(Single()) : single(0);
}

// With one query, or one alignment, an entry of the profile serves all halves; otherwise each half has its own.
constexpr bool WHOLE = HALVES == 1 || SHARED_QUERY;

// The thread's part of the profile.
__device__ __forceinline__ void fill_profile(unsigned char* profile, const int* table, const Sequence* subject,
                                             int first_column) {
    auto* whole = reinterpret_cast<Quad<Value>*>(profile) + threadIdx.x;
    auto* parts = reinterpret_cast<Quad<Single>*>(profile) + threadIdx.x;
#pragma unroll
    for (int quad = 0; quad < QUADS; ++quad)
        for (int row = 0; row < LETTERS; ++row) {
            Quad<Single> entries[HALVES];
#pragma unroll
            for (int half = 0; half < HALVES; ++half)
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    entries[half].entry[i] = profile_entry(table, row, code_at(subject[half], first_column + 4 * quad + i));
            int place = (row * QUADS + quad) * P;
            if (WHOLE) {
                Quad<Value> both;
#pragma unroll
                for (int i = 0; i < 4; ++i) both.entry[i] = joined(entries[0].entry[i], entries[HALVES - 1].entry[i]);
                whole[place] = both;
            } else
#pragma unroll
                for (int half = 0; half < HALVES; ++half) parts[place + half * LETTERS * QUADS * P] = entries[half];
        }
}

// The scores of four columns with a row; `rows`: the codes of the row's letters in the two queries, in a byte each.
__device__ __forceinline__ Quad<Value> look_up(const unsigned char* profile, int rows, int quad) {
    auto* whole = reinterpret_cast<const Quad<Value>*>(profile) + threadIdx.x;
    auto* parts = reinterpret_cast<const Quad<Single>*>(profile) + threadIdx.x;
    int place = ((rows & 0xFF) * QUADS + quad) * P;
    if (WHOLE) return whole[place];
    Quad<Single> low = parts[place], high = parts[((LETTERS + (rows >> 8)) * QUADS + quad) * P];
    Quad<Value> both;
#pragma unroll
    for (int i = 0; i < 4; ++i) both.entry[i] = joined(low.entry[i], high.entry[i]);
    return both;
}

// ALL: every query of query_list with every subject of subject_list, `width` tasks per query, the score of query q and
// subject s at scores[q * pitch + s]. Otherwise alignment a is query_list[a] with subject_list[a], its score at
// scores[places[a]]. A task is HALVES alignments. borders: for each block two sides of border_rows x (1 or, with affine
// gaps, 2) values, the one that a stage reads and the one that it writes.
extern "C" __global__ void shuffle_scores(const uint8_t* queries, const long long* query_offsets,
                                          const uint8_t* subjects, const long long* subject_offsets,
                                          const int* query_list, const int* subject_list, const int* places,
                                          const int* table, unsigned char* borders, Score* scores, long long tasks,
                                          int width, long long pitch, long long border_rows) {
    extern __shared__ __align__(16) unsigned char profile[];
    int lane = threadIdx.x;
    Value* sides = reinterpret_cast<Value*>(borders) + blockIdx.x * 2 * border_rows * (1 + AFFINE);
    const Value NONE = lowest(Value());

    for (long long task = blockIdx.x; task < tasks; task += gridDim.x) {
        Sequence query[HALVES], subject[HALVES];
        long long place[HALVES];
        int rows = 0, letters = 0;
#pragma unroll
        for (int half = 0; half < HALVES; ++half) {
            long long alignment = ALL ? task % width * HALVES + half : task * HALVES + half;
            int q = query_list[ALL ? task / width : alignment], s = subject_list[alignment];
            place[half] = ALL ? q * pitch + s : places[alignment];
            query[half] = sequence(queries, query_offsets, q);
            subject[half] = sequence(subjects, subject_offsets, s);
            rows = max(rows, query[half].length);
            letters = max(letters, subject[half].length);
        }
        int stages = max(1, (letters + P * COLUMNS - 1) / (P * COLUMNS));
#pragma unroll
        for (int half = 0; half < HALVES; ++half) {
            query[half].pads = rows - query[half].length;
            subject[half].pads = stages * P * COLUMNS - subject[half].length;
        }
        auto left_border = [&](int row) {  // H before the first column, in the row that follows `row` rows
            return make_value(border(row - query[0].pads), border(row - query[HALVES - 1].pads));
        };

        Value best = value_of(0), h[COLUMNS], e[COLUMNS];
        for (int stage = 0; stage < stages; ++stage) {
            int first_column = (stage * P + lane) * COLUMNS;
            const Value *in_h = sides + (stage + 1) % 2 * border_rows * (1 + AFFINE), *in_f = in_h + border_rows;
            Value *out_h = sides + stage % 2 * border_rows * (1 + AFFINE), *out_f = out_h + border_rows;
            fill_profile(profile, table, subject, first_column);
            auto top_border = [&](int column) {  // H above the column that follows `column` columns
                return make_value(border(column - subject[0].pads), border(column - subject[HALVES - 1].pads));
            };
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) {
                h[c] = top_border(first_column + c + 1);
                if (AFFINE) e[c] = NONE;
            }
            Value diagonal = top_border(first_column), f = NONE, column_best = value_of(0);
            Value entering_h = NONE, entering_f = NONE, leaving_h = NONE, leaving_f = NONE;
            int current = 0, next = 0;

            for (int chunk = 0; chunk < rows + P - 1; chunk += P) {
                // Once per P steps: a letter of the query, and a cell of the column to the left, for every thread.
                int loaded = chunk + lane;
                next = code_at(query[0], loaded) | code_at(query[HALVES - 1], loaded) << 8;
                if (stage == 0) entering_h = left_border(min(loaded + 1, rows));
                else if (loaded < rows) {
                    entering_h = in_h[loaded];
                    if (AFFINE) entering_f = in_f[loaded];
                }
                for (int step = chunk; step < chunk + P; ++step) {
                    current = __shfl_up_sync(FULL_MASK, current, 1);
                    Value left = __shfl_up_sync(FULL_MASK, h[COLUMNS - 1], 1);
                    if (AFFINE) f = __shfl_up_sync(FULL_MASK, f, 1);
                    if (lane == 0) current = next, left = entering_h, f = entering_f;
                    next = __shfl_down_sync(FULL_MASK, next, 1);
                    entering_h = __shfl_down_sync(FULL_MASK, entering_h, 1);
                    if (AFFINE) entering_f = __shfl_down_sync(FULL_MASK, entering_f, 1);

                    if (unsigned(step - lane) < unsigned(rows)) {
                        Value above_left = diagonal;
                        diagonal = left;
#pragma unroll
                        for (int quad = 0; quad < QUADS; ++quad) {
                            Quad<Value> score = look_up(profile, current, quad);
#pragma unroll
                            for (int i = 0; i < 4; ++i) {
                                Value& cell = h[4 * quad + i];
                                Value aligned = plus(above_left, score.entry[i]);
                                above_left = cell;
                                if (AFFINE) {
                                    Value& gap = e[4 * quad + i];
                                    gap = larger(plus(gap, value_of(-FURTHER)), plus(cell, value_of(-FIRST)));
                                    f = larger(plus(f, value_of(-FURTHER)), plus(left, value_of(-FIRST)));
                                    left = larger(larger(aligned, gap), f);
                                } else left = larger(aligned, plus(larger(cell, left), value_of(-FURTHER)));
                                if (MODE == LOCAL) best = larger(best, left = larger(left, value_of(0)));
                                cell = left;
                            }
                        }
                        column_best = larger(column_best, left);
                    }

                    leaving_h = __shfl_down_sync(FULL_MASK, leaving_h, 1);
                    if (AFFINE) leaving_f = __shfl_down_sync(FULL_MASK, leaving_f, 1);
                    if (lane == P - 1) leaving_h = h[COLUMNS - 1], leaving_f = f;
                }
                int left_row = chunk + lane - (P - 1);
                if (stage < stages - 1 && unsigned(left_row) < unsigned(rows)) {
                    out_h[left_row] = leaving_h;
                    if (AFFINE) out_f[left_row] = leaving_f;
                }
            }
            if (MODE == SEMI_GLOBAL) {
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c) best = larger(best, h[c]);
                if (stage == stages - 1 && lane == P - 1) best = larger(best, column_best);
            }
            __syncwarp();  // the next stage reads what this one wrote
        }
        if (MODE == GLOBAL) best = __shfl_sync(FULL_MASK, h[COLUMNS - 1], P - 1);
        else
#pragma unroll
            for (int lanes = P / 2; lanes > 0; lanes /= 2) best = larger(best, __shfl_xor_sync(FULL_MASK, best, lanes));
        if (lane == 0)
#pragma unroll
            for (int half = 0; half < HALVES; ++half) scores[place[half]] = score_in(best, half);
    }
}

// Beyond the paper: two alignments in the 16-bit halves of a word, three-way maxima in one instruction, LANES threads per
// two alignments, so that a warp works on WARP_SIZE / LANES such pairs at once and none of them is too wide for a read.
//
// Global and semi-global alignments are computed with the price of extending gaps folded into the coordinates,
//   H'(i, j) = H(i, j) + FURTHER (i + j) and so for E and F, so that with OPEN = FIRST - FURTHER
//   E'(i, j) = max(E'(i-1, j), H'(i-1, j) - OPEN)        F'(i, j) = max(F'(i, j-1), H'(i, j-1) - OPEN)
//   H'(i, j) = max(H'(i-1, j-1) + sigma + 2 FURTHER, E'(i, j), F'(i, j)),
// and with linear gaps H' is the largest of three. No H' is smaller than the one diagonally before it by more than two
// openings, so that sigma + 2 FURTHER counts from there on, and with a bias no half is ever negative: an addition of
// two words is one of their halves.
//
// Local alignments stay in plain coordinates. Their values are 0 to 2,047, and as bits these are the same number as an
// integer and, times 2^-24, as a half: sums are those of half2, maxima those of integers, where a negative half is a
// negative integer too and gives way to 0. A best score beyond 2,047 is reported as TOO_LARGE. WIDE: where most would be,
// sums are those of integers, and cells are H + FLOOR so that nothing is negative.
//
// ADJACENT_GAPS: gaps open from H, which a thread keeps less FIRST where alignments are local, since diagonals go on from
// there, too. Otherwise no pair of letters costs more than two further letters of gaps, so that a gap right after one in
// the other sequence is never better than a pair of letters and the rest of both gaps: to open from what comes diagonally
// is enough, and no cell of a row waits for the maximum of the one before.
//
// The last column of a subject is the last of the last thread, and the last row of a query the last row: what is missing
// in front is filled with columns and rows that repeat the border. In the coordinates above they do so with a gain of
// FURTHER (semi-global), a loss of two openings (global), and 0 between two of them; where all have one query, so that rows
// need not be filled up, a gain of 0 is enough (global), since a border that is filled up is an opening lower.
//
// local memory: sm_120
#include "largest_of_warp.cuh"
#include "packed_cells.cuh"
#include "truth.cuh"

// What folding adds to the last column from the row after so many to the next: the best of those so far is kept as if it
// were in the present one.
__device__ __forceinline__ unsigned folded(const Sequence* query, int rows) {
    if (ALL) return both(FURTHER);
    return packed(rows < query[0].pads ? 0 : FURTHER, rows < query[1].pads ? 0 : FURTHER);
}

// The score of one half, the same in all lanes of a group.
__device__ __forceinline__ int result(unsigned corner, unsigned best, unsigned column_best, int row_best,
                                      const Sequence& query, const Sequence& subject, int half) {
    if (MODE == GLOBAL)
        return signed_half(__shfl_sync(FULL_MASK, corner, LANES - 1, LANES), half) + SHIFT - BIAS -
               FURTHER * (query.length + subject.length);
    int found = signed_half(best, half);
    if (MODE == SEMI_GLOBAL) {
        int last_column = signed_half(__shfl_sync(FULL_MASK, column_best, LANES - 1, LANES), half);
        found = max(row_best, last_column - FURTHER * (query.length + subject.length)) + SHIFT - BIAS;
        found = max(found, 0);
    }
    for (int lanes = LANES / 2; lanes > 0; lanes /= 2) found = max(found, __shfl_xor_sync(FULL_MASK, found, lanes, LANES));
    if (MODE == LOCAL && WIDE) return max(found - FLOOR, 0);
    return MODE == LOCAL && found > LARGEST_HALF ? TOO_LARGE : found;
}

// ALL: every query of query_list with every subject of subject_list, the score of query q and subject s at
// scores[q * pitch + s]; an item of work is `chunk` of the query_count queries with 2 * GROUPS of the subjects, in
// `blocks` items side by side. Otherwise alignment a is query_list[a] with subject_list[a], its score at
// scores[places[a]], and an item is 2 * GROUPS alignments. STAGED: subjects longer than LANES * COLUMNS take several
// stages from left to right. borders: for each block two sides of border_rows x GROUPS x (1 or, with affine gaps, 2)
// words, the one that a stage reads and the one that it writes.
extern "C" __global__ void __launch_bounds__(WARP_SIZE, WARPS)
shuffle_packed(const uint8_t* queries, const long long* query_offsets, const uint8_t* subjects,
               const long long* subject_offsets, const int* query_list, const int* subject_list, const int* places,
               const int* table, unsigned* borders, Score* scores, int items, int blocks, int chunk, int query_count,
               long long pitch, long long border_rows) {
    extern __shared__ __align__(16) unsigned shared[];
    int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    Profile profile = make_profile(shared, table);
    long long border_words = border_rows * GROUPS * (1 + AFFINE);
    borders += blockIdx.x * 2 * border_words + group;

    for (int item = blockIdx.x; item < items; item += gridDim.x) {
        int first_query = ALL ? item / blocks * chunk : item;
        int last_query = ALL ? min(first_query + chunk, query_count) : item + 1;
        int place_in_list = ((ALL ? item % blocks : item) * GROUPS + group) * 2;
        Sequence subject[2], query[2];
        int index[2], letters = 0;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            index[half] = subject_list[place_in_list + half];
            subject[half] = sequence(subjects, subject_offsets, index[half]);
            letters = max(letters, subject[half].length);
        }
        int stages = STAGED ? max(1, (largest_of_warp(letters) + LANES * COLUMNS - 1) / (LANES * COLUMNS)) : 1;
#pragma unroll
        for (int half = 0; half < 2; ++half) subject[half].pads = stages * LANES * COLUMNS - subject[half].length;

        for (int number = first_query; number < last_query; ++number) {
            int rows = 0, q[2];
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                q[half] = query_list[ALL ? number : place_in_list + half];
                query[half] = sequence(queries, query_offsets, q[half]);
                rows = max(rows, query[half].length);
            }
            if (!ALL) {
                rows = largest_of_warp(rows);
#pragma unroll
                for (int half = 0; half < 2; ++half) query[half].pads = rows - query[half].length;
            }
            unsigned h[COLUMNS], e[COLUMNS], best = 0, column_best = 0, row_best = both(-EXCEEDED);
            for (int stage = 0; stage < stages; ++stage) {
                int first_column = (stage * LANES + lane) * COLUMNS;
                const unsigned *in_h = borders + (stage + 1) % 2 * border_words, *in_f = in_h + border_rows * GROUPS;
                unsigned *out_h = borders + stage % 2 * border_words, *out_f = out_h + border_rows * GROUPS;
                if (STAGED || number == first_query) fill_profile(profile, table, subject, first_column);
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c) {
                    h[c] = top_border(subject, first_column + c + 1);
                    if (AFFINE) e[c] = gap_after(h[c]);
                }
                unsigned diagonal = top_border(subject, first_column), left[TOGETHER], f[TOGETHER];
                bool leaves = STAGED && stage < stages - 1 && lane == LANES - 1;
                Row next[TOGETHER];
#pragma unroll
                for (int i = 0; i < TOGETHER; ++i) {
                    left[i] = h[COLUMNS - 1], f[i] = gap_after(left[i]);
                    next[i] = load_row(query, i - lane * TOGETHER, rows);
                }
                // What enters from the left in as many steps as there are lanes, each lane with the rows of one, and,
                // on its way from memory meanwhile, in as many steps after them.
                unsigned entering_h[TOGETHER], entering_f[TOGETHER], coming_h[TOGETHER], coming_f[TOGETHER];
                auto read_borders = [&](int step) {
#pragma unroll
                    for (int i = 0; i < TOGETHER; ++i) {
                        int row = (step + lane) * TOGETHER + i;
                        bool passed = stage > 0 && row < rows;
                        coming_h[i] = passed ? in_h[row * GROUPS] : left_border(query, row + 1);
                        coming_f[i] = AFFINE && passed ? in_f[row * GROUPS] : gap_after(coming_h[i]);
                    }
                };
                if (STAGED) read_borders(0);
                unsigned *leaving_h = out_h - lane * TOGETHER * GROUPS, *leaving_f = out_f - lane * TOGETHER * GROUPS;
                column_best = both(-EXCEEDED);
                // First and last, some lanes are outside the rows; from step LANES - 1 on none is, for a while, and none
                // will be in the step after, whose letters are loaded.
                int step = 0;
                auto compute = [&](auto inside, int end) {
                    constexpr bool INSIDE = decltype(inside)::value;
                    const uint8_t* coming = query[0].codes + (step - lane + 1) * TOGETHER;  // of the step after
                    while (step < end) {
                        if (STAGED && step % LANES == 0) {
#pragma unroll
                            for (int i = 0; i < TOGETHER; ++i) entering_h[i] = coming_h[i], entering_f[i] = coming_f[i];
                            read_borders(step + LANES);
                        }
                        int until = STAGED ? min(end, (step / LANES + 1) * LANES) : end;
#pragma unroll (INSIDE ? UNROLLED : 1)
                        for (; step < until; ++step) {
                            int row = (step - lane) * TOGETHER;
                            Row now[TOGETHER];
#pragma unroll
                            for (int i = 0; i < TOGETHER; ++i) {
                                left[i] = __shfl_up_sync(FULL_MASK, i < TOGETHER - 1 ? left[i] : h[COLUMNS - 1], 1, LANES);
                                if (AFFINE) f[i] = __shfl_up_sync(FULL_MASK, f[i], 1, LANES);
                                now[i] = next[i];
                                next[i] = INSIDE && ALL ? Row{{__ldg(coming + i), PAD}}
                                                        : load_row(query, row + TOGETHER + i, rows);
                                unsigned entered = 0, entered_f = 0;
                                if (STAGED) {
                                    entered = __shfl_sync(FULL_MASK, entering_h[i], step % LANES, LANES);
                                    if (AFFINE) entered_f = __shfl_sync(FULL_MASK, entering_f[i], step % LANES, LANES);
                                }
                                if (lane == 0) {
                                    left[i] = STAGED ? entered : left_border(query, row + i + 1);
                                    f[i] = STAGED ? entered_f : gap_after(left[i]);
                                }
                            }
                            if (INSIDE) compute_rows<TOGETHER>(profile, now, h, e, f, left, diagonal, best);
#pragma unroll
                            for (int i = 0; i < TOGETHER; ++i) {
                                if (!INSIDE) {
                                    if (unsigned(row + i) >= unsigned(rows)) continue;
                                    compute_rows<1>(profile, now + i, h, e, f + i, left + i, diagonal, best);
                                }
                                if (MODE == SEMI_GLOBAL)
                                    column_best = __viaddmax_s16x2(column_best, folded(query, row + i), left[i]);
                                if (leaves) {
                                    leaving_h[i * GROUPS] = left[i];
                                    if (AFFINE) leaving_f[i * GROUPS] = f[i];
                                }
                            }
                            coming += TOGETHER;
                            leaving_h += TOGETHER * GROUPS, leaving_f += TOGETHER * GROUPS;
                        }
                    }
                };
                compute(Truth<false>(), LANES - 1);
                compute(Truth<true>(), rows / TOGETHER - 1);
                compute(Truth<false>(), rows / TOGETHER + LANES);
                if (MODE == SEMI_GLOBAL) {
                    unsigned of_row = packed(query[0].length, query[1].length);
                    unsigned before = packed(query[0].length + first_column - subject[0].pads,
                                             query[1].length + first_column - subject[1].pads);
#pragma unroll
                    for (int c = 0; c < COLUMNS; ++c) {
                        unsigned letters = __viaddmax_s16x2(before, both(c + 1), of_row);  // of both, up to this cell
                        row_best = __viaddmax_s16x2(h[c], ~(letters * FURTHER), row_best);  // ~x is -x - 1
                    }
                }
                __syncwarp();  // the next stage reads what this one wrote
            }
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                int found = result(h[COLUMNS - 1], best, column_best, signed_half(row_best, half) + 1, query[half], subject[half], half);
                if (lane == 0) scores[ALL ? q[half] * pitch + index[half] : places[place_in_list + half]] = found;
            }
        }
    }
}

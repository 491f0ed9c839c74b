// The score pass of `auto`'s traceback for sequences that are not long: as packed.cu, LANES threads per two alignments,
// three-way maxima, and what stored.cuh says is stored.
//
// Values but local ones have the price of extending gaps folded in, as in packed.cu; a bias keeps all from being
// negative, so that a sum of words is that of their halves.
#include "tagged.cuh"

// The tags of several words, the first one's highest: sums of words and of words without tags differ by them.
struct Tags {
    unsigned sum, values;
};
__device__ __forceinline__ void append(Tags& tags, unsigned word, unsigned value) {
    tags.sum = tags.sum * (1 << BITS) + word;
    tags.values = tags.values * (1 << BITS) + value;
}
__device__ __forceinline__ unsigned taken(Tags& tags) {
    unsigned found = tags.sum - tags.values;
    tags = {0, 0};
    return found;
}

// A row of a thread's columns. h: of the row above, afterwards of this one, stamped. left, f: what enters from the left,
// afterwards what leaves to the right. LOCAL: E is no less than 0, nor is, with linear gaps, what e and f are then: H less
// a gap. opens: what opening a gap from above adds, with its tag. best: LOCAL: the largest value of the row with a tag for
// its column, the first one's largest.
__device__ __forceinline__ void compute_row(const unsigned* gains, unsigned opens, unsigned stamp, unsigned diagonal,
                                            unsigned* h, unsigned* e, unsigned& f, unsigned& left, unsigned* cells,
                                            unsigned& f_tags, unsigned& best) {
    constexpr unsigned EXTENDS = both(-FURTHER * SCALE);
    Tags of_cells = {0, 0}, of_f = {0, 0};
    unsigned odd = 0;
    best = 0;
    if (!AFFINE && MODE == LOCAL) f = __viaddmax_u16x2(left, EXTENDS, FLOOR + stamp);
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
        unsigned above = h[c], gap_up = above, gap_left = left;
        if (AFFINE) {
            unsigned extended_e = MODE == LOCAL ? __viaddmax_u16x2(e[c], EXTENDS, FLOOR + both(ABOVE)) : e[c];
            unsigned extended_f = MODE == LOCAL ? f - both(FURTHER * SCALE) : f;
            e[c] = __viaddmax_u16x2(above, opens, extended_e);
            f = __viaddmax_u16x2(left, both(-NEW_GAP * SCALE + LEFT + 1 + c % STRIP), extended_f);
        }
        if (AFFINE || MODE == LOCAL) gap_up = e[c], gap_left = f;
        unsigned cell = BYTES ? __vimax3_u16x2(plus_bytes(diagonal, gains, c), gap_up, gap_left)
                        : ALL ? __vimax3_u16x2(diagonal + gains[c], gap_up, gap_left)
                              : __viaddmax_u16x2(diagonal, gains[c], larger(gap_up, gap_left));
        diagonal = above;
        h[c] = left = (cell & VALUES) | stamp;
        if (!AFFINE && MODE == LOCAL) e[c] = f = __viaddmax_u16x2(left, EXTENDS, FLOOR + stamp);
        append(of_cells, cell, left);
        if (c % PER_WORD == PER_WORD - 1) cells[c / PER_WORD] = taken(of_cells);
        if (AFFINE && c % STRIP == STRIP - 1) {
            unsigned value = f & VALUES;
            append(of_f, f, value);
            f = value;
        }
        if (MODE == LOCAL) {
            unsigned tagged = left - stamp + both(COLUMNS - 1 - c);
            if (c % 2) best = __vimax3_u16x2(best, odd, tagged);
            odd = tagged;
        }
    }
    f_tags = taken(of_f);
}

template <class Key>
__device__ __forceinline__ Key group_max(Key value) {
#pragma unroll
    for (int lanes = LANES / 2; lanes > 0; lanes /= 2) {
        Key other = __shfl_xor_sync(FULL_MASK, value, lanes, LANES);
        value = other > value ? other : value;
    }
    return value;
}

// Unit `first` and `units - 1` further ones, GROUPS a warp, of all queries in query_list with all subjects in subject_list,
// or of one query with one subject each. words: `blocks` blocks of stored.cuh for each warp. ends: of each alignment of
// these units; a unit's second one may stand for the last of an odd number of subjects.
extern "C" __global__ void __launch_bounds__(WARP_SIZE)
shuffle_stored(const uint8_t* queries, const long long* query_offsets, const uint8_t* subjects,
               const long long* subject_offsets, const int* query_list, const int* subject_list, const int* table,
               unsigned* words, int* ends, int first, int units, int subject_units, int blocks) {
    extern __shared__ __align__(16) unsigned shared[];
    __shared__ __align__(16) unsigned staged[WARP_SIZE * STAGED_WORDS];
    __shared__ int gains_of[CODES * TABLE_ROW];
    Four* profile = reinterpret_cast<Four*>(shared) + threadIdx.x;
    int lane = threadIdx.x % LANES, index = blockIdx.x * GROUPS + threadIdx.x / LANES;
    for (int i = threadIdx.x; i < CODES * TABLE_ROW; i += WARP_SIZE)
        gains_of[i] = gain(table, i / TABLE_ROW, min(i % TABLE_ROW, PAD));
    __syncwarp();
    Sequence query[2], subject[2];
    int rows = 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        Position at = position_of(first + min(index, units - 1), half, subject_units);
        query[half] = sequence(queries, query_offsets, query_list[at.query]);
        subject[half] = sequence(subjects, subject_offsets, subject_list[at.subject]);
        subject[half].pads = LANES * COLUMNS - subject[half].length;
        rows = max(rows, query[half].length);
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) query[half].pads = ALL ? 0 : rows - query[half].length;
    int first_column = lane * COLUMNS;
    fill_profile(profile, gains_of, subject, first_column);
    unsigned h[COLUMNS], e[COLUMNS], f = NO_GAP, corner = border_after(subject, first_column) | FIRST_STAMP;
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
        h[c] = border_after(subject, first_column + c + 1) | FIRST_STAMP;
        e[c] = AFFINE ? NO_GAP + both(ABOVE) : FLOOR | FIRST_STAMP;
    }
    int next[2] = {code_at(query[0], -lane), code_at(query[1], -lane)};
    // LOCAL: the best of this thread's cells, with the column, and its row. SEMI_GLOBAL: of its last column.
    unsigned best = MODE == LOCAL ? FLOOR | both(SCALE - 1)
                                  : packed((BIAS + FURTHER * subject[0].length) * SCALE, (BIAS + FURTHER * subject[1].length) * SCALE);
    int best_row[2] = {0, 0};
    unsigned of_block = 0;
    int steps = rows + LANES - 1;
    for (int lanes = WARP_SIZE / 2; lanes >= LANES; lanes /= 2)
        steps = max(steps, __shfl_xor_sync(FULL_MASK, steps, lanes));
    unsigned* stored = words + (long long)blockIdx.x * blocks * BLOCK_WORDS;

    for (int block = 0; block * BLOCK < steps; ++block, stored += BLOCK_WORDS) {
        // At first and in the end some threads are outside the rows; while none is, nothing needs to be guarded.
        auto four_steps = [&](int begin, bool guarded) {
            Four f_tags = {};
            unsigned cells[TOGETHER] = {};
            const uint8_t* codes[2];  // of the rows after these
#pragma unroll
            for (int half = 0; half < 2; ++half)
                codes[half] = query[half].codes + (block * BLOCK + begin - lane + 1 - query[half].pads);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                int step = begin + i, row = block * BLOCK + step - lane, code[2];
                unsigned stamp = FIRST_STAMP - STAMP * (step + 1), from_left = NO_GAP;
                unsigned left = __shfl_up_sync(FULL_MASK, h[COLUMNS - 1], 1, LANES) - STAMP;
                if (AFFINE) from_left = __shfl_up_sync(FULL_MASK, f, 1, LANES);
                if (lane == 0) {
                    left = border_after(query, row + 1) | stamp;
                    from_left = NO_GAP;
                }
                code[0] = next[0], code[1] = next[1];
                next[0] = unsigned(row + 1 - query[0].pads) < unsigned(query[0].length) ? __ldg(codes[0] + i) : PAD;
                if (!ALL) next[1] = unsigned(row + 1 - query[1].pads) < unsigned(query[1].length) ? __ldg(codes[1] + i) : PAD;
                if (!guarded || unsigned(row) < unsigned(rows)) {
                    unsigned gains[GAINS], diagonal = corner, of_row = 0;
                    look_up(profile, code, gains);
                    f = from_left;
                    corner = left;
                    compute_row(gains, both(-NEW_GAP * SCALE + ABOVE + 1) + both(1) * step, stamp, diagonal, h, e, f, left,
                                cells + i * ROW_WORDS % TOGETHER, f_tags.word[i], of_row);
                    if (MODE == SEMI_GLOBAL) {
                        // The last column, tagged by the step, the first one's tag the largest.
                        unsigned passed = ALL ? both(FURTHER * SCALE) * (row + 1)
                                              : packed(FURTHER * SCALE * max(0, row + 1 - query[0].pads),
                                                       FURTHER * SCALE * max(0, row + 1 - query[1].pads));
                        of_block = larger(of_block, left - passed + (AFFINE ? both(BLOCK - 1 - step) : 0));
                    }
                    if (MODE == LOCAL) {
                        bool kept[2];
                        __vibmax_u16x2(best | both(SCALE - 1), of_row, kept + 1, kept);
                        if (!kept[0]) best = __byte_perm(best, of_row, 0x3254), best_row[0] = row + 1 - query[0].pads;
                        if (!kept[1]) best = __byte_perm(best, of_row, 0x7610), best_row[1] = row + 1 - query[1].pads;
                    }
                } else if (!AFFINE) {
                    corner -= STAMP;
#pragma unroll
                    for (int c = 0; c < COLUMNS; ++c) h[c] -= STAMP, e[c] -= STAMP;
                }
                if ((i + 1) * ROW_WORDS % TOGETHER == 0) {
                    unsigned* to = staged + threadIdx.x * STAGED_WORDS + step * ROW_WORDS / TOGETHER * TOGETHER / 2;
#pragma unroll
                    for (int half = 0; half < 2; ++half) {
                        Four found;
#pragma unroll
                        for (int k = 0; k < 4; ++k)
                            found.word[k] = __byte_perm(cells[2 * k], cells[2 * k + 1], half ? 0x7632 : 0x5410);
                        *reinterpret_cast<Four*>(to + half * (CELL_WORDS / 2)) = found;
                    }
                }
            }
            if (AFFINE) reinterpret_cast<Four*>(stored + F_PLACE)[begin / 4 * WARP_SIZE + threadIdx.x] = f_tags;
        };
        of_block = 0;
        for (int begin = 0; begin < BLOCK; begin += 4) {
            int before = block * BLOCK + begin;
            if (before >= steps) break;
            if (__all_sync(FULL_MASK, before >= LANES - 1 && before + 4 <= rows)) four_steps(begin, false);
            else four_steps(begin, true);
        }
        if (MODE == SEMI_GLOBAL) {
#pragma unroll
            for (int half = 0; half < 2; ++half)
                if (half_of(of_block, half) > half_of(best | both(SCALE - 1), half)) {
                    best = __byte_perm(best, of_block, half ? 0x7610 : 0x3254);
                    int step = BLOCK - 1 - int(half_of(of_block, half)) % SCALE;
                    best_row[half] = block * BLOCK + step - lane + 1 - query[half].pads;
                }
        }
        __syncwarp();
#pragma unroll
        for (int k = 0; k < CELL_WORDS / 4; ++k) {
            int four = k * WARP_SIZE + threadIdx.x, of = four / (CELL_WORDS / 4), part = four % (CELL_WORDS / 4);
            reinterpret_cast<Four*>(stored)[four] = *reinterpret_cast<const Four*>(staged + of * STAGED_WORDS + 4 * part);
        }
        __syncwarp();
        if (!AFFINE) {
            corner += FIRST_STAMP;
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) h[c] += FIRST_STAMP, e[c] += FIRST_STAMP;
        } else {
            Words<E_WORDS> e_tags;
            Tags tags = {0, 0};
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) {
                unsigned value = e[c] & VALUES;
                append(tags, e[c], value);
                if (c % PER_WORD == PER_WORD - 1) e_tags.word[c / PER_WORD] = taken(tags);
                e[c] = value + both(ABOVE);
            }
            reinterpret_cast<Words<E_WORDS>*>(stored + E_PLACE)[threadIdx.x] = e_tags;
        }
    }

#pragma unroll
    for (int half = 0; half < 2; ++half) {
        int m = query[half].length, n = subject[half].length;
        End end = {0, 0, m, 0, n, 0, 0, 0};
        if (MODE == GLOBAL) end.score = int(half_of(h[COLUMNS - 1], half)) / SCALE - BIAS - FURTHER * (m + n);
        if (MODE == SEMI_GLOBAL) {
            // The last row's first best, tagged by the column, the first one's tag the largest; a score of 0 is the border's.
            unsigned before = packed(first_column - subject[0].pads, first_column - subject[1].pads), of_columns = 0;
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) {
                unsigned letters = __viaddmax_s16x2(before, both(c + 1), 0);
                of_columns = larger(of_columns, (h[c] & VALUES) + both(COLUMNS - 1 - c) - letters * (FURTHER * SCALE));
            }
            int found = int(half_of(of_columns, half)), score = found / SCALE - BIAS - FURTHER * m;
            int letters = first_column + COLUMNS - found % SCALE - subject[half].pads;
            unsigned key = score > 0 ? unsigned(score) << 16 | (FULL_16 - letters) : FULL_16;
            key = group_max(key);
            int of_row = int(key >> 16), of_column = int(half_of(best, half)) / SCALE - BIAS - FURTHER * n;
            if (best_row[half] == m || of_row > of_column) end.score = of_row, end.subject_end = FULL_16 - int(key & FULL_16);
            else end.score = of_column, end.query_end = best_row[half];
        }
        if (MODE == LOCAL) {
            int score = int(half_of(best, half)) / SCALE - BIAS, column = first_column + COLUMNS - 1 - int(half_of(best, half)) % SCALE;
            unsigned long long key = (unsigned long long)score << 32 | (FULL_16 - best_row[half]) << 16 |
                                     (FULL_16 - (column + 1 - subject[half].pads));
            key = group_max(score > 0 ? key : 0ull);
            end = {int(key >> 32), 0, int(FULL_16 - (key >> 16 & FULL_16)), 0, int(FULL_16 - (key & FULL_16)), 0, 0, 0};
            if (!key) end = {};
        }
        if (lane == LANES - 1 && index < units) reinterpret_cast<End*>(ends)[2 * index + half] = end;
    }
}

// The score pass of `auto`'s traceback for sequences that are not long: that of packed.cu, in a single stage, which stores
// what stored.cuh says.
#include "largest_of_warp.cuh"
#include "packed_cells.cuh"
#include "stored_ends.cuh"
#include "truth.cuh"

// LOCAL: what packed.cu keeps of H, as the number itself.
__device__ __forceinline__ unsigned value_of(unsigned kept) {
    return MODE == LOCAL ? plus_halves(kept, both(half_bits(FIRST))) : kept;
}
// E or F of a border: no gap, but no less than a byte tells.
__device__ __forceinline__ unsigned no_gap_at(unsigned kept) {
    return MODE == LOCAL ? 0 : kept - both(2 * OPEN) + both(SHIFT);
}

// The cell of a column, and what is kept of it in place of the one above. Gaps open from the best of a cell, whatever it
// comes from: of equal paths each counts.
__device__ __forceinline__ unsigned next_cell(unsigned aligned, unsigned& above, unsigned& e, unsigned& f, unsigned left) {
    if (AFFINE && MODE == LOCAL) {
        e = __viaddmax_s16x2_relu(e, both(-FURTHER), above);
        f = __viaddmax_s16x2_relu(f, both(-FURTHER), left);
    } else if (AFFINE) {
        e = __viaddmax_s16x2(above, both(SHIFT - OPEN), e);
        f = __viaddmax_s16x2(left, both(SHIFT - OPEN), f);
    }
    unsigned up = AFFINE ? e : above, across = AFFINE ? f : left;
    unsigned cell = MODE == LOCAL && !AFFINE ? __vimax3_s16x2_relu(aligned, up, across) : __vimax3_s16x2(aligned, up, across);
    above = MODE == LOCAL ? plus_halves(cell, both(half_bits(-FIRST))) : cell - both(SHIFT);
    return cell;
}

// For each four columns of `subject_count` subjects, what fills them up in front included, selectors of the bytes that a
// table has by code, with a zero after each.
extern "C" __global__ void shuffle_selectors(const uint8_t* subjects, const long long* subject_offsets,
                                             const int* subject_list, int subject_count, unsigned* selectors) {
    constexpr int FOURS = LANES * COLUMNS / 4;
    int index = blockIdx.x * blockDim.x + threadIdx.x, place = index / FOURS;
    if (place >= subject_count) return;
    Sequence subject = sequence(subjects, subject_offsets, subject_list[place]);
    subject.pads = LANES * COLUMNS - subject.length;
    unsigned found = 0;
#pragma unroll
    for (int c = 0; c < 4; ++c) found |= (ZERO_BYTE << 4 | code_at(subject, index % FOURS * 4 + c)) << 8 * c;
    selectors[index] = found;
}

// Unit `first` and `units - 1` further ones, GROUPS a warp, of all queries in query_list with all subjects in subject_list,
// or of one query with one subject each. words: `blocks` blocks of stored.cuh for each warp. ends: of each alignment of
// these units; a unit's second one may stand for the last of an odd number of subjects.
extern "C" __global__ void __launch_bounds__(WARP_SIZE, WARPS)
shuffle_stored(const uint8_t* queries, const long long* query_offsets, const uint8_t* subjects,
               const long long* subject_offsets, const int* query_list, const int* subject_list, const int* table,
               unsigned* words, int* ends, int first, int units, int subject_units, int blocks) {
    extern __shared__ __align__(16) unsigned shared[];
    __shared__ unsigned lefts[PLANES * 2 * STRIPS][BLOCK / 4][WARP_SIZE];  // each thread's own, of the present block
    Profile profile = make_profile(shared, table);
    int lane = threadIdx.x % LANES, index = blockIdx.x * GROUPS + threadIdx.x / LANES;
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
    fill_profile(profile, table, subject, first_column);
    unsigned h[COLUMNS], e[COLUMNS], f = 0, corner = top_border(subject, first_column);
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) h[c] = top_border(subject, first_column + c + 1), e[c] = no_gap_at(h[c]);
    Row next = load_row(query, -lane, rows);
    // LOCAL: the best of this thread's cells, with the column, and its row. SEMI_GLOBAL: of its last column, as
    // if in the present row.
    unsigned best = 0;
    if (MODE == SEMI_GLOBAL)
        best = packed(BIAS - SHIFT + FURTHER * subject[0].length, BIAS - SHIFT + FURTHER * subject[1].length);
    int best_row[2] = {0, 0};
    unsigned places = PLACES * gridDim.y;  // a multiplication, which the pipe of the maxima has no part in
    int steps = largest_of_warp(rows + LANES - 1);
    unsigned* stored = words + (long long)blockIdx.x * blocks * BLOCK_WORDS;

    for (int block = 0; block * BLOCK < steps; ++block, stored += BLOCK_WORDS) {
        RowEdge* of_rows = reinterpret_cast<RowEdge*>(stored);
        ColumnEdge* of_columns = reinterpret_cast<ColumnEdge*>(stored + COLUMNS_PLACE);
#pragma unroll
        for (int strip = 0; strip < STRIPS; ++strip)
#pragma unroll
            for (int plane = 0; plane < PLANES; ++plane) {
                RowEdge low, high;
#pragma unroll
                for (int four = 0; four < STRIP / 4; ++four) {
                    unsigned values[4];
#pragma unroll
                    for (int i = 0; i < 4; ++i) {
                        int c = strip * STRIP + 4 * four + i;
                        values[i] = plane ? e[c] : value_of(h[c]);
                    }
                    part(values, low.word[four], high.word[four]);
                }
                of_rows[side(plane, 0, strip, threadIdx.x)] = low;
                of_rows[side(plane, 1, strip, threadIdx.x)] = high;
            }
        // At first and in the end some threads are outside the rows; while none is, nothing needs to be guarded.
        auto four_steps = [&](int begin, auto inside) {
            constexpr bool INSIDE = decltype(inside)::value;
            unsigned entering[PLANES * STRIPS][4] = {};
            const uint8_t* coming = query[0].codes + (block * BLOCK + begin - lane + 1);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                int row = block * BLOCK + begin + i - lane;
                unsigned left = __shfl_up_sync(FULL_MASK, h[COLUMNS - 1], 1, LANES), from_left = 0;
                if (AFFINE) from_left = __shfl_up_sync(FULL_MASK, f, 1, LANES);
                if (lane == 0) left = left_border(query, row + 1), from_left = no_gap_at(left);
                Row now = next;
                next = INSIDE && ALL ? Row{{__ldg(coming + i), PAD}} : load_row(query, row + 1, rows);
                if (INSIDE || unsigned(row) < unsigned(rows)) {
                    unsigned gains[GAINS], diagonal = corner, odd = 0, of_row = 0;
                    look_up(profile, now, gains);
                    corner = left;
                    f = from_left;
#pragma unroll
                    for (int c = 0; c < COLUMNS; ++c) {
                        if (c % STRIP == 0) {
                            entering[c / STRIP][i] = value_of(left);
                            if (AFFINE) entering[(PLANES - 1) * STRIPS + c / STRIP][i] = f;
                        }
                        unsigned above = h[c];
                        unsigned aligned = MODE == LOCAL ? plus_halves(diagonal, gains[c])
                                           : BYTES       ? plus_bytes(diagonal, gains, c)
                                                         : diagonal + gains[c];
                        unsigned cell = next_cell(aligned, h[c], e[c], f, left);
                        diagonal = above;
                        left = h[c];
                        if (MODE == LOCAL) {
                            unsigned placed = cell * places + both(PLACES - 1 - c);
                            if (c % 2) of_row = __vimax3_u16x2(of_row, odd, placed);
                            odd = placed;
                        }
                    }
                    // Whether a half is kept is compared here: CUDA's __vibmax_u16x2 may compare its result with itself.
                    unsigned until_now = best, changes = 0;
                    if (MODE == SEMI_GLOBAL) {
                        until_now += ALL ? both(FURTHER)
                                         : packed(row < query[0].pads ? 0 : FURTHER, row < query[1].pads ? 0 : FURTHER);
                        best = __vimax3_u16x2(until_now, left, left);
                        changes = best ^ until_now;
                    }
                    if (MODE == LOCAL) {
                        until_now |= both(PLACES - 1);
                        changes = until_now ^ __vimax3_u16x2(until_now, of_row, of_row);
                    }
                    bool kept[2] = {half_of(changes, 0) == 0, half_of(changes, 1) == 0};
                    if (MODE == LOCAL) best = __byte_perm(best, of_row, (kept[0] ? 0x10 : 0x54) | (kept[1] ? 0x3200 : 0x7600));
                    if (!kept[0]) best_row[0] = row + 1 - query[0].pads;
                    if (!kept[1]) best_row[1] = row + 1 - query[1].pads;
                }
            }
#pragma unroll
            for (int k = 0; k < PLANES * STRIPS; ++k) {
                int plane = k / STRIPS, strip = k % STRIPS, low = plane * 2 * STRIPS + strip;
                part(entering[k], lefts[low][begin / 4][threadIdx.x], lefts[low + STRIPS][begin / 4][threadIdx.x]);
            }
        };
        if (__all_sync(FULL_MASK, block * BLOCK >= LANES - 1 && (block + 1) * BLOCK < rows))
#pragma unroll (UNROLLED > 1 ? BLOCK / 4 : 1)
            for (int begin = 0; begin < BLOCK; begin += 4) four_steps(begin, Truth<true>());
        else
#pragma unroll 1
            for (int begin = 0; begin < BLOCK; begin += 4) four_steps(begin, Truth<false>());
#pragma unroll
        for (int k = 0; k < PLANES * 2 * STRIPS; ++k) {
            ColumnEdge column;
#pragma unroll
            for (int four = 0; four < BLOCK / 4; ++four) column.word[four] = lefts[k][four][threadIdx.x];
            of_columns[k * WARP_SIZE + threadIdx.x] = column;
        }
    }

#pragma unroll
    for (int half = 0; half < 2; ++half) {
        End end;
        find_end(query, subject, first_column, h, best, best_row, half, end);
        if (lane == LANES - 1 && index < units) reinterpret_cast<End*>(ends)[2 * index + half] = end;
    }
}

// The score pass of `auto`'s traceback for sequences that are not long: that of packed.cu, in a single stage, which stores
// what stored.cuh says.
#include "largest_of_warp.cuh"
#include "packed_cells.cuh"
#include "stored_ends.cuh"
#include "truth.cuh"

// What is kept of H, as the number itself.
__device__ __forceinline__ unsigned value_of(unsigned kept) {
    return MODE == LOCAL ? plus_halves(kept, both(half_bits(LOWERED))) : kept;
}

// For each eight columns of `subject_count` subjects, what fills them up in front included, selectors of the bytes that a
// table has by code.
extern "C" __global__ void shuffle_selectors(const uint8_t* subjects, const long long* subject_offsets,
                                             const int* subject_list, int subject_count, unsigned* selectors) {
    constexpr int EIGHTS = LANES * COLUMNS / 8;
    int index = blockIdx.x * blockDim.x + threadIdx.x, place = index / EIGHTS;
    if (place >= subject_count) return;
    Sequence subject = sequence(subjects, subject_offsets, subject_list[place]);
    subject.pads = LANES * COLUMNS - subject.length;
    unsigned found = 0;
#pragma unroll
    for (int c = 0; c < 8; ++c) found |= unsigned(code_at(subject, index % EIGHTS * 8 + c)) << 4 * c;
    selectors[index] = found;
}

// Unit `first` and `units - 1` further ones, GROUPS a warp, of all queries in query_list with all subjects in subject_list,
// or of one query with one subject each. A block takes `chunk` such warps, `across` of them apart: ALL: of the same subjects
// with one query after the other. words: `blocks` blocks of stored.cuh for each warp. ends: of each alignment of these units;
// some may stand for the last of the subjects, of which there are less than a warp takes.
extern "C" __global__ void __launch_bounds__(WARP_SIZE, WARPS)
shuffle_stored(const uint8_t* queries, const long long* query_offsets, const uint8_t* subjects,
               const long long* subject_offsets, const int* query_list, const int* subject_list, const int* table,
               unsigned* words, int* ends, int first, int units, int subject_units, int blocks, int across, int chunk) {
    extern __shared__ __align__(16) unsigned shared[];
    __shared__ Words<2> lefts[PLANES * STRIPS][BLOCK / 4][WARP_SIZE];  // each thread's own, of the present block
    Profile profile = make_profile(shared, table);
    int lane = threadIdx.x % LANES;
    int first_warp = blockIdx.x / across * chunk * across + blockIdx.x % across;
    auto position = [&](int warp, int half) {
        int index = warp * GROUPS + threadIdx.x / LANES;
        return position_of(first + min(index, units - 1), half, subject_units);
    };
    // Columns count from the thread's first one.
    auto subject_of = [&](int warp, int half) {
        Sequence found = sequence(subjects, subject_offsets, subject_list[position(warp, half).subject]);
        found.pads = (LANES - lane) * COLUMNS - found.length;
        return found;
    };
    Sequence query[2], subject[2] = {subject_of(first_warp, 0), subject_of(first_warp, 1)};
    fill_profile(profile, table, subject, 0);
    for (int warp = first_warp; warp < first_warp + chunk * across && warp * GROUPS < units; warp += across) {
        int rows = 0;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            query[half] = sequence(queries, query_offsets, query_list[position(warp, half).query]);
            subject[half] = subject_of(warp, half);
            rows = max(rows, query[half].length);
        }
#pragma unroll
        for (int half = 0; half < 2; ++half) query[half].pads = ALL ? 0 : rows - query[half].length;
        unsigned h[COLUMNS], e[COLUMNS], f = 0, corner = top_border(subject, 0);
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) h[c] = top_border(subject, c + 1), e[c] = gap_after(h[c]);
        Row next = load_row(query, -lane, rows);
        // LOCAL: the best of this thread's cells, with the column, and its row. SEMI_GLOBAL: of its last column, as
        // if in the present row.
        unsigned best = 0;
        if (MODE == SEMI_GLOBAL)
            best = packed(BIAS - SHIFT + FURTHER * subject[0].length, BIAS - SHIFT + FURTHER * subject[1].length);
        int best_row[2] = {0, 0};
        unsigned places = PLACES * gridDim.y;  // a multiplication, which the pipe of the maxima has no part in
        int steps = largest_of_warp(rows + LANES - 1);
        unsigned* stored = words + (long long)warp * blocks * BLOCK_WORDS;

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
                    if (lane == 0) left = left_border(query, row + 1), from_left = gap_after(left);
                    Row now = next;
                    next = INSIDE && ALL ? Row{{__ldg(coming + i), PAD}} : load_row(query, row + 1, rows);
                    if (INSIDE || unsigned(row) < unsigned(rows)) {
                        unsigned gains[GAINS], diagonal = corner, no_gap = 0, odd = 0, of_row = 0;
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
                            unsigned cell = compute_cell(aligned_with(diagonal, gains, c), h[c], AFFINE ? e[c] : no_gap, f, left);
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
                for (int k = 0; k < PLANES * STRIPS; ++k)
                    lefts[k][begin / 4][threadIdx.x] = {four_bytes(entering[k]), four_bytes(entering[k] + 2)};
            };
            if (__all_sync(FULL_MASK, block * BLOCK >= LANES - 1 && (block + 1) * BLOCK < rows))
#pragma unroll (UNROLLED > 1 ? BLOCK / 4 : 1)
                for (int begin = 0; begin < BLOCK; begin += 4) four_steps(begin, Truth<true>());
            else
#pragma unroll 1
                for (int begin = 0; begin < BLOCK; begin += 4) four_steps(begin, Truth<false>());
#pragma unroll
            for (int k = 0; k < PLANES * STRIPS; ++k) {
                ColumnEdge column;
#pragma unroll
                for (int two = 0; two < BLOCK / 2; ++two) column.word[two] = lefts[k][two / 2][threadIdx.x].word[two % 2];
                of_columns[k * WARP_SIZE + threadIdx.x] = column;
            }
        }

#pragma unroll
        for (int half = 0; half < 2; ++half) {
            End end;
            // The subject anew: registers do not suffice for what the compiler would keep of it.
            find_end(query[half], subject_of(warp, half), h, best, best_row[half], half, end);
            int unit = warp * GROUPS + threadIdx.x / LANES;
            if (lane == LANES - 1 && unit < units) reinterpret_cast<End*>(ends)[2 * unit + half] = end;
        }
    }
}

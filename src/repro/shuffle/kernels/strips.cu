// Beyond the paper: one matrix on many warps, for sequences whose scores leave 16 bits and for batches of a few long ones.
//
// A warp computes a strip of 2 x WARP_SIZE x COLUMNS columns, one alignment in both halves of its words: the low halves
// of lane 0 have the first COLUMNS, those of the last lane end where the high halves of lane 0 go on. The halves are
// twice as many lanes in a row, each ROWS rows behind the one to its left: a step is ROWS rows of a lane, a chunk as many
// steps as there are lanes. What enters and leaves the strip in a chunk is in shared memory, where all lanes bring and
// fetch it at once.
//
// Values are relative to `base`, which is subtracted from all words at once every PERIOD rows so that the last low half
// is at `middle` again: neighbouring cells differ by no more than a letter and a gap, so that no half leaves 15 bits.
// Global and semi-global alignments are computed in the folded coordinates of packed.cu, local ones in plain
// coordinates with a floor that is relative, too. What a word keeps of H is smaller by SHIFT, and gains are larger, so
// that they are bytes. Shared memory has those of each half's columns with every letter of the query. A dot product of
// two of them with constants adds them to the halves of a word, on the multiplier's pipe, since the maxima fill theirs.
//
// The last column of a subject is the last of its last strip, and the first strip is as many parts of a lane's columns wide
// as it has to be. What is missing in front is filled with columns that repeat the border. In these coordinates they do so
// with a gain of FURTHER (semi-global) or 0.
//
// A block is one warp. It takes the next strip that nobody has begun: whatever order blocks run in, the strip to the left
// was begun earlier and does not wait for this one. All strips of an alignment are in one of two lists, so that most of them
// are on warps of one speed and do not wait for a slower one. The last column of a strip goes to the next through global
// memory, where each word is its own flag.
//
// local memory: sm_75
#include "largest_of_warp.cuh"
#include "strips_cells.cuh"
#include "strips_items.cuh"
#include "truth.cuh"

constexpr int NOT_YET = int(1u << 31);

// Two rows: H in the halves of a word and so F, and the letters of the two rows after them, a byte each.
struct alignas(16) Entering {
    unsigned h, codes, f;
};
// Two rows of the last lane, of which the high halves leave.
struct alignas(16) Leaving {
    unsigned h[ROWS], f[ROWS];
};

// edges: NOT_YET; scores of alignments that are not global: 0, of which there are none below.
extern "C" __global__ void shuffle_strips_begin(int* edges, long long words, int* next_item, Score* scores,
                                                const long long* places, int alignments) {
    long long stride = (long long)(gridDim.x) * blockDim.x, first = (long long)(blockIdx.x) * blockDim.x + threadIdx.x;
    for (long long k = first; k < words; k += stride) edges[k] = NOT_YET;
    if (MODE != GLOBAL && places)
        for (long long k = first; k < alignments; k += stride) scores[places[k]] = 0;
    if (first < 2) next_item[first] = 0;
}

// Alignment a is query_list[a] with subject_list[a], its score at scores[places[a]]. An item is a strip of an alignment,
// of which those from first_strip on are computed, each after the one to its left; the second list is from long_items on.
// edges: the last columns of strips, from edge_offsets[a] on those of alignment a, rows of H and, with affine gaps, rows of
// F for each. entering: such a column on the left of first_strip. middle: as far as values can go from it in either
// direction.
extern "C" __global__ void __launch_bounds__(WARP_SIZE, WARPS)
shuffle_strips(const uint8_t* queries, const long long* query_offsets, const uint8_t* subjects,
               const long long* subject_offsets, const int* query_list, const int* subject_list, const long long* places,
               const int* table, const int* alignment_of, const int* strip_of, const long long* edge_offsets,
               int* edges, const int* entering, int* next_item, Score* scores, int long_items, int items,
               int first_strip, int middle) {
    extern __shared__ __align__(16) unsigned char profile[];
    bool preferred = is_preferred();
    // Of each step of a chunk what enters the strip from the left and what leaves it.
    Entering* entering_steps = reinterpret_cast<Entering*>(profile + 2 * HALF_BYTES);
    Leaving* leaving_steps = reinterpret_cast<Leaving*>(entering_steps + P);
    int lane = threadIdx.x, left_lane = (lane + P - 1) % P;
    // From the lane to the left; in lane 0 what enters the strip and, in the high half, the low one of the last lane.
    unsigned passed_on[ROWS] = {lane ? 0x3210u : 0x1054u, lane ? 0x3210u : 0x1076u};

    while (true) {
        int item = 0;
        if (lane == 0) item = next_of(next_item, long_items, items, preferred);
        item = largest_of_warp(item);
        if (item >= items) return;
        int alignment = alignment_of[item], strip = strip_of[item];
        int q = query_list[alignment], s = subject_list[alignment];
        const uint8_t *query = queries + query_offsets[q], *subject = subjects + subject_offsets[s];
        int m = int(query_offsets[q + 1] - query_offsets[q]), n = int(subject_offsets[s + 1] - subject_offsets[s]);
        int strips = (n + WIDTH - 1) / WIDTH, end = n - (strips - 1 - strip) * WIDTH;
        bool last = strip == strips - 1;
        // The first strip is no wider than it has to be.
        int first_part = max(PARTS - (end + 2 * P * PART - 1) / (2 * P * PART), 0);
        int skipped = first_part * PART, columns = COLUMNS - skipped;
        long long edge_words = (long long)(m) * (1 + AFFINE);
        int* out_h = edges + edge_offsets[alignment] + (strip - first_strip) * edge_words;
        const int* in_h = strip == first_strip ? entering : out_h - edge_words;

        int base = border(max(end - P * columns, 0)) - middle, column_best = 0, row_best = 0;
        auto kept = [&](int value) { return (unsigned(value - SHIFT - base) & 0xFFFF); };
        auto code_of = [&](int row) { return row < m ? unsigned(__ldg(query + row)) : 0; };
        auto first_column = [&](int half) { return end - (2 * P - half * P - lane) * columns; };
        unsigned h[COLUMNS], e[COLUMNS];
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            int letters = c - skipped + 1;
            h[c] = kept(border(first_column(0) + letters)) | kept(border(first_column(1) + letters)) << 16;
            e[c] = h[c] + both(SHIFT) - both(OPENING);
        }
        for (int half = 0; half < 2; ++half)
            fill_profile(profile + half * HALF_BYTES + lane * PART_BYTES, table, subject, first_column(half), skipped, half);
        unsigned diagonal = kept(border(first_column(0))) | kept(border(first_column(1))) << 16;
        unsigned left[ROWS] = {diagonal, diagonal}, f[ROWS] = {diagonal, diagonal}, best = 0;

        // Letters of the next rows, whose gains are looked up as soon as those of the present ones are not needed.
        unsigned codes = lane ? 0 : code_of(0) | code_of(1) << 8;
        Gains gains[ROWS];
#pragma unroll
        for (int part = 0; part < PARTS; ++part)
            if (part >= first_part) look_up(profile, codes, part, gains);

        // The rows of a step for every lane: what enters the strip from the left, with the letters of those after them.
        int next_h[ROWS] = {}, next_f[ROWS] = {};
        unsigned next_codes = 0;
        auto read = [&](int step) {
            int row = step * ROWS;
            next_codes = code_of(row + ROWS) | code_of(row + ROWS + 1) << 8;
#pragma unroll
            for (int i = 0; i < ROWS; ++i) {
                bool inside = row + i < m;
                next_h[i] = !inside ? 0 : strip == 0 ? border(row + i + 1) : __ldcv(in_h + row + i);
                if (AFFINE) next_f[i] = !inside ? 0 : strip == 0 ? next_h[i] - OPENING : __ldcv(in_h + m + row + i);
            }
        };
        read(lane);
        int steps = (m + ROWS - 1) / ROWS;
        for (int chunk = 0; chunk < steps + 2 * P - 1; chunk += P) {
            while (__any_sync(FULL_MASK, next_h[0] == NOT_YET || next_h[1] == NOT_YET || next_f[0] == NOT_YET ||
                                             next_f[1] == NOT_YET)) {
                __nanosleep(100);
                read(chunk + lane);
            }
            if (chunk * ROWS % PERIOD == 0 && chunk > 0) {
                if (MODE == LOCAL) {
                    row_best = max(row_best, base + max(half_of(best, 0), half_of(best, 1)));
                    best = 0;
                }
                int change = half_of(__shfl_sync(FULL_MASK, h[COLUMNS - 1], P - 1), 0) - middle;
                unsigned changes = unsigned(change) * 0x10001;
                base += change;
                diagonal -= changes;
#pragma unroll
                for (int i = 0; i < ROWS; ++i) left[i] -= changes, f[i] -= changes;
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c) {
                    h[c] -= changes;
                    if (AFFINE) e[c] -= changes;
                }
            }
            unsigned floor = both(max(-base, 0));
            Entering entering_step;
            entering_step.codes = next_codes;
#pragma unroll
            for (int i = 0; i < ROWS; ++i)  // beyond the last row of no consequence, but within 16 bits
                if ((chunk + lane) * ROWS + i >= m) next_h[i] = next_f[i] = base + middle;
            entering_step.h = kept(next_h[0]) | kept(next_h[1]) << 16;
            if (AFFINE) entering_step.f = (unsigned(next_f[0] - base) & 0xFFFF) | unsigned(next_f[1] - base) << 16;
            entering_steps[lane] = entering_step;
            read(chunk + P + lane);
            __syncwarp();
            auto compute = [&](auto guarded, auto whole) {
                constexpr bool GUARDED = decltype(guarded)::value, WHOLE = decltype(whole)::value;
#pragma unroll (WHOLE ? UNROLLED : 1)
                for (int k = 0; k < P; ++k) {
                    unsigned masks[ROWS] = {};
#pragma unroll
                    for (int i = 0; GUARDED && i < ROWS; ++i) {
                        int row = (chunk + k - lane) * ROWS + i;  // of the low half
                        masks[i] = (unsigned(row) < unsigned(m) ? 0xFFFFu : 0) |
                                   (unsigned(row - P * ROWS) < unsigned(m) ? 0xFFFF0000u : 0);
                    }
                    Entering entered = entering_steps[k];
#pragma unroll
                    for (int i = 0; i < ROWS; ++i) {
                        left[i] = __byte_perm(left[i], entered.h, passed_on[i]);
                        if (AFFINE) f[i] = __byte_perm(f[i], entered.f, passed_on[i]);
                    }
                    codes = __byte_perm(__shfl_sync(FULL_MASK, codes, left_lane), entered.codes, passed_on[0]);
                    compute_rows<GUARDED, WHOLE>(first_part, gains, h, e, f, left, diagonal, best, floor, masks,
                                          [&](int part) { look_up(profile, codes, part, gains); });
                    if (lane == P - 1) {
                        Leaving leaving;
#pragma unroll
                        for (int i = 0; i < ROWS; ++i) {
                            leaving.h[i] = left[i];
                            if (AFFINE) leaving.f[i] = f[i];
                        }
                        leaving_steps[k] = leaving;
                    }
#pragma unroll
                    for (int i = 0; i < ROWS; ++i) {
                        left[i] = __shfl_sync(FULL_MASK, left[i], left_lane);
                        if (AFFINE) f[i] = __shfl_sync(FULL_MASK, f[i], left_lane);
                    }
                }
            };
            if (chunk < 2 * P || (chunk + P) * ROWS > m) compute(Truth<true>(), Truth<false>());
            else if (first_part > 0) compute(Truth<false>(), Truth<false>());
            else compute(Truth<false>(), Truth<true>());
            __syncwarp();
            if (!last || MODE == SEMI_GLOBAL) {
                Leaving leaving = leaving_steps[lane];
#pragma unroll
                for (int i = 0; i < ROWS; ++i) {
                    int row = (chunk + lane - (2 * P - 1)) * ROWS + i;
                    if (unsigned(row) >= unsigned(m)) continue;
                    __stcg(out_h + row, half_of(leaving.h[i], 1) + SHIFT + base);
                    if (AFFINE) __stcg(out_h + m + row, half_of(leaving.f[i], 1) + base);
                }
            }
            __syncwarp();
        }

        if (MODE == GLOBAL) {
            if (last && lane == P - 1)
                scores[places[alignment]] = half_of(h[COLUMNS - 1], 1) + SHIFT + base - FOLDED * (m + n);
            continue;
        }
        if (MODE == SEMI_GLOBAL && last) {
            __syncwarp();  // what all lanes wrote
#pragma unroll 4
            for (int row = lane; row < m; row += P) column_best = max(column_best, out_h[row] - FOLDED * (row + 1 + n));
        }
        row_best = max(row_best, column_best);
        if (MODE == LOCAL) row_best = max(row_best, base + max(half_of(best, 0), half_of(best, 1)));
        else
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    int j = first_column(half) + c - skipped + 1;
                    if (j > 0 && c >= skipped) row_best = max(row_best, half_of(h[c], half) + SHIFT + base - FOLDED * (m + j));
                }
        for (int lanes = P / 2; lanes > 0; lanes /= 2) row_best = max(row_best, __shfl_xor_sync(FULL_MASK, row_best, lanes));
        if (lane == 0) atomicMax(scores + places[alignment], Score(row_best));
    }
}

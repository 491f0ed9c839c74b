// Beyond the paper: one matrix on many warps, for sequences whose scores leave 16 bits and for batches of a few long ones.
//
// A warp computes a strip of 2 x WARP_SIZE x COLUMNS columns, one alignment in both halves of its words: the low halves
// of lane 0 have the first COLUMNS, those of the last lane end where the high halves of lane 0 go on. The halves are
// twice as many lanes in a row, each a row behind the one to its left.
//
// Values are relative to `base`, which is subtracted from all words at once every PERIOD steps so that the last low half
// is at `middle` again: neighbouring cells differ by no more than a letter and a gap, so that no half leaves 15 bits.
// Global and semi-global alignments are computed in the folded coordinates of packed.cu, local ones in plain
// coordinates with a floor that is relative, too. What a word keeps of H is smaller by SHIFT, and gains are larger, so
// that they are bytes. Shared memory has those of each half's columns with every letter of the query. A dot product of
// two of them with constants adds them to the halves of a word, on the multiplier's pipe, since the maxima fill theirs.
//
// The last column of a subject is the last of its last strip: what is missing in front is filled with columns that repeat
// the border. In these coordinates they do so with a gain of FURTHER (semi-global) or 0.
//
// A block is one warp. It takes the next strip that nobody has begun: whatever order blocks run in, the strip to the left
// was begun earlier and does not wait for this one. The last column of a strip goes to the next through global memory,
// where each word is its own flag.
//
// local memory: sm_75
#include "strips_cells.cuh"

constexpr int NOT_YET = int(1u << 31);

template <bool VALUE>
struct Truth {
    static constexpr bool value = VALUE;
};

// edges: NOT_YET; scores of alignments that are not global: 0, of which there are none below.
extern "C" __global__ void shuffle_strips_begin(int* edges, long long words, int* next_item, Score* scores,
                                                const long long* places, int alignments) {
    long long stride = (long long)(gridDim.x) * blockDim.x, first = (long long)(blockIdx.x) * blockDim.x + threadIdx.x;
    for (long long k = first; k < words; k += stride) edges[k] = NOT_YET;
    if (MODE != GLOBAL && places)
        for (long long k = first; k < alignments; k += stride) scores[places[k]] = 0;
    if (first == 0) *next_item = 0;
}

// Alignment a is query_list[a] with subject_list[a], its score at scores[places[a]]; its strips from first_strip on are
// the items from first_items[a] on, to which alignment_of leads back. edges: the last columns of strips, from
// edge_offsets[a] on those of alignment a, rows of H and, with affine gaps, rows of F for each. entering: such a column
// on the left of first_strip. middle: as far as values can go from it in either direction.
extern "C" __global__ void __launch_bounds__(WARP_SIZE, WARPS)
shuffle_strips(const uint8_t* queries, const long long* query_offsets, const uint8_t* subjects,
               const long long* subject_offsets, const int* query_list, const int* subject_list, const long long* places,
               const int* table, const int* alignment_of, const int* first_items, const long long* edge_offsets,
               int* edges, const int* entering, int* next_item, Score* scores, int items, int first_strip,
               int middle) {
    extern __shared__ __align__(16) unsigned char profile[];
    int lane = threadIdx.x, left_lane = (lane + P - 1) % P;
    // From the lane to the left; in lane 0 what enters the strip and, in the high half, the low one of the last lane.
    unsigned passed_on = lane ? 0x3210 : 0x1054, codes_passed_on = lane ? 0x3210 : 0x1076;

    while (true) {
        int item = 0;
        if (lane == 0) item = atomicAdd(next_item, 1);
        item = __shfl_sync(FULL_MASK, item, 0);
        if (item >= items) return;
        int alignment = alignment_of[item], strip = first_strip + item - first_items[alignment];
        int q = query_list[alignment], s = subject_list[alignment];
        const uint8_t *query = queries + query_offsets[q], *subject = subjects + subject_offsets[s];
        int m = int(query_offsets[q + 1] - query_offsets[q]), n = int(subject_offsets[s + 1] - subject_offsets[s]);
        int strips = (n + WIDTH - 1) / WIDTH, pads = strips * WIDTH - n;
        bool last = strip == strips - 1;
        long long edge_words = (long long)(m) * (1 + AFFINE);
        int* out_h = edges + edge_offsets[alignment] + (strip - first_strip) * edge_words;
        const int* in_h = strip == first_strip ? entering : out_h - edge_words;
        bool leaves = lane == P - 1 && (!last || MODE == SEMI_GLOBAL);

        int base = border(max(strip * WIDTH + WIDTH / 2 - pads, 0)) - middle, column_best = 0, row_best = 0;
        auto kept = [&](int value) { return (unsigned(value - SHIFT - base) & 0xFFFF); };
        auto first_column = [&](int half) { return strip * WIDTH + (half * P + lane) * COLUMNS - pads; };
        unsigned h[COLUMNS], e[COLUMNS];
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            h[c] = kept(border(first_column(0) + c + 1)) | kept(border(first_column(1) + c + 1)) << 16;
            e[c] = h[c] + both(SHIFT) - both(OPENING);
        }
        for (int half = 0; half < 2; ++half)
            fill_profile(profile + half * HALF_BYTES + lane * PART, table, subject, first_column(half), 1 + half);
        unsigned diagonal = kept(border(first_column(0))) | kept(border(first_column(1))) << 16;
        unsigned f = diagonal, best = 0;

        // Places in the profile of the letters of the next row, whose gains are on their way while a row is computed.
        unsigned codes = lane ? 0 : __ldg(query) * LETTER_BYTES;
        auto gains_of = [&](unsigned codes) {
            Gains found;
            look_up(profile, __dp2a_lo(codes, 0x001u, unsigned(lane * PART)), found.low);
            look_up(profile, __dp2a_lo(codes, 0x100u, unsigned(lane * PART + HALF_BYTES)), found.high);
            return found;
        };
        Gains next = gains_of(codes);

        // A row for every lane: what enters the strip from the left, with the letter of the row after it.
        int next_h = 0, next_f = 0, next_code = 0;
        auto read = [&](int row) {
            if (row >= m) return;
            if (row + 1 < m) next_code = __ldg(query + row + 1) * LETTER_BYTES;
            next_h = strip == 0 ? border(row + 1) : __ldcv(in_h + row);
            if (AFFINE) next_f = strip == 0 ? next_h - OPENING : __ldcv(in_h + m + row);
        };
        read(lane);
        for (int chunk = 0; chunk < m + 2 * P - 1; chunk += P) {
            while (__any_sync(FULL_MASK, next_h == NOT_YET || next_f == NOT_YET)) {
                __nanosleep(100);
                read(chunk + lane);
            }
            if (chunk % PERIOD == 0 && chunk > 0) {
                if (MODE == LOCAL) {
                    row_best = max(row_best, base + max(half_of(best, 0), half_of(best, 1)));
                    best = 0;
                }
                int change = half_of(__shfl_sync(FULL_MASK, h[COLUMNS - 1], P - 1), 0) - middle;
                unsigned changes = unsigned(change) * 0x10001;
                base += change;
                diagonal -= changes;
                f -= changes;
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c) {
                    h[c] -= changes;
                    if (AFFINE) e[c] -= changes;
                }
            }
            unsigned floor = both(max(-base, 0));
            if (chunk + lane >= m) next_h = next_f = base + middle;  // of no consequence, but within 16 bits
            unsigned entering_h = kept(next_h) | unsigned(next_code) << 16, entering_f = unsigned(next_f - base) & 0xFFFF;
            next_h = next_f = 0;
            read(chunk + P + lane);
            int* leaving = out_h + chunk - lane - P;
            auto steps = [&](auto guarded) {
                constexpr bool GUARDED = decltype(guarded)::value;
#pragma unroll (GUARDED ? 1 : UNROLLED)
                for (int k = 0; k < P; ++k, ++leaving) {
                    int row = chunk + k - lane;  // of the low half
                    unsigned mask = !GUARDED ? ~0u
                                             : (unsigned(row) < unsigned(m) ? 0xFFFFu : 0) |
                                                   (unsigned(row - P) < unsigned(m) ? 0xFFFF0000u : 0);
                    unsigned entered = __shfl_sync(FULL_MASK, entering_h, k);
                    unsigned left = __byte_perm(__shfl_sync(FULL_MASK, h[COLUMNS - 1], left_lane), entered, passed_on);
                    unsigned passed = __shfl_sync(FULL_MASK, codes, left_lane);
                    codes = __byte_perm(passed, entered, codes_passed_on);
                    if (AFFINE) {
                        unsigned entered_f = __shfl_sync(FULL_MASK, entering_f, k);
                        f = __byte_perm(__shfl_sync(FULL_MASK, f, left_lane), entered_f, passed_on);
                    }
                    Gains gains = next;
                    next = gains_of(codes);
                    compute_row<GUARDED>(gains, h, e, f, left, diagonal, best, floor, mask);
                    if (leaves && (!GUARDED || unsigned(row - P) < unsigned(m))) {
                        __stcg(leaving, half_of(h[COLUMNS - 1], 1) + SHIFT + base);
                        if (AFFINE) __stcg(leaving + m, half_of(f, 1) + base);
                    }
                }
            };
            if (chunk >= 2 * P && chunk + P <= m) steps(Truth<false>());
            else steps(Truth<true>());
        }

        if (MODE == GLOBAL) {
            if (last && lane == P - 1) scores[places[alignment]] = half_of(h[COLUMNS - 1], 1) + SHIFT + base - FOLDED * (m + n);
            continue;
        }
        if (MODE == SEMI_GLOBAL && last) {
            __syncwarp();  // what the last lane wrote
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
                    int j = first_column(half) + c + 1;
                    if (j > 0) row_best = max(row_best, half_of(h[c], half) + SHIFT + base - FOLDED * (m + j));
                }
        for (int lanes = P / 2; lanes > 0; lanes /= 2) row_best = max(row_best, __shfl_xor_sync(FULL_MASK, row_best, lanes));
        if (lane == 0) atomicMax(scores + places[alignment], Score(row_best));
    }
}

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
// that they are bytes: one permutation of four bytes for either query letter gives what both halves of a column gain.
//
// A block is one warp. It takes the next strip that nobody has begun: whatever order blocks run in, the strip to the left
// was begun earlier and does not wait for this one. The last column of a strip goes to the next through global memory,
// where each word is its own flag. Columns to the right of the last one are computed and not looked at.
//
// local memory: sm_75 sm_80
constexpr int P = WARP_SIZE, WIDTH = 2 * P * COLUMNS;
constexpr int GLOBAL = 0, SEMI_GLOBAL = 1, LOCAL = 2;
constexpr int OPENING = MODE == LOCAL ? FIRST : FIRST - FURTHER;  // what a gap's first letter costs in these coordinates
constexpr int DIAGONAL = MODE == LOCAL ? 0 : 2 * FURTHER;         // what folding adds along a diagonal
constexpr int FOLDED = MODE == LOCAL ? 0 : FURTHER;
constexpr int NOT_YET = int(1u << 31);
constexpr int OTHER = 4;  // codes of letters are 0 to 4
// The entry of a table for two letters: two bits of either, so that A, C, G and T of both lie in banks of their own, and
// above them whether they are others.
constexpr int ENTRIES = 96, OTHER_ENTRY = 16, OF_LOW = 3 | OTHER_ENTRY, HIGH = 4;
constexpr unsigned NOTHING = 8;      // in a selector: the sign of a byte, which is 0
constexpr int QUADS = COLUMNS / 4;

__host__ __device__ constexpr unsigned both(int value) { return (unsigned(value) & 0xFFFF) * 0x10001; }
__device__ __forceinline__ int half_of(unsigned word, int half) { return word >> 16 * half & 0xFFFF; }
__device__ __forceinline__ unsigned merged(unsigned now, unsigned before, unsigned mask) {
    return (now & mask) | (before & ~mask);
}

// As __byte_perm, but for the fourth bit of a selector, which repeats the sign of the byte.
__device__ __forceinline__ unsigned permuted(unsigned x, unsigned y, unsigned selector) {
#ifdef REPRO_WARP_SIZE
    unsigned bytes = __byte_perm(x, y, selector);
    for (int i = 0; i < 4; ++i)
        if (selector >> 4 * i & NOTHING) bytes &= ~(0xFFu << 8 * i);  // of bytes that are not negative
    return bytes;
#else
    unsigned bytes;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(x), "r"(y), "r"(selector));
    return bytes;
#endif
}

// H(0, j) or H(i, 0), after so many letters.
__device__ __forceinline__ int border(int letters) {
    return MODE == SEMI_GLOBAL ? FURTHER * letters : MODE == GLOBAL && letters > 0 ? -OPENING : 0;
}

// Of a query's letters in both halves, what they gain with A, C, G and T, and in two bytes what with any other letter.
struct Tables {
    uint2* letters;
    unsigned* others;
};

__device__ __forceinline__ unsigned gain(const int* table, int row, int column) {
    return SHIFT + max(__ldg(table + row * (OTHER + 1) + column) + DIAGONAL, -2 * OPENING);
}
__device__ __forceinline__ int letter_of(int entry) { return entry & OTHER_ENTRY ? OTHER : entry & 3; }

__device__ __forceinline__ Tables make_tables(unsigned* shared, const int* table) {
    Tables tables = {reinterpret_cast<uint2*>(shared), shared + 2 * ENTRIES};
    for (int entry = threadIdx.x; entry < ENTRIES; entry += P) {
        int low = letter_of(entry), high = letter_of(entry / HIGH);
        uint2 gains = make_uint2(0, 0);
        for (int column = 0; column < OTHER; ++column) {
            gains.x |= gain(table, low, column) << 8 * column;
            gains.y |= gain(table, high, column) << 8 * column;
        }
        tables.letters[entry] = gains;
        if (OTHERS) tables.others[entry] = gain(table, low, OTHER) | gain(table, high, OTHER) << 8;
    }
    __syncwarp();
    return tables;
}

template <bool VALUE>
struct Truth {
    static constexpr bool value = VALUE;
};

// Which bytes of the tables a column's two letters take.
struct Column {
    unsigned letters, others;
};

__device__ __forceinline__ Column column_of(int low, int high) {
    unsigned zeros = NOTHING << 4 | NOTHING << 12;
    return {zeros | (low < OTHER ? low : NOTHING) | (high < OTHER ? 4 + high : NOTHING) << 8,
            zeros | (low == OTHER ? 0 : NOTHING) | (high == OTHER ? 1 : NOTHING) << 8};
}

// From what is kept of H, H less an opening.
__device__ __forceinline__ unsigned opened(unsigned kept) { return SHIFT == OPENING ? kept : kept + both(SHIFT) - both(OPENING); }

// A row of a lane's columns. left, f: what enters it from the left, afterwards what leaves it to the right. diagonal:
// above the first left. GUARDED: only in the halves that `mask` has.
template <bool GUARDED>
__device__ __forceinline__ void compute_row(uint2 letters, unsigned others, const Column* columns, unsigned* h, unsigned* e,
                                            unsigned f, unsigned left, unsigned& leaving_f, unsigned& diagonal,
                                            unsigned& best, unsigned floor, unsigned mask) {
    unsigned above_left = diagonal, odd = 0;
    diagonal = GUARDED ? merged(left, diagonal, mask) : left;
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
        unsigned gains = permuted(letters.x, letters.y, columns[c].letters), above = h[c], cell;
        if (OTHERS) gains += permuted(others, 0, columns[c].others);
        unsigned aligned = MODE == LOCAL ? __viaddmax_s16x2(above_left, gains, floor) : above_left + gains;
        above_left = above;
        if (AFFINE) {
            unsigned gap;
            if (MODE == LOCAL) {
                gap = __viaddmax_s16x2(e[c], both(-FURTHER), opened(above));
                f = __viaddmax_s16x2(f, both(-FURTHER), opened(left));
            } else {
                gap = __viaddmax_s16x2(above, both(SHIFT - OPENING), e[c]);
                f = __viaddmax_s16x2(left, both(SHIFT - OPENING), f);
            }
            cell = __vimax3_s16x2(aligned, gap, f);
            e[c] = GUARDED ? merged(gap, e[c], mask) : gap;
        } else cell = __vimax3_s16x2(aligned, opened(above), opened(left));
        if (MODE == LOCAL) {
            unsigned counted = GUARDED ? cell & mask : cell;
            if (c % 2) best = __vimax3_s16x2(best, odd, counted);
            odd = counted;
        }
        left = SHIFT ? cell * gridDim.y - both(SHIFT) : cell;  // gridDim.y is 1: on the multiplier's pipe
        h[c] = GUARDED ? merged(left, h[c], mask) : left;
    }
    leaving_f = f;
}

// The word of a column that is known only now, by way of shared memory.
__device__ __forceinline__ unsigned picked(uint4* picks, const unsigned* h, int column) {
#pragma unroll
    for (int quad = 0; quad < QUADS; ++quad)
        picks[quad * P] = make_uint4(h[4 * quad], h[4 * quad + 1], h[4 * quad + 2], h[4 * quad + 3]);
    return reinterpret_cast<const unsigned*>(picks + column / 4 * P)[column % 4];
}

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
    extern __shared__ __align__(16) unsigned shared[];
    int lane = threadIdx.x, left_lane = (lane + P - 1) % P;
    // From the lane to the left; in lane 0 what enters the strip and, in the high half, the low one of the last lane.
    unsigned passed_on = lane ? 0x3210 : 0x1054;
    Tables tables = make_tables(shared, table);
    uint4* picks = reinterpret_cast<uint4*>(shared + 3 * ENTRIES) + lane;

    while (true) {
        int item = 0;
        if (lane == 0) item = atomicAdd(next_item, 1);
        item = __shfl_sync(FULL_MASK, item, 0);
        if (item >= items) return;
        int alignment = alignment_of[item], strip = first_strip + item - first_items[alignment];
        int q = query_list[alignment], s = subject_list[alignment];
        const uint8_t *query = queries + query_offsets[q], *subject = subjects + subject_offsets[s];
        int m = int(query_offsets[q + 1] - query_offsets[q]), n = int(subject_offsets[s + 1] - subject_offsets[s]);
        bool last = strip == (n - 1) / WIDTH;
        long long edge_words = (long long)(m) * (1 + AFFINE);
        int* out_h = edges + edge_offsets[alignment] + (strip - first_strip) * edge_words;
        const int* in_h = strip == first_strip ? entering : out_h - edge_words;
        bool leaves = !last && lane == P - 1;
        // Where the last column is, if it is in this strip.
        int end = (n - 1) % WIDTH, end_half = end / (P * COLUMNS), end_lane = end / COLUMNS % P, end_column = end % COLUMNS;

        int base = border(strip * WIDTH + WIDTH / 2) - middle, column_best = 0, row_best = 0;
        auto kept = [&](int value) { return (unsigned(value - SHIFT - base) & 0xFFFF); };
        auto first_column = [&](int half) { return strip * WIDTH + (half * P + lane) * COLUMNS; };
        Column columns[COLUMNS];
        unsigned h[COLUMNS], e[COLUMNS];
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            int low = first_column(0) + c, high = first_column(1) + c;
            columns[c] = column_of(low < n ? __ldg(subject + low) : OTHER + 1, high < n ? __ldg(subject + high) : OTHER + 1);
            h[c] = kept(border(low + 1)) | kept(border(high + 1)) << 16;
            e[c] = h[c] + both(SHIFT) - both(OPENING);
        }
        unsigned diagonal = kept(border(first_column(0))) | kept(border(first_column(1))) << 16;
        unsigned f = diagonal, best = 0, codes = 0;

        // A row for every lane: what enters the strip from the left.
        int next_h = 0, next_f = 0, next_code = 0;
        auto read = [&](int row) {
            if (row >= m) return;
            int code = __ldg(query + row);
            next_code = code < OTHER ? code : OTHER_ENTRY;
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
            auto steps = [&](auto guarded) {
                constexpr bool GUARDED = decltype(guarded)::value;
#pragma unroll UNROLLED
                for (int k = 0; k < P; ++k) {
                    int row = chunk + k - lane;  // of the low half
                    unsigned mask = !GUARDED ? ~0u
                                             : (unsigned(row) < unsigned(m) ? 0xFFFFu : 0) |
                                                   (unsigned(row - P) < unsigned(m) ? 0xFFFF0000u : 0);
                    unsigned entered = __shfl_sync(FULL_MASK, entering_h, k);
                    unsigned left = __byte_perm(__shfl_sync(FULL_MASK, h[COLUMNS - 1], left_lane), entered, passed_on);
                    unsigned passed = __shfl_sync(FULL_MASK, codes, left_lane);
                    codes = lane ? passed : (entered >> 16) + (passed & OF_LOW) * HIGH;
                    if (AFFINE) {
                        unsigned entered_f = __shfl_sync(FULL_MASK, entering_f, k);
                        f = __byte_perm(__shfl_sync(FULL_MASK, f, left_lane), entered_f, passed_on);
                    }
                    compute_row<GUARDED>(tables.letters[codes], OTHERS ? tables.others[codes] : 0, columns, h, e, f, left, f,
                                         diagonal, best, floor, mask);
                    int leaving = row - P;
                    if (leaves && (!GUARDED || unsigned(leaving) < unsigned(m))) {
                        __stcg(out_h + leaving, half_of(h[COLUMNS - 1], 1) + SHIFT + base);
                        if (AFFINE) __stcg(out_h + m + leaving, half_of(f, 1) + base);
                    }
                    if (MODE == SEMI_GLOBAL && GUARDED && last) {
                        int value = half_of(picked(picks, h, end_column), end_half) + SHIFT + base, i = row - end_half * P;
                        if (lane == end_lane && unsigned(i) < unsigned(m))
                            column_best = max(column_best, value - FOLDED * (i + 1 + n));
                    }
                }
            };
            bool picks_column = MODE == SEMI_GLOBAL && last;  // in the code for guarded rows alone
            if (chunk >= 2 * P && chunk + P <= m && !picks_column) steps(Truth<false>());
            else steps(Truth<true>());
        }

        if (MODE == GLOBAL) {
            if (last && lane == end_lane)
                scores[places[alignment]] = half_of(picked(picks, h, end_column), end_half) + SHIFT + base - FOLDED * (m + n);
            continue;
        }
        row_best = max(row_best, column_best);
        if (MODE == LOCAL) row_best = max(row_best, base + max(half_of(best, 0), half_of(best, 1)));
        else
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    int j = first_column(half) + c + 1;
                    if (j <= n) row_best = max(row_best, half_of(h[c], half) + SHIFT + base - FOLDED * (m + j));
                }
        for (int lanes = P / 2; lanes > 0; lanes /= 2) row_best = max(row_best, __shfl_xor_sync(FULL_MASK, row_best, lanes));
        if (lane == 0) atomicMax(scores + places[alignment], Score(row_best));
    }
}

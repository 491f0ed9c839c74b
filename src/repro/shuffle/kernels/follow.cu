// The traceback of `auto` where stored.cu stored the edges of blocks: a thread per alignment follows its path from its end
// to its begin, in rounds. A round computes the block that the next cell lies in again, and follows the path to the edge of
// it. So the threads of a warp, each in lines of its own, wait for memory together, once for some columns.
//
// The columns of a block are in the halves of a word, eight and eight, the right ones a step behind. Values are multiples
// of SCALE, above what their block's edges say, and what enters a maximum carries a tag below them, so that the maximum
// itself says what it chose, and among equals chooses the largest tag: diagonally, else from above (E), else from the left
// (F). Kept values are stamped, so that what comes from them has its tag without an addition. With linear gaps the stamp
// is one less than in the step before, and a tag that much more than the stamp of its step:
//   0 left, 1 above, UNEQUAL + 1 and EQUAL + 1 diagonally.
// With affine gaps E and F are tagged where they open a gap, by the row and by the column, and keep the tag while they
// extend it; H takes the tag over. So a tag tells where the gap that ends in a cell was opened:
//   0 left, opened before the block, 1 to STRIP in that column, ABOVE from above, opened before the block, ABOVE + 1 to
//   ABOVE + BLOCK in that row, UNEQUAL + STAMP and EQUAL + STAMP diagonally.
//
// A local alignment begins as soon as what is left of its score is 0.
#include "stored.cuh"

constexpr int THREADS = 64;  // of a block
constexpr int SCALE = 128, EACH = SCALE / 4, UNEQUAL = EACH, EQUAL = 2 * EACH;  // a byte of gains counts EACH
constexpr int STAMP = 2, ABOVE = AFFINE ? STRIP + 1 : 1;
constexpr int DIAGONAL = UNEQUAL + (AFFINE ? STAMP : 1);  // and what is more
static_assert(!AFFINE || ABOVE + BLOCK < DIAGONAL, "all tags differ");
constexpr int LEAST = 2 * OPEN + 2;         // what every value is kept larger by: no sum is negative
constexpr int LOWEST_GAIN = -2 * OPEN - 1;  // two letters and no gap are worth less than two gaps from here on
constexpr int HALF = STRIP / 2;             // columns in a half of a word
constexpr unsigned BYTE = both(255), VALUES = both(-SCALE);
constexpr int INSERTION = 2, DELETION = 3;  // after 0, equal, and 1, unequal: two bits per column of an alignment
constexpr int PATH_COLUMNS = 16;            // columns of an alignment in a word
constexpr unsigned OF_EVERY_COLUMN = 0x55555555;

// Columns of an alignment, from its end, two bits each: `waiting` bits of them in `bits`, the words before it written.
struct Path {
    unsigned *words, bits, before;
    int written, waiting, runs;
};
// Writes the columns that wait, and counts the runs that begin with them.
__device__ __forceinline__ void write(Path& path) {
    if (path.written == 0) path.before = ~(path.bits << 30);  // the first column begins one
    unsigned changes = path.bits ^ __funnelshift_l(path.before, path.bits, 2);
    changes = (changes | changes >> 1) & OF_EVERY_COLUMN;
    if (path.waiting < 32) changes &= (1u << path.waiting) - 1;
    path.runs += __popc(changes);
    path.words[path.written++] = path.before = path.bits;
}
// Appends columns with so many bits, up to 32.
__device__ __forceinline__ void append(Path& path, unsigned columns, int bits) {
    int before = path.waiting;
    path.bits |= columns << before;
    path.waiting += bits;
    if (path.waiting >= 32) {
        int waiting = path.waiting - 32;
        path.waiting = 32;
        write(path);
        path.bits = __funnelshift_l(columns, 0, before);
        path.waiting = waiting;
    }
}
// Appends so many columns of one kind.
__device__ __forceinline__ void append_all(Path& path, int kind, int count) {
#pragma unroll 1
    for (; count > 0; count -= PATH_COLUMNS) {
        int bits = 2 * min(count, PATH_COLUMNS);
        append(path, kind * OF_EVERY_COLUMN & ~0u >> (32 - bits), bits);
    }
}

// What a pair of codes gains in folded coordinates, with a tag, in units of EACH.
__device__ __forceinline__ unsigned gain_of(const int* table, int row, int column) {
    int found = MODE == SEMI_GLOBAL ? FURTHER : ALL || MODE == LOCAL ? 0 : -2 * OPEN;
    if (column != PAD) found = max(table[row * 5 + column] + 2 * FURTHER, LOWEST_GAIN);
    return (found + GAIN_BIAS) * (SCALE / EACH) + (row == column && row < 4 ? 2 : 1);
}

// Kept values are stamped, so that what comes from them has its tag without an addition; before a block as in a step -1.
__host__ __device__ constexpr unsigned stamp_of(int step) { return AFFINE ? STAMP : BLOCK + 1 - step; }

// Adds the bytes of two words, each modulo 256.
__device__ __forceinline__ unsigned plus_each(unsigned a, unsigned b) {
    constexpr unsigned HIGHEST = 0x80808080;
    return ((a & ~HIGHEST) + (b & ~HIGHEST)) ^ ((a ^ b) & HIGHEST);
}

// The lowest bytes of a step's cells, with their tags, the columns in their order.
__device__ __forceinline__ uint4 tags_of(const unsigned* words) {
    uint4 found;
    part(words, found.x, found.z);
    part(words + 4, found.y, found.w);
    return found;
}

// words, ends, first, units, subject_units, blocks: as of stored.cu. selectors: of shuffle_selectors. path_words: `stride`
// words for each alignment, whose columns they hold from its end on, two bits each. offset: cells of an edge are no more
// than that below the one that they are told relative to. equal, unequal: what two letters score, unless by_letter.
extern "C" __global__ void __launch_bounds__(THREADS)
shuffle_follow(const uint8_t* queries, const long long* query_offsets, const uint8_t* subjects,
               const long long* subject_offsets, const int* query_list, const int* subject_list, const int* table,
               const unsigned* words, int* ends, const unsigned* selectors, unsigned* path_words, int stride, int first,
               int units, int subject_units, int blocks, int offset, int equal, int unequal, int by_letter) {
    __shared__ uint4 tiles[BLOCK + 1 + AFFINE][THREADS];  // the tags of steps, of E in the last one
    __shared__ uint2 tables[PAD];
    if (threadIdx.x < PAD) {
        unsigned word[2] = {};
        for (int code = 0; code <= PAD; ++code) word[code / 4] |= gain_of(table, threadIdx.x, code) << code % 4 * 8;
        tables[threadIdx.x] = make_uint2(word[0], word[1]);
    }
    __syncthreads();
    const uint8_t* my_tile = reinterpret_cast<const uint8_t*>(tiles[0] + threadIdx.x);
    auto tag_in = [&](unsigned step, unsigned column) { return my_tile[step * unsigned(sizeof(tiles[0])) + column] % SCALE; };
    int alignment = blockIdx.x * blockDim.x + threadIdx.x;
    if (alignment >= 2 * units) return;
    int unit = alignment / 2, half = alignment % 2;
    Position at = position_of(first + unit, half, subject_units), beside = position_of(first + unit, half ^ 1, subject_units);
    const long long* of_query = query_offsets + query_list[at.query];
    const long long* of_subject = subject_offsets + subject_list[at.subject];
    const long long* of_other = query_offsets + query_list[beside.query];
    const uint8_t *query = queries + of_query[0], *subject = subjects + of_subject[0];
    int row_pads = max(0, int(of_other[1] - of_other[0]) - int(of_query[1] - of_query[0]));
    int column_pads = LANES * COLUMNS - int(of_subject[1] - of_subject[0]);
    const unsigned* stored = words + (long long)(unit / GROUPS) * blocks * BLOCK_WORDS;
    const auto* of_strips = reinterpret_cast<const Words<4>*>(selectors) + at.subject * (LANES * STRIPS);
    End& kept = reinterpret_cast<End*>(ends)[alignment];
    End end = kept;
    int i = end.query_end, j = end.subject_end, left = end.score;  // LOCAL: of the score
    Path path = {path_words + (long long)alignment * stride, 0, 0, 0, 0, 0};
    int first_thread = unsigned(unit) % GROUPS * LANES;
    bool in_e = false, in_f = false;
    while (i > 0 && j > 0 && (MODE != LOCAL || left > 0)) {
        unsigned column = j - 1 + column_pads, lane = column / COLUMNS, strip = column % COLUMNS / STRIP;
        unsigned step = i - 1 + row_pads + lane;
        int r = min(int(step % BLOCK), i - 1), c = column % STRIP, lowest_c = max(0, c + 1 - j);
        int skipped = step % BLOCK - r;  // rows of the block before the query
        int thread = first_thread + lane;
        const unsigned* block = stored + step / BLOCK * BLOCK_WORDS;
        auto row_edge = [&](int plane) { return reinterpret_cast<const RowEdge*>(block)[side(plane, half, strip, thread)]; };
        auto column_edge = [&](int plane) {
            return reinterpret_cast<const unsigned long long*>(block + COLUMNS_PLACE) + side(plane, half, strip, thread);
        };
        RowEdge of_h = row_edge(0), of_e = row_edge(PLANES - 1);
        unsigned long long of_left = *column_edge(0) >> 8 * skipped, of_f = *column_edge(PLANES - 1) >> 8 * skipped;
        Words<4> selector = of_strips[lane * STRIPS + strip];
        // Diagonally before the first cell: the border, or the last of the block above.
        unsigned before_first = MODE == LOCAL ? 0 : border(j - 1 - c);
        if (i - 1 > r) before_first = reinterpret_cast<const uint8_t*>(column_edge(0))[BLOCK - 1 - BLOCK_WORDS * 4];
        unsigned apart = (offset - (MODE == LOCAL ? left : before_first) & 255) * 0x01010101;
        auto relative = [&](auto edge) {
#pragma unroll
            for (unsigned& word : edge.word) word = plus_each(word, apart);
            return edge;
        };
        auto value_at = [&](const ColumnEdge& edge, int row) {
            return __byte_perm(edge.word[row / 4], 0, 0x4440 + row % 4) * SCALE;
        };
        auto folded = [&](int steps) { return MODE == LOCAL ? steps * FURTHER * SCALE : 0; };
        auto two = [&](const RowEdge& edge, int c) {
            return (__byte_perm(edge.word[c / 4], edge.word[c / 4 + HALF / 4], 0x4400 + c % 4 * 0x1111) & BYTE) * SCALE;
        };
        auto halves = [&](unsigned long long edge) { return relative(ColumnEdge{{unsigned(edge), unsigned(edge >> 32)}}); };
        RowEdge above_h = relative(of_h), above_e = relative(of_e);
        ColumnEdge left_h = halves(of_left), left_f = halves(of_f);
        constexpr unsigned OF_H = both((LEAST + SHIFT) * SCALE), OF_GAP = both(LEAST * SCALE);
        unsigned h[HALF], e[HALF], f = 0, selectors_of[HALF];
#pragma unroll
        for (int c = 0; c < HALF; ++c) {
            unsigned fold = packed(folded(c + 1), folded(c + 1 + HALF));
            h[c] = two(above_h, c) + OF_H + both(stamp_of(-1)) + fold;
            if (AFFINE) e[c] = two(above_e, c) + OF_GAP + both(ABOVE) + fold;
            selectors_of[c] = selector.word[c / 2] >> c % 2 * 16 & 0x7777;
        }
        unsigned corner = __byte_perm((before_first + apart & 255) * SCALE + OF_H + both(stamp_of(-1)), h[HALF - 1], 0x5410);
        int lowest = max(offset - left, 0);  // LOCAL: where 0 is, or below all that counts
        unsigned floors = packed((lowest + LEAST) * SCALE + folded(2), (lowest + LEAST) * SCALE + folded(1 + HALF));
        const uint8_t* letters = query + (i - 1 - r);
        uint2 gains_before = {};
        int last = r + unsigned(c) / HALF;
#pragma unroll
        for (int s = 0; s <= BLOCK; ++s) {
            if (s > last) break;
            // Only the launch knows the stamp, so that a choice between bits stays one instruction.
            unsigned stamp = both(stamp_of(s)) * gridDim.y, diagonal = corner, cells[HALF];
            uint2 gains = tables[letters[s]];
            unsigned edge = value_at(left_h, min(s, BLOCK - 1)) + folded(s + 1) + OF_H + stamp;
            unsigned left = corner = __byte_perm(edge, h[HALF - 1], 0x5410) - (AFFINE ? 0 : 1 << 16);
            if (AFFINE) f = __byte_perm(value_at(left_f, min(s, BLOCK - 1)) + folded(s + 1) + OF_GAP, f, 0x5410);
            unsigned of_low = 0, of_high = 0;  // the gains of two columns
#pragma unroll
            for (int c = 0; c < HALF; ++c) {
                if (c % 2 == 0) {
                    of_low = __byte_perm(gains.x, gains.y, selectors_of[c / 2]);
                    of_high = __byte_perm(gains_before.x, gains_before.y, selectors_of[c / 2 + HALF / 2]);
                }
                unsigned above = h[c];
                unsigned gained = __byte_perm(of_low, of_high, c % 2 ? 0x7632 : 0x5410);
                unsigned aligned = gained * EACH + diagonal - both(GAIN_BIAS * SCALE);
                if (AFFINE) {
                    constexpr int OPENS = -OPEN * SCALE - STAMP;
                    e[c] = __viaddmax_u16x2(above, packed(OPENS + ABOVE + 1 + s, OPENS + ABOVE + s), e[c]);
                    f = __viaddmax_u16x2(left, packed(OPENS + c + 1, OPENS + c + 1 + HALF), f);
                    if (s == 0) aligned = __byte_perm(aligned, above, 0x7610);
                }
                cells[c] = __vimax3_u16x2(aligned, AFFINE ? e[c] : above, AFFINE ? f : left);
                if (MODE == LOCAL) cells[c] = __viaddmax_u16x2(floors, both(c * FURTHER * SCALE), cells[c]);
                diagonal = above;
                h[c] = left = (cells[c] & VALUES) | stamp;
            }
            tiles[s][threadIdx.x] = tags_of(cells);
            gains_before = gains;
            floors += both(folded(1));
        }
        unsigned of_gap = (f >> 16) % SCALE;
        if (AFFINE && in_e) {
            tiles[BLOCK + AFFINE][threadIdx.x] = tags_of(e);
            of_gap = tag_in(BLOCK + AFFINE, c);
        }
        int rows = r, columns = c, bits = 0;
        unsigned kinds = 0, later = 0;  // of columns, the last ones highest
        do {
            unsigned of_step = r + unsigned(c) / HALF, tag = AFFINE && (in_e || in_f) ? of_gap : tag_in(of_step, c);
            if (!AFFINE) tag -= stamp_of(of_step);
            bool down = AFFINE ? tag >= ABOVE : tag % 2, across = AFFINE ? !down || tag >= DIAGONAL : tag != ABOVE;
            int count = 1;
            unsigned kind = DELETION - tag % 2 - tag / EACH;
            if (AFFINE) {
                kind = !down ? DELETION : !across ? INSERTION : tag < EQUAL;
                int opening = int(tag) - (down ? ABOVE : 0);
                if (down != across) count = min(down ? r : c - lowest_c, (down ? r : c) + 1 - max(opening, 1)) + 1;
                in_e = down && opening == 0;
                in_f = !down && opening == 0;
                if (MODE == LOCAL && down != across) left += opening ? FIRST - FURTHER : 0;
                kind *= OF_EVERY_COLUMN;
            }
            kinds = __funnelshift_rc(kinds, later, 2 * count);
            later = __funnelshift_rc(later, kind, 2 * count);
            bits += 2 * count;
            if (MODE == LOCAL && down != across) left += count * FURTHER;
            if (MODE == LOCAL && down == across) {
                int a = i - 1 - rows + r, b = j - 1 - columns + c;
                left -= by_letter ? table[query[a] * 5 + subject[b]] : tag >= EQUAL ? equal : unequal;
            }
            if (down) r -= count;
            if (across) c -= count;
        } while (r >= 0 && c >= lowest_c && !in_e && !in_f && (MODE != LOCAL || left > 0));
        unsigned long long all = ((unsigned long long)later << 32 | kinds) >> (64 - bits);
        append(path, unsigned(all), min(bits, 32));
        if (bits > 32) append(path, unsigned(all >> 32), bits - 32);
        i -= rows - r;
        j -= columns - c;
    }
    if (MODE == GLOBAL) {
        append_all(path, INSERTION, i);
        append_all(path, DELETION, j);
        i = j = 0;
    }
    end.query_begin = i, end.subject_begin = j;
    end.columns = path.written * PATH_COLUMNS + path.waiting / 2;
    if (path.waiting) write(path);
    end.runs = path.runs;
    kept = end;
}

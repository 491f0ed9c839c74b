// The traceback of `auto` where stored.cu stored the edges of blocks: a thread per alignment follows its path from its end
// to its begin, in rounds. A round computes the block that the next cell lies in again, and follows the path to the edge of
// it. So the threads of a warp, each in lines of its own, wait for memory together, once for some columns.
//
// The columns of a block are in the halves of a word, eight and eight, the right ones a step behind. Values are multiples
// of SCALE, above what their block's edges say, and what enters a maximum carries a tag below them, so that the maximum
// itself says what it chose, and among equals chooses the largest tag: diagonally, else from above (E), else from the left
// (F). Kept values are stamped, so that what comes from them has its tag without an addition. With linear gaps the stamp
// is one less than in the row above, and a tag that much more than the stamp of its row:
//   0 left, 1 above, UNEQUAL + 1 and EQUAL + 1 diagonally.
// With affine gaps E and F are tagged where they open a gap, by the row and by the column, and keep the tag while they
// extend it; H takes the tag over. So a tag tells where the gap that ends in a cell was opened:
//   0 left, opened before the block, 1 to STRIP in that column, ABOVE from above, opened before the block, ABOVE + 1 to
//   ABOVE + BLOCK in that row, UNEQUAL + STAMP and EQUAL + STAMP diagonally.
//
// A local alignment begins as soon as what is left of its score is 0.
#include "plus_bytes.cuh"
#include "stored.cuh"

constexpr int THREADS = 64;  // of a block
// Blocks of a multiprocessor at least, 0 if any number: there, registers would allow no more than 12.
constexpr int RESIDENT = AFFINE && MODE == SEMI_GLOBAL ? 14 : 0;
// A byte holds what a pair of letters gains, with its tag, in units of EACH. FEW_GAINS: in units of 1, since there are few:
// a dot product adds those of both halves, as in bytes.cuh.
constexpr int SCALE = !FEW_GAINS ? 128 : AFFINE ? 32 : 16, EACH = FEW_GAINS ? 1 : SCALE / 4;
constexpr int STAMP = 2, ABOVE = AFFINE ? STRIP + 1 : 1;
constexpr int UNEQUAL = !FEW_GAINS ? EACH : AFFINE ? ABOVE + BLOCK + 1 - STAMP : 1, EQUAL = UNEQUAL + EACH;
constexpr int DIAGONAL = UNEQUAL + (AFFINE ? STAMP : 1);  // and what is more
static_assert((!AFFINE || ABOVE + BLOCK < DIAGONAL) && EQUAL + (AFFINE ? STAMP : BLOCK + 2) < SCALE, "all tags differ");
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

// What a pair of codes gains in folded coordinates, and GAIN_BIAS, with a tag, in units of EACH.
__device__ __forceinline__ unsigned gain_of(const int* table, int row, int column) {
    int found = MODE == SEMI_GLOBAL ? FURTHER : MODE == LOCAL ? -GAIN_BIAS : ALL ? 0 : -2 * OPEN;
    if (column != PAD) found = max(table[row * 5 + column] + 2 * FURTHER, LOWEST_GAIN);
    return ((found + GAIN_BIAS) * SCALE + (row == column && row < 4 ? EQUAL : UNEQUAL)) / EACH;
}

// Kept values are stamped, so that what comes from them has its tag without an addition.
__host__ __device__ constexpr unsigned stamp_of(int row) { return AFFINE ? STAMP : BLOCK + 1 - row; }
// Of a step, in which the right columns are a row behind.
__host__ __device__ constexpr unsigned stamps_of(int step) { return packed(stamp_of(step), stamp_of(step - 1)); }

// Adds the bytes of two words, each modulo 256.
__device__ __forceinline__ unsigned plus_each(unsigned a, unsigned b) {
    constexpr unsigned HIGHEST = 0x80808080;
    return ((a & ~HIGHEST) + (b & ~HIGHEST)) ^ ((a ^ b) & HIGHEST);
}

// The lowest bytes of a step's cells, with their tags, the columns in their order: of the left ones and of the right ones.
__device__ __forceinline__ void tags_of(const unsigned* words, uint2& left, uint2& right) {
    part(words, left.x, right.x);
    part(words + 4, left.y, right.y);
}

// words, ends, first, units, subject_units, blocks: as of stored.cu. selectors: of shuffle_selectors. path_words: `stride`
// words for each alignment, whose columns they hold from its end on, two bits each. subject_count: without those that stand
// for others. offset: cells of an edge are no more
// than that below the one that they are told relative to. equal, unequal: what two letters score, unless by_letter.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
shuffle_follow(const uint8_t* queries, const long long* query_offsets, const uint8_t* subjects,
               const long long* subject_offsets, const int* query_list, const int* subject_list, const int* table,
               const unsigned* words, int* ends, const unsigned* selectors, unsigned* path_words, int stride, int first,
               int units, int subject_units, int blocks, int subject_count, int offset, int equal, int unequal,
               int by_letter) {
    __shared__ __align__(16) uint2 tiles[BLOCK + AFFINE][THREADS][2];  // the tags of rows, of E in the last one
    __shared__ uint4 tables[PAD];  // for the low half of a word, and for the high one
    if (threadIdx.x < PAD) {
        unsigned word[2] = {};
        for (int code = 0; code <= PAD; ++code) word[code / 4] |= gain_of(table, threadIdx.x, code) << code % 4 * 8;
        constexpr int OF_HIGH = 1 + FEW_GAINS;
        tables[threadIdx.x] = make_uint4(word[0], word[1], word[0] * OF_HIGH, word[1] * OF_HIGH);
    }
    __syncthreads();
    constexpr int PITCH = sizeof(tiles[0]);
    const uint8_t* my_tile = reinterpret_cast<const uint8_t*>(tiles[0][threadIdx.x]);
    int alignment = blockIdx.x * blockDim.x + threadIdx.x;
    if (alignment >= 2 * units) return;
    int unit = alignment / 2, half = alignment % 2;
    Position at = position_of(first + unit, half, subject_units), beside = position_of(first + unit, half ^ 1, subject_units);
    if (at.subject >= subject_count) return;
    const long long* of_query = query_offsets + query_list[at.query];
    const long long* of_subject = subject_offsets + subject_list[at.subject];
    const long long* of_other = query_offsets + query_list[beside.query];
    const uint8_t *query = queries + of_query[0], *subject = subjects + of_subject[0];
    int row_pads = max(0, int(of_other[1] - of_other[0]) - int(of_query[1] - of_query[0]));
    int column_pads = LANES * COLUMNS - int(of_subject[1] - of_subject[0]);
    const unsigned* stored = words + (long long)(unit / GROUPS) * blocks * BLOCK_WORDS;
    const auto* of_strips = reinterpret_cast<const Words<2>*>(selectors) + at.subject * (LANES * STRIPS);
    End& kept = reinterpret_cast<End*>(ends)[alignment];
    End end = kept;
    int i = end.query_end, j = end.subject_end, left = end.score;  // LOCAL: of the score
    Path path = {path_words + (long long)alignment * stride};
    int first_thread = unsigned(unit) % GROUPS * LANES;
    unsigned scale = SCALE * gridDim.y;  // which only the launch knows, so that a product and a sum stay one instruction
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
            return reinterpret_cast<const ColumnEdge*>(block + COLUMNS_PLACE) + (plane * STRIPS + strip) * WARP_SIZE + thread;
        };
        RowEdge of_h = row_edge(0), of_e = row_edge(PLANES - 1);
        ColumnEdge of_left = *column_edge(0), of_f = *column_edge(PLANES - 1);
        Words<2> selector = of_strips[lane * STRIPS + strip];
        // Diagonally before the first cell: the border, or the last of the block above.
        unsigned before_first = MODE == LOCAL ? 0 : border(j - 1 - c);
        if (i - 1 > r) before_first = reinterpret_cast<const uint8_t*>(column_edge(0))[2 * BLOCK - 2 + half - BLOCK_WORDS * 4];
        unsigned apart = (offset - (MODE == LOCAL ? left : before_first) & 255) * 0x01010101;
        auto relative = [&](auto edge) {
#pragma unroll
            for (unsigned& word : edge.word) word = plus_each(word, apart);
            return edge;
        };
        auto value_at = [&](const Words<BLOCK / 4>& edge, int row) {
            return __byte_perm(edge.word[row / 4], 0, 0x4440 + row % 4) * scale;
        };
        auto folded = [&](int steps) { return MODE == LOCAL ? steps * FURTHER * SCALE : 0; };
        auto two = [&](const RowEdge& edge, int c) {
            return (__byte_perm(edge.word[c / 4], edge.word[c / 4 + HALF / 4], 0x4400 + c % 4 * 0x1111) & BYTE) * scale;
        };
        auto rows_of = [&](const ColumnEdge& edge) {
            unsigned of_half = half ? 0x7531 : 0x6420, first = __byte_perm(edge.word[0], edge.word[1], of_half);
            unsigned long long all = __byte_perm(edge.word[2], edge.word[3], of_half);
            all = (all << 32 | first) >> 8 * skipped;
            return relative(Words<BLOCK / 4>{{unsigned(all), unsigned(all >> 32)}});
        };
        RowEdge above_h = relative(of_h), above_e = relative(of_e);
        Words<BLOCK / 4> left_h = rows_of(of_left), left_f = rows_of(of_f);
        constexpr unsigned OF_H = both((LEAST + SHIFT) * SCALE);
        // LOCAL: E and F were lowered for the next row and column.
        constexpr unsigned OF_GAP = both((LEAST + (MODE == LOCAL ? FURTHER : 0)) * SCALE);
        unsigned h[HALF], e[HALF], f = 0;
#pragma unroll
        for (int c = 0; c < HALF; ++c) {
            unsigned fold = packed(folded(c + 1), folded(c + 1 + HALF));
            h[c] = two(above_h, c) + OF_H + both(stamp_of(-1)) + fold;
            if (AFFINE) e[c] = two(above_e, c) + OF_GAP + both(ABOVE) + fold;
        }
        unsigned corner = __byte_perm((before_first + apart & 255) * SCALE + OF_H + both(stamp_of(-1)), h[HALF - 1], 0x5410);
        int lowest = max(offset - left, 0);  // LOCAL: where 0 is, or below all that counts
        unsigned floors = packed((lowest + LEAST) * SCALE + folded(2), (lowest + LEAST) * SCALE + folded(1 + HALF));
        const uint8_t* letters = query + (i - 1 - r);
        uint4 gains_before = {};
        int last = r + unsigned(c) / HALF;
#pragma unroll
        for (int s = 0; s <= BLOCK; ++s) {
            if (s > last) break;
            // Only the launch knows the stamp, so that a choice between bits stays one instruction.
            unsigned stamp = stamps_of(s) * gridDim.y, diagonal = corner, cells[HALF];
            uint4 gains = tables[letters[s]];
            unsigned edge = value_at(left_h, min(s, BLOCK - 1)) + folded(s + 1) + OF_H + stamp;
            unsigned left = corner = __byte_perm(edge, h[HALF - 1], 0x5410);
            if (AFFINE) f = __byte_perm(value_at(left_f, min(s, BLOCK - 1)) + folded(s + 1) + OF_GAP, f, 0x5410);
            unsigned of_low = 0, of_high = 0, gained = 0;  // bytes: of four columns, and of two of them in either half
#pragma unroll
            for (int c = 0; c < HALF; ++c) {
                if (c % 4 == 0) {
                    of_low = __byte_perm(gains.x, gains.y, selector.word[0] >> 4 * c);
                    of_high = __byte_perm(gains_before.z, gains_before.w, selector.word[1] >> 4 * c);
                }
                if (c % 2 == 0) gained = __byte_perm(of_low, of_high, c % 4 ? 0x7362 : 0x5140);
                unsigned above = h[c], aligned = diagonal;
                if (GAIN_BIAS) aligned = aligned * gridDim.y - unsigned(GAIN_BIAS * SCALE) * 0x10001u;  // of either sign
                if (FEW_GAINS) aligned = plus_bytes(aligned, &gained, c % 2);
                else aligned += __byte_perm(gained, 0, c % 2 ? 0x4342 : 0x4140) * EACH;
                if (AFFINE) {
                    constexpr int OPENS = -OPEN * SCALE - STAMP;
                    e[c] = __viaddmax_u16x2(above, packed(OPENS + ABOVE + 1 + s, OPENS + ABOVE + s), e[c]);
                    f = __viaddmax_u16x2(left, packed(OPENS + c + 1, OPENS + c + 1 + HALF), f);
                }
                cells[c] = __vimax3_u16x2(aligned, AFFINE ? e[c] : above, AFFINE ? f : left);
                if (AFFINE && s == 0) cells[c] = __byte_perm(cells[c], above, 0x7610);
                if (MODE == LOCAL) cells[c] = __viaddmax_u16x2(floors, both(c * FURTHER * SCALE), cells[c]);
                diagonal = above;
                h[c] = left = (cells[c] & VALUES) | stamp;
            }
            uint2 on_left, on_right;
            tags_of(cells, on_left, on_right);
            if (s < BLOCK) tiles[s][threadIdx.x][0] = on_left;
            if (s > 0) tiles[s - 1][threadIdx.x][1] = on_right;
            gains_before = gains;
            floors += both(folded(1));
        }
        unsigned of_gap = (f >> 16) % SCALE;
        if (AFFINE && in_e) {
            constexpr int OF_E = BLOCK - 1 + AFFINE;
            tags_of(e, tiles[OF_E][threadIdx.x][0], tiles[OF_E][threadIdx.x][1]);
            of_gap = my_tile[OF_E * PITCH + c] % SCALE;
        }
        int rows = r, columns = c, bits = 0;
        unsigned kinds = 0, later = 0;  // of columns, the last ones highest
        auto add = [&](unsigned kind, int count) {
            kinds = __funnelshift_rc(kinds, later, 2 * count);
            later = __funnelshift_rc(later, kind, 2 * count);
            bits += 2 * count;
        };
        auto pay = [&](int r, int c, bool equal_letters) {  // LOCAL: for a pair of letters
            int a = i - 1 - rows + r, b = j - 1 - columns + c;
            left -= by_letter ? table[query[a] * 5 + subject[b]] : equal_letters ? equal : unequal;
        };
        if (AFFINE) {
            const uint8_t* tags = my_tile + lowest_c;
            int inside = c - lowest_c;
            unsigned tag = in_e || in_f ? of_gap : tags[r * PITCH + inside] % SCALE;
            while (true) {
                bool down = tag >= ABOVE, aligned = tag >= DIAGONAL;
                int opened = int(tag) - (down ? ABOVE + 1 : 1 + lowest_c);  // there; before the block: below 0
                int count = aligned ? 1 : (down ? r : inside) + 1 - max(opened, 0);
                add((!down ? DELETION : !aligned ? INSERTION : tag < EQUAL + STAMP) * OF_EVERY_COLUMN, count);
                if (MODE == LOCAL && !aligned) left += (tag == 0 || tag == ABOVE ? 0 : FIRST - FURTHER) + count * FURTHER;
                if (MODE == LOCAL && aligned) pay(r, inside + lowest_c, tag >= EQUAL + STAMP);
                if (down) r -= count;
                if (!down || aligned) inside -= count;
                if ((r | inside) < 0 || (MODE == LOCAL && left <= 0)) break;
                tag = tags[r * PITCH + inside] % SCALE;
            }
            in_e = tag == ABOVE, in_f = tag == 0;  // opened before the block
            c = inside + lowest_c;
        } else {
            // Row and column as the tile's places: to go left from the lowest column leads to OUTSIDE.
            constexpr int OUTSIDE = PITCH / 2, ABOVE_ALL = ~0x7FFFFFFF;
            const uint8_t* tags = my_tile + lowest_c;
            int place = r * PITCH + c - lowest_c;
            do {
                unsigned tag = tags[place] + unsigned(place) / PITCH - stamp_of(0);
                tag = FEW_GAINS ? tag % 4 : tag % 2 + tag % SCALE / EACH;  // DELETION - kind
                if (MODE == LOCAL && tag < 2) left += FURTHER;
                if (MODE == LOCAL && tag >= 2) pay(place / PITCH, place % PITCH + lowest_c, tag == 3);
                add(tag, 1);
                place -= int(__byte_perm(0x01010001, PITCH / 256 * 0x01010100, 0x1140 + 0x11 * tag));
            } while ((place & (OUTSIDE | ABOVE_ALL)) == 0 && (MODE != LOCAL || left > 0));
            kinds = ~kinds, later = ~later;
            r = (place + 1 + PITCH) / PITCH - 1, c = (place + 1 + PITCH) % PITCH - 1 + lowest_c;
        }
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

// The traceback of `auto` where stored.cu stored which way every cell's value comes: a thread per alignment follows it
// from its end to its begin, in rounds. A round reads what a block stored of the thread's columns whose cell comes next,
// and follows the tags as far as they lie there. So the threads of a warp, each in lines of its own, wait for memory
// together, once for some columns, where each of them would let all wait at another column.
//
// With linear gaps a step is a row: the gap to the left, up to the first column whose value comes from elsewhere, and that
// column. With affine gaps it is columns without a gap, and those of a gap as far as its block or strip goes; where it was
// opened before, what is stored at the end of that block or strip is read in the next round. Columns without a gap go
// before those of gaps, so that threads do the same.
//
// A local alignment begins as soon as what is left of its score is 0.
#include "stored.cuh"

constexpr int THREADS = 64;                 // of a block
constexpr int TILE_WORDS = CELL_WORDS / 2;  // of an alignment, for the columns of a thread
constexpr int FOURS = TILE_WORDS / 4, ROWS_OF_FOUR = BLOCK / FOURS;
constexpr int INSERTION = 2, DELETION = 3;  // after 0, equal, and 1, unequal: two bits per column of an alignment
constexpr int PATH_COLUMNS = 16;            // columns of an alignment in a word
constexpr unsigned OF_EVERY_COLUMN = 0x55555555, TAG = (1 << BITS) - 1;

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

// words, ends, first, units, subject_units, blocks: as of stored.cu. path_words: `stride` words for each alignment, whose
// columns they hold from its end on, two bits each. equal, unequal: what two letters score, unless by_letter.
extern "C" __global__ void shuffle_follow(const uint8_t* queries, const long long* query_offsets, const uint8_t* subjects,
                                          const long long* subject_offsets, const int* query_list, const int* subject_list,
                                          const int* table, const unsigned* words, int* ends, unsigned* path_words, int stride,
                                          int first, int units, int subject_units, int blocks, int equal, int unequal,
                                          int by_letter) {
    __shared__ unsigned tiles[TILE_WORDS][THREADS];
    auto tile = [&](int word) -> unsigned& { return tiles[word][threadIdx.x]; };
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
    int first_thread = unit % GROUPS * LANES;
    End& kept = reinterpret_cast<End*>(ends)[alignment];
    End end = kept;
    int i = end.query_end, j = end.subject_end, left = end.score;  // LOCAL: of the score
    Path path = {path_words + (long long)alignment * stride, 0, 0, 0, 0, 0};
    bool in_e = false, in_f = false;
    while (i > 0 && j > 0 && (MODE != LOCAL || left > 0)) {
        int row = i - 1 + row_pads, column = j - 1 + column_pads, lane = column / COLUMNS, step = row + lane;
        int r = step % BLOCK, c = column % COLUMNS, thread = first_thread + lane;
        int lowest_r = max(0, r + 1 - i), lowest_c = max(0, c + 1 - j);
        const unsigned* block = stored + step / BLOCK * BLOCK_WORDS;
        const uint4* fours = reinterpret_cast<const uint4*>(block + thread * CELL_WORDS + half * TILE_WORDS);
        uint4 four[FOURS];
        unsigned of_gap = 0;
#pragma unroll
        for (int k = 0; k < FOURS; ++k)
            if (k * ROWS_OF_FOUR <= r) four[k] = fours[k];
        if (AFFINE && in_e) of_gap = block[E_PLACE + thread * E_WORDS + c / PER_WORD] >> (half * 16 + BITS * (c % PER_WORD));
        if (AFFINE && in_f) of_gap = block[F_PLACE + (r / 4 * WARP_SIZE + thread) * 4 + r % 4] >> (half * 16 + BITS * (c / STRIP));
#pragma unroll
        for (int k = 0; k < FOURS; ++k)
            if (k * ROWS_OF_FOUR <= r) {
                tile(4 * k) = four[k].x, tile(4 * k + 1) = four[k].y;
                tile(4 * k + 2) = four[k].z, tile(4 * k + 3) = four[k].w;
            }
        auto inside = [&] { return r >= lowest_r && c >= lowest_c && (MODE != LOCAL || left > 0); };
        // What a column without a gap scores, whose letters are the first of what is left now.
        auto score_at = [&](int tag) {
            int at_query = row - step % BLOCK + r + 1 - row_pads, at_subject = lane * COLUMNS + c + 1 - column_pads;
            return by_letter ? table[query[at_query] * 5 + subject[at_subject]] : tag == EQUAL ? equal : unequal;
        };
        do {
            if (AFFINE) {
                auto tag_of_cell = [&] { return tile((r * ROW_WORDS + c / PER_WORD) / 2) >> BITS * (c % (2 * PER_WORD)) & TAG; };
                unsigned tag = in_e || in_f ? of_gap & TAG : tag_of_cell(), kinds = 0;
                int bits = 0;
                while (tag >= UNEQUAL) {
                    kinds |= (EQUAL - tag) << bits, bits += 2;
                    --r, --c;
                    if (MODE == LOCAL) left -= score_at(tag);
                    if (!inside()) break;
                    tag = tag_of_cell();
                }
                if (bits) append(path, kinds, bits);
                if (!inside()) break;
                bool up = tag >= ABOVE;
                int opening = tag - (up ? ABOVE : LEFT), since = up ? r : c % STRIP;
                int columns = min(since + 1 - max(opening - 1, 0), up ? r - lowest_r + 1 : c - lowest_c + 1);
                append(path, (up ? INSERTION : DELETION) * OF_EVERY_COLUMN & ((1u << 2 * columns) - 1), 2 * columns);
                in_e = up && opening == 0;
                in_f = !up && opening == 0;
                (up ? r : c) -= columns;
                if (MODE == LOCAL) left += columns * FURTHER + (opening ? FIRST - FURTHER : 0);
            } else {
                // The last column up to this one whose value does not come from the left, if it is among these.
                unsigned tags = tile(r), others = (tags | tags >> 1) & OF_EVERY_COLUMN >> 2 * (COLUMNS - 1 - c);
                int place = max(31 - __clz(others), 2 * lowest_c), lefts = 2 * c - place, tag = tags >> place & TAG;
                append(path, (unsigned(EQUAL - tag + 1) << lefts) - 1, lefts + 2);  // both bits of every column before
                r -= tag != LEFT;
                c = place / 2 - (tag != ABOVE);
                if (MODE == LOCAL) {
                    left += lefts / 2 * FURTHER;
                    left -= tag >= UNEQUAL ? score_at(tag) : -FURTHER;
                }
            }
        } while (inside() && !in_e && !in_f);
        i -= step % BLOCK - r;
        j -= column % COLUMNS - c;
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

// The traceback of `auto` where stored.cu stored which way every cell's value comes: a thread per alignment follows it
// from its end to its begin, all threads of a warp in the same way, whatever comes: a tag says which columns come next,
// one or those of a gap as far as its block or strip goes.
//
// What a thread reads next lies often beside what it read last, and each thread of a warp reads from a line of its own: so
// four words are read at a time.
//
// A local alignment begins as soon as what is left of its score is 0.
#include "stored.cuh"

constexpr int INSERTION = 2, DELETION = 3;         // after 0, equal, and 1, unequal: two bits per column of an alignment
constexpr int PATH_COLUMNS = 16, MOST_AT_ONCE = 8;  // columns of an alignment in a word; appended together
constexpr unsigned OF_EVERY_COLUMN = 0x55555555;

// Columns of an alignment, from its end, two bits each; runs: of equal ones in the words that are complete.
struct Path {
    unsigned* words;
    unsigned long long bits;
    int columns, runs;
    unsigned last;
};
// Takes over `columns` of the columns that are waiting.
__device__ __forceinline__ void flush(Path& path, int place, int columns) {
    unsigned word = unsigned(path.bits), changes = word ^ (word << 2 | path.last);
    changes = (changes | changes >> 1) & OF_EVERY_COLUMN;
    if (place == 0) changes |= 1;
    path.runs += __popc(columns < PATH_COLUMNS ? changes & ((1u << 2 * columns) - 1) : changes);
    path.words[place] = word;
    path.last = word >> 30;
    path.bits >>= 32;
}
__device__ __forceinline__ void append(Path& path, int kind, int count) {
    unsigned bits = kind * OF_EVERY_COLUMN & ((1u << 2 * count) - 1);
    int before = path.columns / PATH_COLUMNS;
    path.bits |= (unsigned long long)bits << 2 * (path.columns % PATH_COLUMNS);
    path.columns += count;
    if (path.columns / PATH_COLUMNS > before) flush(path, before, PATH_COLUMNS);
}

// words, ends, first, units, subject_units, blocks: as of stored.cu. path_words: `stride` words for each alignment, whose
// columns they hold from its end on, two bits each. equal, unequal: what two letters score, unless by_letter.
extern "C" __global__ void shuffle_follow(const uint8_t* queries, const long long* query_offsets, const uint8_t* subjects,
                                          const long long* subject_offsets, const int* query_list, const int* subject_list,
                                          const int* table, const unsigned* words, int* ends, unsigned* path_words, int stride,
                                          int first, int units, int subject_units, int blocks, int equal, int unequal,
                                          int by_letter) {
    for (int alignment = blockIdx.x * blockDim.x + threadIdx.x; alignment < 2 * units; alignment += gridDim.x * blockDim.x) {
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
        Path path = {path_words + (long long)alignment * stride, 0, 0, 0, 0};
        bool in_e = false, in_f = false;
        uint4 four = {};
        int read = -1;  // where `four` lies
        while (i > 0 && j > 0 && (MODE != LOCAL || left > 0)) {
            unsigned row = i - 1 + row_pads, column = j - 1 + column_pads, lane = column / COLUMNS, c = column % COLUMNS;
            unsigned step = row + lane, of_block = step % BLOCK, thread = first_thread + lane;
            unsigned within = of_block * ROW_WORDS + c / PER_WORD, lowest = within % 2 * 16, position = c % PER_WORD;
            unsigned place = thread * CELL_WORDS + half * (CELL_WORDS / 2) + within / 2;
            if (AFFINE && in_e) {
                place = E_PLACE + thread * E_WORDS + c / PER_WORD;
                lowest = half * 16;
            }
            if (AFFINE && in_f) {
                place = F_PLACE + (of_block / 4 * WARP_SIZE + thread) * 4 + of_block % 4;
                position = PER_WORD - COLUMNS / STRIP + c / STRIP;
                lowest = half * 16;
            }
            place += step / BLOCK * BLOCK_WORDS;
            if (int(place / 4) != read) four = reinterpret_cast<const uint4*>(stored)[read = place / 4];
            unsigned word = place % 4 < 2 ? (place % 2 ? four.y : four.x) : (place % 2 ? four.w : four.z);
            int tag = word >> (lowest + BITS * (PER_WORD - 1 - position)) & ((1 << BITS) - 1);
            bool diagonal = tag >= UNEQUAL, up = tag >= ABOVE && !diagonal, opened = true;
            int kind = diagonal ? EQUAL - tag : up ? INSERTION : DELETION, count = 1;
            if (AFFINE) {
                int opening = tag - (up ? ABOVE : LEFT), since = up ? of_block : c % STRIP;
                opened = opening > 0;
                if (!diagonal) count = min(since + 1 - max(opening - 1, 0), up ? i : j);
                in_e = up && !opened;
                in_f = !up && !opened;
            }
            append(path, kind, count);
            if (diagonal || up) i -= count;
            if (!up) j -= count;
            if (MODE == LOCAL) {
                if (!diagonal) left += count * FURTHER + (opened ? FIRST - FURTHER : 0);
                else if (by_letter) left -= table[query[i] * 5 + subject[j]];
                else left -= tag == EQUAL ? equal : unequal;
            }
        }
        if (MODE == GLOBAL) {
            for (; i > 0; i -= min(i, MOST_AT_ONCE)) append(path, INSERTION, min(i, MOST_AT_ONCE));
            for (; j > 0; j -= min(j, MOST_AT_ONCE)) append(path, DELETION, min(j, MOST_AT_ONCE));
        }
        if (int waiting = path.columns % PATH_COLUMNS) flush(path, path.columns / PATH_COLUMNS, waiting);
        end.query_begin = i, end.subject_begin = j, end.columns = path.columns, end.runs = path.runs;
        kept = end;
    }
}

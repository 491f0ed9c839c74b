// Tracebacks of the paper's variants (section 3.2): predecessors where they are stored, else Hirschberg's division, by one
// warp per alignment or per two in the halves of a half2.
//
// Every cell carries where its path came from, forward: the cell where it left the last row of crossings, or where it
// begins. So the alignment is that of reference.py, which scores of two halves from either end would not lead to with
// affine gaps. A pass keeps the crossings of several rows, up to `most_strips` - 1: from its end backwards they divide the
// alignment into as many strips, whose columns are written from the last on.
#include "traceback_sweep.cuh"

constexpr int STORED_LETTERS = 128;                        // of both sequences together: the paper's threshold
constexpr int STORED_STEPS = STORED_LETTERS * STORED_LETTERS / 4;
constexpr int STORED_ROWS = 8;                             // whose steps take no more memory than the crossings of one row
constexpr int STORED_COLUMNS = 2;                          // of a lane
constexpr int STRIP_ROWS = 48;                             // of a strip, but of more where strips are as many as may be
constexpr int POINTS = 128;                                // of a stack: up to 15 for each sixteenth of the rows

constexpr int RESULTS = 6;

struct Point {
    int row, column, state;
};
// What is left of one half's alignment: from the points on its stack, `first` to `last` of them, to `end`.
struct Left {
    Point points[POINTS], end;
    int first, last;
};
__device__ __forceinline__ bool is_small(int m, int n) { return m <= STORED_ROWS || n == 0 || m + n <= STORED_LETTERS; }

// The points where the path of a pass left the rows of crossings before `row`, where `from` says how it came to its end.
// anywhere: the path may begin inside, and where it does is the first of all.
__device__ void divide(Left& left, const Kept& kept, int half, unsigned from, int row, bool anywhere) {
    Point begin = left.points[left.last];
    Point* strips = left.points + left.last;
    int above = max(0, row - 1) / kept.height;
    left.last += above;
    while (true) {
        int column = from >> 2, state = from & 3;
        bool begins = anywhere && (above == 0 || column == 0 || state == ANYWHERE);
        if (begins) left.first = int(strips - left.points) + above;
        if (begins || above > 0) strips[above] = {begin.row + above * kept.height, begin.column + column, state};
        if (begins || above == 0) return;
        // What goes up along the left border is a gap.
        size_t row_above = 2 * (--above) + state;
        from = column == 0 ? unsigned(E) : of_half(kept.crossings[row_above * kept.pitch + column - 1], half);
    }
}

// results: of each alignment, query_begin, query_end, subject_begin, subject_end, columns, and runs of equal ones; words:
// its columns from its end on, two bits each, from first_words on. cells: how many were computed, those of whole matrices
// included. memory: of each block, crossings of `pitch` columns and the last column of a stage.
extern "C" __global__ void shuffle_traceback(const uint8_t* queries, const long long* query_offsets, const uint8_t* subjects,
                                             const long long* subject_offsets, const int* query_list,
                                             const int* subject_list, const int* table, const long long* first_words,
                                             Score* scores, int* results, unsigned* words, long long* cells,
                                             unsigned char* memory, long long memory_bytes, int count, int most_strips,
                                             int pitch) {
    __shared__ uint8_t steps[STORED_STEPS];
    __shared__ Single letter_scores[CODES * CODES];
    __shared__ Left left[HALVES];
    int lane = threadIdx.x;
    for (int k = lane; k < CODES * CODES; k += P) {
        bool pads = k / CODES == PAD || k % CODES == PAD;
        letter_scores[k] = single((pads ? lowest(Whole()) : table[k / CODES * 5 + k % CODES]) + FIRST);
    }
    memory += blockIdx.x * memory_bytes;
    Kept kept = {reinterpret_cast<unsigned*>(memory), pitch, 1, most_strips, nullptr, nullptr, {}};
    kept.border = reinterpret_cast<Cell*>(memory + size_t(2 * (most_strips + HALVES)) * pitch * sizeof(unsigned));

    for (int task = blockIdx.x; task * HALVES < count; task += gridDim.x) {
        Rectangle whole[HALVES], of[HALVES];
        // Of this lane's half: what is written of it so far.
        int length = 0, runs = 0, previous = -1, index = task * HALVES + lane;
        bool second = lane == 1, writes = lane < HALVES && index < count;
        unsigned word = 0;
        long long computed = 0;
        int last_row = 0, last_column = 0;
        End end[HALVES];
#pragma unroll
        for (int half = 0; half < HALVES; ++half) {
            int alignment = min(task * HALVES + half, count - 1);
            int q = query_list[alignment], s = subject_list[alignment];
            int m = int(query_offsets[q + 1] - query_offsets[q]), n = int(subject_offsets[s + 1] - subject_offsets[s]);
            whole[half] = {queries + query_offsets[q], subjects + subject_offsets[s], m, n, H};
            bool empty = m == 0 || n == 0;
            kept.score[half] = MODE == GLOBAL && task * HALVES + half < count ? scores + alignment : nullptr;
            int column = MODE == LOCAL || empty ? 0 : n;
            end[half] = {Found(-FIRST), 0, column, unsigned(column) << 2};
            if (lane == half) {
                left[half].points[0] = {0, 0, H};
                left[half].end = {m, n, H};
                left[half].first = left[half].last = 0;
                last_row = m, last_column = n;
                if (MODE == GLOBAL && empty && writes) scores[alignment] = m + n ? -FIRST - Score(m + n - 1) * FURTHER : 0;
            }
        }
        bool searches = MODE != GLOBAL;
        __syncwarp();
        while (true) {
            // The nearest problem of each half, of those that are alike: small ones only where no other waits.
            bool takes[HALVES], divides = searches, any = searches;
            int rows = 0, letters = 0;
#pragma unroll
            for (int half = 0; half < HALVES; ++half) {
                const Left& now = left[half];
                takes[half] = now.last >= now.first;
                const Point& begin = now.points[max(now.last, 0)];
                of[half] = {whole[half].query + begin.row, whole[half].subject + begin.column, now.end.row - begin.row,
                            now.end.column - begin.column, begin.state};
                any = any || takes[half];
                divides = divides || (takes[half] && !is_small(of[half].m, of[half].n));
            }
            if (!any) break;
            __syncwarp();  // before a lane changes what the others read
#pragma unroll
            for (int half = 0; half < HALVES; ++half) {
                int m = of[half].m, n = of[half].n, together = max(rows, m) + max(letters, n);
                bool gap = m == 0 || n == 0;
                takes[half] = takes[half] && (searches || divides != is_small(m, n)) &&
                              (divides || gap || rows == 0 || together <= STORED_LETTERS || max(rows, m) <= STORED_ROWS);
                if (!takes[half] || gap) of[half].m = of[half].n = 0;
                rows = max(rows, of[half].m), letters = max(letters, of[half].n);
            }
            if (divides) {
                int strips = is_small(rows, letters) ? 1 : max(2, min(most_strips, (rows + STRIP_ROWS - 1) / STRIP_ROWS));
                kept.height = max(1, (rows + strips - 1) / strips);
                if (searches) sweep<true, COLUMNS, true>(of, letter_scores, kept, end);
                else sweep<true, COLUMNS, false>(of, letter_scores, kept, end);
            } else if (rows > 0) {
                kept.steps = rows + letters <= STORED_LETTERS ? steps : memory;
                sweep<false, STORED_COLUMNS, false>(of, letter_scores, kept, end);
            }
#pragma unroll
            for (int half = 0; half < HALVES; ++half) {
                if (searches) first_of_warp(end[half]);
                if (takes[half]) kept.score[half] = nullptr;
            }
            // Each half's lane goes on by itself.
            const Rectangle mine = second ? of[HALVES - 1] : of[0];
            if (lane < HALVES && (second ? takes[HALVES - 1] : takes[0])) {
                Left& now = left[lane];
                computed += (long long)mine.m * mine.n;
                if (searches) {
                    End found = second ? end[HALVES - 1] : end[0];
                    last_row = found.row, last_column = found.column;
                    now.end = {last_row, last_column, H};
                    if (writes) scores[index] = Score(found.score) + FIRST;
                    divide(now, kept, lane, found.from, last_row, true);
                } else if (divides) {
                    size_t row = 2 * (most_strips + lane) + now.end.state;
                    divide(now, kept, lane, of_half(kept.crossings[row * pitch + mine.n - 1], lane), mine.m,
                           mine.begins == ANYWHERE);
                } else {
                    Point begin = now.points[now.last--];
                    int i = now.end.row - begin.row, j = now.end.column - begin.column, state = now.end.state;
                    while (j > 0 || (i > 0 && begin.state != ANYWHERE)) {
                        int kind = i == 0 ? DELETION : INSERTION;
                        if (i > 0 && j > 0) {
                            int step = kept.steps[(i - 1) * letters + j - 1] >> STEP_BITS * lane;
                            int a = mine.query[i - 1], b = mine.subject[j - 1];
                            if (state == H) state = step & 3;
                            kind = state == E ? INSERTION : state == F ? DELETION : a == b && a < 4 ? EQUAL : UNEQUAL;
                            if (!(step & (state == E ? E_EXTENDS : F_EXTENDS))) state = H;
                        }
                        i -= kind != DELETION;
                        j -= kind != INSERTION;
                        runs += kind != previous;
                        previous = kind;
                        word = word >> 2 | unsigned(kind) << 30;
                        if (++length % PER_WORD == 0 && writes) words[first_words[index] + length / PER_WORD - 1] = word;
                    }
                    now.end = {begin.row + i, begin.column + j, begin.state};
                }
            }
            searches = false;
            __syncwarp();
        }
        if (writes) {
            int open = length % PER_WORD;
            if (open) words[first_words[index] + length / PER_WORD] = word >> 2 * (PER_WORD - open);
            const Point& begin = left[lane].end;
            int found[] = {begin.row, last_row, begin.column, last_column, length, runs};
            for (int k = 0; k < RESULTS; ++k) results[RESULTS * index + k] = found[k];
            cells[index] = computed;
        }
        __syncwarp();
    }
}

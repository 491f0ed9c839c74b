// Banded bit-parallel edit distance (Myers 1999, Hyyro 2003), from both ends of the matrix to its middle row.
//
// One warp computes a strip of 1,024 WORDS rows as a systolic array. A lane holds the vertical differences of its rows,
// where +1 and where -1 stand, in WORDS words each; CHUNK columns behind the lane above, it takes the horizontal
// differences that the lane above leaves in its bottom row: one word, the +1 of the chunk's columns in the upper half
// and the -1 in the lower, the first column highest in its half. The bottom row of a strip goes to the next strip through
// global memory. A word nobody has written is all ones, which cannot be, so the data are their own flag; strips take
// their numbers in the order in which they start, so what a strip waits for is always running or done.
//
// Outside the band stand upper bounds: down its left edge, and along a strip's top row beyond the right edge of the
// strip above, every difference is +1. So each value is the cost of some path.

#include "problems.cuh"

template <int WIDTH>
struct Wide;
template <>
struct Wide<1> {
    using Type = unsigned;
};
template <>
struct Wide<2> {
    using Type = unsigned long long;
};
template <>
struct Wide<4> {
    using Type = unsigned __int128;
};

constexpr int ROWS = 32 * WORDS;  // of a lane
constexpr int STRIP = 32 * ROWS;
struct __align__(4 * WORDS) Words {
    unsigned word[WORDS];
};
struct __align__(CHUNK) Letters {
    unsigned word[CHUNK / 4];
};
constexpr unsigned UNWRITTEN = ~0u;

// One direction of a problem: 0 goes from the start of both substrings to the middle row, 1 from their ends.
struct Half {
    int direction, rows, padding, n, low, high, strips, chunks;
    long long first_strip, first_chunk;  // in arrays over the strips or the chunks of all problems and directions
};

__device__ __forceinline__ Half half_of(const Problem& problem, int direction) {
    Half half;
    half.direction = direction;
    half.rows = int(direction ? problem.rows / 2 : problem.rows - problem.rows / 2);
    half.padding = int(problem.strips) * STRIP - half.rows;
    half.n = int(problem.columns);
    half.low = int(problem.low);
    half.high = int(problem.high);
    half.strips = int(problem.strips);
    half.chunks = int(problem.chunks);
    half.first_strip = 2 * problem.strips_before + direction * problem.strips;
    half.first_chunk = 2 * problem.chunks_before + direction * problem.chunks;
    return half;
}

// The chunks [begin, end) that a strip computes: the band's diagonals over its rows.
__device__ __forceinline__ int begin_of(const Half& half, int strip) {
    return max(0, max(0, strip * STRIP - half.padding) + half.low) / CHUNK;
}
__device__ __forceinline__ int end_of(const Half& half, int strip) {
    return (min(half.n, (strip + 1) * STRIP - half.padding + half.high) + CHUNK - 1) / CHUNK;
}

// sum += addend, the words being the digits of one number.
__device__ __forceinline__ void add(unsigned (&sum)[WORDS], const unsigned (&addend)[WORDS]) {
    using Number = Wide<WORDS>::Type;
    Number left = 0, right = 0;
    for (int w = WORDS - 1; w >= 0; --w) {
        left = left << (WORDS > 1 ? 32 : 0) | sum[w];
        right = right << (WORDS > 1 ? 32 : 0) | addend[w];
    }
    left += right;
    for (int w = 0; w < WORDS; ++w) sum[w] = unsigned(left >> 32 * w);
}

// Only a volatile load is repeated: the compiler takes any other for a value that cannot change.
__device__ __forceinline__ unsigned load(const unsigned* address) {
    return *static_cast<const volatile unsigned*>(address);
}

// Bit planes of the rows of every strip, PLANES x STRIP / 32 words each, first row lowest; padding comes first.
extern "C" __global__ void pack_rows(const long long* batch, int count, const uint8_t* P, const uint8_t* codes,
                                     unsigned* rows, int strips) {
    long long word = (long long)(blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (word >= (long long)strips * (STRIP / 32)) return;
    const Problem* problems = reinterpret_cast<const Problem*>(batch);
    long long strip = word / (STRIP / 32);
    const Problem& problem = problems[find_problem(problems, count, &Problem::strips_before, strip / 2)];
    Half half = half_of(problem, strip - 2 * problem.strips_before >= problem.strips);
    long long i = word * 32 + threadIdx.x % 32 - half.first_strip * STRIP - half.padding;
    int code = i >= 0 ? codes[P[problem.row + (half.direction ? problem.rows - 1 - i : i)]] : 0;
    for (int p = 0; p < PLANES; ++p) {
        unsigned plane = __ballot_sync(FULL_MASK, code >> p & 1);
        if (threadIdx.x % 32 == 0) rows[(strip * PLANES + p) * (STRIP / 32) + word % (STRIP / 32)] = plane;
    }
}

// The codes of the columns times WORDS, a byte each, CHUNK to a chunk.
extern "C" __global__ void pack_columns(const long long* batch, int count, const uint8_t* T, const uint8_t* codes,
                                        uint8_t* columns, long long bytes) {
    long long byte = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (byte >= bytes) return;
    const Problem* problems = reinterpret_cast<const Problem*>(batch);
    long long chunk = byte / CHUNK;
    const Problem& problem = problems[find_problem(problems, count, &Problem::chunks_before, chunk / 2)];
    Half half = half_of(problem, chunk - 2 * problem.chunks_before >= problem.chunks);
    long long j = byte - half.first_chunk * CHUNK;
    columns[byte] = j < half.n ? WORDS * codes[T[problem.column + (half.direction ? half.n - 1 - j : j)]] : 0;
}

// rows, columns: as packed above. bottoms: per problem and direction, `slots` bottom rows used in turn (or as many as it
// has strips). middle: the last strip's bottom row. passed: per strip, the sum of its bottom differences left of the next
// strip's.
extern "C" __global__ void __launch_bounds__(32)
    bit_parallel(const long long* batch, int count, const unsigned* rows, const uint8_t* columns, unsigned* bottoms,
                 unsigned* middle, int* passed, unsigned* tickets, int symbols, int slots) {
    // The rows that equal a symbol: [symbol][lane][word], so that a lane reads its words at once.
    extern __shared__ __align__(16) unsigned equal_rows[];
    int lane = threadIdx.x;
    // The lane's words for byte `index` of four letters: their offset is 128 times the byte and the lane's own.
    auto equal_to = [&](unsigned four, int index) {
        unsigned offset = __dp4a(four, 128u << 8 * index, unsigned(sizeof(Words) * lane));
        return *reinterpret_cast<const Words*>(reinterpret_cast<const char*>(equal_rows) + offset);
    };
    unsigned ticket = lane == 0 ? atomicAdd(tickets, 1u) + 1 : 0;  // from ~0 on
    ticket = __shfl_sync(FULL_MASK, ticket, 0);
    const Problem* problems = reinterpret_cast<const Problem*>(batch);
    const Problem& problem = problems[find_problem(problems, count, &Problem::strips_before, ticket / 2)];
    Half half = half_of(problem, ticket % 2);
    int strip = int(ticket / 2 - problem.strips_before);
    slots = min(slots, half.strips);
    const Letters* letters = reinterpret_cast<const Letters*>(columns) + half.first_chunk;
    unsigned* own_bottoms = bottoms + problem.bottoms + (long long)half.direction * slots * half.chunks;
    unsigned* bottom = own_bottoms + (long long)(strip % slots) * half.chunks;
    unsigned* above = own_bottoms + (long long)((strip + slots - 1) % slots) * half.chunks;

    unsigned plus[WORDS], minus[WORDS];
    for (int w = 0; w < WORDS; ++w) {
        // Rows before the first one keep vertical difference 0 and equal nothing: the top row's +1 passes down unchanged.
        int skipped = half.padding - ((strip * 32 + lane) * ROWS + 32 * w);
        plus[w] = skipped >= 32 ? 0 : ~0u << max(0, skipped);
        minus[w] = 0;
        const unsigned* plane = rows + (half.first_strip + strip) * PLANES * (STRIP / 32) + lane * WORDS + w;
        for (int symbol = 0; symbol < symbols; ++symbol) {
            unsigned equal = plus[w];
            for (int p = 0; p < PLANES; ++p)
                equal &= ~(plane[p * (STRIP / 32)] ^ -(symbol >> p & 1));
            equal_rows[(symbol * 32 + lane) * WORDS + w] = equal;
        }
    }

    int first = begin_of(half, strip), last = end_of(half, strip);
    int written = strip > 0 ? end_of(half, strip - 1) : 0;  // where the row above ends
    bool final = strip == half.strips - 1;
    int next_first = final ? first : begin_of(half, strip + 1);
    unsigned* below = final ? middle + half.first_chunk : bottom;
    above += first;
    unsigned incoming = lane == 0 && first < last ? load(above) : 0;
    unsigned outgoing = 0;
    Letters ahead = {};  // a chunk's letters, loaded while the one before is computed
    if (first < last) ahead = letters[first];
    int sum = 0, steps = first < last ? last - first + 31 : 0;

    // All lanes go the same way: to part and to meet again costs more than what a lane outside its chunks computes.
    for (int step = 0; step < steps; ++step) {
        int chunk = first + step - lane, top = first + step, lowest = top - 31;  // of this lane, of lanes 0 and 31
        // What earlier loads have brought is used before the next ones are issued: the wait for a register may be one
        // for all loads that are under way.
        Letters letter = ahead;
        Words equal = equal_to(letter.word[0], 0);
        unsigned differences = __shfl_up_sync(FULL_MASK, outgoing, 1);
        while (__any_sync(FULL_MASK, top < written && incoming == UNWRITTEN))
            if (lane == 0) incoming = load(above);
        if (lane == 0) {
            differences = top < written ? incoming : 0xFFFF0000u;
            if (top < written) __stcg(above, UNWRITTEN);  // for the strip that uses the row next
            above += top + 1 < written;                   // where there is no more, its last word again, for nothing
            incoming = load(above);
        }
        ahead = letters[max(first, min(chunk + 1, last - 1))];
        unsigned out_plus = 0, out_minus = 0, plus_before[WORDS], minus_before[WORDS];
        for (int w = 0; w < WORDS; ++w) {
            plus_before[w] = plus[w];
            minus_before[w] = minus[w];
        }
#pragma unroll
        for (int column = 0; column < CHUNK; ++column) {
            if (column > 0) equal = equal_to(letter.word[column / 4], column % 4);
            equal.word[0] |= differences >> (15 - column) & 1;
            unsigned carried[WORDS];
            for (int w = 0; w < WORDS; ++w) carried[w] = equal.word[w] & plus[w];
            add(carried, plus);
            unsigned below_plus = differences << column, below_minus = differences << (16 + column);
            for (int w = 0; w < WORDS; ++w) {
                // diagonal: where the value is that of the cell above left.
                unsigned diagonal = (carried[w] ^ plus[w]) | (equal.word[w] | minus[w]);
                unsigned up = minus[w] | ~(diagonal | plus[w]), down = plus[w] & diagonal;
                unsigned up_moved = __funnelshift_l(below_plus, up, 1), down_moved = __funnelshift_l(below_minus, down, 1);
                below_plus = up;
                below_minus = down;
                plus[w] = down_moved | ~(diagonal | up_moved);
                minus[w] = up_moved & diagonal;
            }
            out_plus = __funnelshift_l(below_plus, out_plus, 1);
            out_minus = __funnelshift_l(below_minus, out_minus, 1);
        }
        outgoing = out_plus << (32 - CHUNK) | out_minus << (16 - CHUNK);
        if (chunk < first || chunk >= last)
            for (int w = 0; w < WORDS; ++w) {
                plus[w] = plus_before[w];
                minus[w] = minus_before[w];
            }
        if (lowest < first) continue;
        if (lowest < next_first) sum += __popc(out_plus) - __popc(out_minus);
        else if (lane == 31) __stcg(below + lowest, outgoing);
    }
    if (lane == 31) passed[half.first_strip + strip] = sum;
}

// The values of a problem's middle row are kept at the first column of each chunk, one more than there are chunks.
__device__ __forceinline__ long long first_value(const Half& half, int problem) {
    return half.first_chunk + 2 * problem + half.direction;
}

// Sums the middle row's differences up; one block for each problem and direction.
extern "C" __global__ void middle_values(const long long* batch, const unsigned* middle, const int* passed,
                                         int* values) {
    extern __shared__ int sums[];
    int thread = threadIdx.x, threads = blockDim.x;
    Half half = half_of(reinterpret_cast<const Problem*>(batch)[blockIdx.x / 2], blockIdx.x % 2);
    int first = begin_of(half, half.strips - 1), last = end_of(half, half.strips - 1);
    values += first_value(half, blockIdx.x / 2);

    auto inclusive_scan = [&](int value) {
        sums[thread] = value;
        __syncthreads();
        for (int distance = 1; distance < threads; distance *= 2) {
            int other = thread >= distance ? sums[thread - distance] : 0;
            __syncthreads();
            sums[thread] += other;
            __syncthreads();
        }
        int result = sums[thread], total = sums[threads - 1];
        __syncthreads();
        return make_int2(result, total);
    };
    int part = 0;
    for (int strip = thread; strip < half.strips; strip += threads) part += passed[half.first_strip + strip];
    int base = half.rows + inclusive_scan(part).y;
    for (int start = first; start < last; start += threads) {
        int chunk = start + thread, change = 0;
        if (chunk < last) {
            unsigned word = middle[half.first_chunk + chunk];
            change = __popc(word >> 16) - __popc(word & 0xFFFF);
        }
        int2 scanned = inclusive_scan(change);
        if (chunk < last) values[chunk] = base + scanned.x - change;
        base += scanned.y;
    }
    if (thread == 0) values[last] = base;
}

__device__ int value_at(const unsigned* middle, const int* values, const Half& half, int problem, int column) {
    int value = values[first_value(half, problem) + column / CHUNK], rest = column % CHUNK;
    if (rest == 0) return value;
    unsigned word = middle[half.first_chunk + column / CHUNK];
    return value + __popc(word >> (32 - rest)) - __popc((word & 0xFFFF) >> (16 - rest));
}

// The cheapest crossing of each middle row, over the columns for which both directions have values: the cost in the
// upper half of a word, the column, the first one of equal cost, in the lower. blockIdx.x is the problem.
extern "C" __global__ void best_crossing(const long long* batch, const unsigned* middle, const int* values,
                                         unsigned long long* best) {
    const Problem& problem = reinterpret_cast<const Problem*>(batch)[blockIdx.x];
    Half forward = half_of(problem, 0), backward = half_of(problem, 1);
    int n = forward.n, final = forward.strips - 1;
    int begin = max(CHUNK * begin_of(forward, final), n - min(n, CHUNK * end_of(backward, final)));
    int end = min(min(n, CHUNK * end_of(forward, final)), n - CHUNK * begin_of(backward, final));
    for (long long x = blockIdx.y * blockDim.x + threadIdx.x; begin + x <= end; x += gridDim.y * blockDim.x) {
        int column = begin + int(x);
        int cost = value_at(middle, values, forward, blockIdx.x, column) +
                   value_at(middle, values, backward, blockIdx.x, n - column);
        atomicMin(best + blockIdx.x, (unsigned long long)cost << 32 | unsigned(column));
    }
}

// The cost of the part above the middle row, for the crossing found.
extern "C" __global__ void cost_above(const long long* batch, int count, const unsigned* middle, const int* values,
                                      const unsigned long long* best, unsigned long long* above) {
    int problem = blockIdx.x * blockDim.x + threadIdx.x;
    if (problem >= count) return;
    Half forward = half_of(reinterpret_cast<const Problem*>(batch)[problem], 0);
    above[problem] = (unsigned long long)value_at(middle, values, forward, problem, int(best[problem] & 0xFFFFFFFFu));
}

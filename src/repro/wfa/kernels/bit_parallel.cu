// Banded bit-parallel edit distance (Myers 1999, Hyyro 2003), from both ends of the matrix to its middle row.
//
// One warp computes a strip of 1,024 WORDS columns as a systolic array. A lane holds the horizontal differences of its
// columns, where +1 and where -1 stand, in WORDS words each; LAG rows behind the lane to its left, it takes from it their
// letters and the vertical differences that it leaves in its last column, of two rows at a time: a word of four bytes, all
// ones or 0, that say where the first and the second row have +1 and where -1. They are asked for two rows before they
// are needed. Of CHUNK rows a bit of each byte, of the first two rows lowest, goes from the right border of a strip to
// the next strip, through global memory. A word nobody has written is all ones, which cannot be, so the data are their
// own flag; strips take their numbers in the order in which they start, so what a strip waits for is always running or
// done.
//
// Outside the band stand upper bounds: along its upper edge, and down a strip's left border below the lower edge of the
// strip before, every difference is +1. So each value is the cost of some path.

#include "halves.cuh"
#include "signs.cuh"

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

constexpr int LAG = 4;               // the letters of a word
constexpr int GROUPS = CHUNK / LAG;  // of LAG rows
constexpr int PAIRS = LAG / 2;       // of a group
constexpr unsigned LOWEST_BITS = 0x01010101, PLUS = 0x0000FFFF;
constexpr int BEHIND = 31 / GROUPS;  // chunks that the last lane is behind the first, rounded down
struct __align__(4 * WORDS) Words {
    unsigned word[WORDS];
};
struct __align__(CHUNK) Letters {
    unsigned word[GROUPS];
};
constexpr unsigned UNWRITTEN = ~0u;

// Which lanes are outside their strip's rows: none, some that have not begun, or some that are done as well.
enum class Outside { NONE, ABOVE, ALSO_BELOW };
template <Outside VALUE>
struct Lanes {
    static constexpr Outside value = VALUE;
};

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

// What the strips start from, by blockIdx.y. columns: bit planes of the columns of every strip, PLANES x STRIP / 32 words
// each, first column lowest. rows: the codes of the rows times WORDS, a byte each, CHUNK to a chunk. unwritten: words
// that nobody has written.
extern "C" __global__ void prepare(const long long* batch, int count, const uint8_t* P, const uint8_t* T,
                                   const unsigned* code_of, unsigned* columns, unsigned* rows, unsigned* unwritten,
                                   int strips, int chunks, long long words) {
    const Problem* problems = reinterpret_cast<const Problem*>(batch);
    long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x, threads = (long long)gridDim.x * blockDim.x;
    if (blockIdx.y == 0) {
        long long word = thread / 32, strip = word / (STRIP / 32);
        if (strip >= strips) return;
        const Problem& problem = problems[find_problem(problems, count, &Problem::strips_before, strip / 2)];
        Half half = half_of(problem, strip - 2 * problem.strips_before >= problem.strips);
        long long j = thread - half.first_strip * STRIP;
        unsigned code = j < half.n ? code_of[T[problem.column + (half.direction ? half.n - 1 - j : j)]] : 0;
        for (int p = 0; p < PLANES; ++p) {
            unsigned plane = __ballot_sync(FULL_MASK, code >> p & 1);
            if (threadIdx.x % 32 == 0) columns[(strip * PLANES + p) * (STRIP / 32) + word % (STRIP / 32)] = plane;
        }
    } else if (blockIdx.y == 1) {
        long long chunk = thread / CHUNK;
        if (chunk >= chunks) return;
        const Problem& problem = problems[find_problem(problems, count, &Problem::chunks_before, chunk / 2)];
        Half half = half_of(problem, chunk - 2 * problem.chunks_before >= problem.chunks);
        long long i = thread - half.first_chunk * CHUNK;
        reinterpret_cast<uint8_t*>(rows)[thread] =
            i < half.rows ? WORDS * code_of[P[problem.row + (half.direction ? problem.rows - 1 - i : i)]] : 0;
    } else {
        for (; thread < words; thread += threads) unwritten[thread] = UNWRITTEN;
    }
}

// rows, columns: as above. order: which strip begins next, in each direction, where there are several problems: the first
// ones of all problems, then the second ones, for a problem's strips would be resident long before they can compute.
// unwritten: one less than the next strip's place in that order; then, per problem and direction, `slots` right borders
// used in turn (or as many as it has strips). ends: of each word of columns, the differences in the last row of its
// strip, +1 and then -1. passed: per strip, the sum of its right border's differences above the next strip's first row.
extern "C" __global__ void __launch_bounds__(32)
    bit_parallel(const long long* batch, int count, const unsigned* columns, const unsigned* rows, const int* order,
                 unsigned* unwritten, unsigned* ends, int* passed, int symbols, int slots) {
    // The columns that equal a symbol: [symbol][lane][word], so that a lane reads its words at once.
    extern __shared__ __align__(16) unsigned equal_columns[];
    int lane = threadIdx.x;
    // The lane's words for byte `index` of four letters: their offset is 128 times the byte and the lane's own.
    auto equal_to = [&](unsigned four, int index) {
        unsigned offset = __dp4a(four, 128u << 8 * index, unsigned(sizeof(Words) * lane));
        return *reinterpret_cast<const Words*>(reinterpret_cast<const char*>(equal_columns) + offset);
    };
    unsigned ticket = lane == 0 ? atomicAdd(unwritten, 1u) + 1 : 0;
    ticket = __shfl_sync(FULL_MASK, ticket, 0);
    const Problem* problems = reinterpret_cast<const Problem*>(batch);
    long long begun = count > 1 ? order[ticket / 2] : ticket / 2;
    const Problem& problem = problems[find_problem(problems, count, &Problem::strips_before, begun)];
    Half half = half_of(problem, ticket % 2);
    int strip = int(begun - problem.strips_before);
    slots = min(slots, half.strips);
    const Letters* chunks = reinterpret_cast<const Letters*>(rows) + half.first_chunk;
    unsigned* own_borders = unwritten + 1 + problem.borders + (long long)half.direction * slots * half.chunks;
    unsigned* right = own_borders + (long long)(strip % slots) * half.chunks;
    unsigned* left = own_borders + (long long)((strip + slots - 1) % slots) * half.chunks;

    unsigned plus[WORDS], minus[WORDS];
    for (int w = 0; w < WORDS; ++w) {
        plus[w] = ~0u;
        minus[w] = 0;
        const unsigned* plane = columns + (half.first_strip + strip) * PLANES * (STRIP / 32) + lane * WORDS + w;
        for (int symbol = 0; symbol < symbols; ++symbol) {
            unsigned equal = ~0u;
            for (int p = 0; p < PLANES; ++p)
                equal &= ~(plane[p * (STRIP / 32)] ^ -(symbol >> p & 1));
            equal_columns[(symbol * 32 + lane) * WORDS + w] = equal;
        }
    }

    // In chunks; the last one may end before CHUNK rows.
    int first_row = begin_of(half, strip), end_row = end_of(half, strip);
    int first = first_row / CHUNK, full = end_row / CHUNK, last = (end_row + CHUNK - 1) / CHUNK;
    int written = strip > 0 ? (end_of(half, strip - 1) + CHUNK - 1) / CHUNK : 0;  // where the border to the left ends
    int next_first = strip + 1 < half.strips ? begin_of(half, strip + 1) / CHUNK : last;
    left += first;
    unsigned incoming = first < last ? load(left) : 0;  // by all lanes, so that none has to tell the others
    Letters now = {}, next = {}, ahead = {};  // of this chunk, of the next one, and of the one after it, being loaded
    if (first < last) {
        next = chunks[first];
        ahead = chunks[min(first + 1, last - 1)];
    }
    unsigned letters = next.word[0], outgoing = 0, received[PAIRS] = {};
    Words equal = equal_to(letters, 0);
    int sum = 0;

    // All lanes go the same way: to part and to meet again costs more than what a lane outside its rows computes.
    auto compute = [&](int top, auto some_lanes) {
        constexpr Outside OUTSIDE = decltype(some_lanes)::value;
        int lowest = top - 30 / GROUPS - 1;  // the chunk that lane 31 completes while lane 0 computes chunk `top`
        // What earlier loads have brought is used before the next ones are issued: the wait for a register may be one
        // for all loads that are under way.
        now = next;
        next = ahead;
        while (top < written && incoming == UNWRITTEN) incoming = load(left);
        unsigned given = top < written ? incoming : PLUS, *taken = left;
        left += top + 1 < written;  // where there is no more, its last word again, for nothing
        incoming = load(left);
        ahead = chunks[min(top + 2, last - 1)];
#pragma unroll
        for (int group = 0; group < GROUPS; ++group) {
            unsigned current = letters, plus_before[WORDS], minus_before[WORDS];
            letters = __shfl_up_sync(FULL_MASK, letters, 1);
            // For the strip that uses the border next; all lanes have read it.
            if (group == 0 && lane == 0 && top < written) __stcg(taken, UNWRITTEN);
            if (lane == 0) letters = group + 1 < GROUPS ? now.word[(group + 1) % GROUPS] : next.word[0];
            int place = GROUPS * top + group - lane;  // in groups of rows
            unsigned differences = 0, up[2] = {}, down[2] = {};  // on the left; of the lane's last word in two rows
#pragma unroll
            for (int row = 0; row < LAG; ++row) {
                int pair = row / 2, second = row % 2;
                if (row == 0 || OUTSIDE == Outside::ALSO_BELOW)
                    for (int w = 0; w < WORDS; ++w) {
                        plus_before[w] = plus[w];
                        minus_before[w] = minus[w];
                    }
                if (!second) {
                    differences = received[pair];
                    if (lane == 0) differences = signs<0, 1, 2, 3>(given << (7 - PAIRS * group - pair), 0);
                }
                Words following = row + 1 < LAG ? equal_to(current, row + 1) : equal_to(letters, 0);
                unsigned left_plus = chosen(differences, second), left_minus = chosen(differences, 2 + second);
                equal.word[0] |= left_minus;
                unsigned carried[WORDS];
                for (int w = 0; w < WORDS; ++w) carried[w] = equal.word[w] & plus[w];
                add(carried, plus);
                for (int w = 0; w < WORDS; ++w) {
                    // diagonal: where the value is that of the cell above left.
                    unsigned diagonal = (carried[w] ^ plus[w]) | (equal.word[w] | minus[w]);
                    unsigned up_before = up[second], down_before = down[second];
                    up[second] = minus[w] | ~(diagonal | plus[w]);
                    down[second] = plus[w] & diagonal;
                    unsigned up_moved = w ? __funnelshift_l(up_before, up[second], 1) : up[second] * 2 + left_plus;
                    unsigned down_moved =
                        w ? __funnelshift_l(down_before, down[second], 1) : down[second] * 2 + left_minus;
                    plus[w] = down_moved | ~(diagonal | up_moved);
                    minus[w] = up_moved & diagonal;
                }
                equal = following;
                if (OUTSIDE == Outside::ALSO_BELOW && (place < GROUPS * first || LAG * place + row >= end_row))
                    for (int w = 0; w < WORDS; ++w) {
                        plus[w] = plus_before[w];
                        minus[w] = minus_before[w];
                    }
                if (!second) continue;
                unsigned left = __byte_perm(signs<3, 7>(up[0], up[1]), signs<3, 7>(down[0], down[1]), 0x5410);
                received[pair] = __shfl_up_sync(FULL_MASK, left, 1);
                int place_in_chunk = (group - 31 % GROUPS + GROUPS) % GROUPS * PAIRS + pair;  // of lane 31
                unsigned bits = left & LOWEST_BITS << place_in_chunk;
                outgoing = place_in_chunk == 0 ? bits : outgoing | bits;
            }
            if (OUTSIDE == Outside::ABOVE && place < GROUPS * first)
                for (int w = 0; w < WORDS; ++w) {
                    plus[w] = plus_before[w];
                    minus[w] = minus_before[w];
                }
            if (group != 30 % GROUPS) continue;
            unsigned summed = lowest < next_first && (OUTSIDE == Outside::NONE || lowest >= first) ? outgoing : 0;
            if (OUTSIDE == Outside::ALSO_BELOW) {
                int rows = max(0, min(CHUNK, end_row - CHUNK * lowest));
                unsigned within = (1u << (rows + 1) / 2) - 1 | ((1u << rows / 2) - 1) << 8;
                summed &= within | within << 16;
            }
            sum += __popc(summed & PLUS) - __popc(summed & ~PLUS);
            if (lane == 31 && lowest >= next_first) __stcg(right + lowest, outgoing);
        }
    };
    int step = first, end = first < last ? last + 30 / GROUPS + 1 : first;
    for (; step < min(full, first + BEHIND + 1); ++step) compute(step, Lanes<Outside::ABOVE>{});
    for (; step < full; ++step) compute(step, Lanes<Outside::NONE>{});
    for (; step < end; ++step) compute(step, Lanes<Outside::ALSO_BELOW>{});
    if (lane == 31) passed[half.first_strip + strip] = sum;
    for (int w = 0; w < WORDS; ++w) {
        long long word = (half.first_strip + strip) * (STRIP / 32) + lane * WORDS + w;
        ends[2 * word] = plus[w];
        ends[2 * word + 1] = minus[w];
    }
}

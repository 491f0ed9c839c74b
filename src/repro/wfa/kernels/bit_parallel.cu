// Banded bit-parallel edit distance (Myers 1999, Hyyro 2003), from both ends of the matrix to its middle row.
//
// One warp computes a strip of 1,024 WORDS rows as a systolic array. A lane holds the vertical differences of its rows,
// where +1 and where -1 stand, in WORDS words each; CHUNK columns behind the lane above, it takes the horizontal
// differences that the lane above leaves in its bottom row: one word, the +1 of the chunk's columns in the upper half
// and the -1 in the lower, the first column highest. The bottom row of a strip goes to the next strip through global
// memory. A word nobody has written is all ones, which cannot be, so the data are their own flag; strips take their
// numbers in the order in which they start, so what a strip waits for is always running or done.
//
// Outside the band stand upper bounds: down its left edge, and along a strip's top row beyond the right edge of the
// strip above, every difference is +1. So each value is the cost of some path.

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
constexpr int CHUNK = 16;
struct __align__(4 * WORDS) Words {
    unsigned word[WORDS];
};
constexpr unsigned UNWRITTEN = ~0u;

// The chunks [first, last) that a strip computes: the band's diagonals low to high over its rows.
__device__ __forceinline__ int first_chunk(int strip, int padding, int low) {
    return max(0, max(0, strip * STRIP - padding) + low) / CHUNK;
}
__device__ __forceinline__ int last_chunk(int strip, int padding, int high, int n) {
    return (min(n, (strip + 1) * STRIP - padding + high) + CHUNK - 1) / CHUNK;
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

// Direction 0 goes from the start of both strings, 1 from their ends. rows: bit planes of the pattern's codes, PLANES x
// strips x STRIP / 32 words per direction. columns: a byte per code, CHUNK bytes per chunk. bottoms: `slots` bottom rows
// of `chunks` words per direction, used in turn. middle: the last strip's bottom row. passed: per strip, the sum of its
// bottom differences left of the next strip's.
extern "C" __global__ void __launch_bounds__(32)
    bit_parallel(const unsigned* rows, const unsigned* columns, unsigned* bottoms, unsigned* middle, int* passed,
                 unsigned* tickets, int strips, int slots, int symbols, int chunks, int n, int low, int high,
                 int padding0, int padding1) {
    // The rows that equal a symbol: [symbol][lane][word], so that a lane reads its words at once.
    extern __shared__ __align__(16) unsigned equal_rows[];
    int lane = threadIdx.x;
    unsigned ticket = lane == 0 ? atomicAdd(tickets, 1u) : 0;
    ticket = __shfl_sync(FULL_MASK, ticket, 0);
    int direction = ticket % 2, strip = ticket / 2;
    int padding = direction ? padding1 : padding0;
    const uint4* letters = reinterpret_cast<const uint4*>(columns) + (long long)direction * chunks;
    unsigned* bottom = bottoms + ((long long)direction * slots + strip % slots) * chunks;
    unsigned* above = bottoms + ((long long)direction * slots + (strip + slots - 1) % slots) * chunks;

    unsigned plus[WORDS], minus[WORDS];
    for (int w = 0; w < WORDS; ++w) {
        // Rows before the first one keep vertical difference 0 and equal nothing: the top row's +1 passes down unchanged.
        int skipped = padding - ((strip * 32 + lane) * ROWS + 32 * w);
        plus[w] = skipped >= 32 ? 0 : ~0u << max(0, skipped);
        minus[w] = 0;
        const unsigned* plane = rows + ((long long)direction * PLANES * strips + strip) * (STRIP / 32) + lane * WORDS + w;
        for (int symbol = 0; symbol < symbols; ++symbol) {
            unsigned equal = plus[w];
            for (int p = 0; p < PLANES; ++p)
                equal &= ~(plane[(long long)p * strips * (STRIP / 32)] ^ -(symbol >> p & 1));
            equal_rows[(symbol * 32 + lane) * WORDS + w] = equal;
        }
    }

    int first = first_chunk(strip, padding, low), last = last_chunk(strip, padding, high, n);
    int written = strip > 0 ? last_chunk(strip - 1, padding, high, n) : 0;  // where the row above ends
    bool final = strip == strips - 1;
    int next_first = final ? first : first_chunk(strip + 1, padding, low);
    unsigned incoming = lane == 0 && first < written ? load(above + first) : UNWRITTEN;
    unsigned outgoing = 0;
    uint4 ahead = first < last ? letters[first] : uint4();  // a chunk's letters, loaded while the one before is computed
    int sum = 0;

    for (int step = 0; step < last - first + 31; ++step) {
        int chunk = first + step - lane;
        unsigned differences = __shfl_up_sync(FULL_MASK, outgoing, 1);
        if (chunk < first || chunk >= last) continue;
        unsigned letter[CHUNK / 4] = {ahead.x, ahead.y, ahead.z, ahead.w};
        if (chunk + 1 < last) ahead = letters[chunk + 1];
        if (lane == 0) {
            differences = 0xFFFF0000u;
            if (chunk < written) {
                while (incoming == UNWRITTEN) incoming = load(above + chunk);
                differences = incoming;
                __stcg(above + chunk, UNWRITTEN);  // for the strip that uses the row next
                if (chunk + 1 < written) incoming = load(above + chunk + 1);
            }
        }
        unsigned in_plus = differences & 0xFFFF0000u, in_minus = differences << 16, out_plus = 0, out_minus = 0;
#pragma unroll
        for (int column = 0; column < CHUNK; ++column) {
            unsigned code = letter[column / 4] >> column % 4 * 8 & 0xFF;
            Words equal = reinterpret_cast<const Words*>(equal_rows)[code * 32 + lane];
            equal.word[0] |= in_minus >> 31;
            unsigned carried[WORDS];
            for (int w = 0; w < WORDS; ++w) carried[w] = equal.word[w] & plus[w];
            add(carried, plus);
            unsigned below_plus = in_plus, below_minus = in_minus;
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
            in_plus <<= 1;
            in_minus <<= 1;
        }
        outgoing = out_plus << 16 | out_minus;
        if (lane == 31) {
            if (final) middle[(long long)direction * chunks + chunk] = outgoing;
            else if (chunk < next_first) sum += __popc(out_plus) - __popc(out_minus);
            else __stcg(bottom + chunk, outgoing);
        }
    }
    if (lane == 31) passed[direction * strips + strip] = sum;
}

// values[c]: the matrix's value in the middle row at the first column of chunk c, for each direction; one block each.
extern "C" __global__ void middle_values(const unsigned* middle, const int* passed, int* values, int strips,
                                         int chunks, int n, int low, int high, int rows0, int rows1) {
    extern __shared__ int sums[];
    int direction = blockIdx.x, thread = threadIdx.x, threads = blockDim.x;
    int padding = strips * STRIP - (direction ? rows1 : rows0);
    int first = first_chunk(strips - 1, padding, low), last = last_chunk(strips - 1, padding, high, n);

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
    for (int strip = thread; strip < strips; strip += threads) part += passed[direction * strips + strip];
    int base = (direction ? rows1 : rows0) + inclusive_scan(part).y;
    for (int start = first; start < last; start += threads) {
        int chunk = start + thread, change = 0;
        if (chunk < last) {
            unsigned word = middle[(long long)direction * chunks + chunk];
            change = __popc(word >> 16) - __popc(word & 0xFFFF);
        }
        int2 scanned = inclusive_scan(change);
        if (chunk < last) values[direction * (chunks + 1) + chunk] = base + scanned.x - change;
        base += scanned.y;
    }
    if (thread == 0) values[direction * (chunks + 1) + last] = base;
}

__device__ int value_at(const unsigned* middle, const int* values, int column) {
    int value = values[column / CHUNK], rest = column % CHUNK;
    if (rest == 0) return value;
    unsigned word = middle[column / CHUNK];
    return value + __popc(word >> (32 - rest)) - __popc((word & 0xFFFF) >> (16 - rest));
}

// The best crossing of the middle row: over columns that both directions have values for.
extern "C" __global__ void best_crossing(const unsigned* middle, const int* values, int* distance, int strips,
                                         int chunks, int n, int low, int high, int rows0, int rows1) {
    int from[2], to[2];
    for (int direction = 0; direction < 2; ++direction) {
        int padding = strips * STRIP - (direction ? rows1 : rows0);
        from[direction] = CHUNK * first_chunk(strips - 1, padding, low);
        to[direction] = min(n, CHUNK * last_chunk(strips - 1, padding, high, n));
    }
    int begin = max(from[0], n - to[1]), end = min(to[0], n - from[1]);
    int column = begin + blockIdx.x * blockDim.x + threadIdx.x;
    if (column > end) return;
    int sum = value_at(middle, values, column) + value_at(middle + chunks, values + chunks + 1, n - column);
    atomicMin(distance, sum);
}

// Beyond the paper: two bits per element for the traceback instead of its score, in the renumbered order.
//
// With the gap penalty folded into the coordinates, G(i, j) = F(i, j) + d (i + j + 2), the recurrence is
//   G(i, j) = max(G(i-1, j-1) + s + 2 d, G(i-1, j), G(i, j-1)), with borders of 0 and no element below 0.
// A lane holds TILE columns of a strip and moves down it TILE rows at a time. The 16 predecessors of such a tile are
// one word, and the words are numbered as the paper numbers elements: tile (I, J) stands in row I + J, column J. The
// lanes of a warp are one tile apart, so each step of a warp writes one row of consecutive words.
//
// The fewer columns, the less memory, so the shorter sequence is given as b; if they were exchanged for that, EXCHANGED
// is true, and in a tie the element from the left, which was the one above, wins over the one above.
//
// A block is one warp and computes one strip, the next that nobody has begun: whatever order blocks run in, the strip
// to the left was begun earlier and does not wait for this one. Its last column comes through global memory, where it
// is its own flag: `edges` starts at NOT_YET, below every score.
constexpr int TILE = 4;
constexpr int CHUNK = 4;  // tiles whose edge is read together, while those of the chunk before are computed
constexpr int NOT_YET = -1;

extern "C" __global__ void reorder_compact_begin(int* edges, size_t words, int* next_strip) {
    size_t stride = size_t(gridDim.x) * blockDim.x, first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (size_t k = first; k < words; k += stride) edges[k] = NOT_YET;
    if (first == 0) *next_strip = 0;
}

// One word per lane: the edge of the strip to the left beside the tiles `first` to `first` + CHUNK - 1.
__device__ int read_edge(const int* edge, int first, int tile_rows) {
    int lane = threadIdx.x, row = first * TILE + lane;
    return edge && lane < CHUNK * TILE && row < tile_rows * TILE ? __ldcv(edge + row) : 0;
}

// a, b: letters, padded with anything to whole tiles and to whole strips. edges: the last column of each strip but the
// last, tile_rows x TILE scores each. predecessors: (tile_rows + pitch - 1) x pitch words. last_row: G(m - 1, j) for
// the columns j of the tile of column n - 1.
extern "C" __global__ void reorder_compact(const unsigned* a, const unsigned* b, int* edges, unsigned* predecessors,
                                           int* next_strip, int* last_row, int m, int n, int tile_rows, int pitch,
                                           int match, int mismatch, int gap) {
    int lane = threadIdx.x, strip = 0;
    if (lane == 0) strip = atomicAdd(next_strip, 1);
    strip = __shfl_sync(FULL_MASK, strip, 0);
    int J = strip * WARP_SIZE + lane;
    size_t edge_words = size_t(tile_rows) * TILE;
    const int* edge_in = strip == 0 ? nullptr : edges + (strip - 1) * edge_words;
    int* edge_out = lane < WARP_SIZE - 1 || strip == int(gridDim.x) - 1 ? nullptr : edges + strip * edge_words;
    unsigned* word_out = predecessors + size_t(strip) * WARP_SIZE * pitch + J;  // step by step, row I + J
    match += 2 * gap;
    mismatch += 2 * gap;

    unsigned column_letters[TILE];
    for (int column = 0; column < TILE; ++column) column_letters[column] = b[J] >> 8 * column & 0xFF;
    int above[TILE] = {}, right[TILE] = {}, corner = 0;
    unsigned next_letters = lane == 0 ? a[0] : 0;
    int edge = read_edge(edge_in, 0, tile_rows);

    for (int first = 0; first < tile_rows + WARP_SIZE - 1; first += CHUNK) {
        while (__any_sync(FULL_MASK, edge == NOT_YET)) {
            __nanosleep(20);
            edge = read_edge(edge_in, first, tile_rows);
        }
        int next_edge = read_edge(edge_in, first + CHUNK, tile_rows);
#pragma unroll
        for (int k = 0; k < CHUNK; ++k, word_out += pitch) {
            int I = first + k - lane;
            int left[TILE];
#pragma unroll
            for (int row = 0; row < TILE; ++row) {
                int passed = __shfl_up_sync(FULL_MASK, right[row], 1);
                int entering = __shfl_sync(FULL_MASK, edge, TILE * k + row);
                left[row] = lane == 0 ? entering : passed;
            }
            unsigned letters = next_letters;
            if (unsigned(I + 1) < unsigned(tile_rows)) next_letters = __ldg(a + I + 1);
            if (unsigned(I) >= unsigned(tile_rows)) continue;

            unsigned word = 0;
#pragma unroll
            for (int row = 0; row < TILE; ++row) {
                // Below the matrix the diagonal cannot win, so that row m - 1 is repeated to the end of its tile.
                bool inside = I * TILE + row < m;
                int equal = inside ? match : 0, unequal = inside ? mismatch : 0;
                unsigned row_letter = letters >> 8 * row & 0xFF;
                int diagonal = corner;
                corner = left[row];
#pragma unroll
                for (int column = 0; column < TILE; ++column) {
                    int up = above[column], &first = EXCHANGED ? left[row] : up, &second = EXCHANGED ? up : left[row];
                    int aligned = diagonal + (row_letter == column_letters[column] ? equal : unequal);
                    int best = max(aligned, first);
                    diagonal = up;
                    // Two bits, the sign bits of differences: the first beats the diagonal, the second beats both.
                    word = __funnelshift_l(unsigned(aligned - first), word, 1);
                    word = __funnelshift_l(unsigned(best - second), word, 1);
                    above[column] = left[row] = max(best, second);
                }
                right[row] = left[row];
            }
            *word_out = word;
            if (edge_out)
                __stcg(reinterpret_cast<int4*>(edge_out + I * TILE), make_int4(right[0], right[1], right[2], right[3]));
        }
        edge = next_edge;
    }
    if (J == (n - 1) / TILE)
        for (int column = 0; column < TILE; ++column) last_row[column] = above[column];
}

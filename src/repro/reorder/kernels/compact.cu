// Beyond the paper: two bits per element for the traceback instead of its score, in the renumbered order.
//
// With the gap penalty folded into the coordinates, G(i, j) = F(i, j) + d (i + j + 2), the recurrence is
//   G(i, j) = max(G(i-1, j-1) + s + 2 d, G(i-1, j), G(i, j-1)), with borders of 0 and no element below 0.
// A lane holds TILE columns of a strip and moves down it TILE rows at a time. The 16 predecessors of such a tile are one
// word, and the words are numbered as the paper numbers elements: tile (I, J) stands in row I + J, column J. The lanes of
// a warp are one tile apart, so each step of a warp writes one row of consecutive words.
//
// A block is one warp and computes one strip, the next that nobody has begun: whatever order blocks run in, the strip to
// the left was begun earlier and does not wait for this one. Its last column comes through global memory, where it is
// its own flag: `edges` starts at NOT_YET, below every score.
constexpr int TILE = 4;
constexpr int AHEAD = 4;  // how many tiles the edge is read ahead of its use
constexpr int NOT_YET = -1;

extern "C" __global__ void reorder_compact_begin(int* edges, size_t words, int* next_strip) {
    size_t stride = size_t(gridDim.x) * blockDim.x, first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (size_t k = first; k < words; k += stride) edges[k] = NOT_YET;
    if (first == 0) *next_strip = 0;
}

__device__ int4 read_edge(const int* edge) { return __ldcv(reinterpret_cast<const int4*>(edge)); }

__device__ bool arrived(int4 edge) { return min(min(edge.x, edge.y), min(edge.z, edge.w)) > NOT_YET; }

// a, b: letters, padded with anything to whole tiles and to whole strips. edges: the last column of each strip but the
// last, `tile_rows` x TILE scores each. predecessors: (tile_rows + pitch - 1) x pitch words. last_row: G(m - 1, j) for the
// tile's columns j around n - 1.
extern "C" __global__ void reorder_compact(const unsigned* a, const unsigned* b, int* edges, unsigned* predecessors,
                                           int* next_strip, int* last_row, int m, int n, int tile_rows, int pitch,
                                           int match, int mismatch, int gap) {
    int lane = threadIdx.x, strip = 0;
    if (lane == 0) strip = atomicAdd(next_strip, 1);
    strip = __shfl_sync(FULL_MASK, strip, 0);
    int J = strip * WARP_SIZE + lane;
    size_t edge = size_t(tile_rows) * TILE;
    const int* edge_in = strip == 0 ? nullptr : edges + (strip - 1) * edge;
    int* edge_out = strip == int(gridDim.x) - 1 ? nullptr : edges + strip * edge;
    match += 2 * gap;
    mismatch += 2 * gap;

    unsigned columns = b[J];
    int above[TILE] = {}, right[TILE] = {}, corner = 0;
    int4 ahead[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
        ahead[k] = make_int4(0, 0, 0, 0);
        if (lane == 0 && edge_in && k < tile_rows) ahead[k] = read_edge(edge_in + k * TILE);
    }

    for (int first = 0; first < tile_rows + WARP_SIZE - 1; first += AHEAD) {
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
            int step = first + k, I = step - lane;
            int left[TILE];
#pragma unroll
            for (int row = 0; row < TILE; ++row) left[row] = __shfl_up_sync(FULL_MASK, right[row], 1);
            if (lane == 0) {
                if (edge_in && step < tile_rows)
                    while (!arrived(ahead[k])) ahead[k] = read_edge(edge_in + size_t(step) * TILE);
                left[0] = ahead[k].x;
                left[1] = ahead[k].y;
                left[2] = ahead[k].z;
                left[3] = ahead[k].w;
                if (edge_in && step + AHEAD < tile_rows) ahead[k] = read_edge(edge_in + size_t(step + AHEAD) * TILE);
            }
            if (I < 0 || I >= tile_rows) continue;

            unsigned rows = a[I], word = 0;
            bool last_tile = I == (m - 1) / TILE && J == (n - 1) / TILE;
#pragma unroll
            for (int row = 0; row < TILE; ++row) {
                int diagonal = corner;
                corner = left[row];
#pragma unroll
                for (int column = 0; column < TILE; ++column) {
                    bool equal = (rows >> 8 * row & 0xFF) == (columns >> 8 * column & 0xFF);
                    int aligned = diagonal + (equal ? match : mismatch);
                    diagonal = above[column];
                    int best = max(aligned, above[column]);
                    // Bit 0: up beats diagonal; bit 1: left beats both. In case of a tie the traceback goes diagonally, else up.
                    if (above[column] > aligned) word |= 1u << 2 * (TILE * row + column);
                    if (left[row] > best) word |= 2u << 2 * (TILE * row + column);
                    above[column] = left[row] = max(best, left[row]);
                }
                right[row] = left[row];
                if (last_tile && row == (m - 1) % TILE)
                    *reinterpret_cast<int4*>(last_row) = make_int4(above[0], above[1], above[2], above[3]);
            }
            predecessors[size_t(I + J) * pitch + J] = word;
            if (lane == WARP_SIZE - 1 && edge_out)
                __stcg(reinterpret_cast<int4*>(edge_out + size_t(I) * TILE), make_int4(right[0], right[1], right[2], right[3]));
        }
    }
}

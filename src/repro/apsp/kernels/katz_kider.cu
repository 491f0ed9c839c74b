// Three phases per round in shared memory, one thread per vertex pair of a TILE x TILE block (Algorithms 16 to 18).
//
// d: n x n distances, n a multiple of TILE. p: n x n predecessors, used only where PREDECESSORS is set. primary: the
// round, which is the index of the primary block on the diagonal. negative: the smallest vertex found on a negative
// cycle so far; the phases after that do nothing.
constexpr int NONE = 0x7fffffff;

struct Tile {
    T d[TILE][TILE];
    int p[PREDECESSORS ? TILE : 1][TILE];
};

__device__ void load(Tile& tile, const T* d, const int* p, int n, int block_row, int block_column) {
    long long at = (long long)(block_row * TILE + threadIdx.y) * n + block_column * TILE + threadIdx.x;
    tile.d[threadIdx.y][threadIdx.x] = d[at];
    if (PREDECESSORS) tile.p[threadIdx.y][threadIdx.x] = p[at];
}

__device__ void store(const Tile& tile, T* d, int* p, int n, int block_row, int block_column) {
    long long at = (long long)(block_row * TILE + threadIdx.y) * n + block_column * TILE + threadIdx.x;
    d[at] = tile.d[threadIdx.y][threadIdx.x];
    if (PREDECESSORS) p[at] = tile.p[threadIdx.y][threadIdx.x];
}

// The loop of all three phases: paths from the rows of `left` to the columns of `right` through each of TILE vertices.
// Where `current` is `left` or `right` too, a step must be complete before the next one reads it.
__device__ void relax(Tile& current, const Tile& left, const Tile& right) {
    for (int i = 0; i < TILE; ++i) {
        __syncthreads();
        T through = left.d[threadIdx.y][i] + right.d[i][threadIdx.x];
        if (through < current.d[threadIdx.y][threadIdx.x]) {
            current.d[threadIdx.y][threadIdx.x] = through;
            if (PREDECESSORS) current.p[threadIdx.y][threadIdx.x] = right.p[i][threadIdx.x];
        }
    }
}

// Figures 4.2 and 4.3: 0 before the primary block, 1 from it on.
__device__ int skip_primary_block(int block, int primary) { return min((block + 1) / (primary + 1), 1); }

extern "C" __global__ void apsp_phase1(T* d, int* p, int* negative, int n, int primary) {
    __shared__ Tile block;
    if (*negative != NONE) return;
    load(block, d, p, n, primary, primary);
    relax(block, block, block);
    store(block, d, p, n, primary, primary);
    // The last vertex of a negative cycle lies in some primary block, and by then the cycle is on its diagonal.
    if (threadIdx.x == threadIdx.y && block.d[threadIdx.y][threadIdx.x] < 0)
        atomicMin(negative, primary * TILE + int(threadIdx.x));
}

extern "C" __global__ void apsp_phase2(T* d, int* p, const int* negative, int n, int primary) {
    __shared__ Tile primary_block, current;
    if (*negative != NONE) return;
    int other = blockIdx.x + skip_primary_block(blockIdx.x, primary);
    bool row = blockIdx.y == 0;
    int block_row = row ? primary : other, block_column = row ? other : primary;
    load(primary_block, d, p, n, primary, primary);
    load(current, d, p, n, block_row, block_column);
    if (row) relax(current, primary_block, current);
    else relax(current, current, primary_block);
    store(current, d, p, n, block_row, block_column);
}

extern "C" __global__ void apsp_phase3(T* d, int* p, const int* negative, int n, int primary) {
    __shared__ Tile column, row, current;
    if (*negative != NONE) return;
    int block_row = blockIdx.y + skip_primary_block(blockIdx.y, primary);
    int block_column = blockIdx.x + skip_primary_block(blockIdx.x, primary);
    load(column, d, p, n, block_row, primary);
    load(row, d, p, n, primary, block_column);
    load(current, d, p, n, block_row, block_column);
    relax(current, column, row);
    store(current, d, p, n, block_row, block_column);
}

// One launch per intermediate vertex k, the matrix in global memory, one thread per pair (after Harish and Narayanan).
//
// d: n x n distances. p: n x n predecessors, used only where PREDECESSORS is set. negative: the smallest vertex found on
// a negative cycle so far. When k is the last vertex of such a cycle, the cycle is already in d[k][k]: every vertex is
// looked at before it could make values grow without bound, and later launches do nothing.
extern "C" __global__ void apsp_naive(T* d, int* p, int* negative, int n, int k) {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n || *negative < k) return;
    long long row_i = (long long)i * n, row_k = (long long)k * n;
    if (d[row_k + k] < 0) {
        if (i == k && j == k) *negative = k;
        return;
    }
    // Row k and column k do not change while no cycle is negative: d[k][k] is 0.
    T through = d[row_i + k] + d[row_k + j];
    if (through < d[row_i + j]) {
        d[row_i + j] = through;
        if (PREDECESSORS) p[row_i + j] = p[row_k + j];
    }
}

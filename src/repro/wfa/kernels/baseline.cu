// Section 4.1.1: one thread per cell of the widest possible column, one launch per column.
//
// W(k, r) is the furthest radius, min(i, j), that r edits reach on diagonal k = j - i of the edit-distance matrix of
// P (length m) and T (length n). `previous` and `current` hold columns r - 1 and r, diagonal k at index k + m.
extern "C" __global__ void wfa_baseline(const uint8_t* P, const uint8_t* T, const int* previous, int* current, int m,
                                        int n, int r) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int k = row - m;
    if (row > m + n || k < -r || k > r) return;

    // Eq. (7), corrected: a step towards the main diagonal or along it adds one to the radius, one away from it does not.
    int radius = r == 0 ? 0 : -1;
    if (k > -r && k < r) radius = max(radius, previous[row] + 1);
    if (k < r - 1 && k < n) radius = max(radius, previous[row + 1] + (k >= 0));
    if (k > 1 - r && k > -m) radius = max(radius, previous[row - 1] + (k <= 0));

    // Eq. (8): extend along the diagonal while the letters are equal.
    int i = radius + max(0, -k), j = radius + max(0, k);
    while (i < m && j < n && P[i] == T[j]) {
        ++i;
        ++j;
    }
    current[row] = min(i, j);
}

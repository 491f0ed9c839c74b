// One cell of the wavefront pyramid. W(k, r) is the furthest radius, min(i, j), that r edits reach on diagonal
// k = j - i of the edit-distance matrix of P (length m) and T (length n); diagonal k lies at index k + m.

constexpr int UNREACHED = -(1 << 30);

// Eq. (7), corrected: a step towards the main diagonal or along it adds one to the radius, one away from it does not.
__device__ __forceinline__ int step(int k, int above, int same, int below) {
    return max(same + 1, max(above + (k >= 0), below + (k <= 0)));
}

// Eq. (8): extend along the diagonal while the letters are equal, four at a time, whose loads do not wait for each other.
__device__ __forceinline__ int extend(const uint8_t* P, const uint8_t* T, int m, int n, int k, int radius) {
    int i = radius + max(0, -k), j = radius + max(0, k), left = min(m - i, n - j), run = 0;
    for (; run + 4 <= left; run += 4) {
        unsigned unequal = 0;
#pragma unroll
        for (int letter = 0; letter < 4; ++letter)
            unequal |= unsigned(P[i + run + letter] != T[j + run + letter]) << letter;
        if (unequal) return radius + run + __ffs(unequal) - 1;
    }
    while (run < left && P[i + run] == T[j + run]) ++run;
    return radius + run;
}

// A cell from column r - 1, whose diagonals run from -min(r - 1, m) to min(r - 1, n).
__device__ __forceinline__ int cell(const uint8_t* P, const uint8_t* T, const int* previous, int m, int n, int r,
                                    int k) {
    if (r == 0) return extend(P, T, m, n, k, 0);
    const int* middle = previous + k + m;
    int above = k < r - 1 && k < n ? middle[1] : UNREACHED;
    int same = k > -r && k < r ? middle[0] : UNREACHED;
    int below = k > 1 - r && k > -m ? middle[-1] : UNREACHED;
    return extend(P, T, m, n, k, step(k, above, same, below));
}

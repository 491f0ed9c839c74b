// Letters packed: codes of BITS bits side by side, first letter highest. blockIdx.y says which string.

// Which of the 256 byte values occur. All that write a word write 1.
extern "C" __global__ void note_symbols(const uint8_t* P, int m, const uint8_t* T, int n, int* present) {
    __shared__ int seen[256];
    const uint8_t* letters = blockIdx.y ? T : P;
    int length = blockIdx.y ? n : m;
    for (int symbol = threadIdx.x; symbol < 256; symbol += blockDim.x) seen[symbol] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x)
        seen[letters[i]] = 1;
    __syncthreads();
    for (int symbol = threadIdx.x; symbol < 256; symbol += blockDim.x)
        if (seen[symbol]) present[symbol] = 1;
}

// Both strings, and both read backwards, one after the other; 0 beyond their ends.
extern "C" __global__ void pack_codes(const uint8_t* P, int m, const uint8_t* T, int n, const uint8_t* codes,
                                      unsigned* packed, int words_of_P, int words_of_T) {
    bool second = blockIdx.y % 2, backwards = blockIdx.y / 2;
    const uint8_t* letters = second ? T : P;
    int length = second ? n : m, word = blockIdx.x * blockDim.x + threadIdx.x;
    if (word >= (second ? words_of_T : words_of_P)) return;
    unsigned value = 0;
    for (int slot = 0; slot < 32 / BITS; ++slot) {
        long long x = word * (32ll / BITS) + slot;
        if (x < length) value |= unsigned(codes[letters[backwards ? length - 1 - x : x]]) << (32 - BITS - BITS * slot);
    }
    long long before = backwards ? (long long)words_of_P + words_of_T : 0;
    packed[before + (second ? words_of_P : 0) + word] = value;
}

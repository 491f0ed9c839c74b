// Letters packed: codes of BITS bits side by side, first letter lowest.

// Which of the 256 byte values occur. All that write a word write 1; volatile, because others read it meanwhile.
extern "C" __global__ void note_symbols(const uint8_t* letters, int length, volatile int* present) {
    __shared__ volatile int seen[256];
    for (int symbol = threadIdx.x; symbol < 256; symbol += blockDim.x) seen[symbol] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x)
        if (!seen[letters[i]]) seen[letters[i]] = 1;
    __syncthreads();
    for (int symbol = threadIdx.x; symbol < 256; symbol += blockDim.x)
        if (seen[symbol]) present[symbol] = 1;
}

// The string, or the string read backwards; 0 beyond its end.
extern "C" __global__ void pack_codes(const uint8_t* letters, int length, const uint8_t* codes, unsigned* packed,
                                      int words, bool backwards) {
    int word = blockIdx.x * blockDim.x + threadIdx.x;
    if (word >= words) return;
    unsigned value = 0;
    for (int slot = 0; slot < 32 / BITS; ++slot) {
        long long x = word * (32ll / BITS) + slot;
        if (x < length) value |= unsigned(codes[letters[backwards ? length - 1 - x : x]]) << BITS * slot;
    }
    packed[word] = value;
}

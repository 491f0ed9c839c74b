// Letters packed: as bit planes, plane p with bit p of each letter's code, 32 letters to a word; or as codes of BITS bits
// side by side, first letter lowest.

// Which of the 256 byte values occur.
extern "C" __global__ void note_symbols(const uint8_t* letters, int length, int* present) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x)
        if (!present[letters[i]]) present[letters[i]] = 1;
}

// Position x of the result is letter x - padding of the string, or of the string read backwards; outside it, code 0.
extern "C" __global__ void pack_planes(const uint8_t* letters, int length, const uint8_t* codes, unsigned* planes,
                                       int words, int padding, bool backwards) {
    int word = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (word >= words) return;
    long long x = word * 32ll + threadIdx.x % 32 - padding;
    bool inside = x >= 0 && x < length;
    int code = inside ? codes[letters[backwards ? length - 1 - x : x]] : 0;
    for (int p = 0; p < PLANES; ++p) {
        unsigned plane = __ballot_sync(FULL_MASK, code >> p & 1);
        if (threadIdx.x % 32 == 0) planes[(long long)p * words + word] = plane;
    }
}

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

// Letters renamed to the codes 0, 1, .. and packed: codes of BITS bits side by side, first letter highest.
#include "packed.cuh"

constexpr int SYMBOLS = 256;  // threads of a block, too

// symbols: zeros before; then the code of each of the 256 byte values that occur, how many occur, how many blocks have
// ended, and which byte values occur. All blocks note theirs, and the last one to end gives the codes. blockIdx.y says
// which string.
extern "C" __global__ void number_symbols(const uint8_t* P, int m, const uint8_t* T, int n, unsigned* symbols) {
    __shared__ int seen[SYMBOLS];
    __shared__ unsigned present[SYMBOLS / 32];
    __shared__ bool last;
    const uint8_t* letters = blockIdx.y ? T : P;
    int length = blockIdx.y ? n : m, thread = threadIdx.x;
    seen[thread] = 0;
    __syncthreads();
    for (int i = blockIdx.x * SYMBOLS + thread; i < length; i += gridDim.x * SYMBOLS) seen[letters[i]] = 1;
    __syncthreads();
    unsigned* noted = symbols + SYMBOLS + 2 + thread;
    if (seen[thread]) __stcg(noted, 1u);  // all that write it write 1
    __threadfence();
    __syncthreads();
    if (thread == 0) last = atomicAdd(symbols + SYMBOLS + 1, 1u) == gridDim.x * gridDim.y - 1;
    __syncthreads();
    if (!last) return;
    unsigned of_warp = __ballot_sync(FULL_MASK, __ldcv(noted) != 0);
    if (thread % 32 == 0) present[thread / 32] = of_warp;
    __syncthreads();
    unsigned code = __popc(of_warp & ((1u << thread % 32) - 1));
    for (int warp = 0; warp < thread / 32; ++warp) code += __popc(present[warp]);
    symbols[thread] = code;
    if (thread == SYMBOLS - 1) symbols[SYMBOLS] = code + (of_warp >> 31);
}

// Both strings, and both read backwards; 0 beyond their ends. blockIdx.y says which.
extern "C" __global__ void pack_codes(const uint8_t* P, int m, const uint8_t* T, int n, const unsigned* code_of,
                                      unsigned* packed) {
    bool second = blockIdx.y % 2, backwards = blockIdx.y / 2;
    const uint8_t* letters = second ? T : P;
    int length = second ? n : m, word = blockIdx.x * blockDim.x + threadIdx.x;
    if (word >= words_of(length)) return;
    unsigned value = 0;
    for (int slot = 0; slot < 32 / BITS; ++slot) {
        long long x = word * (32ll / BITS) + slot;
        if (x < length) value |= code_of[letters[backwards ? length - 1 - x : x]] << (32 - BITS - BITS * slot);
    }
    Strings strings = strings_of(packed, m, n, backwards);
    const_cast<unsigned*>(second ? strings.T : strings.P)[word] = value;
}

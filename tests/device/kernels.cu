// Small kernels, one for each thing a device must do.

extern "C" __global__ void add(const T* a, const T* b, T* sum, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) sum[i] = a[i] + b[i];
}

extern "C" __global__ void scale(float* values, float factor, bool negate, long long offset, uint8_t count) {
    if (threadIdx.x < count) values[threadIdx.x + offset] *= negate ? -factor : factor;
}

// Each block turns its 96 words round; without the barrier some thread reads what another has not written.
extern "C" __global__ void reverse_static(const int* input, int* output) {
    __shared__ int tile[96];
    int base = blockIdx.x * 96;
    tile[threadIdx.x] = input[base + threadIdx.x];
    if (BARRIER) __syncthreads();
    output[base + threadIdx.x] = tile[95 - threadIdx.x];
}

extern "C" __global__ void reverse_dynamic(const int* input, int* output) {
    extern __shared__ int tile[];
    int base = blockIdx.x * blockDim.x;
    tile[threadIdx.x] = input[base + threadIdx.x];
    __syncthreads();
    output[base + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// A chain through shared memory inside one warp: each step needs the neighbour's value of the step before.
extern "C" __global__ void warp_chain(int* output, int steps) {
    __shared__ int values[WARP_SIZE + 1];
    values[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) values[WARP_SIZE] = 1000;
    __syncwarp();
    for (int step = 0; step < steps; ++step) {
        int next = values[threadIdx.x + 1];
        __syncwarp();
        values[threadIdx.x] = next;
        if (WARP_BARRIER) __syncwarp();
    }
    output[threadIdx.x] = values[threadIdx.x];
}

extern "C" __global__ void shuffles(const int* input, int* output, int width) {
    int lane = threadIdx.x, value = input[lane], lanes = blockDim.x;
    output[lane] = __shfl_sync(FULL_MASK, value, 5, width);
    output[lanes + lane] = __shfl_up_sync(FULL_MASK, value, 3, width);
    output[2 * lanes + lane] = __shfl_down_sync(FULL_MASK, value, 3, width);
    output[3 * lanes + lane] = __shfl_xor_sync(FULL_MASK, value, 3, width);
}

extern "C" __global__ void wide_shuffle(const double* input, double* output) {
    output[threadIdx.x] = __shfl_sync(FULL_MASK, input[threadIdx.x], WARP_SIZE - 1 - threadIdx.x);
}

// Two halves of a warp, each with a mask and a number of steps of its own.
extern "C" __global__ void half_warps(int* output) {
    int lane = threadIdx.x, value = lane;
    WarpMask mask = lane < 16 ? 0xFFFFu : 0xFFFF0000u;
    for (int step = 0; step < (lane < 16 ? 3 : 5); ++step) value += __shfl_xor_sync(mask, value, 1);
    output[lane] = value;
}

extern "C" __global__ void votes(const int* input, WarpMask* output) {
    int bit = input[threadIdx.x];
    WarpMask* mine = output + threadIdx.x * 8;
    mine[0] = __ballot_sync(FULL_MASK, bit);
    mine[1] = __any_sync(FULL_MASK, bit);
    mine[2] = __all_sync(FULL_MASK, bit);
    mine[3] = __popc(__match_any_sync(FULL_MASK, bit));
    mine[4] = __syncthreads_count(bit);
    mine[5] = __syncthreads_or(bit);
    mine[6] = __syncthreads_and(bit);
    mine[7] = __reduce_max_sync(FULL_MASK, (unsigned)input[threadIdx.x] + threadIdx.x);
}

extern "C" __global__ void atomics(int* integers, unsigned long long* wide, float* real) {
    atomicAdd(&integers[0], 1);
    atomicMax(&integers[1], (int)(blockIdx.x * blockDim.x + threadIdx.x));
    atomicMin(&integers[2], -(int)threadIdx.x);
    atomicXor(&integers[3], 1 << threadIdx.x % 31);
    int seen = integers[4], expected;
    do {
        expected = seen;
        seen = atomicCAS(&integers[4], expected, expected + 2);
    } while (seen != expected);
    atomicAdd(wide, 1ull << 33);
    atomicAdd(real, 0.5f);
}

extern "C" __global__ void bits(const unsigned* x, const unsigned* y, int* output, int count) {
    int i = threadIdx.x;
    if (i >= count) return;
    output[i] = __popc(x[i]);
    output[count + i] = __clz((int)x[i]);
    output[2 * count + i] = __ffs((int)x[i]);
    output[3 * count + i] = (int)__brev(x[i]);
    output[4 * count + i] = (int)__funnelshift_l(x[i], y[i], 7);
    output[5 * count + i] = (int)__funnelshift_r(x[i], y[i], 39);
    output[6 * count + i] = (int)__funnelshift_lc(x[i], y[i], 40);
    output[7 * count + i] = (int)__byte_perm(x[i], y[i], 0xFA58);
    output[8 * count + i] = __popcll((unsigned long long)x[i] << 32 | y[i]);
}

// The last block to finish sums what all blocks wrote: __threadfence orders the partial sums before the ticket.
extern "C" __global__ void last_block_sums(const int* input, int* partial, unsigned* tickets, int* sum) {
    __shared__ bool last;
    int own = __reduce_add_sync(FULL_MASK, input[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = own;
        __threadfence();
        last = atomicInc(tickets, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int total = 0;
        for (unsigned b = 0; b < gridDim.x; ++b) total += ((volatile int*)partial)[b];
        *sum = total;
    }
}

// Each block waits for what the one before it writes; the ticket makes that a block that has begun earlier.
extern "C" __global__ void block_chain(int* words, unsigned* ticket) {
    unsigned own = atomicAdd(ticket, 1);
    int4 before = make_int4(0, 0, 0, 0);
    if (own > 0) do {
        __threadfence();  // else the compiler takes the load out of the loop
        before = __ldcv(reinterpret_cast<const int4*>(words) + own - 1);
    } while (min(min(before.x, before.y), min(before.z, before.w)) < 0);
    __stcg(reinterpret_cast<int4*>(words) + own, make_int4(before.x + 1, before.y + 2, before.z + 3, before.w + 4));
}

// One more than before; `word` is told from `least` on.
extern "C" __global__ void count_on(const int* before, int* after, int* word, int least) {
    int count = *before + 1;
    *after = count;
    if (count >= least) __stwt(word, count);
}

extern "C" __global__ void where(int* output) {
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    output[block * blockDim.x * blockDim.y * blockDim.z + thread] =
        threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x + 10000 * blockIdx.y + 100000 * blockIdx.z;
}

extern "C" __global__ void constants(double* output) {
    output[0] = sizeof(T);
    output[1] = WHOLE;
    output[2] = LARGE;
    output[3] = REAL;
    output[4] = SINGLE;
    output[5] = BARRIER;
    output[6] = WARP_SIZE;
}

extern "C" __global__ void unwritten(int* output) {
    __shared__ int tile[64];
    output[threadIdx.x] = tile[threadIdx.x];
}

// Planted races, and the same work with its order kept, to be run on the emulator alone.

extern "C" __global__ void between_warps(int* output) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (ORDERED) __syncthreads();
    output[threadIdx.x] = tile[63 - threadIdx.x];
}

extern "C" __global__ void within_a_warp(int* output) {
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    if (ORDERED) __syncwarp();
    output[threadIdx.x] = tile[31 - threadIdx.x];
}

// A shuffle exchanges registers; it does not order memory.
extern "C" __global__ void a_shuffle_orders_nothing(int* output) {
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    int other = __shfl_xor_sync(FULL_MASK, (int)threadIdx.x, 1);
    if (ORDERED) __syncwarp();
    output[threadIdx.x] = tile[other];
}

extern "C" __global__ void half_a_warp(int* output) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncwarp(ORDERED ? FULL_MASK : threadIdx.x < 16 ? 0xFFFFu : 0xFFFF0000u);
    output[threadIdx.x] = tile[threadIdx.x ^ 16];
}

extern "C" __global__ void read_then_written(int* output) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 7;
    __syncthreads();
    output[threadIdx.x] = total;
    if (ORDERED) __syncthreads();
    if (threadIdx.x == 40) total = 8;
}

extern "C" __global__ void between_blocks(int* output) {
    output[ORDERED ? blockIdx.x * 32 + threadIdx.x : threadIdx.x] = blockIdx.x + 1;
}

extern "C" __global__ void counter(int* output) {
    if (ORDERED) atomicAdd(&output[0], 1);
    else output[0] += 1;
}

extern "C" __global__ void atomic_and_plain(int* output) {
    atomicAdd(&output[0], 1);
    if (!ORDERED && threadIdx.x == 5) output[1] = output[0];
}

// The consumer must see the flag, and what was written before it: the producer's fence and the consumer's.
extern "C" __global__ void flag(volatile int* ready, int* output) {
    if (blockIdx.x == 0) {
        output[threadIdx.x] = threadIdx.x + 1;
        __syncthreads();
        if (threadIdx.x == 0) {
            if (ORDERED) __threadfence();
            *ready = 1;
        }
    } else {
        if (threadIdx.x == 0) {
            while (*ready == 0) __nanosleep(20);
            __threadfence();
        }
        __syncthreads();
        output[blockDim.x + threadIdx.x] = output[threadIdx.x];
    }
}

extern "C" __global__ void neighbouring_bytes(uint8_t* output) {
    output[ORDERED ? threadIdx.x : threadIdx.x / 2] = threadIdx.x;
}

// All say the same: harmless.
extern "C" __global__ void same_value(int* output) {
    if (threadIdx.x % 3 == 0) output[0] = ORDERED ? 1 : threadIdx.x;
}


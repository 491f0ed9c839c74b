// Planted memory faults and undefined behaviour, to be run on the emulator alone.

extern "C" __global__ void write_past_end(int* output, int count) {
    if (threadIdx.x <= count) output[threadIdx.x] = 1;
}

extern "C" __global__ void read_before(const int* input, int* output) {
    output[threadIdx.x] = input[(int)threadIdx.x - 1];
}

extern "C" __global__ void static_shared_write(int* output) {
    __shared__ int guard[8];
    __shared__ int tile[32];
    guard[threadIdx.x % 8] = 0;
    int* last = tile + threadIdx.x;
    last[1] = threadIdx.x;
    __syncthreads();
    output[threadIdx.x] = tile[0] + guard[0];
}

extern "C" __global__ void static_shared_read(int* output, int shift) {
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    output[threadIdx.x] = tile[threadIdx.x + shift];
}

extern "C" __global__ void dynamic_shared_write(int* output) {
    extern __shared__ int tile[];
    tile[2 * threadIdx.x] = 1;
    __syncthreads();
    output[threadIdx.x] = tile[0];
}

extern "C" __global__ void dynamic_shared_read(int* output, int far) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = 1;
    __syncthreads();
    output[threadIdx.x] = tile[(int)threadIdx.x - far];
}

extern "C" __global__ void misaligned_global(const float* input, float* output) {
    float4 four = *(const float4*)(input + threadIdx.x);
    output[threadIdx.x] = four.x + four.w;
}

extern "C" __global__ void misaligned_shared(int* output) {
    __shared__ __align__(16) unsigned char bytes[132];
    if (threadIdx.x < 16) bytes[threadIdx.x] = threadIdx.x;
    __syncthreads();
    *(int*)(bytes + 4 * threadIdx.x + 2 * (threadIdx.x == 5)) = 1;
    __syncthreads();
    output[threadIdx.x] = bytes[0];
}

extern "C" __global__ void local_array(int* output, int index) {
    int row[8];
    for (int i = 0; i < 8; ++i) row[i] = i;
    int* cell = row + index;
    *cell += threadIdx.x;
    output[threadIdx.x] = row[threadIdx.x % 8];
}

extern "C" __global__ void constant_table(int* output, int index) {
    static constexpr int table[4] = {1, 2, 3, 4};
    output[threadIdx.x] = table[index];
}

extern "C" __global__ void atomic_past_end(int* output, int count) { atomicAdd(&output[count], 1); }

extern "C" __global__ void null_pointer(int* output, size_t address) { output[0] = *(int*)address; }

extern "C" __global__ void sum_overflows(int* output, int large) { output[threadIdx.x] = large + (int)(threadIdx.x % 7) * large; }

extern "C" __global__ void shift_too_far(int* output, int by) { output[threadIdx.x] = 1 << by; }

// Access patterns whose traffic can be counted by hand.

extern "C" __global__ void copy_strided(const float* input, float* output, int stride, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    output[i] = input[i * stride + offset];
}

extern "C" __global__ void copy_bytes(const uint8_t* input, uint8_t* output) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    output[i] = input[i];
}

extern "C" __global__ void copy_whole_vectors(const float* input, float* output, int shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 value = ((const float4*)input)[i];
    value.x += value.w;
    ((float4*)output)[i + shift] = value;
}

// Tiles of 32 x 32 through shared memory, rows PITCH words apart: 32 words of a column in PITCH % 32 == 0 share a bank.
extern "C" __global__ void transpose(const float* input, float* output, int width, int height) {
    __shared__ float tile[32 * PITCH];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    for (int row = threadIdx.y; row < 32; row += blockDim.y) tile[row * PITCH + threadIdx.x] = input[(y + row) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32;
    for (int row = threadIdx.y; row < 32; row += blockDim.y) output[(y + row) * height + x] = tile[threadIdx.x * PITCH + row];
}

// Lanes leave the inner loop at different times and meet again at its end. Not unrolled: a copy of the loop's body for
// four rounds and one for what is left are two accesses where this text has one.
extern "C" __global__ void uneven(const int* input, int* output, int rounds) {
    int lane = threadIdx.x, sum = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll 1
        for (int i = 0; i < 1 + lane % 4; ++i) sum += input[(round * 4 + i) * 32 + lane];
        if ((lane + round) % 2) sum += input[lane + 32 * round];
    }
    output[lane] = sum;
}

extern "C" __global__ void histogram(const uint8_t* input, int* bins, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) atomicAdd(&bins[input[i]], 1);
}

// Kernels with planted faults, to be run on the emulator alone.

extern "C" __global__ void early_return(int* output) {
    if (threadIdx.x >= 40) return;
    __syncthreads();
    output[threadIdx.x] = 1;
}

extern "C" __global__ void two_barriers(int* output) {
    if (threadIdx.x < 32) {
        __syncthreads();
    } else {
        __syncthreads();
    }
    output[threadIdx.x] = 1;
}

extern "C" __global__ void missing_lane(int* output) {
    if (threadIdx.x != 7) output[threadIdx.x] = __shfl_sync(FULL_MASK, output[threadIdx.x], 0);
}

extern "C" __global__ void other_operation(int* output) {
    if (threadIdx.x < 16) output[threadIdx.x] = __shfl_sync(FULL_MASK, 1, 0);
    else output[threadIdx.x] = __any_sync(FULL_MASK, 1);
}

extern "C" __global__ void not_named(int* output) { output[threadIdx.x] = __shfl_sync(0x0000FFFFu, 1, 0); }

extern "C" __global__ void asserts(int* output) { assert(output[threadIdx.x] >= 0); }

extern "C" __global__ void traps(int* output) {
    if (output[0] != 0) __trap();
}

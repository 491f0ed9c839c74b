// Kernels that end a CUDA context, for a process of its own.

extern "C" __global__ void traps(int* output) {
    if (output[0] == 0) __trap();
}

extern "C" __global__ void writes_nowhere(size_t address) { *(int*)address = 1; }

extern "C" __global__ void tells_or_traps(int* word, int number) {
    if (number == 5) __trap();
    __stwt(word, number);
}

extern "C" __global__ void fills(int* output, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) output[i] = i;
}

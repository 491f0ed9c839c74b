// Blocks that wait for each other: for cooperative launches.
#include "waits.cuh"

// Each block adds what the block before it handed on, one after the other round the ring.
extern "C" __global__ void ring(unsigned* turn, int* sums, int rounds) {
    __shared__ int own[32];
    own[threadIdx.x] = blockIdx.x + 1;
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        unsigned mine = round * gridDim.x + blockIdx.x;
        if (threadIdx.x == 0)
            while (atomicAdd(turn, 0) != mine) __nanosleep(20);
        __syncthreads();
        sums[threadIdx.x] += own[threadIdx.x];
        own[threadIdx.x] += 1;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) atomicAdd(turn, 1);
    }
}

// All blocks meet `steps` times; each writes its neighbour's value of the step before.
extern "C" __global__ void grid_barrier(unsigned* arrived, volatile int* values, int steps) {
    int next = (blockIdx.x + 1) % gridDim.x;
    for (int step = 0; step < steps; ++step) {
        int value = values[(step % 2) * gridDim.x + next];
        values[((step + 1) % 2) * gridDim.x + blockIdx.x] = value + 1;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(arrived, 1);
            while (atomicAdd(arrived, 0) < gridDim.x * (step + 1)) __nanosleep(20);
        }
        __syncthreads();
    }
}

// Block 0 never sets the flag that the others wait for.
extern "C" __global__ void never_set(volatile int* flag, int* output) {
    if (blockIdx.x > 0 && threadIdx.x == 3)
        while (*flag == 0) __nanosleep(100);
    output[blockIdx.x] = 1;
}

// Lanes that ask each other while they wait: meetings are no progress.
extern "C" __global__ void never_agreed(volatile int* flag) {
    while (!__any_sync(FULL_MASK, *flag)) __nanosleep(100);
}

// A wait without a pause, by atomics or through volatile.
extern "C" __global__ void polls(int* flag, int* output) {
    if (blockIdx.x == 1) {
        if (VOLATILE)
            while (*(volatile int*)flag == 0) {}
        else
            while (atomicAdd(flag, 0) == 0) {}
    }
    output[blockIdx.x] = 1;
    __threadfence();
    if (blockIdx.x == 2 && ENDS) atomicExch(flag, 1);
}

// Lane 0 waits for a word and the others for lane 0.
extern "C" __global__ void hands_on(unsigned* words) {
    unsigned incoming = ~0u;
    if (threadIdx.x == 0)
        while (incoming == ~0u) incoming = load_again(words);
    incoming = __shfl_sync(FULL_MASK, incoming, 0);
    if (threadIdx.x == 31) words[1] = incoming + 1;
}

// Each block waits for the one that took the ticket before it, in an ordinary launch; every seventh takes its time.
extern "C" __global__ void tickets(unsigned* ticket, volatile unsigned* done, int* output) {
    unsigned own = atomicAdd(ticket, 1);
    unsigned value = own;
    if (own % 7 == 0)
        for (int i = 0; i < 300000; ++i) value = value * 1664525u + 1013904223u;
    output[own] = int(value);
    while (*done != own) __nanosleep(20);
    __threadfence();
    *done = own + 1;
}

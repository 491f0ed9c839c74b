// What a driver does, for machines without one. Copies: at once, and an error for addresses below 16.
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" int cuMemcpyHtoDAsync_v2(std::uintptr_t to, const void* from, std::size_t bytes, void*) {
    if (to < 16) return 700;
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return 0;
}

extern "C" int cuEventRecord(std::int64_t* event, void*) { return ++*event, 0; }

extern "C" int cuEventSynchronize(std::int64_t* event) { return *event < 0 ? 400 : 0; }

// Launches of a kernel that has a word and a number: if this is positive the word gets it at the second look at the
// stream, and else never; at the fourth look the kernel has ended, by the error that a negative number names.
struct Stream {
    int* word;
    std::int64_t number, looks;
};

extern "C" int cuLaunchKernel(void*, unsigned blocks, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                              Stream* stream, void** arguments, void**) {
    if (blocks == 0) return 1;
    *stream = {*static_cast<int**>(arguments[0]), *static_cast<int*>(arguments[1]), 0};
    return 0;
}

extern "C" int cuStreamQuery(Stream* stream) {
    ++stream->looks;
    if (stream->looks == 2 && stream->number > 0) *stream->word = int(stream->number);
    if (stream->looks < 4) return 600;
    return stream->number < 0 ? int(-stream->number) : 0;
}

extern "C" int cuStreamSynchronize(Stream* stream) {
    int status = 600;
    while (status == 600) status = cuStreamQuery(stream);
    return status;
}

extern "C" int cuMemcpyDtoHAsync_v2(void* to, std::uintptr_t from, std::size_t bytes, Stream* stream) {
    if (from < 16) return 700;
    cuStreamSynchronize(stream);
    std::memcpy(to, reinterpret_cast<void*>(from), bytes);
    return 0;
}

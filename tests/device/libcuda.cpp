// What a driver does of copies, for machines without one: at once, and an error for addresses below 16.
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

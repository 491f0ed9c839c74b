// Entries of four neighbouring columns, which a thread loads or stores at once.
#pragma once

template <class Entry>
struct alignas(4 * sizeof(Entry) < 16 ? 4 * sizeof(Entry) : 16) Quad {
    Entry entry[4];
};

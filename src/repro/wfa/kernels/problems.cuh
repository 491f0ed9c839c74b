// A batch of problems: substrings of P and T to be compared within a band each.

struct Place {
    long long row, rows, column, columns;  // where the substrings of P and T start, and how long they are
};

struct Problem : Place {
    long long low, high;                   // the band's diagonals
    long long strips, strips_before;       // of one direction; and of one direction of all problems before
    long long chunks, chunks_before;       // of CHUNK rows, likewise
    long long borders;                     // where the borders of the problem's strips start
};

// The last problem that has `index` or less before it in the given field.
__device__ __forceinline__ int find_problem(const Problem* problems, int count, long long Problem::*before,
                                            long long index) {
    int low = 0, high = count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (problems[middle].*before <= index) low = middle;
        else high = middle - 1;
    }
    return low;
}

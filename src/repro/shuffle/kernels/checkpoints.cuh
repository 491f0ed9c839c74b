// What the score pass keeps for the traceback, and where: the cells along the edges of blocks.
//
// A stripe is COLUMNS columns of the matrix, which one lane computes; its rows are cut into blocks of ROWS. Kept are the
// last column of every stripe and the state of a lane before every block, so that a block is computed again from its
// edges alone. Lane t of a stripe is in row k - t in step k, and a block is ROWS steps: those of neighbouring lanes are
// a row apart.
//
// T is the type of a score. Where it is 16 bits wide, a WORD holds two alignments, a unit, else one.
//
// Scores but local ones have the further letters of all gaps folded in, H'(i, j) = H(i, j) + extend (i + j), so that only
// a gap's first letter costs something, delta = open - extend, and a pair of letters scores s + 2 extend. Nothing below
// needs minus infinity: where E or F is outside the matrix, it opens a gap there, which changes no cell.
constexpr int COLUMNS = 16, ROWS = 16;
constexpr int HALVES = sizeof(T) == 2 ? 2 : 1;
constexpr int GLOBAL = 0, SEMI_GLOBAL = 1, LOCAL = 2;
constexpr int CODES = 5;     // of letters; one more for rows below the matrix
constexpr int TABLE = 8;     // scores in a row of the table

struct Unit {
    long long query[2], subject[2];  // where the letters start
    long long m[2], n[2];            // letters, at least one
    long long place;                 // where its words start
};

// Where the words of a unit lie, from its place on. Columns, by stripe and step, stand first.
struct Layout {
    int stripes, steps, blocks;
    long long plane, f_columns, h_rows, e_rows, bests, last_columns, last_rows;
    __device__ Layout(const Unit& unit) {
        stripes = (int(max(unit.n[0], unit.n[1])) + COLUMNS - 1) / COLUMNS;
        blocks = (int(max(unit.m[0], unit.m[1])) + LANES - 1 + ROWS - 1) / ROWS;
        steps = blocks * ROWS;
        plane = (long long)stripes * steps;
        f_columns = plane;
        h_rows = f_columns + (AFFINE ? plane : 0);
        e_rows = h_rows + plane;  // COLUMNS words for every ROWS steps: as many as of a column
        bests = e_rows + (AFFINE ? plane : 0);
        last_columns = bests;
        last_rows = last_columns + 2 * steps;
    }
    __device__ long long column(int stripe, int step) const { return (long long)stripe * steps + step; }
    __device__ long long row(int stripe, int block) const { return ((long long)stripe * blocks + block) * COLUMNS; }
};

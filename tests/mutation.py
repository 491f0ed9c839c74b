"""Change one constant of a kernel at a time and see whether a test fails: `make mutation SYSTEM=wfa`.

A mutant adds one to an integer literal of a file in src/repro/SYSTEM/kernels. Literals that only tune (unrolling,
launch bounds, alignment) and those listed in EQUIVALENT, each with its reason, are left out. The mutants are made in a
copy of the source, so the checkout is never touched; the exit status is 1 if any survives the system's fast tests,
which must pass without one.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SLOWER = 4  # than the slowest test without a mutant: then a kernel or a loop of the host no longer ends
LITERAL = re.compile(r"(?<![\w.\"])(0x[0-9A-Fa-f]+|\d+)(?=[uUlL]*\b)(?![\w.]*\.)")
NO_MEANING = re.compile(r"^\s*#|__launch_bounds__|static_assert|extern __shared__")
GPU_ALONE = re.compile(r"(^#ifdef REPRO_WARP_SIZE\b.*?)(^#el(?:se|if)\b.*?)(?=^#endif)", re.MULTILINE | re.DOTALL)

# Parts of lines whose constants may change without changing any result, and why, by system.
EQUIVALENT: dict[str, dict[str, str]] = {
    "wfa": {
        "1 << 30": "any value far below every row stands for a cell that is not reached",
        "return min(half.rows, max(0, strip * STRIP": "a first column of 1 instead of 0 lies in the same chunk",
        "int columns[2][2 * TILE + 1];": "room that nobody uses",
        "run + 4 <= left": "letters that are left are compared one by one",
        "letter < 4;": "a fifth letter is compared again",
        "other < 0 ?": "the centre is the same from both sides",
        "outgoing = 0, received[PAIRS]": "what lanes leave before their columns is not used",
        "differences = 0, up[2] = {}, down[2] = {};": "set before they are used; room that nobody uses",
        "PAIRS * group - pair), 0)": "no byte of it is chosen",
        "int THIRD = 0, int FOURTH = 0": "two bytes that nobody uses",
        "unsigned present[SYMBOLS / 32];": "the last word is not read; the sanitizer sees where it would be written",
        "__stcg(noted, 1u)": "any value but 0 tells",
        "seen[letters[i]] = 1;": "any value but 0 tells",
        "max(0, min(CHUNK, end_row": "chunks below the strip's rows are not summed",
        "if (thread == 0) last": "any one thread may do it",
        "if (thread % 32 == 0) present[": "all lanes have the word",
        "BEHIND = 31 / GROUPS;": "a step more of those at the edge changes nothing",
        "first + BEHIND + 1)": "a step more of those at the edge changes nothing",
        "30 / GROUPS": "the same chunk, rounded down",
        " / GROUPS + 1": "a step more of those at the edge changes nothing",
        "MOST = 512 * SECTOR;": "what is fetched first only tunes",
        "unsigned words = 0;": "what is fetched first only tunes",
        "if (passed < 0 ||": "what is fetched first only tunes",
        "range[1] + int((long long)passed * COLUMNS / (SPAN / 2)) + 32": "what is fetched first only tunes",
        "LETTERS + SPAN / 2;": "what is fetched first only tunes",
        "if (threadIdx.x == 0) met_before": "any one thread may do it",
        "if (group == 0 && lane == 0 && top < written)": "any lane may do it, after any of the shuffles",
        "if (threadIdx.x % 32 == 0) atomicMin(best": "all lanes have the least value",
        "if (threadIdx.x % 32 == 0) {": "all lanes have the least values",
        " : 0) | ": "nothing is shifted where there is one word",
        "else if (blockIdx.y == 1)": "either third of the blocks may do it",
        "((strip + 1) * STRIP": "rows below the band change nothing in it",
        "low + high + 1)": "a problem is found by halves of any size",
        "least_of_warp(row < 0 ? 0": "how far a window has come is at least 0, and only tunes",
        "least_of_warp(row_back < 0 ? 0": "how far a window has come is at least 0, and only tunes",
        "int began = blockIdx.y == 0 ? 0 : int(blockIdx.y) * stride + near / 2": "how far windows have come only tunes",
        " : i)]] : 0;": "rows beyond the half are not used",
        "if (x < 2) results[1 + 2 * blockIdx.y + x] = 0": "only tunes; the sanitizer sees what is then beyond",
        "int cells[2 * TILE * TILE];": "room that nobody uses",
        ": 2 * (column + COLUMNS) + 1;": "any value above those of this launch does",
        "stored = x >= 0": "the lowest diagonal is reached in the last column alone",
        "second = blockIdx.y % 2": "any two of the blocks may change places",
        "unsigned of_P[FURTHER + 1], of_T[FURTHER + 1];": "room that nobody uses",
        "compute_tile<(TILE <= 4)>": "how far a loop is unrolled only tunes",
        "away = offset < 0 ?": "the centre is the same from both sides",
        "LETTERS = 32 / BITS": "as many letters, rounded down",
        "return length / (32 / BITS) + 2;": "as many, rounded down; there is room for a word more of padding",
        "slot < 32 / BITS": "as many letters, rounded down",
        "(32ll / BITS)": "as many letters, rounded down",
        "note_range(ahead.row, range[0])": "what is fetched first only tunes",
        "note_range(back.row, range[1])": "what is fetched first only tunes",
        "atomicMax(range + 1": "what is fetched first only tunes",
        "int passed = range[1] - range[0];": "what is fetched first only tunes",
        "range[threadIdx.x / 2][threadIdx.x % 2] = threadIdx.x % 2 ? -1 :": "what is fetched first only tunes",
        "if (threadIdx.x < 4) range": "what is fetched first only tunes",
        "if (threadIdx.x < 2) range[threadIdx.x] = threadIdx.x ? -1": "what is fetched first only tunes",
        "int middle = first + int(blockIdx.x) * (SPAN - 2": "what is fetched first only tunes",
        "middle, range[0])": "what is fetched first only tunes",
        "middle, range[1])": "what is fetched first only tunes",
        "rows[0][0][position] = int(fetched)": "overwritten before it is read",
        "rows[0][position] = int(fetched)": "overwritten before it is read",
        "SECTOR = 8 * LETTERS": "what is fetched first only tunes",
        "i += 32 * WARPS * SECTOR": "what is fetched first only tunes",
        "max(0, min(i, m))": "what is fetched first only tunes",
        "max(0, min(i + k, n))": "what is fetched first only tunes",
        "if (threadIdx.x % 32 == 0) columns[": "all lanes have the plane",
        "incoming = first < last ? load(left) : 0;": "a strip without rows takes nothing",
        "if (thread == 0) values[words]": "any one thread may do it",
        "for (int apart = 16;": "17, 8, 4, 2 and 1 bring all lanes together as well",
        "first = max(0, half.rows + half.low) / 32;": "words left of the band are added up for nothing",
        "change = 0;": "words left of the band are added up last",
        "least = ~0ull;": "any value above every cost does",
        "range[0] - SPAN / 2 +": "what is fetched first only tunes",
        "row < 0 ? NOT_REACHED : row)": "what is fetched first only tunes",
        "COLUMNS + SPAN / 2 + lowest;": "what is fetched first only tunes",
        "lowest_of_block + SPAN / 2, range)": "what is fetched first only tunes",
        "__shared__ int rows[2]": "room that nobody uses",
        "__shared__ int rows[2][2]": "room that nobody uses",
        "__shared__ int range[2]": "room that nobody uses",
        "__shared__ int range[2][2]": "room that nobody uses",
        "if (step > 0)": "a step is 0 or EXCHANGE columns and more",
        "if (done > 0)": "as above",
        "done = 0; done < COLUMNS;": "the same rows exchanged once more change nothing",
        "rows[done / EXCHANGE % 2]": "the sanitizer sees what is then beyond the rows",
        "&& k == 0) *results": "any thread may do it: equal strings meet in the first launch, too",
        "skipped + (near - k) / 2": "where windows begin only tunes",
        "began - k / 2 - row)": "how far windows have come only tunes",
        "began - (n - m - k) / 2": "how far windows have come only tunes",
        "kept(max(0, limit))": "no cheapest path follows a diagonal that has no row",
        "; s < 2 * TILE": "a column after the last of a tile has no cells",
        "+ 1 : 0;": "all lanes are given the first one's",
        "+ 2 * problem +": "the sanitizer sees what is then beyond the values",
        " j)]] : 0;": "columns after the last change nothing in those before",
        "count > 1 ?": "the order in which strips begin only tunes",
    },
    "shuffle": {
        "1 << 30": "any value far below every score stands for an alignment that there is not",
        "offsets[index]), 0};": "what fills up in front is counted when the longest is known",
        "int current = 0, next = 0;": "letters are passed on before they are used",
        "unsigned entered = 0, entered_f = 0;": "read only where a stage has one on its left, and set there",
        "FIRST : 3 * FIRST;": "more than enough for nothing to be negative is enough, too",
    },
    "reorder": {
        "int up = 0, corner = 0, letter = 0;": "a thread beyond the last column computes nothing",
        "F[size_t(row) * n + column] : 0;": "an element below the matrix is never used",
        "up = -(column + 1) * gap;": "in the first row, no element is better from above than from the left",
        "if (first == 0)": "any one thread may do it",
        "int lane = threadIdx.x, strip = 0;": "the first lane's number is given to all",
        "next_letters = lane == 0 ? a[0] : 0;": "the other lanes read theirs before they use them",
        "__nanosleep(20);": "a pause only tunes",
        "constexpr int CHUNK = 4;": "how far the edge is read ahead only tunes",
        "unsigned word = 0;": "all bits of the word are shifted in",
        "constexpr int WINDOW = 64;": "the size of the window only tunes",
        "__shared__ int position[3]": "room that nobody uses",
        "if (threadIdx.x == 0)": "any one thread may do it",
    },
    "mgemm": {
        "Word tile[SIDE][SIDE + 1];": "padding only tunes",
        "Total parts[SIDE / 4][SIDE + 1]": "padding only tunes; the sanitizer sees what is then beyond shared memory",
        "if (slab + STAGES - 1 < slabs)": "the sanitizer sees what is then beyond the vectors",
        "return value < 0 ?": "of 0 either is 0",
        "byte < Precision(255)": "255 is stored either way",
        "for (int b = 0; b < 4; ++b)": "the sanitizer sees a shift by 32 bits",
        "wgmma_and_popc(d, 128": "the emulator's alone; nobody reads what is beyond 128 results",
        "unsigned a[2][M][4];": "room that nobody uses",
        "d < 4; ++d) {": "the sanitizer sees what is then beyond the array",
        "constexpr int V = 16 / sizeof(Word);": "17 bytes hold as many words",
        "AHEAD = STAGES - 2;": "how many stages wait in shared memory only tunes",
        "if (threadIdx.x == 0": "any one thread may do it",
        "&& lane == 0)": "any one lane may do it",
        "threadIdx.x / 32, 0)": "all lanes have the number of their warp",
        "Word a[2][R], b[2][C];": "room that nobody uses",
    },
    "apsp": {
        "Word(-1) > Word(0)": "any negative number tells whether a type is unsigned",
        "int p[PREDECESSORS ? TILE : 1][TILE];": "room that nobody uses",
        "changed = init == d ? 0 :": "a row written again with what it holds",
        "int UNROLL = R * C > 32 ? 1 : 2;": "how far a loop is unrolled only tunes",
        "using Square = Part<64, 64": "are divided by what is shared among threads, and rounded down",
        "struct alignas(N * sizeof(Word) < 16": "16 bytes are aligned to 16 either way",
        "constexpr int N = 16 / sizeof(Word);": "17 bytes hold as many words",
        "Part<16, COLUMNS>::G, N = G < 16 / sizeof(Word) ? G : 16 /": "as above; G is that of columns",
        "__shared__ Word row[2][64], column[2][64];": "room that nobody uses",
        "__shared__ int row_p[2][64];": "room that nobody uses",
        "__byte_perm(word, 0, lane": "no byte of it is chosen",
        "COLUMNS / 16 < 4 ?": "64 columns and more have 4 either way",
        "c < COLUMNS / 16; c += Part": "goes by fours, rounded down",
        "if (first > 0) __syncthreads": "a slab begins at 0 or at its length and more",
        "bool row = blockIdx.y == 0;": "either block may take the row",
        "block / 2, block % 2 == 0);": "either block may take the row",
        "q % 2 * Square::C * 16;": "the sanitizer sees what is then beyond shared memory",
        "*row = column + 2 * 64;": "the sanitizer sees what is then beyond shared memory",
    },
}


class Mutant(NamedTuple):
    """A literal of a kernel file: the line it stands on, counted from 1, and its place in that line."""

    path: Path
    line: int
    start: int
    end: int


def mutants(kernels: Path) -> list[Mutant]:
    """All literals of the kernels that mean something. Raises ValueError for an entry of EQUIVALENT that has none."""
    equivalent = EQUIVALENT.get(kernels.parent.name, {})
    named = set(equivalent)
    found = []
    for path in sorted([*kernels.glob("*.cu"), *kernels.glob("*.cuh")]):
        for number, line in enumerate(_compiled(path.read_text()).splitlines(), 1):
            code = line.split("//")[0]
            if NO_MEANING.search(code):
                continue
            spared = [range(code.find(part), code.find(part) + len(part)) for part in equivalent if part in code]
            named.difference_update(part for part in equivalent if part in code)
            for match in LITERAL.finditer(code):
                if not any(match.start(1) in part for part in spared):
                    found.append(Mutant(path, number, match.start(1), match.end(1)))
    if named:
        raise ValueError(f"EQUIVALENT names what is in no kernel: {', '.join(sorted(named))}")
    return found


def _compiled(text: str) -> str:
    """The text without what the GPU alone compiles, its lines in their places."""
    return GPU_ALONE.sub(lambda match: match[1] + "\n" * match[2].count("\n"), text)


class Trials:
    """The system's fast tests in a copy of the project: those that found mutants of a file first, then short ones."""

    def __init__(self, system: str, copy: Path) -> None:
        """Copy the project."""
        for part in ("src", "tests", "resources", "config", "pyproject.toml", "benchmarks"):
            source = ROOT / part
            (shutil.copytree if source.is_dir() else shutil.copy)(source, copy / part)
        self._system, self._copy = system, copy
        self._seconds: Counter[str] = Counter()  # of each test without a mutant
        self._found: defaultdict[Path, Counter[str]] = defaultdict(Counter)  # by file, how many by each test

    def pass_without(self) -> bool:
        """Whether the tests pass without a mutant; from now on it is known how long each takes."""
        passed, self._seconds = self._run([], 0)
        return passed

    def survives(self, mutant: Mutant) -> bool:
        """Whether the tests pass with a mutant, none of them taking SLOWER times the slowest."""
        target = self._copy / mutant.path.relative_to(ROOT)
        original = target.read_text()
        lines = original.splitlines(keepends=True)
        line = lines[mutant.line - 1]
        value = int(line[mutant.start : mutant.end], 0)
        lines[mutant.line - 1] = f"{line[: mutant.start]}{value + 1}{line[mutant.end :]}"
        target.write_text("".join(lines))
        found = self._found[mutant.path]
        order = sorted(self._seconds, key=lambda test: (-found[test], self._seconds[test]))
        try:
            passed, begun = self._run(order, SLOWER * max(self._seconds.values()))
        finally:
            target.write_text(original)
        if not passed and begun:
            found[list(begun)[-1]] += 1
        return passed

    def _run(self, order: Iterable[str], most_seconds: float) -> tuple[bool, Counter[str]]:
        """Run the tests up to the first that fails: whether all pass, and the seconds of those that began.

        most_seconds: of a test; one that takes longer ends the run. 0 is no limit.
        """
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "tests.mutation_order", f"tests/{self._system}"]
        command += ["-o", f"faulthandler_timeout={most_seconds}", "-o", "faulthandler_exit_on_timeout=true"]
        places = {"PYTHONPATH": "src", "REPRO_CACHE": "cache", "MUTATION_ORDER": "order", "MUTATION_LOG": "log"}
        environment = os.environ | {name: str(self._copy / place) for name, place in places.items()}
        (self._copy / "order").write_text("\n".join(order))
        log = self._copy / "log"
        log.write_text("")
        done = subprocess.run(command, cwd=self._copy, env=environment, capture_output=True, check=False)
        begun: Counter[str] = Counter()
        for line in log.read_text().splitlines():
            test, _, seconds = line.partition("\t")
            begun[test] += float(seconds or 0)
        return done.returncode == 0, begun


def main() -> int:
    """Try all mutants of a system, or a random sample of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("system")
    parser.add_argument("--sample", type=int, help="how many mutants to try; all without it")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    arguments = parser.parse_args()
    chosen = mutants(ROOT / "src" / "repro" / arguments.system / "kernels")
    if arguments.sample is not None:
        chosen = random.Random(arguments.seed).sample(chosen, min(arguments.sample, len(chosen)))
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(arguments.system, Path(folder))
        if not trials.pass_without():
            parser.error(f"tests/{arguments.system} fail without a mutant")
        for number, mutant in enumerate(chosen, 1):
            text = mutant.path.read_text().splitlines()[mutant.line - 1].strip()
            place = f"{mutant.path.name}:{mutant.line}:{mutant.start + 1}"
            alive = trials.survives(mutant)
            survivors += alive
            verdict = "SURVIVES" if alive else "found"
            print(f"{number}/{len(chosen)} {verdict} {place} {text}", flush=True)
    print(f"{len(chosen) - survivors} of {len(chosen)} mutants found")
    return survivors > 0


if __name__ == "__main__":
    sys.exit(main())

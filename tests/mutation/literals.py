"""The integers of a system's kernels whose change must make a test fail."""

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

LITERAL = re.compile(r"(?<![\w.\"])(0x[0-9A-Fa-f]+|\d+)(?=[uUlL]*\b)(?![\w.]*\.)")
NO_MEANING = re.compile(r"^\s*#|__launch_bounds__|static_assert|extern __shared__")
GPU_ALONE = re.compile(r"(^#ifdef REPRO_WARP_SIZE\b.*?)(^#el(?:se|if)\b.*?)(?=^#endif)", re.MULTILINE | re.DOTALL)


class Literal(NamedTuple):
    """An integer of a kernel file: the line it stands on, counted from 1, and its place in that line."""

    path: Path
    line: int
    start: int
    end: int

    @property
    def text(self) -> str:
        """Its line."""
        return self.path.read_text().splitlines()[self.line - 1]

    def __str__(self) -> str:
        """File, line and column, counted from 1."""
        return f"{self.path.name}:{self.line}:{self.start + 1}"


def literals(kernels: Path) -> list[Literal]:
    """All integers of the kernels that mean something. Raises ValueError for a part in equivalent.toml of none."""
    reasons = tomllib.loads(Path(__file__).with_name("equivalent.toml").read_text()).get(kernels.parent.name, {})
    equivalent = [part for parts in reasons.values() for part in parts]
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
                    found.append(Literal(path, number, match.start(1), match.end(1)))
    if named:
        raise ValueError(f"equivalent.toml names what is in no kernel: {', '.join(sorted(named))}")
    return found


def _compiled(text: str) -> str:
    """The text without what the GPU alone compiles, its lines in their places."""
    return GPU_ALONE.sub(lambda match: match[1] + "\n" * match[2].count("\n"), text)

"""CUDA source files: what a kernel's parameters are, and the constants that specialise it."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from repro.errors import DeviceError

Constant = bool | int | float | np.generic | type[np.generic]
Constants = Mapping[str, Constant]

C_TYPES: dict[str, np.dtype] = {
    name: np.dtype(kind)
    for name, kind in {
        "bool": "?",
        "char": "i1",
        "signed char": "i1",
        "unsigned char": "u1",
        "short": "i2",
        "unsigned short": "u2",
        "int": "i4",
        "unsigned": "u4",
        "unsigned int": "u4",
        "long long": "i8",
        "unsigned long long": "u8",
        "float": "f4",
        "double": "f8",
        "__half": "f2",
        "size_t": "u8",
        "int8_t": "i1",
        "uint8_t": "u1",
        "int16_t": "i2",
        "uint16_t": "u2",
        "int32_t": "i4",
        "uint32_t": "u4",
        "int64_t": "i8",
        "uint64_t": "u8",
    }.items()
}
C_NAMES = {
    np.dtype(name): spelling
    for name, spelling in [
        ("?", "bool"), ("i1", "signed char"), ("u1", "unsigned char"), ("i2", "short"), ("u2", "unsigned short"),
        ("i4", "int"), ("u4", "unsigned"), ("i8", "long long"), ("u8", "unsigned long long"), ("f2", "__half"),
        ("f4", "float"), ("f8", "double"),
    ]
}  # fmt: skip

DECLARATION = re.compile(r'extern "C" __global__ void (?:__launch_bounds__\([^)]*\)\s*)?(\w+)\(([^)]*)\)')


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel: `dtype` of the scalar, or of what the pointer points to."""

    name: str
    dtype: np.dtype
    pointer: bool


def c_type(constant: Constant) -> str:
    """The C++ type a constant is declared with: Python's bool, int and float are bool, int and double."""
    if isinstance(constant, bool):
        return "bool"
    if isinstance(constant, int):
        return "int" if -(2**31) <= constant < 2**31 else "long long"
    return "double" if isinstance(constant, float) else C_NAMES[np.dtype(type(constant))]


def declare(constants: Constants) -> str:
    """C++ declarations of the constants: values as `constexpr`, numpy scalar types as `using NAME = type`."""
    lines = []
    for name, constant in constants.items():
        if isinstance(constant, type):
            lines.append(f"using {name} = {C_NAMES[np.dtype(constant)]};")
            continue
        kind = c_type(constant)
        value = {"True": "true", "False": "false"}.get(str(constant), str(constant))
        literal = f"({kind})({value})" if kind in ("float", "double") else f"{kind.split()[-1]}({value})"
        lines.append(f"constexpr {kind} {name} = {literal if kind != 'long long' else value + 'll'};")
    return "\n".join(lines) + "\n"


class Source:
    """A .cu file with the local headers it includes.

    `label` is how messages call it: its path inside the package.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text()
        self.label = "/".join(path.parts[-3:])
        self.kernels: dict[str, str] = dict(DECLARATION.findall(self.text))
        if not self.kernels:
            raise DeviceError(f'{self.label}: no kernel found; declare it extern "C" __global__ void name(...)')

    def files(self) -> dict[Path, str]:
        """The text of the file and of every local header it includes, however deep."""
        found: dict[Path, str] = {}
        waiting = [self.path]
        while waiting:
            path = waiting.pop()
            if path in found:
                continue
            found[path] = text = path.read_text()
            waiting += [path.parent / name for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.MULTILINE)]
        return found

    def digest(self) -> str:
        """SHA-256 over the file and every local header."""
        return hashlib.sha256(
            "\0".join(f"{path.name}\0{text}" for path, text in self.files().items()).encode()
        ).hexdigest()

    def parameters(self, kernel: str, constants: Constants) -> list[Parameter]:
        """The kernel's parameters in order; type constants resolve names such as `T`."""
        types = C_TYPES | {name: np.dtype(value) for name, value in constants.items() if isinstance(value, type)}
        found = []
        for declaration in filter(None, (part.strip() for part in self.kernels[kernel].split(","))):
            words = re.sub(r"\b(const|__restrict__|volatile)\b", " ", declaration)
            parsed = re.fullmatch(r"\s*([\w\s]+?)\s*(\*?)\s*(\w+)\s*", words)
            if parsed is None or " ".join(parsed[1].split()) not in types:
                raise DeviceError(f"{self.label}: kernel {kernel}: parameter '{declaration}' has no known type")
            found.append(Parameter(parsed[3], types[" ".join(parsed[1].split())], bool(parsed[2])))
        return found


@cache
def load_source(path: Path) -> Source:
    """The source at `path`, read once per process."""
    return Source(path)

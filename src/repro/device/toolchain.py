"""The host compiler: how a kernel becomes a module of the emulator, plain or instrumented."""

import os
import platform
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from repro.device.cache import cached
from repro.device.source import Constants, Source, declare
from repro.errors import DeviceError, InputError

# sanitize: every access is checked against the arrays there are, and undefined behaviour is reported.
# races: conflicting accesses that nothing orders are reported. traffic: sectors, transactions, bank conflicts.
Instrument = Literal["none", "sanitize", "races", "traffic"]

HEADERS = Path(__file__).parent / "emulated_cuda"
BASE = (
    "-std=c++17 -fPIC -fvisibility=hidden -fno-exceptions -fno-rtti -fno-strict-aliasing -fno-plt -ffp-contract=off "
    "-Wall -Wno-unknown-pragmas -Wno-unused-function -Wno-unused-variable"
)
SANITIZE = (
    "-O1 -gdwarf-4 -fsanitize=kernel-address,undefined -fsanitize-sections=repro_shared "
    "-fasan-shadow-offset=0x7fff8000 --param=asan-stack=1 --param=asan-globals=1 "
    "--param=asan-instrumentation-with-call-threshold=0"
)
# Accesses stay as the kernel's author wrote them: not merged into wider ones, split, or made a call.
SEE_ACCESSES = (
    "-gdwarf-4 -fno-tree-vectorize -fno-tree-slp-vectorize -fno-store-merging -fno-tree-loop-distribute-patterns "
    "-fno-split-loops -fno-unswitch-loops -fsanitize=thread --param=tsan-distinguish-volatile=1 "
    "--param=tsan-instrument-func-entry-exit=0 -DREPRO_SEE_ACCESSES"
)
OPTIONS: dict[Instrument, str] = {
    "none": "-O3",
    "sanitize": SANITIZE,
    "races": SEE_ACCESSES,
    "traffic": f"{SEE_ACCESSES} -fsanitize-coverage=trace-pc -fno-reorder-blocks",
}
STACK_BYTES: dict[bool, int] = {False: 64 * 1024, True: 512 * 1024}


def chosen_instrument() -> Instrument:
    """What $REPRO_INSTRUMENT says, else "none". Raises InputError for another word."""
    given = os.environ.get("REPRO_INSTRUMENT") or "none"
    for known in get_args(Instrument):
        if given == known:
            return known  # type: ignore[no-any-return]
    raise InputError(f"REPRO_INSTRUMENT={given}: choose one of {', '.join(get_args(Instrument))}")


@cache
def compiler() -> tuple[str, str]:
    """The C++ compiler's command ($CXX, else g++, c++ or clang++) and its version line."""
    for command in filter(None, (os.environ.get("CXX"), "g++", "c++", "clang++")):
        if shutil.which(command):
            try:
                return command, _output([command, "--version"]).splitlines()[0]
            except (OSError, subprocess.CalledProcessError, IndexError):
                raise DeviceError(f"{command} --version fails: set CXX to a C++ compiler that works") from None
    raise DeviceError("no C++ compiler found: install g++ (Debian: apt install g++), or set CXX to one")


def emulated_text(source: Source, constants: Constants, warp_size: int) -> str:
    """The C++ text of a kernel file: constants, source, and an entry for each kernel.

    Dynamic shared memory is a pointer to the block's buffer, and volatile is a type whose reads let other threads go on
    from time to time; everything else compiles as it stands.
    """
    pattern = r"extern\s+__shared__\s+(?:__align__\(\d+\)\s+)?([\w\s]+?)\s+(\w+)\s*\[\s*\]\s*;"
    text = re.sub(pattern, r"\1* const \2 = reinterpret_cast<\1*>(::repro::block.dynamic_shared);", source.text)
    text = name_volatile(text)
    launchers = "".join(f"REPRO_LAUNCHER({name})\n" for name in source.kernels)
    return (
        f'#define REPRO_WARP_SIZE {warp_size}\n#include "cuda.hpp"\n{declare(constants)}'
        f'#line 1 "{source.label}"\n{text}\n{launchers}'
    )


def name_volatile(text: str) -> str:
    """`text` with `::repro::Volatile<T>` in place of `volatile T`."""
    text = re.sub(r"static_cast<([^<>]*\bvolatile\b[^<>]*)>", r"reinterpret_cast<\1>", text)
    return re.sub(
        r"\bvolatile[ \t]+(const[ \t]+)?((?:(?:unsigned|signed|long|short|int|char)\b[ \t]*)+|\w+)",
        lambda match: f"{match[1] or ''}::repro::Volatile<{match[2].strip()}> ",
        text,
    )


def build_module(source: Source, generated: str, instrument: Instrument) -> bytes:
    """The shared library of a kernel file, from the cache where it is there.

    generated: the C++ text made from `source`. Raises DeviceError with the compiler's first error.
    """
    stack_bytes = STACK_BYTES[instrument != "none"]
    flags = [
        *BASE.split(),
        *OPTIONS[instrument].split(),
        f"-DREPRO_STACK_BYTES={stack_bytes}",
        f"-Werror=frame-larger-than={stack_bytes // 2}",
        *([f"-DREPRO_INSTRUMENT={instrument}"] if instrument != "none" else []),
    ]
    command, version = compiler()
    if instrument != "none" and "clang" in version:
        raise DeviceError(f"instrument='{instrument}' needs GCC's options: set CXX to g++ (now {version})")
    watchers = [] if instrument == "none" else [HEADERS / "instrument" / f"{instrument}.cpp"]
    ingredients = [generated, source.digest(), version, platform.machine(), *flags]
    ingredients += [file.read_text() for file in sorted([*HEADERS.rglob("*.h*"), *watchers])]

    def build() -> bytes:
        with tempfile.TemporaryDirectory() as directory:
            objects = []
            for watcher in watchers:
                objects.append(f"{directory}/{watcher.stem}.o")
                plain = [*BASE.split(), "-O2", *(flag for flag in flags if flag.startswith("-D"))]
                _run([command, *plain, f"-I{HEADERS}", "-c", str(watcher), "-o", objects[-1]], "", source.label)
            objects.append(f"{directory}/kernel.o")
            for path, text in source.files().items():
                if path != source.path:
                    (Path(directory) / path.name).write_text(name_volatile(text))
            include = [f"-I{HEADERS}", f"-I{directory}", f"-I{source.path.parent}"]
            _run([command, *flags, *include, "-x", "c++", "-c", "-", "-o", objects[-1]], generated, source.label)
            library = Path(directory) / "module.so"
            _run([command, "-shared", "-Wl,-z,defs", *objects, "-o", str(library)], "", source.label)
            return library.read_bytes()

    return cached(ingredients, build)


def _run(command: list[str], given: str, label: str) -> None:
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise DeviceError(f"{label} does not compile: {error_line(done.stderr)}")


def error_line(stderr: str) -> str:
    """The line of a compiler's or linker's messages that tells the error."""
    lines = stderr.splitlines() or ["the compiler said nothing"]
    words = "undefined reference", "multiple definition", "error:"
    return next((line for word in words for line in lines if word in line), lines[0])


def name_places(message: str, library: Path) -> str:
    """`message` of an instrumented module with its code addresses, {at 0x...}, and addresses of static data,
    {data 0x...}, replaced by what the source calls them."""
    message = re.sub(r"\{at (0x[0-9a-f]+)\}", lambda match: _line_of(library, match[1]), message)
    return re.sub(r"\{data (0x[0-9a-f]+)\}", lambda match: _variable_at(library, int(match[1], 16)), message)


def _variable_at(library: Path, address: int) -> str:
    for line in _output(["nm", "-C", "-S", "--defined-only", str(library)]).splitlines():
        begin, size, _, name = [*line.split(maxsplit=3), ""][:4]
        if name and int(begin, 16) <= address < int(begin, 16) + int(size, 16):
            return f"byte {address - int(begin, 16)} of shared array {name.rpartition('::')[2]}"
    return "a shared array"


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _line_of(library: Path, address: str) -> str:
    for frame in _output(["addr2line", "-i", "-e", str(library), address]).splitlines():
        file, _, line = frame.split(" (")[0].rpartition(":")
        if line.isdigit() and f"/{HEADERS.name}/" not in file and "/include/" not in file:
            return f"line {line}" if file.endswith(".cu") else f"{Path(file).name} line {line}"
    return "an unknown line"

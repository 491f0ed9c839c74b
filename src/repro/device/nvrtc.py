"""How NVIDIA's run-time compiler is given a kernel file, and what a file declares about its machine code.

Lines of a .cu file that say so (each on its own, anywhere in the file):

    // architectures: sm_80 sm_90 sm_100 sm_120      those it is written for; without the line, all of ARCHITECTURES
    // local memory: sm_75                           those on which registers do not suffice; without the line, none

A file for sm_90a uses instructions that are compute capability 9.0's alone.
"""

import re
from pathlib import Path
from typing import Any

from repro.device.cache import cached
from repro.device.source import Constants, Source, declare
from repro.errors import DeviceError

ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120")
SPECIFIC = "sm_90a"
KNOWN = (*ARCHITECTURES, SPECIFIC)
# NVRTC 12.8 and 13.0 take a generic lambda's body for a host function unless functions are the device's by default.
OPTIONS = ("--std=c++17", "--device-int128", "-lineinfo", "-default-device")
PRELUDE = """\
using int8_t = signed char; using uint8_t = unsigned char; using int16_t = short; using uint16_t = unsigned short;
using int32_t = int; using uint32_t = unsigned; using int64_t = long long; using uint64_t = unsigned long long;
using WarpMask = unsigned;
constexpr int WARP_SIZE = 32;
constexpr WarpMask FULL_MASK = 0xffffffffu;
"""


def generated_text(source: Source, constants: Constants) -> str:
    """What NVRTC compiles: prelude, constants, source. Its cache sees the text alone, so the headers' hash is in it."""
    return f'// {source.digest()}\n{PRELUDE}{declare(constants)}#line 1 "{source.label}"\n{source.text}'


def declared(source: Source, what: str, default: tuple[str, ...]) -> tuple[str, ...]:
    """The architectures on the line `// WHAT: ...` of a source. Raises DeviceError for one that is not known."""
    found = re.search(rf"^// {what}: (.*)$", source.text, re.MULTILINE)
    named = tuple(found[1].split()) if found else default
    for name in named:
        if name not in KNOWN:
            raise DeviceError(f"{source.label}: '// {what}:' names {name}; known are {' '.join(KNOWN)}")
    return named


def options_of(source: Source) -> tuple[str, ...]:
    """Those that a file is compiled with."""
    return (*OPTIONS, f"-I{source.path.parent}")


def load_module(cupy: Any, source: Source, constants: Constants, folder: Path) -> Any:
    """CuPy's module of a file on the current device.

    folder: for a file that is needed until the module's functions have been taken. Raises DeviceError with the
    compiler's first error.
    """
    capability = cupy.cuda.Device().compute_capability
    specific = SPECIFIC in declared(source, "architectures", ARCHITECTURES)
    # CuPy's own way flushes denormal floats to zero. It is left what it alone knows how to do: finding the toolkit's
    # headers, which half precision needs, whose numbers are whole, and cards that are newer than the compiler.
    if specific or (int(capability) in cupy.cuda.nvrtc.getSupportedArchs() and not _needs_headers(source)):
        image = folder / "module.cubin"
        architecture = SPECIFIC if specific else f"sm_{capability}"
        image.write_bytes(machine_code(cupy.cuda.nvrtc, source, constants, architecture))
        return cupy.RawModule(path=str(image))
    module = cupy.RawModule(code=generated_text(source, constants), options=options_of(source), backend="nvrtc")
    try:
        module.compile()
    except cupy.cuda.compiler.CompileException as error:
        raise _refused(source, str(error)) from None
    return module


def _needs_headers(source: Source) -> bool:
    return any("#include <" in text for text in source.files().values())


def machine_code(nvrtc: Any, source: Source, constants: Constants, architecture: str) -> bytes:
    """The cubin of a file for one architecture, which CuPy's modules do not let one choose; from the cache if there.

    nvrtc: CuPy's. Raises DeviceError with the compiler's first error.
    """
    text, options = generated_text(source, constants), (*options_of(source), f"-arch={architecture}")

    def build() -> bytes:
        program = nvrtc.createProgram(text, source.label, (), ())
        try:
            nvrtc.compileProgram(program, options)
            image: bytes = nvrtc.getCUBIN(program)
        except nvrtc.NVRTCError:
            raise _refused(source, nvrtc.getProgramLog(program)) from None
        finally:
            nvrtc.destroyProgram(program)
        return image

    return cached([text, *options, "NVRTC", *map(str, nvrtc.getVersion())], build)


def _refused(source: Source, log: str) -> DeviceError:
    found = re.search(r".*error.*", log)
    return DeviceError(f"{source.label} does not compile: {found[0] if found else log}")

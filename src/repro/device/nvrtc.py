"""How NVIDIA's run-time compiler is given a kernel file, and what a file declares about its machine code.

Lines of a .cu file that say so (each on its own, anywhere in the file):

    // architectures: sm_80 sm_90 sm_100 sm_120      those it is written for; without the line, all of ARCHITECTURES
    // local memory: sm_75                           those on which registers do not suffice; without the line, none
"""

import re

from repro.device.source import Constants, Source, declare
from repro.errors import DeviceError

ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120")
OPTIONS = ("--std=c++17", "--device-int128", "-lineinfo")
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
        if name not in ARCHITECTURES:
            raise DeviceError(f"{source.label}: '// {what}:' names {name}; known are {' '.join(ARCHITECTURES)}")
    return named

"""Kernels that are compiled once for all mutants: a switch, which is read as a module is loaded, increases a literal.

A literal that the compiler has to know (the length of an array, an argument of a template, ..) has none: its mutant is
compiled for itself.
"""

import os
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from repro.device import emulator, toolchain
from repro.device.source import Constants, Source
from repro.device.toolchain import Instrument
from repro.errors import DeviceError
from tests.mutation.literals import Literal

KNOWN = re.compile(r"\b(constexpr|template|__shared__|case|enum|using)\b")
ERROR = re.compile(r"([\w.]+\.cuh?):(\d+):\d+: (error|note)")
INCLUDE = '#include "cuda.hpp"\n'
SWITCHES = """#include <cstdlib>
static unsigned char repro_switches[{count}];
__attribute__((constructor(101))) static void repro_switch() {{
    if (const char* chosen = std::getenv("REPRO_MUTANT")) repro_switches[std::atoi(chosen)] = 1;
}}
"""


class Changed:
    """A source whose files have other texts."""

    def __init__(self, source: Source, change: Callable[[Path, str], str]) -> None:
        """change: the new text of a file."""
        self.path, self.label, self.kernels = source.path, source.label, source.kernels
        self._files = {path: change(path, text) for path, text in source.files().items()}
        self.text = self._files[self.path]

    def files(self) -> dict[Path, str]:
        """As of `Source`."""
        return self._files

    digest = Source.digest


class Switches:
    """The emulator's modules of a system's kernels, with a switch for each literal that can have one."""

    def __init__(self, literals: list[Literal], known: Path) -> None:
        """known: a file of the literals that compilers asked to know, which processes of this trial share."""
        self._literals, self._file = literals, known
        self._of_file: defaultdict[str, list[int]] = defaultdict(list)
        for number, literal in enumerate(literals):
            self._of_file[literal.path.name].append(number)
        self._known = {number for number, literal in enumerate(literals) if KNOWN.search(literal.text)}
        self._chosen: int | None = None
        self.used: set[str] = set()  # names of kernel files that modules were asked for
        self._messages = ""

    def install(self) -> None:
        """Let this process's emulator take its modules here."""
        self._text, self._build = toolchain.emulated_text, toolchain.build_module
        toolchain.OPTIONS["none"] = "-O1 -Wno-narrowing -Werror=vla -fmax-errors=0"
        toolchain.error_line = self._note_messages
        emulator.emulated_text = lambda source, constants, warp_size: (source, constants, warp_size)
        emulator.build_module = lambda _, given, instrument: self._module(*given, instrument)

    def choose(self, number: int) -> None:
        """Change a literal in the modules that this process, or one it forks, loads from now on."""
        self._known.update(map(int, self._file.read_text().split()))
        self._chosen = number
        os.environ["REPRO_MUTANT"] = str(number)

    def _note_messages(self, stderr: str) -> str:
        self._messages = stderr
        return next((line for line in stderr.splitlines() if "error:" in line), stderr)

    def _module(self, source: Source, constants: Constants, warp_size: int, instrument: Instrument) -> bytes:
        names = {path.name for path in source.files()}
        self.used |= names
        concerned = self._chosen is not None and self._literals[self._chosen].path.name in names
        if instrument != "none" or (concerned and self._chosen in self._known):  # switches would be seen as accesses
            changed = Changed(source, self._with_change)
            return self._build(changed, self._text(changed, constants, warp_size), instrument)
        while True:
            changed = Changed(source, self._with_switches)
            text = self._text(changed, constants, warp_size)
            text = text.replace(INCLUDE, INCLUDE + SWITCHES.format(count=len(self._literals)), 1)
            try:
                return self._build(changed, text, instrument)
            except DeviceError:
                if not self._more_is_known():
                    raise

    def _more_is_known(self) -> bool:
        """Whether there are literals in lines that the compiler refuses; they are taken for known to it."""
        places = ERROR.findall(self._messages)
        for kinds in (("error",), ("error", "note")):
            lines = {(name, int(line)) for name, line, kind in places if kind in kinds}
            found = {i for name, line in lines for i in self._of_file[name] if self._literals[i].line == line}
            if new := found - self._known:
                self._known |= new
                with self._file.open("a") as file:
                    file.write("".join(f"{number}\n" for number in new))
                return True
        return False

    def _with_switches(self, path: Path, text: str) -> str:
        return self._increased(
            path, text, {i: f"repro_switches[{i}]" for i in self._of_file[path.name] if i not in self._known}
        )

    def _with_change(self, path: Path, text: str) -> str:
        return self._increased(path, text, {} if self._chosen is None else {self._chosen: "1"})

    def _increased(self, path: Path, text: str, by: dict[int, str]) -> str:
        lines = text.splitlines(keepends=True)
        for number in sorted(by, reverse=True):  # from the end of a line, so that the places before it stay
            literal = self._literals[number]
            if literal.path == path:
                line = lines[literal.line - 1]
                end = literal.end + len(re.match("[uUlL]*", line[literal.end :])[0])
                lines[literal.line - 1] = (
                    f"{line[: literal.start]}({line[literal.start : end]} + {by[number]}){line[end:]}"
                )
        return "".join(lines)

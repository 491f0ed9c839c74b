"""NVRTC compiles every kernel, in every specialisation that the variants ask for, for every card it is written for.

No GPU and no driver are needed, only NVIDIA's packages (pip install '.[test]').
"""

import re
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pytest

from repro.device.emulator import Emulator
from repro.device.nvrtc import ARCHITECTURES, KNOWN, declared, generated_text, load_module, machine_code, options_of
from repro.device.source import Source, load_source
from repro.errors import DeviceError
from tests.device.small_runs import RUNS
from tests.device.test_every_kernel import PACKAGES

nvrtc = pytest.importorskip("cuda.bindings.nvrtc", reason="NVRTC is not installed: pip install '.[test]'")


class Recording(Emulator):
    """An emulator that notes what it is asked to compile."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = {}

    def compile(self, path, constants=None):
        constants = dict(constants or {})
        self.asked[path, repr(sorted(constants.items()))] = path, constants
        return super().compile(path, constants)


def compiled(source: Source, constants, architecture: str) -> str:
    """The report of ptxas. Raises AssertionError with the compiler's log."""
    text = generated_text(source, constants).encode()
    status, program = nvrtc.nvrtcCreateProgram(text, source.label.encode(), 0, [], [])
    assert not status.value
    include = Path(__import__("nvidia").__path__[0]).glob("*/include")
    options = [*options_of(source), *(f"-I{path}" for path in include)]
    options += [f"-arch={architecture}", "--ptxas-options=-v"]
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
    log = b" " * nvrtc.nvrtcGetProgramLogSize(program)[1]
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(program)
    report = log.decode(errors="replace").strip("\0 \n")
    assert not status.value, f"{source.label}, {dict(constants)}, {architecture}: {report}"
    return report


def local_memory(report: str) -> dict[str, str]:
    """Kernels with a stack frame or spills, and ptxas's line about them."""
    functions = re.findall(
        r"Function properties for (\S+)\n.*?((\d+) bytes stack.*?(\d+) bytes spill stores.*)", report
    )
    return {name: line for name, line, stack, stores in functions if int(stack) or int(stores)}


def check(source: Source, constants, architecture: str) -> None:
    found = local_memory(compiled(source, constants, architecture))
    if found and architecture not in declared(source, "local memory", ()):
        pytest.fail(
            f"{source.label}, {constants}, {architecture}: local memory in place of registers ({found}); "
            f"if it must be, say so in the file: // local memory: {architecture}"
        )


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_every_specialisation_compiles_for_every_card(package):
    device = Recording()
    RUNS[package](device)
    for path, constants in device.asked.values():
        source = load_source(path)
        for architecture in declared(source, "architectures", ARCHITECTURES):
            check(source, constants, architecture)


def written(tmp_path: Path, text: str) -> Source:
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    return Source(path)


SPILLS = """
extern "C" __global__ void spills(const int* input, int* output, int where) {
    int row[64];
    for (int i = 0; i < 64; ++i) row[i] = input[i * blockDim.x + threadIdx.x];
    row[where] = 7;
    for (int i = 0; i < 64; ++i) output[i * blockDim.x + threadIdx.x] = row[i] + row[(where + i) % 64];
}
"""


def test_an_error_is_named_with_its_line(tmp_path):
    source = written(tmp_path, 'extern "C" __global__ void broken(int* output) {\n    output[0] = missing;\n}\n')
    with pytest.raises(AssertionError, match=r'kernel.cu\(2\): error: identifier "missing" is undefined'):
        compiled(source, {}, "sm_90")


def test_local_memory_must_be_declared(tmp_path):
    with pytest.raises(pytest.fail.Exception, match=r"sm_90: local memory in place of registers \({'spills': '256"):
        check(written(tmp_path, SPILLS), {}, "sm_90")
    check(written(tmp_path, "// local memory: sm_90\n" + SPILLS), {}, "sm_90")


@pytest.mark.parametrize("architecture", KNOWN)
def test_constants_reach_the_kernel(tmp_path, architecture):
    source = written(tmp_path, 'extern "C" __global__ void typed(T* output) { output[0] = WHOLE; }\n')
    assert "Compiling entry function 'typed'" in compiled(source, {"T": np.float64, "WHOLE": 3}, architecture)


def test_an_unknown_architecture_is_refused(tmp_path):
    with pytest.raises(DeviceError, match="'// architectures:' names sm_91; known are sm_75"):
        declared(written(tmp_path, "// architectures: sm_80 sm_91\n" + SPILLS), "architectures", ARCHITECTURES)


class AsCupyCallsIt:
    """NVRTC by the names that CuPy has for its functions."""

    NVRTCError = RuntimeError

    def getVersion(self):
        return nvrtc.nvrtcVersion()[1:]

    def createProgram(self, text, name, headers, include_names):
        return nvrtc.nvrtcCreateProgram(text.encode(), name.encode(), 0, [], [])[1]

    def compileProgram(self, program, options):
        (status,) = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
        if status.value:
            raise self.NVRTCError(status)

    def getCUBIN(self, program):
        image = b" " * nvrtc.nvrtcGetCUBINSize(program)[1]
        nvrtc.nvrtcGetCUBIN(program, image)
        return image

    def getProgramLog(self, program):
        log = b" " * nvrtc.nvrtcGetProgramLogSize(program)[1]
        nvrtc.nvrtcGetProgramLog(program, log)
        return log.decode()

    def destroyProgram(self, program):
        nvrtc.nvrtcDestroyProgram(program)


FENCED = 'extern "C" __global__ void fenced(int* output) { asm("wgmma.fence.sync.aligned;"); output[0] = WHOLE; }\n'


def test_instructions_of_one_architecture_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("REPRO_CACHE", str(tmp_path / "cache"))
    source = written(tmp_path, FENCED)
    image = machine_code(AsCupyCallsIt(), source, {"WHOLE": 1}, "sm_90a")
    assert image.startswith(b"\x7fELF")
    monkeypatch.delattr(AsCupyCallsIt, "createProgram")
    assert machine_code(AsCupyCallsIt(), source, {"WHOLE": 1}, "sm_90a") == image
    monkeypatch.undo()
    with pytest.raises(DeviceError, match=r"kernel.cu does not compile: .*kernel.cu\(1\): error: .*WHOLE"):
        machine_code(AsCupyCallsIt(), source, {}, "sm_90a")
    with pytest.raises(DeviceError, match=r"kernel.cu does not compile: .*wgmma"):
        machine_code(AsCupyCallsIt(), source, {"WHOLE": 1}, "sm_90")


@pytest.mark.parametrize(
    ("text", "capability", "architecture"),
    [
        ("", "75", "sm_75"),
        ("", "90", "sm_90"),
        ("// architectures: sm_90a\n", "90", "sm_90a"),
        ("", "199", None),
        ("#include <cuda_fp16.h>\n", "90", None),
    ],
)
def test_who_compiles_a_file(tmp_path, monkeypatch, text, capability, architecture):
    """CuPy flushes denormal floats to zero, so it compiles only what it alone can."""
    asked = []
    monkeypatch.setattr("repro.device.nvrtc.machine_code", lambda *arguments: asked.append(arguments[-1]) or b"image")
    cupy = MagicMock()
    cupy.cuda.Device.return_value.compute_capability = capability
    cupy.cuda.nvrtc.getSupportedArchs.return_value = (75, 80, 90)
    load_module(cupy, written(tmp_path, text + FENCED), {}, tmp_path)
    assert asked == ([architecture] if architecture else [])
    assert list(cupy.RawModule.call_args.kwargs) == (["path"] if architecture else ["code", "options", "backend"])

"""With instrument="sanitize" every access outside an array is an error that names array, thread and line."""

from pathlib import Path

import numpy as np
import pytest

from repro.device import open_device
from repro.errors import DeviceError
from tests.conftest import ORDERS

FAULTS = Path(__file__).with_name("memory_faults.cu")
ANY = r"\d+"

# kernel: arguments (a tuple is an array of that shape), dynamic shared bytes, faulty thread, what it does, line
PLANTED = {
    "write_past_end": ([(9,), 9], 0, 9, r" writes 4 bytes 0 bytes past the end of 'output', int32\[9\]", 4),
    "read_before": ([(32,), (32,)], 0, 0, r" reads 4 bytes 4 bytes before 'input', int32\[32\]", 8),
    "static_shared_write": ([(32,)], 0, 31, r": writes 'int' 0 bytes past the end of shared array tile", 16),
    "static_shared_read": ([(32,), 1], 0, 31, r": index 32 is out of bounds of 'int \[32\]'", 25),
    "dynamic_shared_write": ([(32,)], 128, ANY, r" writes 4 bytes \d+ bytes past the end of dynamic shared memory", 30),
    "dynamic_shared_read": ([(32,), 8], 128, "[0-7]", r" reads 4 bytes \d+ bytes before dynamic shared memory", 39),
    "misaligned_global": (
        [(64,), (32,)], 0, ANY,
        r": uses 'const struct float4' misaligned \d+ bytes into 'input', float32\[64\]: not a multiple of 16", 43,
    ),
    "misaligned_shared": (
        [(32,)], 0, 5, ": writes 'int' misaligned 22 bytes into shared array bytes: not a multiple of 4", 51
    ),
    "local_array": ([(32,), 9], 0, ANY, ": (reads|writes) 'int' outside a local array", 60),
    "constant_table": ([(32,), 4], 0, ANY, r": index 4 is out of bounds of 'int \[4\]'", 66),
    "atomic_past_end": ([(32,), 32], 0, ANY, r" \w+ 4 bytes 0 bytes past the end of 'output', int32\[32\]", 69),
    "null_pointer": ([(32,), 0], 0, ANY, ": reads 'int' through a null pointer", 71),
    "sum_overflows": ([(32,), 2**30], 0, ANY, ": overflow in a.* of 'int'", 73),
    "shift_too_far": ([(32,), 32], 0, ANY, ": shift of 'int' by 32", 75),
}  # fmt: skip


@pytest.fixture(params=ORDERS)
def sanitized(request):
    return open_device("emulator", thread_order=request.param, instrument="sanitize")


@pytest.mark.parametrize("kernel", PLANTED)
def test_a_planted_fault_is_named(sanitized, kernel):
    arguments, shared_bytes, thread, what, line = PLANTED[kernel]
    dtype = np.float32 if kernel == "misaligned_global" else np.int32
    arguments = [sanitized.zeros(given, dtype) if isinstance(given, tuple) else given for given in arguments]
    message = rf"^kernel {kernel}, block \(0,0,0\): thread \({thread},0,0\){what}, line {line}$"
    with pytest.raises(DeviceError, match=message):
        sanitized.compile(FAULTS)[kernel](1, 32, *arguments, shared_bytes=shared_bytes)


def test_the_device_works_after_a_fault(sanitized):
    kernels = sanitized.compile(FAULTS)
    output = sanitized.zeros(10, np.int32)
    for _ in range(3):
        with pytest.raises(DeviceError, match=r"thread \(\d+,0,0\):? .* local array"):
            kernels["local_array"](1, 32, sanitized.zeros(32, np.int32), 9)
        kernels["write_past_end"](1, 32, output, 9)
    assert output.get().tolist() == [1] * 10


def test_what_a_faultless_kernel_computes_stays_the_same(sanitized):
    output = sanitized.zeros(32, np.int32)
    sanitized.compile(FAULTS)["local_array"](1, 32, output, 3)
    assert output.get().tolist() == [lane % 8 + lane * (lane % 8 == 3) for lane in range(32)]

"""What launches and reads in turn, on a GPU by compiled code, finds, and when it stops waiting."""

from tests.device.driver import run_with_driver

UNTIL = """
import numpy as np
from repro.device.cuda_in_turn import _launch_until
from repro.device.kernel import UNWRITTEN

word, other, stream = np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(3, np.int64)

def until(numbers, written, read, source=0, every=1):
    values = np.array([[written.ctypes.data, 0]])
    addresses = np.array([values.ctypes.data, values.ctypes.data + 8], np.uint64)
    kernels = (
        np.zeros(1, np.uint64),
        np.ones((1, 4), np.uint32),
        np.array([addresses.ctypes.data], np.uint64),
        values.view(np.int32),
        np.array([2]),
    )
    column = np.array(numbers, np.int32)[:, np.newaxis]
    blocks = (column[:, 0] != 99).astype(np.int64)
    given = kernels, stream.ctypes.data, 0, blocks, column, every, (read, np.uintp(source), 7, 10)
    return (*_launch_until(*given), int(read[0]))

assert until([1, 2, 8, 3], word, word) == (3, True, 8)
assert stream[2] == 2  # looks: the kernel has not ended
assert until([8, 3], word, word) == (1, True, 8)  # nothing is left of the launch before
assert until([1, 0, 0, 9], word, word) == (4, True, 9)
assert until([6, 0], word, word) == (2, False, UNWRITTEN)  # no launch is waited for in vain
assert stream[2] == 4
assert until([1, -700, 8], word, word) == (1, False, UNWRITTEN)
assert until([1, 99, 8], word, word)[:2] == (1, False)  # not launched

source = other.ctypes.data
assert until([1, 2, 8, 3], other, word, source) == (3, True, 8)
assert until([1, 6, 8, 3, 4, 9], other, word, source, 2) == (6, True, 9)
assert until([1, 2, 3, 9, 0], other, word, source, 2) == (4, True, 9)
assert until([9, 1, 0], other, word, source, 2) == (3, False, 1)
assert until([1, 1, 8, -700], other, word, source, 2) == (2, False, 1)
assert until([1, 8], other, word, 8) == (0, False, 1)
"""


def test_the_compiled_loop_ends_by_the_word_by_the_end_of_a_kernel_or_by_its_error(tmp_path):
    run_with_driver(UNTIL, tmp_path)

"""Many short launches in a row, one by one."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from repro.device.kernel import Array, BoundKernel
from repro.errors import DeviceError


class InTurn:
    """What `Device.in_turn` returns: bound kernels to be launched one after the other, round and round."""

    def __init__(self, launches: Sequence[BoundKernel]) -> None:
        self.launches = launches
        for launch in launches:
            names = [parameter.name for parameter in launch.rest if parameter.dtype == np.int32]
            if len(names) != len(launch.rest) or len(names) != len(launches[0].rest):
                raise DeviceError(f"kernel {launch.kernel.name}: bind all but as many int32 as of the other kernels")

    def __call__(self, blocks: NDArray[np.int64], numbers: NDArray[np.int32], first: int = 0) -> None:
        """Launch asynchronously: launch x has blocks[x] blocks and the numbers in row x.

        blocks: of shape (launches,). numbers: of shape (launches, parameters left). first: which of the bound kernels
        begins, counted round and round. Raises DeviceError as a launch does.
        """
        for x, (count, row) in enumerate(zip(blocks.tolist(), numbers.tolist(), strict=True), first):
            self.launches[x % len(self.launches)](count, *row)

    def until(
        self,
        wanted: range,
        seen: Array,
        blocks: NDArray[np.int64],
        numbers: NDArray[np.int32],
        first: int = 0,
        every: int = 1,
    ) -> tuple[int, int | None]:
        """Launch as above and read a word after so many launches and after the last; how many, and the word wanted.

        wanted: ends the launches when the word is in it; None is returned if none was. seen: the word, an int32; of a
        `MappedWord` that a launch leaves unwritten UNWRITTEN may be read, or what it was. every: launches between two
        reads.
        """
        for x in range(0, len(blocks), every):
            launched = min(x + every, len(blocks))
            self(blocks[x:launched], numbers[x:launched], first + x)
            word = int(seen.get()[0])
            if word in wanted:
                return launched, word
        return len(blocks), None

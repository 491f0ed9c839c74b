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
        least: int,
        seen: Sequence[Array],
        blocks: NDArray[np.int64],
        numbers: NDArray[np.int32],
        first: int = 0,
    ) -> int | None:
        """Launch as above and read a word after each launch, until one is `least` or more; which launch wrote it.

        seen: the word of each bound kernel, int32. None if no word was so large.
        """
        for x in range(len(blocks)):
            InTurn.__call__(self, blocks[x : x + 1], numbers[x : x + 1], first + x)
            if seen[(first + x) % len(seen)].get()[0] >= least:
                return x
        return None

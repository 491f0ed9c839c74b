"""Kernels of NVIDIA GPUs: functions of CuPy's modules, launched by the driver's own calls."""

import math
from typing import TYPE_CHECKING, Any

from repro.device.cuda_errors import errors_of, explain
from repro.device.kernel import Extent, Extents, Kernel
from repro.device.source import Parameter

if TYPE_CHECKING:
    from repro.device.cuda import Cuda


class CudaKernel(Kernel):
    """A kernel of a CuPy module."""

    device: "Cuda"

    def __init__(self, device: "Cuda", name: str, parameters: list[Parameter], module: Any) -> None:
        super().__init__(device, name, parameters)
        self._raw = module.get_function(name)
        self.function = self._raw.kernel.ptr
        self._largest_shared = 48 * 1024
        self._resident_blocks: dict[tuple[Extent, int], int] = {}
        self._driver = device.cupy.cuda.driver
        self._launch_kernel = self._driver.launchKernel
        self._set_device = device.cupy.cuda.runtime.setDevice

    def __str__(self) -> str:
        grid, block = self._extents
        return f"kernel {self.name}, grid {grid}, block {block}"

    def most_resident_blocks(self, block: Extent, shared_bytes: int = 0) -> int:
        """As many as the driver's occupancy calculation gives for all multiprocessors; asked for once."""
        if (found := self._resident_blocks.get((block, shared_bytes))) is not None:
            return found
        self.allow_shared(shared_bytes)
        threads = math.prod(block) if isinstance(block, tuple) else block
        with errors_of(str(self), self.device):
            fitting = self._driver.occupancyMaxActiveBlocksPerMultiprocessor(self.function, threads, shared_bytes)
        found = int(fitting) * int(self.device.properties["multiProcessorCount"])
        self._resident_blocks[block, shared_bytes] = found
        return found

    def allow_shared(self, shared_bytes: int) -> None:
        """Let launches have so much dynamic shared memory; more than 48 KiB has to be asked for."""
        if shared_bytes > self._largest_shared:
            self.device.make_current()  # CuPy's kernels are those of the current device
            self._raw.max_dynamic_shared_size_bytes = self._largest_shared = shared_bytes

    def _launch(self, grid: Extents, block: Extents, shared_bytes: int) -> None:
        device = self.device
        if shared_bytes > self._largest_shared:
            self.allow_shared(shared_bytes)
        self._set_device(device.index)
        start = device.mark() if device._times is not None else None
        try:
            if self._cooperative:
                self._driver.launchCooperativeKernel(
                    self.function, *grid, *block, shared_bytes, device.stream_pointer, self._arguments_address
                )
            else:
                self._launch_kernel(
                    self.function, *grid, *block, shared_bytes, device.stream_pointer, self._arguments_address, 0
                )
        except Exception as error:  # narrowed by explain; a context manager would double a launch's cost
            raise explain(str(self), error, device) from None
        device.last_launch = self
        if start is not None:
            device.close(start)

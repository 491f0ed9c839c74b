"""What kernels ask of memory, counted by an emulator with instrument="traffic"."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from repro.device.abi import Launch
from repro.device.toolchain import name_places

OPERATIONS = ("load", "store", "atomic")


@dataclass
class Traffic:
    """Counts over all warps.

    requests: accesses of a warp (one instruction of up to 32 lanes). lanes: of threads. sectors: 32-byte pieces of
    global memory touched. transactions: 128-byte pieces. passes: through the banks of shared memory (1 per request
    where no bank is asked for two words).
    """

    requests: int = 0
    lanes: int = 0
    sectors: int = 0
    transactions: int = 0
    passes: int = 0


@dataclass(frozen=True)
class Place:
    """Where in a kernel, in which memory and how."""

    kernel: str
    line: str
    memory: Literal["global", "shared"]
    operation: str


class TrafficLog:
    """The traffic of the launches so far, by place."""

    def __init__(self) -> None:
        self.rows: dict[Place, Traffic] = {}

    def add(self, kernel: str, launch: Launch, library: Callable[[], AbstractContextManager[Path]]) -> None:
        """Add what a launch of `kernel` counted; `library` gives its module as a file."""
        with library() as path:
            for row in launch.traffic[: launch.traffic_count]:
                line = name_places(f"{{at {row.place:#x}}}", path)
                place = Place(kernel, line, "shared" if row.shared else "global", OPERATIONS[row.operation])
                total = self.rows.setdefault(place, Traffic())
                for count in fields(Traffic):
                    setattr(total, count.name, getattr(total, count.name) + getattr(row, count.name))

    def total(self, kernel: str, memory: str, operation: str) -> Traffic:
        """The sum over the kernel's lines."""
        found = [
            row for at, row in self.rows.items() if (at.kernel, at.memory, at.operation) == (kernel, memory, operation)
        ]
        return Traffic(*(sum(getattr(row, count.name) for row in found) for count in fields(Traffic)))

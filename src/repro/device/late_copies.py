"""The emulator's copies beside kernels, which happen as early or as late as the events between them allow."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import RLock


@dataclass
class Point:
    """An event of the emulator: the copies up to it, None when there are none to make."""

    copies: "CopyStream | None" = None
    number: int = 0

    def happen(self) -> None:
        """Make the copies that lie before this point."""
        if self.copies is not None:
            self.copies.run_up_to(self.number)


class CopyStream:
    """Copies that are made in their order, each when somebody waits for it, or at once where `late` says so.

    late: asked for every copy. A launch that forgets to wait for its input then reads what was there before, and a copy
    out of an array that is overwritten too early brings the wrong values. lock: one for all streams whose events wait
    for each other, as threads may share them.
    """

    def __init__(self, late: Callable[[], bool], lock: RLock) -> None:
        self._late = late
        self._lock = lock
        self._waiting: deque[tuple[Callable[[], None], Sequence[Point]]] = deque()
        self._issued = self._made = 0

    def add(self, copy: Callable[[], None], after: Sequence[Point]) -> Point:
        """A copy to be made after the events and all copies before it."""
        with self._lock:
            self._waiting.append((copy, after))
            self._issued += 1
            point = Point(self, self._issued)
            if not self._late():
                point.happen()
            return point

    def run_up_to(self, number: int) -> None:
        """Make the copies that are not made yet, up to the one with this number (from 1)."""
        with self._lock:
            while self._made < number:
                copy, after = self._waiting.popleft()
                for event in after:
                    event.happen()
                copy()
                self._made += 1

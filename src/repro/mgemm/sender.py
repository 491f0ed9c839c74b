"""The threads that let vectors go to the devices of this process, beside those that launch."""

from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING

from repro.device import Device

if TYPE_CHECKING:
    from repro.mgemm.transfers import Upload


class Sender:
    """The thread for one device, of all ranks that share it.

    The first rank is served first: it can begin when a part of the vectors is there, and the schedule lets block rows
    ask for those that follow.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1)
        self._uploads: list[Upload] = []
        self._at_work = False

    @property
    def is_at_work(self) -> bool:
        """Whether it sends, or is about to."""
        return self._at_work

    def add(self, upload: "Upload") -> None:
        """Send what may go on of an upload; to be called again where it has stopped and may go on."""
        with self._lock:
            if upload not in self._uploads:
                self._uploads.append(upload)
            if not self._at_work:
                self._at_work = True
                self._thread.submit(self._work)

    def _work(self) -> None:
        while (upload := self._next()) is not None:
            upload.send()

    def _next(self) -> "Upload | None":
        with self._lock:
            self._uploads = [upload for upload in self._uploads if upload.may_go_on()]
            self._at_work = bool(self._uploads)
            return min(self._uploads, key=lambda upload: upload.rank, default=None)


_SENDERS: dict[tuple[str, int], Sender] = {}


def sender_of(device: Device) -> Sender:
    """The sender to a device, whoever opened it."""
    return _SENDERS.setdefault((device.kind, device.index), Sender())


def at_work() -> int:
    """How many devices of this process vectors are sent to now."""
    return sum(sender.is_at_work for sender in list(_SENDERS.values()))

"""A journal of finished rows, so that a killed measurement continues where it was."""

import fcntl
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from repro.bench.rows import Row


class Journal:
    """Rows by key, each on disk before the next is measured. Open one with `open_journal`."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        content = stream.read()
        whole = content[: content.rfind(b"\n") + 1]  # a kill may have cut the last line short
        stream.truncate(len(whole))
        stream.seek(len(whole))
        self._path = path
        self._stream = stream
        self._rows: dict[str, Row] = {}
        for line in whole.splitlines():
            entry = json.loads(line)
            self._rows[entry["key"]] = entry["row"]

    def get(self, key: dict[str, Any]) -> Row | None:
        """The row kept under `key`, or None."""
        return self._rows.get(_text(key))

    def add(self, key: dict[str, Any], row: Row) -> None:
        """Keep `row`; it is on disk when this returns."""
        self._rows[_text(key)] = row
        self._stream.write(json.dumps({"key": _text(key), "row": row}).encode() + b"\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def remove(self) -> None:
        """Forget the rows: their measurement is complete and stands elsewhere."""
        self._path.unlink(missing_ok=True)


@contextmanager
def open_journal(path: Path) -> Iterator[Journal]:
    """The journal at `path`, for this process alone.

    A second process waits: the job of a killed workflow may still be finishing its row.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    with path.open("r+b") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"{path}: waiting for another job that is measuring the same", file=sys.stderr)
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield Journal(path, stream)


def _text(key: dict[str, Any]) -> str:
    return json.dumps(key, sort_keys=True)

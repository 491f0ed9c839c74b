"""Compiled modules on disk, under a name that is a hash of everything that went into them."""

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

SUFFIX, UNFINISHED = ".module", ".module-part"
MOST_BYTES = 512 * 2**20
ABANDONED_SECONDS = 3600


def cache_directory() -> Path:
    """Where compiled modules lie: $REPRO_CACHE, else the user's cache directory."""
    chosen = os.environ.get("REPRO_CACHE")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(chosen) if chosen else base / "repro"


def cached(parts: list[str], build: Callable[[], bytes]) -> bytes:
    """What was made from `parts`, from the cache where it is there whole; else `build` makes it.

    An entry ends with its own hash, so one that was damaged or cut short is built again. It takes its name only when it
    is complete: processes that build the same at once do not meet. A cache that cannot be written is done without.
    """
    name = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
    path = cache_directory() / f"{name}{SUFFIX}"
    content = _read(path)
    if content is None:
        content = build()
        with suppress(OSError):
            _write(path, content)
    return content


def clear_cache() -> tuple[int, int]:
    """Remove every entry; how many there were and how many bytes they had."""
    entries = [(path, path.stat().st_size) for path in _files()]
    for path, _ in entries:
        path.unlink(missing_ok=True)
    return len(entries), sum(size for _, size in entries)


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _read(path: Path) -> bytes | None:
    try:
        entry = path.read_bytes()
        os.utime(path)  # the entries that were used last are kept longest
    except OSError:
        return None
    content, digest = entry[:-32], entry[-32:]
    return content if digest == _digest(content) else None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(suffix=UNFINISHED, dir=path.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content + _digest(content))
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    _prune()


def _files() -> Iterable[Path]:
    directory = cache_directory()
    return [*directory.glob(f"*{SUFFIX}"), *directory.glob(f"*{UNFINISHED}")]


def _prune() -> None:
    """Remove the entries used longest ago until MOST_BYTES are kept, and what killed processes left unfinished."""
    entries = []
    for path in _files():
        with suppress(OSError):  # another process may have removed it
            found = path.stat()
            if path.suffix == SUFFIX:
                entries.append((found.st_mtime, found.st_size, path))
            elif found.st_mtime < time.time() - ABANDONED_SECONDS:
                path.unlink(missing_ok=True)
    kept = 0
    for _, size, path in sorted(entries, reverse=True):
        kept += size
        if kept > MOST_BYTES:
            path.unlink(missing_ok=True)

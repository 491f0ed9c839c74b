"""Compiled modules on disk, under a name that is a hash of everything that went into them."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def cache_directory() -> Path:
    """Where compiled modules lie: $REPRO_CACHE, else the user's cache directory."""
    chosen = os.environ.get("REPRO_CACHE")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(chosen) if chosen else base / "repro"


def cached_file(parts: list[str], suffix: str, build: Callable[[Path], None]) -> Path:
    """The file made from `parts`; `build(path)` writes it where it is missing.

    The file takes its name only when it is complete, so another process never loads half of it.
    """
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    path = cache_directory() / f"{digest[:32]}{suffix}"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(suffix=suffix, dir=path.parent)
        os.close(handle)
        unfinished = Path(name)
        try:
            build(unfinished)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
    return path

"""A cache of NCBI sequences that is shared between runs: one complete, checked FASTA file per accession."""

import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from repro.errors import InputError
from repro.inputs.fasta import Sequence, read_sequence, write_fasta
from repro.inputs.files import complete_or_absent
from repro.inputs.known_records import LENGTH_AND_SHA256
from repro.inputs.ncbi import Client, FetchError, Progress, check_accession, no_progress

# Long enough to be few requests, short enough that little is lost when a connection breaks.
RANGE_LETTERS = 5_000_000


@dataclass(frozen=True)
class Expected:
    """What is known of a record beforehand: `length` in letters and `sha256` of the letters; None is unknown."""

    length: int | None = None
    sha256: str | None = None

    @classmethod
    def of(cls, accession: str) -> "Expected":
        """Return what is known of an accession anyway."""
        return cls(*LENGTH_AND_SHA256.get(accession, (None, None)))


def default_cache() -> Path:
    """Return $REPRO_CACHE, or `repro/sequences` under $XDG_CACHE_HOME or ~/.cache."""
    if folder := os.environ.get("REPRO_CACHE"):
        return Path(folder)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "repro" / "sequences"


def cached_path(accession: str, cache: Path) -> Path:
    """Return where the cache has, or would have, the FASTA file of an accession."""
    return cache / f"{accession}.fa"


def fetch(
    accession: str,
    cache: Path,
    client: Client,
    expected: Expected | None = None,
    progress: Progress = no_progress,
) -> Path:
    """Return the FASTA file of an accession with version, from the cache or else from NCBI.

    The file appears in the cache only when its name, letters, length (ESummary's, and the expected one) and SHA-256
    (where expected) are right; what is expected is by default what is known of the accession. One download at a time
    runs per cache. Long records come in ranges of RANGE_LETTERS; those already received are kept when a download is
    interrupted, and the next one continues behind them.
    progress: called with the number of bytes of each part that arrives, also for ranges received earlier.
    Raises InputError for an accession without version, FetchError when NCBI does not deliver it.
    """
    check_accession(accession)
    expected = Expected.of(accession) if expected is None else expected
    path = cached_path(accession, cache)
    if not path.exists():
        with _only_one(cache):
            if not path.exists():  # another process may have fetched it while this one waited
                _download(accession, path, client, expected, progress)
                return path
    record = read_sequence(path)
    if record.name != accession:
        raise FetchError(f"{path}: holds {record.name}; delete the file to fetch it again")
    _check(f"{path}: the cached record", record, expected, "; delete the file to fetch it again")
    return path


def said_now_and_then(say: Callable[[str], None], every_s: float = 5.0) -> Progress:
    """Return a progress that says how many bytes have arrived, not more often than every so many seconds."""
    received, last = 0, time.monotonic()

    def progress(count: int) -> None:
        nonlocal received, last
        received += count
        if time.monotonic() - last >= every_s:
            last = time.monotonic()
            say(f"{received / 1e6:.1f} MB received")

    return progress


def place(cached: Path, target: Path) -> None:
    """Make a file of the cache appear as `target` as well, without a copy where both are on one file system."""
    with complete_or_absent(target) as partial:
        partial.unlink()
        try:
            os.link(cached, partial)
        except OSError:
            shutil.copyfile(cached, partial)


def _download(accession: str, path: Path, client: Client, expected: Expected, progress: Progress) -> None:
    total = client.length(accession)
    if expected.length not in (None, total):
        raise FetchError(f"{accession}: NCBI lists {total} letters where {expected.length} are expected")
    parts = path.parent / f".{accession}.parts"
    parts.mkdir(parents=True, exist_ok=True)
    try:
        letters = b"".join(
            _range(accession, parts, start, min(start + RANGE_LETTERS, total), total, client, progress)
            for start in range(0, total, RANGE_LETTERS)
        )
        record = Sequence(accession, np.frombuffer(letters, dtype=np.uint8))
        try:
            _check(f"{accession}: the record NCBI delivered", record, expected, "")
        except FetchError:
            shutil.rmtree(parts)
            raise
        write_fasta(path, [record])
        shutil.rmtree(parts)
    finally:
        if parts.exists() and not any(parts.iterdir()):
            parts.rmdir()


def _range(accession: str, parts: Path, start: int, stop: int, total: int, client: Client, progress: Progress) -> bytes:
    part = parts / f"{start}-{stop}"
    if part.exists():
        letters = part.read_bytes()
        progress(len(letters))
        return letters
    letters = client.letters(accession, start, stop, total, progress)
    with complete_or_absent(part) as partial:
        partial.write_bytes(letters)
    return letters


def _check(what: str, record: Sequence, expected: Expected, advice: str) -> None:
    if expected.length not in (None, len(record)):
        raise FetchError(f"{what} has {len(record)} letters where {expected.length} are expected{advice}")
    if expected.sha256 not in (None, record.sha256):
        raise FetchError(f"{what} has SHA-256 {record.sha256}, not the expected {expected.sha256}{advice}")


@contextmanager
def _only_one(cache: Path) -> Iterator[None]:
    """Hold the cache's lock; it is the process's, so a killed download leaves no lock behind."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        lock = (cache / ".lock").open("w")
    except OSError as error:
        raise InputError(f"{cache}: cannot be written ({error.strerror}); choose another cache") from None
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield

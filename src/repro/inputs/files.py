"""Reading plain or gzip files whole, and writing files that appear under their name only when complete."""

import csv
import errno
import gzip
import io
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from repro.errors import InputError

# Files being written now; who ends the process without unwinding removes them.
UNFINISHED: set[Path] = set()
_GZIP_MAGIC = b"\x1f\x8b"
_CHUNK = 1 << 20
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class DamagedGzip(InputError):
    """A gzip stream that ends early or fails its checksum; `readable` is what could be decompressed."""

    def __init__(self, path: Path, fault: str, readable: bytes) -> None:
        self.readable = readable
        line = readable.count(b"\n") + 1
        super().__init__(f"{path}: {fault} after {len(readable)} decompressed bytes (line {line}); copy it again")


def refuse_same(inputs: Iterable[str | Path], outputs: Iterable[str | Path]) -> None:
    """Raise InputError where an output would replace an input or another output."""
    taken = {Path(path).resolve(): "is read" for path in inputs}
    for path in outputs:
        if use := taken.get(Path(path).resolve()):
            raise InputError(f"{path}: {use} already; give the output another name")
        taken[Path(path).resolve()] = "is written"


def read_bytes(path: str | Path) -> bytes:
    """Return the content of a file, decompressed when it is gzip (by its first bytes, not its name).

    Raises InputError for a missing or unreadable file, a directory, and a truncated or damaged gzip stream.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path}: is a directory; give a file")
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    return _decompress(path, raw) if raw.startswith(_GZIP_MAGIC) else raw


def read_arrays(path: str | Path) -> npt.NDArray[Any] | dict[str, npt.NDArray[Any]]:
    """Return the array of a .npy file, or the arrays of a .npz file by name.

    Raises InputError for what is neither, is damaged, or holds Python objects.
    """
    data = read_bytes(path)
    if not data:
        raise InputError(f"{path}: is empty")
    try:
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        return loaded if isinstance(loaded, np.ndarray) else {key: loaded[key] for key in loaded.files}
    except Exception as error:  # NumPy, zipfile and tokenize raise a dozen kinds for a damaged file
        reason = " ".join(str(error).split())[:100]
        raise InputError(f"{path}: is no NumPy file ({reason}); write it with numpy.save or numpy.savez") from None


def split_line(where: str, line: str, separator: str) -> list[str]:
    """Return the cells of a line, which may be quoted; raises InputError naming `where` for an unfinished quote."""
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, strict=True))]
    except csv.Error as error:
        raise InputError(f"{where}: cannot be split into cells ({error})") from None


def _decompress(path: Path, raw: bytes) -> bytes:
    chunks: list[bytes] = []
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as stream:
            while chunk := stream.read1(_CHUNK):
                chunks.append(chunk)
    except EOFError:
        fault = "the gzip stream is truncated"
    except (gzip.BadGzipFile, zlib.error) as error:
        fault = f"the gzip stream is damaged ({error})"
    else:
        return b"".join(chunks)
    raise DamagedGzip(path, fault, b"".join(chunks))


@contextmanager
def complete_or_absent(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` that is renamed to it when the block ends without an error.

    An interrupted or failed block leaves neither the temporary file nor a half-written `path`.
    The temporary name keeps the suffixes of `path`, because writers choose their format by them.
    Raises InputError when the folder cannot be written or is full.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path}: is a directory; give the name of a file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".partial-", suffix="".join(path.suffixes))
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    os.close(handle)
    partial = Path(name)
    UNFINISHED.add(partial)
    try:
        yield partial
        # mkstemp makes files private; what we leave behind obeys the umask like any other output.
        umask = os.umask(0)
        os.umask(umask)
        partial.chmod(0o666 & ~umask)
        partial.replace(path)
    except OSError as error:
        if error.errno not in _NO_SPACE:
            raise
        raise InputError(f"{path}: cannot be written ({error.strerror}); make room and run it again") from None
    finally:
        partial.unlink(missing_ok=True)
        UNFINISHED.discard(partial)

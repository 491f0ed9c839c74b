"""Reading plain or gzip files whole, and writing files that appear under their name only when complete."""

import csv
import errno
import gzip
import io
import os
import re
import secrets
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from repro.errors import InputError

# Files being written now; who ends the process without unwinding removes them.
UNFINISHED: set[Path] = set()
# How web pages begin; a first line of data may begin with '<' too, as in a graph of nodes named <s> and </s>.
_WEB_PAGE = re.compile(rb"(\xef\xbb\xbf)?\s*<(!doctype\b|html\b|head\b|body\b|\?xml\b|!--)", re.IGNORECASE)
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
    taken = {os.path.realpath(path): "is read" for path in inputs}
    for path in outputs:
        if use := taken.get(os.path.realpath(path)):
            raise InputError(f"{path}: {use} already; give the output another name")
        taken[os.path.realpath(path)] = "is written"


def check_writable(paths: Iterable[str | Path]) -> None:
    """Raise InputError before a long computation for a path that `complete_or_absent` would refuse after it."""
    for path in paths:
        folder = next(parent for parent in _target(path).parents if parent.exists())
        try:
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise InputError(f"{path}: cannot be written ({error.strerror})") from None


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


def read_text(path: str | Path) -> str:
    """Return the content of a file of data as text.

    Raises InputError as `read_bytes` does, and for a web page and for what is not UTF-8.
    """
    data = read_bytes(path)
    refuse_web_page(path, data)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start + 1}: is not UTF-8 text; save it as plain text") from None


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, which end at LF, CRLF or CR; str.splitlines ends them at form feeds too."""
    return [line.removesuffix("\n") for line in io.StringIO(text, newline=None)]


def refuse_web_page(path: str | Path, data: bytes) -> None:
    """Raise InputError where the content of a file of data is what a server sent instead."""
    if found := _WEB_PAGE.match(data):
        line = data[: found.start(2)].count(b"\n") + 1
        raise InputError(f"{path}: line {line}: is an HTML or XML page, not data; download the file itself")


def read_arrays(path: str | Path) -> npt.NDArray[Any] | dict[str, npt.NDArray[Any]]:
    """Return the array of a .npy file, or the arrays of a .npz file by name.

    Raises InputError for what is neither (a web page, say), is damaged, or holds Python objects.
    """
    data = read_bytes(path)
    if not data:
        raise InputError(f"{path}: is empty")
    refuse_web_page(path, data)
    try:
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        return loaded if isinstance(loaded, np.ndarray) else {key: loaded[key] for key in loaded.files}
    except Exception:  # NumPy, zipfile and tokenize raise a dozen kinds for a damaged file; some hint at unsafe loading
        raise InputError(
            f"{path}: is no NumPy file, is damaged or holds Python objects; write it with numpy.save or numpy.savez"
        ) from None


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
        fault = "the gzip stream is truncated or damaged"
    except (gzip.BadGzipFile, zlib.error) as error:
        fault = f"the gzip stream is damaged ({error})"
    else:
        return b"".join(chunks)
    raise DamagedGzip(path, fault, b"".join(chunks))


def _target(path: str | Path) -> Path:
    """The file that is written for `path`: what it points to, where it is a symbolic link."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(f"{path}: is a directory; give the name of a file")
    if target.exists() and not target.is_file():
        raise InputError(f"{path}: is a device or a pipe; give the name of a file")
    return target


@contextmanager
def all_or_none(paths: Iterable[str | Path]) -> Iterator[list[Path]]:
    """Several files as by `complete_or_absent`: when one of them cannot be written, none appears."""
    with ExitStack() as stack:
        yield [stack.enter_context(complete_or_absent(path)) for path in paths]


@contextmanager
def complete_or_absent(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` that is renamed to it when the block ends without an error.

    An interrupted or failed block leaves neither the temporary file nor a half-written `path`.
    The temporary name keeps the suffixes of `path`, because writers choose their format by them. Where `path` is a
    symbolic link, this is about what it points to.
    Raises InputError when the folder cannot be written or is full, and for a directory, a device or a pipe.
    """
    target = _target(path)
    partial = target.parent / f".partial-{secrets.token_hex(8)}{''.join(Path(path).suffixes)}"
    UNFINISHED.add(partial)  # before it exists: the process can be ended at any moment
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.touch(exist_ok=False)
    except OSError as error:
        UNFINISHED.discard(partial)
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        yield partial
        partial.replace(target)
    except OSError as error:
        if error.errno not in _NO_SPACE:
            raise
        raise InputError(f"{path}: cannot be written ({error.strerror}); make room and run it again") from None
    finally:
        partial.unlink(missing_ok=True)
        UNFINISHED.discard(partial)


def count(number: int, of: str) -> str:
    """A number of things in words: "1 cell", "2 cells"."""
    return f"{number} {of}" if number == 1 else f"{number} {of}s"

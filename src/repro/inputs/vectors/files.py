"""Vector sets in files: .npy, .npz, .csv, .tsv, raw column-major .f32 and .f64, and packed .bits.npz."""

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from repro.errors import InputError
from repro.inputs.files import (
    complete_or_absent,
    count,
    lines_of,
    read_arrays,
    read_bytes,
    read_text,
    refuse_web_page,
    split_line,
)
from repro.inputs.vectors.vectorset import VectorSet, pack_bits, unpack_bits, vector_set

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_SEPARATED = {",": "cells are separated by commas", "\t": "cells are separated by tabs"}
# What another separator, or a decimal comma, makes of numbers.
_JOINED = re.compile(r"[-+.\d]+([,;\s]+[-+.\d]+)+")
# Little-endian, one vector after another: what CoMet reads and writes.
_RAW: dict[str, np.dtype[Any]] = {".f32": np.dtype("<f4"), ".f64": np.dtype("<f8")}
_BITS = ".bits.npz"
_ENDINGS = (".npy", ".npz", _BITS, *_SEPARATORS, *_RAW)


def read_vectors(path: str | Path, fields: int | None = None) -> VectorSet:
    """Read a vector set in the format of the file's ending; .csv and .tsv may be gzip (.csv.gz).

    .npy: (vectors, fields). .npz: its only two-dimensional array, with its only array of as many strings as names.
    .bits.npz: `words` as `pack_bits` makes them, `fields`, and `names`. .csv, .tsv: a vector on each line; the first
    line may name the fields and the first column the vectors; lines that begin with # are comments. .f32, .f64: raw
    numbers, one vector after another, `fields` to a vector, which only these take.
    Raises InputError naming the file and line and column, or vector and field, of the first fault.
    """
    path = Path(path)
    ending = _ending(path)
    if ending in _RAW:
        return vector_set(_read_raw(path, _RAW[ending], fields), source=str(path))
    if fields is not None:
        raise InputError(
            f"{path}: says itself how many fields a vector has; --fields is for {' and '.join(_RAW)} alone"
        )
    if ending in _SEPARATORS:
        return _read_table(path, _SEPARATORS[ending])
    arrays = read_arrays(path)
    if ending == _BITS:
        return _read_bits(path, {} if isinstance(arrays, np.ndarray) else arrays)
    if isinstance(arrays, np.ndarray):
        return vector_set(arrays, source=str(path))
    tables = [key for key, array in arrays.items() if array.ndim == 2]
    if len(tables) != 1:
        raise InputError(f"{path}: has {len(tables)} two-dimensional arrays ({', '.join(arrays)}); keep one")
    values = arrays[tables[0]]
    labels = [a for a in arrays.values() if a.ndim == 1 and a.dtype.kind == "U" and a.size == len(values)]
    return vector_set(values, labels[0].tolist() if len(labels) == 1 else None, source=str(path))


def is_raw(path: str | Path) -> bool:
    """Whether a file of this name holds raw numbers, which do not say how many fields a vector has."""
    return Path(str(path).lower().removesuffix(".gz")).suffix in _RAW


def write_vectors(path: str | Path, vectors: VectorSet) -> None:
    """Write a vector set in the format of the file's ending; `read_vectors` gives it back.

    .npy, .f32 and .f64 keep no names. Raises InputError for an unknown ending, and where a value does not fit.
    """
    path = Path(path)
    ending = _ending(path)
    contents: bytes
    if ending in _RAW:
        contents = vectors.astype(_RAW[ending]).values.tobytes()
    elif ending in _SEPARATORS:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=_SEPARATORS[ending], lineterminator="\n")
        writer.writerow(["", *(f"field{q}" for q in range(1, vectors.fields + 1))])
        writer.writerows([name, *row] for name, row in zip(vectors.names, vectors.values.tolist(), strict=True))
        contents = text.getvalue().encode()
    else:
        binary = io.BytesIO()
        names = np.array(vectors.names)
        if ending == ".npy":
            np.save(binary, vectors.values)
        elif ending == ".npz":
            np.savez_compressed(binary, values=vectors.values, names=names)
        else:
            np.savez_compressed(binary, words=pack_bits(vectors), fields=vectors.fields, names=names)
        contents = binary.getvalue()
    with complete_or_absent(path) as partial:
        partial.write_bytes(contents)


def _ending(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    if name.endswith(_BITS):
        return _BITS
    ending = Path(name).suffix
    if ending not in _ENDINGS:
        raise InputError(f"{path}: is no vector file; known endings are {', '.join(_ENDINGS)}")
    return ending


def _read_raw(path: Path, dtype: np.dtype[Any], fields: int | None) -> npt.NDArray[Any]:
    if fields is None:
        raise InputError(f"{path}: raw numbers do not say how long a vector is; give its fields: --fields N")
    data = read_bytes(path)
    refuse_web_page(path, data)
    if not data or fields < 1 or len(data) % (fields * dtype.itemsize):
        raise InputError(
            f"{path}: {len(data)} bytes are not vectors of {fields} fields of {dtype.itemsize} bytes; correct --fields"
        )
    values = np.frombuffer(data, dtype=dtype).reshape(-1, fields)
    return values.astype(dtype.newbyteorder("="))


def _read_bits(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> VectorSet:
    for key in ("words", "fields", "names"):
        if key not in arrays:
            raise InputError(f"{path}: has no array {key}; packed bits have words, fields and names")
    fields, names = arrays["fields"], arrays["names"]
    if fields.ndim or fields.dtype.kind not in "iu" or fields < 1:
        raise InputError(f"{path}: fields is {_shown(fields)}; give one whole number above 0")
    if names.ndim != 1 or names.dtype.kind != "U":
        raise InputError(f"{path}: names is {_shown(names)}; give a string for each vector")
    return vector_set(unpack_bits(arrays["words"], int(fields), str(path)), names.tolist(), str(path))


def _shown(array: npt.NDArray[Any]) -> str:
    return f"an array of {array.dtype} of shape {array.shape}" if array.ndim else repr(array.item())


def _read_table(path: Path, separator: str) -> VectorSet:
    """Read a table; a first line or first column with a cell that is no number holds names."""
    text = read_text(path)
    lines = [(i, line) for i, line in enumerate(lines_of(text), start=1) if line.strip() and line[0] != "#"]
    rows = [split_line(f"{path}: line {i}", line, separator) for i, line in lines]
    header = None
    if rows and _is_header(path, lines[0][0], rows[0], separator):
        header, lines, rows = rows[0], lines[1:], rows[1:]
    if not rows:
        raise InputError(f"{path}: has no vectors; write one on each line; {_SEPARATED[separator]}")
    names_are_told = header is not None and header[0].strip() == ""
    named = names_are_told or not all(_is_number(row[0]) for row in rows)
    # R writes no name above the column of names.
    width = len(header) if header and len(header) >= len(rows[0]) else len(rows[0])
    if width == named:
        line, cell = lines[0][0], rows[0][0]
        raise InputError(f"{path}: line {line}: {cell!r} is a name without numbers; {_SEPARATED[separator]}")
    if named and not names_are_told and all(_JOINED.fullmatch(row[0]) or _is_number(row[0]) for row in rows):
        first = next(i for i, row in enumerate(rows) if not _is_number(row[0]))
        raise _no_number(path, lines[first][0], 0, rows[first], separator)
    values = np.empty((len(rows), width - named))
    for i, ((line, _), row) in enumerate(zip(lines, rows, strict=True)):
        if len(row) != width:
            raise InputError(
                f"{path}: line {line}: has {count(len(row), 'cell')}, {width} are expected; {_SEPARATED[separator]}"
            )
        if named and not row[0]:
            raise InputError(f"{path}: line {line}, column 1: the name is empty; name all vectors, or none")
        try:
            values[i] = row[named:]
        except ValueError:
            column = next(q for q, cell in enumerate(row) if q >= named and not _is_number(cell))
            raise _no_number(path, line, column, row, separator) from None
    names = [row[0] for row in rows] if named else None
    return vector_set(_whole(values), names, str(path), tuple(line for line, _ in lines))


def _is_header(path: Path, line: int, row: list[str], separator: str) -> bool:
    """Tell a line of names from a line of numbers; one with both is refused, as it may be data with a fault."""
    cells = row[1:] or row
    numbers = [_is_number(cell) for cell in cells]
    if row[0].strip() and any(numbers) and not all(numbers):
        raise _no_number(path, line, len(row) - len(cells) + numbers.index(False), row, separator)
    return not row[0].strip() or not all(numbers)


def _no_number(path: Path, line: int, column: int, row: list[str], separator: str) -> InputError:
    cell = row[column]
    hint = f"; {_SEPARATED[separator]}, decimals by a point" if _JOINED.fullmatch(cell) else "; write one"
    return InputError(f"{path}: line {line}, column {column + 1}: {cell!r} is not a number{hint}")


def _whole(values: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
    """Return integers as integers: a table does not say whether 3.0 was counted or measured."""
    whole = np.isfinite(values).all() and (values == np.floor(values)).all() and (abs(values) < 2**53).all()
    return values.astype(np.int64) if whole else values


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True

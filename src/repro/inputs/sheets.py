"""Sample sheets: tab-separated tables under config/ that list what a run computes on.

Lines that begin with `#` are comments; the first other line names the columns; an empty cell means "not given".
"""

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from repro.errors import InputError
from repro.inputs.files import count, lines_of, read_text


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Entry = TypeVar("Entry", bound=_Named)


@dataclass(frozen=True)
class Row:
    """One line of a sheet; the methods return a cell in its type or raise InputError naming file, line and column."""

    path: Path
    line: int
    cells: dict[str, str]

    def fault(self, column: str, problem: str) -> InputError:
        """Return the error that names this row's cell in `column`."""
        return InputError(f"{self.path}: line {self.line}, column {column}: {problem}")

    def text(self, column: str) -> str:
        """Return a cell that must not be empty."""
        if not self.cells[column]:
            raise self.fault(column, "is empty; a value is needed here")
        return self.cells[column]

    def empty(self, column: str, reason: str) -> None:
        """Require a cell to be empty, for the reason given."""
        if self.cells[column]:
            raise self.fault(column, f"{self.cells[column]!r} where nothing belongs; {reason}")

    def choice(self, column: str, values: Iterable[str]) -> str:
        """Return a cell that must be one of `values`."""
        known = list(values)
        if self.text(column) not in known:
            raise self.fault(column, f"{self.cells[column]!r} is none of {', '.join(known)}")
        return self.cells[column]

    def integer(self, column: str, least: int) -> int:
        """Return a cell that must be a whole number, `least` or more."""
        try:
            value = int(self.text(column))
        except ValueError:
            raise self.fault(column, f"{self.cells[column]!r} is not a whole number") from None
        if value < least:
            raise self.fault(column, f"{value} is below {least}")
        return value

    def optional_integer(self, column: str, least: int) -> int | None:
        """Return the whole number in a cell, or None when it is empty."""
        return self.integer(column, least) if self.cells[column] else None

    def number(self, column: str) -> float:
        """Return a cell that must be a number."""
        try:
            return float(self.text(column))
        except ValueError:
            raise self.fault(column, f"{self.cells[column]!r} is not a number") from None

    def fraction(self, column: str) -> float:
        """Return a cell that must be a number above 0, up to 1."""
        value = self.number(column)
        if not 0 < value <= 1:
            raise self.fault(column, f"{self.cells[column]} is not above 0 and up to 1")
        return value


def read_rows(path: str | Path, columns: tuple[str, ...]) -> list[Row]:
    """Read a sheet that has exactly the given columns, in any order, one of which is `name`.

    Raises InputError for a missing, unknown or doubled column, a line with too few or too many cells, and a name that
    is missing, doubled, or no file name (names become parts of file names).
    """
    path = Path(path)
    text = read_text(path)
    lines = [(i, line) for i, line in enumerate(lines_of(text), start=1) if line.strip() and line[0] != "#"]
    if not lines:
        raise InputError(f"{path}: is empty; the first line names the columns {', '.join(columns)}")
    table = [(i, [cell.strip() for cell in line.split("\t")]) for i, line in lines]
    (header_line, header), *body = table
    _check_header(path, header_line, header, columns)
    rows: dict[str, Row] = {}
    for line, values in body:
        if len(values) != len(header):
            raise InputError(
                f"{path}: line {line}: has {count(len(values), 'cell')}, the header {len(header)}; use tabs"
            )
        row = Row(path, line, dict(zip(header, values, strict=True)))
        name = row.text("name")
        if not all(letter.isalnum() or letter in "-_." for letter in name) or name.startswith("."):
            raise row.fault("name", f"{name!r} is no file name; use letters, digits, '-', '_' and '.'")
        if name in rows:
            raise row.fault("name", f"{name!r} is the name of line {rows[name].line} too; rename one of them")
        rows[name] = row
    return list(rows.values())


def chosen(path: str, read: Callable[[str], list[Entry]], names: Iterable[str]) -> dict[str, Entry]:
    """Return the lines of a sheet with the given names, by name; the sheet is not read when no name is given.

    Raises InputError for a name that is not in the sheet (with the nearest that is), and as `read` does.
    """
    wanted = list(names)
    known = {entry.name: entry for entry in read(path)} if wanted else {}
    for name in wanted:
        if name not in known:
            nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.0) or ["none"]
            raise InputError(f"{path}: has no line named '{name}'; the nearest is {nearest[0]}")
    return {name: known[name] for name in wanted}


def _check_header(path: Path, line: int, header: list[str], columns: tuple[str, ...]) -> None:
    for column in header:
        if column not in columns:
            near = difflib.get_close_matches(column, columns, n=1, cutoff=0.0)[0]
            raise InputError(f"{path}: line {line}: unknown column {column!r}; the nearest is {near}")
        if header.count(column) > 1:
            raise InputError(f"{path}: line {line}: column {column} is there twice")
    for column in columns:
        if column not in header:
            raise InputError(f"{path}: line {line}: column {column} is missing (cells are separated by tabs)")

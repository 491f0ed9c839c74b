"""FASTA files, read into arrays of upper-case ASCII bytes.

Every byte is a symbol of its own: IUPAC codes and amino acids are compared as they stand, never as wildcards.
"""

import difflib
import hashlib
import io
import string
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from Bio.SeqIO.FastaIO import SimpleFastaParser

from repro.errors import InputError
from repro.inputs.files import DamagedGzip, complete_or_absent, read_bytes

# Letters, and `*` for a stop codon in protein. A gap is no letter of a sequence.
LETTERS = string.ascii_letters.encode() + b"*"
NUCLEOTIDES = np.frombuffer(b"ACGTU", np.uint8)
AMBIGUOUS = np.frombuffer(b"RYSWKMBDHVN", np.uint8)  # IUPAC: one of several nucleotides
UTF8_BOM = b"\xef\xbb\xbf"
_BINARY_FORMATS = {
    b"BZh": "bzip2-compressed; decompress it first",
    b"\xfd7zXZ": "xz-compressed; decompress it first",
    b"\x28\xb5\x2f\xfd": "zstd-compressed; decompress it first",
    b"PK\x03\x04": "a zip archive; unpack it first",
}
_LINE_LENGTH = 70


@dataclass(frozen=True, eq=False)
class Sequence:
    """One named sequence.

    `letters` holds upper-case ASCII codes: uint8, shape (length,), C-contiguous and read-only. `qualities`: those of a
    FASTQ record as they stand there, a byte a letter; else empty.
    """

    name: str
    letters: npt.NDArray[np.uint8]
    qualities: bytes = b""

    def __len__(self) -> int:
        return self.letters.size

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the letters, in hexadecimal; independent of name, case and line wrapping."""
        return hashlib.sha256(self.letters.tobytes()).hexdigest()


def sequence(name: str, letters: str | bytes) -> Sequence:
    """Return a `Sequence` of the given letters, folded to upper case.

    Raises InputError naming the first byte (position from 1) that is not a letter.
    """
    raw = letters.encode("latin-1", "replace") if isinstance(letters, str) else letters
    if raw.translate(None, LETTERS):
        position = next(i for i, byte in enumerate(raw) if byte not in LETTERS)
        raise InputError(f"sequence {name}, position {position + 1}: {letter_fault(raw[position])}")
    return Sequence(name, np.frombuffer(raw.upper(), dtype=np.uint8))


def read_fasta(path: str | Path) -> list[Sequence]:
    """Read all records of a plain or gzip FASTA file, in file order.

    Accepts any line ends and wrapping, blank lines and either case (folded to upper). A record may be empty.
    Raises InputError with file, record (from 1), line and column for what is not FASTA, for a letter that
    cannot belong to a sequence, and for two records of one name.
    """
    try:
        data = read_bytes(path).removeprefix(UTF8_BOM)
    except DamagedGzip as error:
        record = max(1, _count_headers(error.readable))
        raise InputError(f"{error} (in record {record})") from None
    check_format(path, data)
    records: dict[str, Sequence] = {}
    # A byte stream decoded as latin-1 lets every byte through to the checks below.
    text = io.TextIOWrapper(io.BytesIO(data), encoding="latin-1", newline=None)
    parser = SimpleFastaParser(text)  # type: ignore[no-untyped-call]
    for number, (title, letters) in enumerate(parser, start=1):
        name = (title.split(maxsplit=1) or [""])[0].encode("latin-1").decode("utf-8", "replace")
        if not name:
            raise InputError(f"{path}: record {number} has no name; write one after the '>'")
        if name in records:
            first = list(records).index(name) + 1
            raise InputError(f"{path}: record {number} has the name of record {first}, {name}; rename one of them")
        raw = letters.encode("latin-1")
        if raw.translate(None, LETTERS):
            raise InputError(f"{path}: record {number} ({name}), {_first_bad_letter(data, number)}")
        records[name] = Sequence(name, np.frombuffer(raw.upper(), dtype=np.uint8))
    return list(records.values())


def read_sequence(spec: str | Path) -> Sequence:
    """Read one record: `FILE` when it holds a single record, `FILE#NAME` to choose one by name.

    Raises InputError as `read_fasta` does, for several records without a choice, and for an unknown name
    (with the nearest known one).
    """
    path, name = _split_spec(str(spec))
    records = read_fasta(path)
    if name is None:
        if len(records) == 1:
            return records[0]
        names = [record.name for record in records]
        some = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        raise InputError(f"{path}: holds {len(records)} records ({some}); choose one as {path}#{names[0]}")
    for record in records:
        if record.name == name:
            return record
    if not name:
        raise InputError(f"{path}#: names no record; the first of its {len(records)} is {path}#{records[0].name}")
    near = difflib.get_close_matches(name, [record.name for record in records], n=1, cutoff=0.0)
    raise InputError(f"{path}: has no record named {name}; the nearest of its {len(records)} is {path}#{near[0]}")


def check_nucleotides(path: str | Path, records: Iterable[Sequence]) -> None:
    """Raise InputError naming file, record and position (from 1) of the first letter that stands for no nucleotide."""
    nucleotides = NUCLEOTIDES.tobytes() + AMBIGUOUS.tobytes()
    for record in records:
        letters = record.letters.tobytes()
        if wrong := letters.translate(None, nucleotides):
            position = letters.index(wrong[0]) + 1
            raise InputError(
                f"{path}: record {record.name}, position {position}: '{chr(wrong[0])}' stands for no nucleotide; "
                "give DNA or RNA, not protein"
            )


def check_format(path: str | Path, data: bytes, fastq: bool = False) -> None:
    """Raise InputError for what does not begin as FASTA does or, where that is read too, as FASTQ does."""
    text = data.lstrip()
    known, begins = "FASTA", "a FASTA record begins with a line '>name'"
    if fastq:
        known, begins = "FASTA or FASTQ", f"{begins}, one of FASTQ with '@name'"
    if not text:
        raise InputError(f"{path}: is empty; {begins}")
    if text.startswith(b">") or (fastq and text.startswith(b"@")):
        return
    position = len(data) - len(text)
    line = data[:position].count(b"\n") + 1
    where = f"{path}: record 1, line {line}, column 1"
    for magic, format_ in _BINARY_FORMATS.items():
        if data.startswith(magic):
            raise InputError(f"{path}: record 1, byte 1: is {format_}")
    if text.startswith(b"<"):
        raise InputError(f"{where}: is an HTML or XML page, not {known}; download the plain text")
    if text.startswith(b"@"):
        raise InputError(f"{where}: begins with '@' as FASTQ does; FASTA is needed here")
    binary = next((i for i, byte in enumerate(data[:4096]) if byte < 9 or 13 < byte < 32 or byte > 126), None)
    if binary is not None:
        raise InputError(f"{path}: record 1, byte {binary + 1}: is binary (0x{data[binary]:02x}), not {known} text")
    raise InputError(f"{where}: no header; {begins}")


def letter_fault(byte: int) -> str:
    """Say what is wrong with a byte that is no letter of a sequence, and what to do."""
    if byte in b"-.":
        return f"{chr(byte)!r} is an alignment gap; give the sequence without gaps"
    shown = repr(chr(byte)) if 32 < byte < 127 else f"byte 0x{byte:02x}"
    return f"{shown} is not a sequence letter; remove or replace it"


def write_fasta(path: str | Path, sequences: Iterable[Sequence]) -> None:
    """Write records to a FASTA file wrapped at 70 letters; the file appears only when complete."""
    with complete_or_absent(path) as partial, partial.open("w", encoding="utf-8") as stream:
        for record in sequences:
            letters = record.letters.tobytes().decode("ascii")
            stream.write(f">{record.name}\n")
            stream.writelines(
                letters[start : start + _LINE_LENGTH] + "\n" for start in range(0, len(letters), _LINE_LENGTH)
            )


def _split_spec(spec: str) -> tuple[Path, str | None]:
    """Split `FILE#NAME`; both parts may themselves contain `#`, so the first split that is a file wins."""
    if "#" not in spec or Path(spec).exists():
        return Path(spec), None
    positions = [i for i, letter in enumerate(spec) if letter == "#"]
    position = next((i for i in positions if Path(spec[:i]).is_file()), positions[0])
    return Path(spec[:position]), spec[position + 1 :]


def _count_headers(data: bytes) -> int:
    return sum(line.startswith(b">") for line in data.splitlines())


def _first_bad_letter(data: bytes, number: int) -> str:
    """Say where in the file the first bad letter of record `number` stands, and what is wrong with it."""
    record = 0
    for line_number, line in enumerate(io.TextIOWrapper(io.BytesIO(data), encoding="latin-1"), start=1):
        record += line.startswith(">")
        if record == number and not line.startswith(">"):
            raw = line.rstrip().replace(" ", "").encode("latin-1")
            if raw.translate(None, LETTERS):
                byte = next(byte for byte in raw if byte not in LETTERS)
                return f"line {line_number}, column {line.index(chr(byte)) + 1}: {letter_fault(byte)}"
    raise AssertionError("the caller saw a letter that is not allowed")

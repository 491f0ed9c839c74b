"""Reads in FASTA or FASTQ, chosen by the file's extension, and their truth as a table."""

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from repro.errors import InputError
from repro.inputs.fasta import LETTERS, UTF8_BOM, Sequence, check_format, letter_fault, read_fasta
from repro.inputs.files import all_or_none, read_bytes
from repro.inputs.reads.simulate import Read

FORMATS = {".fa": "fasta", ".fasta": "fasta", ".fq": "fastq", ".fastq": "fastq"}
TRUTH_COLUMNS = ("read", "record", "start", "end", "strand", "cigar")
_READS_PER_REPORT = 256
_QUALITIES = bytes(range(33, 127))
_FOUR_LINES = "a FASTQ record has four lines: @name, letters, +, as many qualities"


def read_format(path: str | Path) -> str:
    """Return `fasta` or `fastq` by the extension; raises InputError for any other."""
    try:
        return FORMATS[Path(path).suffix.lower()]
    except KeyError:
        raise InputError(f"{path}: reads are written as {', '.join(FORMATS)}; choose one of these endings") from None


def write_reads(
    path: str | Path,
    truth: str | Path | None,
    reads: Iterable[Read],
    prefix: str,
    progress: Callable[[int], None] = lambda reads: None,
) -> None:
    """Write reads, named PREFIX-0, PREFIX-1, ..., and where wanted their truth; both files complete or neither.

    The truth is a table with TRUTH_COLUMNS: name of the read, record of the genome, start and end (0-based, half-open,
    forward strand), strand, and CIGAR with = X I D along the forward strand, as in SAM.
    progress: called with the number of reads written since the last call.
    Raises InputError for an unknown extension and for two equal paths.
    """
    fastq = read_format(path) == "fastq"
    if truth is not None and Path(truth).resolve() == Path(path).resolve():
        raise InputError(f"{path}: reads and truth go to the same file; give two names")
    with all_or_none(filter(None, (path, truth))) as partials, contextlib.ExitStack() as stack:
        out, *tables = [stack.enter_context(partial.open("wb")) for partial in partials]
        table = tables[0] if tables else None
        if table is not None:
            table.write(("\t".join(TRUTH_COLUMNS) + "\n").encode())
        number = -1
        for number, read in enumerate(reads):
            name = b"%s-%d" % (prefix.encode(), number)
            if fastq:
                out.write(b"@%s\n%s\n+\n%s\n" % (name, read.letters, read.qualities))
            else:
                out.write(b">%s\n%s\n" % (name, read.letters))
            if table is not None:
                place = f"\t{read.record}\t{read.start}\t{read.end}\t{read.strand}\t"
                table.write(name + place.encode() + read.cigar + b"\n")
            if number % _READS_PER_REPORT == _READS_PER_REPORT - 1:
                progress(_READS_PER_REPORT)
        progress((number + 1) % _READS_PER_REPORT)


def read_reads(path: str | Path) -> list[Sequence]:
    """Read reads from FASTA or FASTQ, told apart by their first letter, plain or gzip.

    A FASTQ record has four lines; any line ends and blank lines between records are accepted.
    Raises InputError as `read_fasta` does, for FASTQ too.
    """
    data = read_bytes(path).removeprefix(UTF8_BOM)
    check_format(path, data, fastq=True)
    return _read_fastq(path, data) if data.lstrip().startswith(b"@") else read_fasta(path)


def _read_fastq(path: str | Path, data: bytes) -> list[Sequence]:
    reads: dict[str, Sequence] = {}
    lines = data.splitlines()
    begin = 0
    while begin < len(lines):
        if not lines[begin].strip():
            begin += 1
            continue
        where = f"{path}: record {len(reads) + 1}"
        name, letters, qualities = _fastq_record(where, begin + 1, [line.rstrip() for line in lines[begin : begin + 4]])
        if name in reads:
            raise InputError(
                f"{where} has the name of record {list(reads).index(name) + 1}, {name}; rename one of them"
            )
        reads[name] = Sequence(name, np.frombuffer(letters.upper(), dtype=np.uint8), qualities)
        begin += 4
    return list(reads.values())


def _fastq_record(where: str, number: int, lines: list[bytes]) -> tuple[str, bytes, bytes]:
    """Check the lines of a record, the first of which has that number: its name, letters and qualities."""
    title = lines[0][1:]
    name = b"".join(title.split(maxsplit=1)[:1]).decode("utf-8", "replace")
    if not lines[0].startswith(b"@"):
        raise InputError(f"{where}, line {number}: does not begin with '@'; {_FOUR_LINES}")
    if not name:
        raise InputError(f"{where} has no name; write one after the '@'")
    where = f"{where} ({name})"
    if len(lines) > 2 and lines[2] not in (b"+", b"+" + title, b"+" + name.encode()):
        raise InputError(f"{where}, line {number + 2}: is neither '+' nor '+' with the name again; {_FOUR_LINES}")
    if len(lines) < 4:
        raise InputError(f"{where}, line {number + len(lines)}: is missing; {_FOUR_LINES}")
    _, letters, _, qualities = lines
    if wrong := letters.translate(None, LETTERS):
        raise InputError(f"{where}, line {number + 1}, column {letters.index(wrong[0]) + 1}: {letter_fault(wrong[0])}")
    if wrong := qualities.translate(None, _QUALITIES):
        column = qualities.index(wrong[0]) + 1
        raise InputError(f"{where}, line {number + 3}, column {column}: is no quality, '!' to '~'; {_FOUR_LINES}")
    if len(qualities) != len(letters):
        raise InputError(
            f"{where}, line {number + 3}: {len(qualities)} qualities for {len(letters)} letters; {_FOUR_LINES}"
        )
    return name, letters, qualities

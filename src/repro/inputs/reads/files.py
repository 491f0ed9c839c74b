"""Reads in FASTA or FASTQ, chosen by the file's extension, and their truth as a table."""

import contextlib
import io
from collections.abc import Callable, Iterable
from pathlib import Path

from Bio.SeqIO.QualityIO import FastqGeneralIterator

from repro.errors import InputError
from repro.inputs.fasta import Sequence, read_fasta, sequence
from repro.inputs.files import all_or_none, read_bytes
from repro.inputs.reads.simulate import Read

FORMATS = {".fa": "fasta", ".fasta": "fasta", ".fq": "fastq", ".fastq": "fastq"}
TRUTH_COLUMNS = ("read", "record", "start", "end", "strand", "cigar")
_READS_PER_REPORT = 256


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
    """Read reads from FASTA or FASTQ, told apart by their first letter, plain or gzip; qualities are left out.

    Raises InputError as `read_fasta` does, and with file and read for a fault in FASTQ, two reads of one name included.
    """
    data = read_bytes(path)
    if not data.lstrip().startswith(b"@"):
        return read_fasta(path)
    reads: dict[str, Sequence] = {}
    try:
        for title, letters, _ in FastqGeneralIterator(io.StringIO(data.decode("latin-1"))):
            name = (title.split(maxsplit=1) or [""])[0]
            if not name:
                raise InputError("has no name; write one after the '@'")
            if name in reads:
                raise InputError(f"has the name of read {list(reads).index(name) + 1}, {name}; rename one of them")
            reads[name] = sequence(name, letters)
    except (ValueError, InputError) as error:
        raise InputError(f"{path}: read {len(reads) + 1}: {error}") from None
    return list(reads.values())

import errno
import gzip
import hashlib
import string
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repro.errors import InputError
from repro.inputs.fasta import Sequence, read_fasta, read_sequence, sequence, write_fasta


def as_text(record: Sequence) -> str:
    return record.letters.tobytes().decode("ascii")


@pytest.fixture
def write(tmp_path: Path):
    def write(content: bytes | str, name: str = "a.fa") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.mark.parametrize(
    "content",
    [
        ">x about it\nACGT\nNNRY\n",
        ">x\nACGTNNRY",
        ">x\r\nACGT\r\nNNRY\r\n",
        ">x\rACGT\rNNRY\r",
        ">x\nacgt\nnnry\n",
        "\n\n>x\n\nAC GT\n\n\nNNRY\n\n",
        ">x\nACGTNNRY   \n",
        "\ufeff>x\nACGTNNRY\n",
    ],
    ids=[
        "wrapped",
        "single line",
        "crlf",
        "cr",
        "lower case",
        "blank lines",
        "trailing blanks",
        "byte order mark",
    ],
)
@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_every_layout_gives_the_same_sequence(write, content, compress):
    (record,) = read_fasta(write(compress(content.encode())))
    assert record.name == "x"
    assert as_text(record) == "ACGTNNRY"
    assert record.letters.dtype == np.uint8
    assert record.letters.flags.c_contiguous
    assert record.sha256 == hashlib.sha256(b"ACGTNNRY").hexdigest()


def test_protein_with_stop_codon(write):
    assert as_text(read_sequence(write(">p\nMKVLAW*\n"))) == "MKVLAW*"


def test_an_empty_record_is_a_sequence_of_length_zero(write):
    empty, other = read_fasta(write(">x\n>y\nA\n"))
    assert (len(empty), len(other)) == (0, 1)


def test_concatenated_gzip_members_are_one_file(write):
    path = write(gzip.compress(b">x\nAC\n") + gzip.compress(b">y\nGT\n"))
    assert [(r.name, as_text(r)) for r in read_fasta(path)] == [("x", "AC"), ("y", "GT")]


names = st.text(string.ascii_letters + string.digits + "._|#:-", min_size=1, max_size=12)
letters = st.text(string.ascii_letters + "*", max_size=300)


@given(st.dictionaries(names, letters, min_size=1, max_size=5), st.booleans())
def test_what_is_written_is_read_back(tmp_path, content, compress):
    path = tmp_path / "round.fa"
    write_fasta(path, [sequence(name, text) for name, text in content.items()])
    if compress:
        path.write_bytes(gzip.compress(path.read_bytes()))
    records = read_fasta(path)
    assert {r.name: as_text(r) for r in records} == {name: text.upper() for name, text in content.items()}
    for name in content:
        assert as_text(read_sequence(f"{path}#{name}")) == content[name].upper()


def test_a_choice_is_needed_among_several_records(write):
    path = write(">x\nAC\n>y\nGT\n")
    assert as_text(read_sequence(f"{path}#y")) == "GT"
    with pytest.raises(InputError, match=r"holds 2 records \(x, y\); choose one as .*a\.fa#x$"):
        read_sequence(path)
    with pytest.raises(InputError, match=r"a\.fa#: names no record; the first of its 2 is .*a\.fa#x$"):
        read_sequence(f"{path}#")


def test_a_file_name_may_contain_the_separator(write):
    path = write(">x#1\nAC\n>x\nGT\n", name="a#b.fa")
    assert as_text(read_sequence(f"{path}#x#1")) == "AC"


def test_an_unknown_record_names_the_nearest(write):
    path = write(">humanMito\nAC\n>mouseMito\nGT\n")
    with pytest.raises(InputError, match=r"no record named humanMit; the nearest of its 2 is .*#humanMito"):
        read_sequence(f"{path}#humanMit")


compressed = gzip.compress(b">x\n" + b"ACGT" * 50_000 + b"\n>y\n" + bytes(range(65, 91)) * 5000, mtime=0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"is empty"),
        (b" \n\n", r"is empty"),
        (gzip.compress(b"", mtime=0), r"is empty"),
        (b"ACGT\n", r"record 1, line 1, column 1: no header"),
        (b"\n\nACGT\n>x\nAC\n", r"record 1, line 3, column 1: no header"),
        (b";x\nACGT\n", r"no header"),
        (b"<!DOCTYPE html>\n<html>", r"record 1, line 1, column 1: is an HTML or XML page"),
        (b">x\nACGT\n<html>\n", r"record 1 \(x\), line 3, column 1: '<' is not a sequence letter"),
        (b"@r\nACGT\n+\nIIII\n", r"FASTQ"),
        (b"\x89PNG\r\n\x1a\n", r"record 1, byte 1: is binary \(0x89\)"),
        (b"AC\x00GT", r"record 1, byte 3: is binary \(0x00\)"),
        (b"BZh91AY", r"bzip2"),
        (b"PK\x03\x04", r"zip archive"),
        (b">x\nAC\n>y\nGT\n\nA C5G\n", r"record 2 \(y\), line 6, column 4: '5' is not a sequence letter"),
        (b">x\nAC\x00T\n", r"record 1 \(x\), line 2, column 3: byte 0x00 is not"),
        (b">x\nAC\xc3\xa9T\n", r"record 1 \(x\), line 2, column 3: byte 0xc3 is not"),
        (b">x\nAC--T\n", r"record 1 \(x\), line 2, column 3: '-' is an alignment gap"),
        (b">x\nA\n>\nA\n", r"record 2 has no name"),
        (b">x\nA\n>y\nA\n>x z\nA\n", r"record 3 has the name of record 1, x"),
        (compressed[:20], r"gzip stream is truncated or damaged after \d+ decompressed bytes .*record 1"),
        (compressed[:-9], r"gzip stream is truncated or damaged after \d{6} decompressed bytes .*record 2"),
        (compressed[:-6] + b"zzzzzz", r"gzip stream is damaged"),
        (b"\x1f\x8b\x08", r"gzip stream is truncated or damaged after 0 decompressed bytes"),
    ],
)
def test_bad_content_is_named_by_file_record_and_position(write, content, message):
    path = write(content)
    with pytest.raises(InputError, match=message) as caught:
        read_fasta(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_missing_file_and_directory(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.fa: no such file"):
        read_sequence(tmp_path / "nothing.fa")
    with pytest.raises(InputError, match=r"nothing\.fa: no such file"):
        read_sequence(f"{tmp_path}/nothing.fa#x")
    with pytest.raises(InputError, match="is a directory"):
        read_sequence(tmp_path)


def test_letters_given_directly_are_checked_too():
    with pytest.raises(InputError, match="sequence x, position 3: '7' is not"):
        sequence("x", "AC7T")
    with pytest.raises(InputError, match="sequence x, position 2"):
        sequence("x", "A☃")


def test_a_failed_write_leaves_nothing_behind(tmp_path):
    def fails():
        yield sequence("x", "ACGT")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_fasta(tmp_path / "out.fa", fails())
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="cannot be written"):
        write_fasta("/dev/null/out.fa", [])
    with pytest.raises(InputError, match="is a directory; give the name of a file"):
        write_fasta(tmp_path, [])

    def full():
        raise OSError(errno.ENOSPC, "No space left on device")
        yield

    with pytest.raises(InputError, match=r"out\.fa: cannot be written \(No space left on device\); make room"):
        write_fasta(tmp_path / "out.fa", full())
    assert list(tmp_path.iterdir()) == []

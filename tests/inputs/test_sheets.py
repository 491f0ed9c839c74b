from pathlib import Path

import pandas as pd
import pytest

from repro.errors import InputError
from repro.inputs.fasta import read_fasta, read_sequence
from repro.inputs.pair_sheet import read_pairs
from repro.inputs.pairs import edit_distance, make_pair

ROOT = Path(__file__).parents[2]
HEADER = [
    "name",
    "source",
    "a",
    "b",
    "length_a",
    "length_b",
    "similarity",
    "seed",
    "distance",
    "published_distance",
    "note",
]


@pytest.fixture
def sheet(tmp_path):
    def write(*rows: dict[str, str], header: list[str] = HEADER) -> Path:
        path = tmp_path / "pairs.tsv"
        lines = ["# a comment", "\t".join(header)]
        lines += ["\t".join(row.get(column, "") for column in header) for row in rows]
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


FILE = {"name": "x", "source": "file", "a": "a.fa", "b": "b.fa#r"}
NCBI = {"name": "y", "source": "ncbi", "a": "NC_000898.1", "b": "BX927147.1", "length_a": "162114"}
MADE = {"name": "z", "source": "synthetic", "length_a": "100", "similarity": "0.9", "seed": "1"}
LOST = {"name": "w", "source": "unavailable", "a": "gbgss201", "b": "gbhtg11", "note": "gone"}


def test_every_source(sheet):
    x, y, z, w = read_pairs(sheet(FILE, NCBI, MADE, LOST))
    assert (x.source, x.a, x.b, x.length_a, x.distance) == ("file", "a.fa", "b.fa#r", None, None)
    assert (y.source, y.a, y.length_a, y.length_b) == ("ncbi", "NC_000898.1", 162114, None)
    assert (z.source, z.length_a, z.similarity, z.seed, z.a) == ("synthetic", 100, 0.9, 1, "")
    assert (w.source, w.note) == ("unavailable", "gone")


def test_columns_may_come_in_any_order_and_lines_end_either_way(sheet):
    path = sheet(FILE, header=HEADER[::-1])
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert read_pairs(path)[0].b == "b.fa#r"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (FILE | {"name": ""}, r"line 3, column name: is empty"),
        (FILE | {"name": "a/b"}, r"line 3, column name: 'a/b' is no file name"),
        (FILE | {"name": ".."}, r"line 3, column name: '\.\.' is no file name"),
        (FILE | {"source": "files"}, r"line 3, column source: 'files' is none of file, ncbi, synthetic"),
        (FILE | {"b": ""}, r"line 3, column b: is empty"),
        (FILE | {"seed": "1"}, r"line 3, column seed: '1' where nothing belongs; only a synthetic"),
        (FILE | {"distance": "5k"}, r"line 3, column distance: '5k' is not a whole number"),
        (FILE | {"distance": "-1"}, r"line 3, column distance: -1 is below 0"),
        (NCBI | {"a": "NC_000898"}, r"line 3, column a: 'NC_000898' is no accession with version"),
        (NCBI | {"b": "NC_000898.1x"}, r"line 3, column b: 'NC_000898.1x' is no accession"),
        (MADE | {"a": "a.fa"}, r"line 3, column a: 'a\.fa' where nothing belongs"),
        (MADE | {"length_b": "100"}, r"line 3, column length_b: '100' where nothing belongs"),
        (MADE | {"length_a": ""}, r"line 3, column length_a: is empty"),
        (MADE | {"length_a": "0"}, r"line 3, column length_a: 0 is below 1"),
        (MADE | {"similarity": "90"}, r"line 3, column similarity: 90 is not above 0 and up to 1"),
        (MADE | {"similarity": "nan"}, r"line 3, column similarity: nan is not above 0 and up to 1"),
        (MADE | {"similarity": "90%"}, r"line 3, column similarity: '90%' is not a number"),
        (LOST | {"note": ""}, r"line 3, column note: is empty"),
    ],
)
def test_a_faulty_cell_is_named_by_line_and_column(sheet, row, message):
    with pytest.raises(InputError, match=message):
        read_pairs(sheet(row))


def test_faulty_tables(sheet, tmp_path):
    with pytest.raises(InputError, match="line 4, column name: 'x' is the name of line 3 too"):
        read_pairs(sheet(FILE, FILE))
    with pytest.raises(InputError, match="line 2: unknown column 'sorce'; the nearest is source"):
        read_pairs(sheet(header=["name", "sorce"]))
    with pytest.raises(InputError, match="line 2: column source is missing"):
        read_pairs(sheet(header=["name"]))
    with pytest.raises(InputError, match="line 2: column name is there twice"):
        read_pairs(sheet(header=["name", "name"]))
    path = sheet(FILE)
    path.write_text(path.read_text() + "u file a b\n")
    with pytest.raises(InputError, match="line 4: 1 cells where the header has 11; use tabs"):
        read_pairs(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="byte 0: is not UTF-8"):
        read_pairs(path)
    path.write_text("# nothing\n")
    with pytest.raises(InputError, match="is empty; the first line names the columns"):
        read_pairs(path)


def test_bundled_sequences_are_what_their_origin_says():
    origin = pd.read_csv(ROOT / "resources/sequences/ORIGIN.tsv", sep="\t")
    files = {path.name for path in (ROOT / "resources/sequences").glob("*.fa*")}
    assert set(origin.file) == files
    for row in origin.itertuples():
        (record,) = read_fasta(ROOT / "resources/sequences" / row.file)
        assert (len(record), record.sha256) == (row.length, row.sha256)


def test_the_shipped_sheet(monkeypatch):
    monkeypatch.chdir(ROOT)
    pairs = read_pairs("config/pairs.tsv")
    assert {pair.source for pair in pairs} == {"file", "ncbi", "synthetic", "unavailable"}
    for pair in pairs:
        if pair.source == "file":
            a, b = read_sequence(pair.a), read_sequence(pair.b)
            assert (len(a), len(b)) == (pair.length_a, pair.length_b)
            assert edit_distance(a, b) == pair.distance
        if pair.source == "synthetic":
            manifest = make_pair(pair.length_a, pair.similarity, pair.seed).manifest
            assert manifest.measured_whole
            assert manifest.distance == pair.distance

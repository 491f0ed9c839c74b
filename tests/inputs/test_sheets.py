from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.sparse.csgraph import csgraph_from_dense, floyd_warshall

from repro.errors import InputError
from repro.inputs.fasta import read_fasta, read_sequence
from repro.inputs.graphs.sheet import read_graph_sources
from repro.inputs.pair_sheet import read_pairs
from repro.inputs.pairs import edit_distance, make_pair
from repro.inputs.reads.files import read_reads
from repro.inputs.reads.sheet import read_read_sets
from repro.inputs.vectors.sheet import read_vector_sources

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


def test_a_prefix_is_no_longer_than_what_the_sheet_knows(sheet):
    x, y, z, _ = read_pairs(sheet(FILE, NCBI, MADE, LOST))
    for pair, prefix in ((x, 10**9), (y, 162114), (z, 90), (z, None)):
        pair.check_prefix(prefix)
    with pytest.raises(InputError, match="prefix 162115: pair y has a sequence of 162114 letters; give no more"):
        y.check_prefix(162115)
    with pytest.raises(InputError, match="prefix 91: pair z may have a sequence of 90 letters; give no more"):
        z.check_prefix(91)


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
        (MADE | {"similarity": "90"}, r"line 3, column similarity: 90 is out of reach; mutation leaves 0\.\d+ to 1$"),
        (
            MADE | {"similarity": "0.44"},
            r"column similarity: 0.44 is out of reach; mutation leaves 0\.\d+ to 1$",
        ),
        (
            MADE | {"length_a": "100000", "similarity": "0.499"},
            r"line 3, column similarity: 0.499 is out of reach; mutation leaves 0.5 to 1$",
        ),
        (MADE | {"similarity": "nan"}, r"line 3, column similarity: nan is out of reach"),
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
    with pytest.raises(InputError, match="line 4: has 1 cell, the header 11; use tabs"):
        read_pairs(path)
    path.write_text("\t".join(HEADER) + "\n" + "#\x0b\x0c\x85\u2028\ru file a b\n")
    with pytest.raises(InputError, match="line 3: has 1 cell, the header 11; use tabs"):
        read_pairs(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="byte 1: is not UTF-8"):
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
        # The long ones take a minute; their lengths have tests of their own.
        if pair.source == "synthetic" and pair.length_a <= 100_000:
            made = make_pair(pair.length_a, pair.similarity, pair.seed)
            assert made.manifest.similarity == pytest.approx(pair.similarity, abs=0.001)
            if pair.distance is not None:
                assert edit_distance(made.a, made.b) == pair.distance


def write_sheet(path: Path, shipped: str, row: dict[str, str]) -> Path:
    header = next(line for line in (ROOT / "config" / shipped).read_text().splitlines() if line[0] != "#").split("\t")
    assert set(row) <= set(header)
    path.write_text("\t".join(header) + "\n" + "\t".join(row.get(column, "") for column in header) + "\n")
    return path


READS = {
    "name": "x",
    "source": "builtin",
    "platform": "clr",
    "genome": "g.fa",
    "reads": "5",
    "length": "300",
    "seed": "1",
}
VECTORS = {"name": "x", "source": "synthetic", "kind": "bits", "vectors": "3", "fields": "40", "seed": "1"}
RAW_FILE = {"name": "x", "source": "file", "file": "a.f32", "fields": "3", "origin": "o", "terms": "t"}
GRAPH = {"name": "x", "source": "synthetic", "kind": "erdos-renyi", "nodes": "9", "density": "0.5", "seed": "1"}


@pytest.mark.parametrize(
    ("read", "shipped", "row", "message"),
    [
        (read_read_sets, "reads.tsv", READS | {"source": "art"}, "column source: 'art' is none of file, builtin"),
        (read_read_sets, "reads.tsv", READS | {"source": "mason"}, "column platform: 'clr', which mason does not"),
        (read_read_sets, "reads.tsv", READS | {"file": "a.fa"}, "column file: 'a.fa' where nothing belongs"),
        (read_read_sets, "reads.tsv", READS | {"genome": ""}, "column genome: is empty"),
        (read_read_sets, "reads.tsv", READS | {"genome": "NC_1"}, "column genome: 'NC_1' is no file, and no accession"),
        (read_read_sets, "reads.tsv", READS | {"genome": "NC_000913"}, "column genome: 'NC_000913' is no file, and no"),
        (read_read_sets, "reads.tsv", READS | {"seed": ""}, "column seed: is empty"),
        (read_read_sets, "reads.tsv", READS | {"reads": "0"}, "column reads: 0 is below 1"),
        (
            read_read_sets,
            "reads.tsv",
            READS | {"platform": "illumina", "length_sd": "3"},
            "column length_sd: '3' where nothing",
        ),
        (read_vector_sources, "vectors.tsv", VECTORS | {"kind": "reals"}, "column kind: 'reals' is none of integers"),
        (read_vector_sources, "vectors.tsv", VECTORS | {"fields": ""}, "column fields: is empty"),
        (read_vector_sources, "vectors.tsv", RAW_FILE | {"fields": ""}, "column fields: is empty"),
        (
            read_vector_sources,
            "vectors.tsv",
            RAW_FILE | {"file": "a.f32.npz"},
            "column fields: '3' where nothing belongs; the file says it, unless it is raw",
        ),
        (read_vector_sources, "vectors.tsv", VECTORS | {"source": "file"}, "column kind: 'bits' where nothing belongs"),
        (
            read_vector_sources,
            "vectors.tsv",
            {"name": "x", "source": "file", "file": "a.npy", "origin": "here"},
            "column terms: is empty",
        ),
        (read_graph_sources, "graphs.tsv", GRAPH | {"density": "1.5"}, "column density: 1.5 is not above 0"),
        (read_graph_sources, "graphs.tsv", GRAPH | {"kind": "grid"}, "column density: '0.5' where nothing belongs"),
        (read_graph_sources, "graphs.tsv", GRAPH | {"directed": "no"}, "column directed: 'no' where nothing belongs"),
        (
            read_graph_sources,
            "graphs.tsv",
            {"name": "x", "source": "file", "file": "a.gr", "origin": "o", "terms": "t", "directed": "maybe"},
            "column directed: 'maybe' is none of yes, no",
        ),
    ],
)
def test_faulty_cells_of_the_other_sheets(tmp_path, read, shipped, row, message):
    with pytest.raises(InputError, match=message):
        read(write_sheet(tmp_path / shipped, shipped, row))


def test_raw_vectors_of_a_sheet_have_fields(tmp_path):
    np.arange(6, dtype="<f4").tofile(tmp_path / "a.f32")
    (source,) = read_vector_sources(
        write_sheet(tmp_path / "vectors.tsv", "vectors.tsv", RAW_FILE | {"file": str(tmp_path / "a.f32")})
    )
    assert source.load().values.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_the_shipped_read_sets(monkeypatch):
    monkeypatch.chdir(ROOT)
    sets = {s.name: s for s in read_read_sets("config/reads.tsv")}
    illumina = read_reads(sets["mason-lambda-125"].file)
    assert {len(read) for read in illumina} == {125}
    assert len(illumina) == 1000
    assert len(read_reads(sets["pbsim-lambda-clr"].file)) == 60
    assert sets["chr10-4096"].accession == "NC_000010.11"
    assert sets["lambda-clr"].accession is None


def test_the_shipped_vector_sets(monkeypatch):
    monkeypatch.chdir(ROOT)
    sets = {source.name: source.load() for source in read_vector_sources("config/vectors.tsv")}
    assert {name: s.values.shape for name, s in sets.items()} == {
        "barro-colorado": (50, 225),
        "genotypes-eur": (2000, 379),
        "integers-200": (200, 500),
        "bits-200": (200, 1000),
        "alleles-200": (200, 500),
    }
    sets["genotypes-eur"].require((0, 1, 2), "allele counts")
    assert sets["barro-colorado"].values.sum() == 21_457


def test_the_shipped_graphs(monkeypatch):
    monkeypatch.chdir(ROOT)
    graphs = {source.name: source.load() for source in read_graph_sources("config/graphs.tsv")}
    assert (graphs["les-miserables"].nodes, graphs["les-miserables"].edges) == (77, 254)
    assert (graphs["karate-club"].nodes, graphs["karate-club"].edges) == (34, 78)
    for name, original in (("les-miserables", nx.les_miserables_graph()), ("karate-club", nx.karate_club_graph())):
        ours = graphs[name]
        index = [ours.names.index(str(node)) if name == "les-miserables" else node for node in original]
        theirs = nx.floyd_warshall_numpy(original, weight="weight")
        distances = floyd_warshall(csgraph_from_dense(ours.dense(), null_value=np.inf), directed=True)
        np.testing.assert_array_equal(distances[np.ix_(index, index)], theirs)


def test_reads_in_either_format(tmp_path):
    path = tmp_path / "reads"
    for text in (">a x\nACGT\n>b\nNN\n", "@a x\nACGT\n+a\nIIII\n@b\nnn\n+b\n@@\n"):
        path.write_text(text)
        assert [(read.name, bytes(read.letters)) for read in read_reads(path)] == [("a", b"ACGT"), ("b", b"NN")]
    path.write_bytes(b"\xef\xbb\xbf\r\n@\xc3\xa0 x\r\nACGT \r\n+\xc3\xa0 x\r\n@III\r\n\r\n@empty\r\n\r\n+\r\n\r\n")
    assert [(read.name, bytes(read.letters)) for read in read_reads(path)] == [("à", b"ACGT"), ("empty", b"")]


EITHER = "a FASTA record begins with a line '>name', one of FASTQ with '@name'"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", f"is empty; {EITHER}"),
        (b"\n \n", f"is empty; {EITHER}"),
        (b"\nACGT\n", f"record 1, line 2, column 1: no header; {EITHER}"),
        (b"<p>", "record 1, line 1, column 1: is an HTML or XML page, not FASTA or FASTQ; download the plain text"),
        (b"AC\x00", "record 1, byte 3: is binary (0x00), not FASTA or FASTQ text"),
    ],
)
def test_what_is_neither_format(tmp_path, content, message):
    path = tmp_path / "reads"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_reads(path)
    assert str(caught.value) == f"{path}: {message}"


FOUR_LINES = "a FASTQ record has four lines: @name, letters, +, as many qualities"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@r\nACGT\nIIII\n@s\nAC\n+\nII\n", f" (r), line 7: is neither '+' nor '+' with the name again; {FOUR_LINES}"),
        ("@r\nACGT\nACGT\n+\nIIII\nIIII\n", f" (r), line 7: is neither '+' nor '+' with the name again; {FOUR_LINES}"),
        ("@r\nACGT\n+x\nIIII\n", f" (r), line 7: is neither '+' nor '+' with the name again; {FOUR_LINES}"),
        ("JUNK\n", f", line 5: does not begin with '@'; {FOUR_LINES}"),
        ("@r\nACGT\n+\n", f" (r), line 8: is missing; {FOUR_LINES}"),
        ("@r", f" (r), line 6: is missing; {FOUR_LINES}"),
        ("@r\nACGT\n+\nII\n", f" (r), line 8: 2 qualities for 4 letters; {FOUR_LINES}"),
        ("@r\nACGT\n+\nII I\n", f" (r), line 8, column 3: is no quality, '!' to '~'; {FOUR_LINES}"),
        ("@r\nAC-T\n+\nIIII\n", " (r), line 6, column 3: '-' is an alignment gap; give the sequence without gaps"),
        ("@r\nA5\n+\nII\n", " (r), line 6, column 2: '5' is not a sequence letter; remove or replace it"),
        ("@ \nA\n+\nI\n", " has no name; write one after the '@'"),
        ("@a x\nA\n+\nI\n", " has the name of record 1, a; rename one of them"),
    ],
)
def test_faults_of_fastq(tmp_path, text, message):
    path = tmp_path / "reads"
    path.write_text("@a\nACGT\n+\nIIII\n" + text)
    with pytest.raises(InputError) as caught:
        read_reads(path)
    assert str(caught.value) == f"{path}: record 2{message}"

"""`repro align`: tables and SAM files, and what is refused."""

import pytest

from repro.cli import main
from repro.device import open_device

QUERIES = ">q1\nACTGA\n>q2\nccc\n"
SUBJECTS = ">s1\nACGA\n>s2\nTTACTGATT\n"


@pytest.fixture
def files(tmp_path):
    queries, subjects = tmp_path / "queries.fa", tmp_path / "subjects.fa"
    queries.write_text(QUERIES)
    subjects.write_text(SUBJECTS)
    return [str(queries), str(subjects)]


def run(capsys, *arguments):
    status = main(["align", *map(str, arguments), "--device", "emulator"])
    shown = capsys.readouterr()
    return status, shown.out.splitlines(), shown.err


def test_scores_of_all_pairs(capsys, files):
    assert run(capsys, *files)[1] == [
        "query\tsubject\tscore", "q1\ts1\t6", "q1\ts2\t4", "q2\ts1\t-2", "q2\ts2\t-8",
    ]  # fmt: skip


def test_a_dash_is_standard_output(capsys, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(capsys, *files, "-o", "-") == run(capsys, *files)
    assert run(capsys, *files, "-o", "./-") == (0, [], "")
    assert len((tmp_path / "-").read_text().splitlines()) == 5


def test_alignments_of_zipped_pairs(capsys, files):
    assert run(capsys, *files, "--pairs", "zip", "--traceback", "--gap", "linear")[1] == [
        "query\tsubject\tscore\tquery_begin\tquery_end\tsubject_begin\tsubject_end\tcigar",
        "q1\ts1\t7\t0\t5\t0\t4\t2=1I2=",
        "q2\ts2\t-6\t0\t3\t0\t9\t3D1=3D2X",
    ]


def test_sam_has_the_qualities_of_fastq(capsys, files, tmp_path):
    reads = tmp_path / "reads.fq"
    reads.write_text("@r\nACTGA\n+\n!I~5*\n@lost\nGG\n+\nAB\n")
    lines = run(capsys, reads, files[1], "--mode", "local", "--traceback", "--format", "sam", "--mismatch", "-3")[1]
    records = [line.split("\t") for line in lines if line[0] != "@"]
    assert {(name, letters, qualities) for name, *_, letters, qualities in (record[:11] for record in records)} == {
        ("r", "ACTGA", "!I~5*"),
        ("lost", "GG", "AB"),
    }


def test_sam_is_what_a_parser_reads(capsys, files, tmp_path):
    pysam = pytest.importorskip("pysam")
    output = tmp_path / "out.sam"
    options = ("--mode", "local", "--traceback", "--format", "sam", "-o", output)
    assert run(capsys, *files, *options) == (0, [], "")
    with pysam.AlignmentFile(output) as sam:
        assert sam.header["SQ"] == [{"SN": "s1", "LN": 4}, {"SN": "s2", "LN": 9}]
        records = list(sam)
    shown = [
        (r.query_name, r.flag, r.reference_name, r.reference_start, r.cigarstring, r.get_tag("NM"), r.get_tag("AS"))
        for r in records
    ]
    assert shown == [
        ("q1", 256, "s1", 0, "2=1I2=", 1, 6),
        ("q1", 0, "s2", 2, "5=", 0, 10),
        ("q2", 0, "s1", 1, "1=2S", 0, 2),
        ("q2", 256, "s2", 3, "1=2S", 0, 2),
    ]
    assert [r.query_sequence for r in records] == ["ACTGA", "ACTGA", "CCC", "CCC"]


@pytest.mark.parametrize("limit", ["PAIRS_AT_ONCE", "LETTERS_AT_ONCE"])
@pytest.mark.parametrize("pairs", ["all", "zip"])
def test_results_that_do_not_fit_in_memory_are_written_part_by_part(capsys, files, monkeypatch, limit, pairs):
    sam = ("--mode", "local", "--traceback", "--format", "sam")
    whole = [run(capsys, *files, "--pairs", pairs, *options) for options in ((), ("--traceback",), sam)]
    monkeypatch.setattr(f"repro.commands.align.{limit}", 1)
    parts = [run(capsys, *files, "--pairs", pairs, *options) for options in ((), ("--traceback",), sam)]
    assert [len(lines) for _, lines, _ in parts] == ([5, 5, 8] if pairs == "all" else [3, 3, 6])
    assert parts == whole


def test_no_line_stands_before_an_error_of_the_device(capsys, files, monkeypatch):
    monkeypatch.setattr("repro.device.open_device", lambda spec: open_device(spec, memory_bytes=100))
    for options in ((), ("--traceback",), ("--traceback", "--format", "sam")):
        status, out, error = run(capsys, *files, *options)
        assert (status, out, error.count("\n")) == (3, [], 1)


def test_a_query_without_any_alignment_is_unmapped(capsys, files, tmp_path):
    files[0] = tmp_path / "n.fa"
    files[0].write_text(">n\nNNN\n")
    lines = run(capsys, *files, "--mode", "local", "--traceback", "--format", "sam")[1]
    assert lines[-1] == "n\t4\t*\t0\t0\t*\t*\t0\t0\tNNN\t*"


def test_a_matrix(capsys, files, tmp_path):
    matrix = tmp_path / "matrix.txt"
    matrix.write_text("   A  C  G  T\nA  5 -4 -4 -4\nC -4  5 -4 -4\nG -4 -4  5 -4\nT -4 -4 -4  5\n")
    assert run(capsys, *files, "--pairs", "zip", "--matrix", matrix)[1][1] == "q1\ts1\t18"


def test_a_matrix_with_comments_and_other_letters(capsys, files, tmp_path):
    files[1] = tmp_path / "n.fa"
    files[1].write_text(">n\nACNGA\n")
    matrix = tmp_path / "matrix.txt"
    rows = "a 5 -4 -4 -4 0\nc -4 5 -4 -4 0\n\ng -4 -4 5 -4 0\nt -4 -4 -4 5 1\nn 0 0 0 7 0 # last\n"
    matrix.write_text(f"# scores\n  a c g t n\n{rows}")
    # A query's letter is the row: T with N is 1, not 7.
    assert run(capsys, *files, "--matrix", matrix)[1][1] == "q1\tn\t21"


def test_a_matrix_of_rna_in_another_order(capsys, files, tmp_path):
    matrix = tmp_path / "matrix.txt"
    matrix.write_text("  U G C A *\nA -4 -4 -4 5 9\n* 9 9 9 9 9\nG -4 5 -4 -4 9\nC -4 -4 5 -4 9\nU 5 -4 -4 -4 9\n")
    assert run(capsys, *files, "--pairs", "zip", "--matrix", matrix)[1][1] == "q1\ts1\t18"
    files[1] = tmp_path / "n.fa"
    files[1].write_text(">n\nACNGA\n")
    assert run(capsys, *files, "--matrix", matrix)[1][1] == "q1\tn\t29"


def test_what_other_letters_score_is_said_once(capsys, files, tmp_path):
    files[1] = tmp_path / "n.fa"
    files[1].write_text(">n\nACNGA\n")
    matrix = tmp_path / "matrix.txt"
    matrix.write_text(" A C G T\nA 5 0 0 0\nC 0 5 0 0\nG 0 0 5 0\nT 0 0 0 5\n")
    assert run(capsys, *files, "--matrix", matrix)[1][1] == "q1\tn\t19"
    assert run(capsys, *files, "--matrix", matrix, "--mismatch", -2)[1][1] == "q1\tn\t18"
    matrix.write_text(" A C G T N\nA 5 0 0 0 0\nC 0 5 0 0 0\nG 0 0 5 0 0\nT 0 0 0 5 0\nN 0 0 0 0 0\n")
    assert run(capsys, *files, "--matrix", matrix)[1][1] == "q1\tn\t20"
    for option in ("--match", "--mismatch"):
        status, out, error = run(capsys, *files, "--matrix", matrix, option, -2)
        assert (status, out) == (2, [])
        assert error.startswith(f"repro: {option}: ")
        assert error.endswith("; leave one of them out\n")


MATRIX = ["  A C G T", "A 5 0 0 0", "C 0 5 0 0", "G 0 0 5 0", "T 0 0 0 5"]
NO_ROW = "is no row of this matrix; give each of A C G T one row, the letter and 4 scores"
NO_NUMBER = "is no whole number from -1073741824 to 1073741824; correct it"


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        (1, None, "is empty; give a line of letters and a row of scores for each of them"),
        (1, " A C G", "line 1: names no T; begin with the letters of the columns"),
        (1, " A A C G T", "line 1: A stands there twice; give every letter (U is T) one column"),
        (1, " A C G T U", "line 1: T stands there twice"),
        (1, " A R N D C Q E G", "line 1: 'R' is none of A C G T N *; give a matrix of nucleotides, without rows and "),
        (1, ">q0 a sequence", "line 1: '>Q0' is none of A C G T N *"),
        (1, "<!DOCTYPE html>", "line 1: is an HTML or XML page, not data; download the file itself"),
        (1, "\udcff", "byte 1: is not UTF-8 text; save it as plain text"),
        (3, "C 0 5", f"line 3, row C: {NO_ROW}"),
        (3, "C 0 5 0", f"line 3, row C: {NO_ROW}"),
        (3, "C 0 5 0 0 7", f"line 3, row C: {NO_ROW}"),
        (3, "A 0 5 0 0", f"line 3, row A: {NO_ROW}"),
        (3, "0 5 0 0", f"line 3, row 0: {NO_ROW}"),
        (3, "X 0 5 0 0", f"line 3, row X: {NO_ROW}"),
        (3, "#\v\x85C\f0 5 0 0", "line 5: the matrix ends without a row for C"),
        (5, "", "line 5: the matrix ends without a row for T"),
        (5, "T 0 0 x 5", f"line 5, row T, column G: X {NO_NUMBER}"),
        (5, "T 0 0 1_0 5", f"line 5, row T, column G: 1_0 {NO_NUMBER}"),
        (5, "T 0 0 1e300 5", f"line 5, row T, column G: 1E300 {NO_NUMBER}"),
        (5, "T 0 2000000000 0 5", f"line 5, row T, column C: 2000000000 {NO_NUMBER}"),
        (5, f"T 0 {'9' * 5000} 0 5", f"line 5, row T, column C: {'9' * 40} {NO_NUMBER}"),
    ],
)  # fmt: skip
def test_a_damaged_matrix_is_refused(capsys, files, tmp_path, line, text, message):
    matrix = tmp_path / "matrix.txt"
    lines = [] if text is None else [*MATRIX[: line - 1], text, *MATRIX[line:]]
    matrix.write_text("".join(f"{row}\n" for row in lines), errors="surrogateescape")
    status, out, error = run(capsys, *files, "--matrix", matrix)
    assert (status, out, error.count("\n")) == (2, [], 1)
    assert error.startswith(f"repro: {matrix}: {message}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--gap", "linear", "--gap-open", "2"], "--gap-open 2: linear gaps have --gap-extend alone; leave it out\n"),
        (
            ["--gap-open", "1", "--gap-extend", "3"],
            "--gap-open 1: the first letter of a gap costs no less than --gap-extend 3; give as much or more\n",
        ),
        (["--gap-extend", "-1"], "--gap-extend -1: a penalty is 0 or more"),
        (["--format", "sam"], "--format sam: its records are alignments; add --traceback"),
        (["--variant", "fast"], "no variant 'fast'; choose one of: fp32, half2"),
        (["--matrix", "missing.txt"], "missing.txt: no such file"),
    ],
)
def test_what_is_refused(capsys, files, tmp_path, options, message):
    output = tmp_path / "out"
    status, out, error = run(capsys, *files, *options, "-o", output)
    assert (status, out) == (2, [])
    assert error.startswith(f"repro: {message}")
    assert error.count("\n") == 1
    assert not output.exists()


def test_rna_and_fastq(capsys, files, tmp_path):
    for k, letters in enumerate(("ACuGA", "ACGA")):
        files[k] = tmp_path / f"{k}.fq"
        files[k].write_text(f"@r{k} x\n{letters}\n+\n{'I' * len(letters)}\n")
    assert run(capsys, *files, "--traceback")[1][1] == "r0\tr1\t6\t0\t5\t0\t4\t2=1I2="
    files[1].write_text(">dna\nACTGA\n")
    assert run(capsys, *files, "--traceback")[1][1] == "r0\tdna\t10\t0\t5\t0\t5\t5="
    assert run(capsys, files[1], files[0], "--traceback")[1][1] == "dna\tr0\t10\t0\t5\t0\t5\t5="


@pytest.mark.parametrize("which", [0, 1])
def test_proteins_are_refused(capsys, files, tmp_path, which):
    files[which] = tmp_path / "proteins.fa"
    files[which].write_text(">dna\nACGTURYSWKMBDHVN\n>p x\nMKVLAAG\n")
    assert run(capsys, *files) == (
        2,
        [],
        f"repro: {files[which]}: record p, position 4: 'L' stands for no nucleotide; give DNA or RNA, not protein\n",
    )


def test_files_that_do_not_fit(capsys, files, tmp_path):
    third = tmp_path / "three.fa"
    third.write_text(">a\nA\n>*b\nAC\n>c\nA\n")
    assert "three.fa: 3, of " in run(capsys, third, files[1], "--pairs", "zip")[2]
    sam = ("--traceback", "--format", "sam")
    assert "record 2 (*b): SAM allows no such name" in run(capsys, files[0], third, *sam)[2]
    third.write_text(">a\n\n")
    assert "record 1 (a): is empty, which SAM cannot say" in run(capsys, files[0], third, *sam)[2]
    assert "is read already" in run(capsys, *files, "-o", files[1])[2]

import types
import urllib.request
from pathlib import Path

import Bio.Entrez
import pandas as pd
import pytest

from repro.cli import main
from repro.inputs import ncbi
from repro.inputs.fasta import read_sequence
from repro.inputs.reads.files import read_reads

from .loopback import Entrez, send

LAMBDA = str(Path(__file__).parents[2] / "resources/sequences/lambda_virus.fa.gz")


@pytest.fixture
def server(monkeypatch):
    with Entrez() as server:
        server.records |= {"NC_9999998.1": "ACGT" * 30, "NC_9999999.2": "GATTACA"}
        monkeypatch.setattr(urllib.request, "_opener", server.opener())
        monkeypatch.setattr(Bio.Entrez, "time", types.SimpleNamespace(sleep=lambda seconds: None, time=lambda: 0.0))
        monkeypatch.setattr(Bio.Entrez._open, "previous", 0)
        monkeypatch.setattr(ncbi, "time", types.SimpleNamespace(sleep=lambda seconds: None))
        yield server


def test_fetch_prints_the_paths(server, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("REPRO_CACHE", str(tmp_path))
    assert main(["fetch", "NC_9999998.1", "NC_9999999.2"]) == 0
    out, err = capsys.readouterr()
    assert out == f"{tmp_path}/NC_9999998.1.fa\n{tmp_path}/NC_9999999.2.fa\n"
    assert err == ""
    assert bytes(read_sequence(tmp_path / "NC_9999999.2.fa").letters) == b"GATTACA"


def test_fetch_reports_one_line(server, tmp_path, capsys):
    server.next["efetch"].extend([send(b"<html>")] * 6)
    assert main(["fetch", "NC_9999998.1", "--cache", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("repro: NC_9999998.1: NCBI answered with a web page")
    assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_fetch_checks_all_accessions_before_the_first_download(server, tmp_path, capsys):
    assert main(["fetch", "NC_9999998.1", "NC_9999999", "--cache", str(tmp_path)]) == 2
    assert "NC_9999999: has no version" in capsys.readouterr().err
    assert server.requests == []


def test_simulate_writes_reads_and_truth(tmp_path, capsys):
    reads, truth = tmp_path / "r.fq", tmp_path / "t.tsv"
    arguments = ["--reads", "20", "--length", "100", "--seed", "1", "-o", str(reads), "--truth", str(truth)]
    assert main(["simulate", "illumina", LAMBDA, *arguments]) == 0
    assert {len(read) for read in read_reads(reads)} == {100}
    assert list(pd.read_csv(truth, sep="\t").read) == [f"illumina-{i}" for i in range(20)]
    assert capsys.readouterr().out == ""


def test_simulate_takes_one_record_of_a_file(tmp_path):
    genome = tmp_path / "g.fa"
    genome.write_text(">a\n" + "ACGT" * 500 + "\n>b\n" + "GATTACA" * 500 + "\n")
    truth = tmp_path / "t.tsv"
    arguments = ["--reads", "30", "--length", "300", "--length-sd", "50", "--seed", "1", "-o", str(tmp_path / "r.fa")]
    assert main(["simulate", "clr", f"{genome}#b", *arguments, "--truth", str(truth)]) == 0
    assert set(pd.read_csv(truth, sep="\t").record) == {"b"}
    assert main(["simulate", "clr", str(genome), *arguments, "--truth", str(truth)]) == 0
    assert set(pd.read_csv(truth, sep="\t").record) == {"a", "b"}


def test_simulate_reads_rna_as_its_dna(tmp_path):
    dna, rna, reads = tmp_path / "dna.fa", tmp_path / "rna.fa", [tmp_path / "d.fq", tmp_path / "r.fq"]
    dna.write_text(">g\n" + "GATTACAN" * 100)
    rna.write_text(">g\n" + "gauuacan" * 100)
    for genome, output in zip((dna, rna), reads, strict=True):
        arguments = ["--reads", "20", "--length", "50", "--seed", "1", "-o", str(output)]
        assert main(["simulate", "illumina", str(genome), *arguments]) == 0
    assert reads[0].read_bytes() == reads[1].read_bytes()
    assert max(read.letters.tobytes().count(b"N") for read in read_reads(reads[0])) < 15


@pytest.mark.parametrize("simulator", ["builtin", "mason"])
def test_simulate_refuses_a_protein(tmp_path, capsys, simulator):
    genome, output = tmp_path / "g.fa", tmp_path / "r.fa"
    genome.write_text(">dna\n" + "ACGTN" * 200 + "\n>insulin\nMALWMRLLPLLALLALWGPDPAAAFVNQHLCGSHLVEALYLVCGERGFFYTPKT\n")
    options = ["--simulator", simulator, "--reads", "5", "--length", "20", "--seed", "1", "-o", str(output)]
    assert main(["simulate", "illumina", str(genome), *options]) == 2
    found = capsys.readouterr().err
    assert found == (
        f"repro: {genome}: record insulin, position 3: 'L' stands for no nucleotide; give DNA or RNA, not protein\n"
    )
    assert not output.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["illumina", LAMBDA, "--reads", "0"], "repro: --reads 0: give 1 or more\n"),
        (["clr", LAMBDA, "--reads", "-1"], "repro: --reads -1: give 1 or more\n"),
        (["clr", LAMBDA, "--reads", "1", "--seed", "-1"], "repro: --seed -1: give 0 or more\n"),
        (["illumina", LAMBDA, "--reads", "5", "--length-sd", "9"], "--length-sd: Illumina reads have one length"),
        (["illumina", LAMBDA, "--reads", "5", "--length", "60000"], "a read covers 60"),
        (["illumina", LAMBDA, "--reads", "5", "--simulator", "pbsim"], "pbsim does not simulate illumina reads"),
        (["clr", LAMBDA, "--reads", "5", "--length", "10"], "CLR reads of mean length 10"),
        (["illumina", "missing.fa", "--reads", "5"], "missing.fa: no such file"),
        (["illumina", LAMBDA + "#x", "--reads", "5"], "has no record named x"),
        (
            ["illumina", LAMBDA + "#", "--reads", "5"],
            f"repro: {LAMBDA}#: names no record; the first of its 1 is {LAMBDA}#",
        ),
    ],
)
def test_simulate_reports_one_line_and_leaves_no_file(tmp_path, capsys, arguments, message):
    target = ["--seed", "1", "-o", str(tmp_path / "r.fa"), "--truth", str(tmp_path / "t.tsv")]
    assert main(["simulate", *target, *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.startswith("repro: ")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_simulate_names_the_endings_before_it_starts(tmp_path, capsys):
    assert main(["simulate", "clr", "missing.fa", "--reads", "5", "--seed", "1", "-o", str(tmp_path / "r.bam")]) == 2
    assert "reads are written as .fa, .fasta, .fq, .fastq" in capsys.readouterr().err

from pathlib import Path

import pandas as pd

from repro.inputs.fasta import sequence, write_fasta
from repro.inputs.ncbi_cache import place
from repro.inputs.offline import LeftOut, left_out, ncbi_reachable, uninstalled, without
from repro.inputs.pair_sheet import read_pairs
from repro.inputs.reads.sheet import read_read_sets
from repro.inputs.table import left_out_row, reads_row, write_table

from .loopback import Entrez, send

ROOT = Path(__file__).parents[2]
PAIRS = {pair.name: pair for pair in read_pairs(ROOT / "config/pairs.tsv")}
READS = {reads.name: reads for reads in read_read_sets(ROOT / "config/reads.tsv")}


def never() -> bool:
    raise AssertionError("the network must not be asked")


def test_nothing_is_asked_when_all_is_at_hand(tmp_path):
    for accession in ("NC_000898.1", "NC_007605.1", "NC_000010.11"):
        write_fasta(tmp_path / f"{accession}.fa", [sequence(accession, "ACGT")])
    pairs = [PAIRS["human-mouse-mito"], PAIRS["synthetic-10k-90"], PAIRS["wfa-table3-1"]]
    reads = [READS["lambda-clr"], READS["chr10-125"]]
    assert left_out(pairs, reads, [tmp_path / "none", tmp_path], never) == []


def test_what_is_not_cached_is_left_out_by_name_when_offline(tmp_path):
    write_fasta(tmp_path / "NC_000898.1.fa", [sequence("NC_000898.1", "ACGT")])
    pairs = [PAIRS["human-mouse-mito"], PAIRS["wfa-table3-1"], PAIRS["wfa-table3-4"], PAIRS["wfa-table2-1"]]
    reason = "{} is not in the cache and NCBI cannot be reached"
    found = left_out(pairs, [READS["chr10-125"]], [tmp_path], lambda: False)
    assert found == [
        LeftOut("pair", "wfa-table2-1", PAIRS["wfa-table2-1"].note),
        LeftOut("pair", "wfa-table3-1", reason.format("NC_007605.1")),
        LeftOut("pair", "wfa-table3-4", reason.format("BA000035.2")),
        LeftOut("reads", "chr10-125", reason.format("NC_000010.11")),
    ]
    assert left_out(pairs, [], [tmp_path], lambda: True) == found[:1]


def test_reads_of_programs_that_are_not_installed_are_left_out(monkeypatch):
    reads = [READS["lambda-clr"], READS["mason-lambda-125"], READS["chr10-125"], READS["chr10-clr"]]
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert uninstalled(reads) == [
        LeftOut(
            "reads",
            "chr10-125",
            "mason_simulator is not installed (Debian: seqan-apps, conda: envs/simulators.yaml); or use builtin",
        ),
        LeftOut(
            "reads", "chr10-clr", "pbsim is not installed (Debian: pbsim, conda: envs/simulators.yaml); or use builtin"
        ),
    ]
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert uninstalled(reads) == []


def test_experiments_lose_names_and_those_without_any_left_go():
    entries = [{"name": "a", "pairs": ["x", "y"]}, {"name": "b", "pairs": ["y"]}]
    assert without(entries, "pairs", ["y"]) == [{"name": "a", "pairs": ["x"]}]
    assert entries[1]["pairs"] == ["y"]


def test_reachable_is_any_answer(monkeypatch):
    with Entrez() as server:
        monkeypatch.setattr("urllib.request._opener", server.opener())
        server.next["einfo"] = server.next["efetch"]
        server.next["einfo"].extend([send(b"<x/>"), send(b"busy", 503)])
        assert ncbi_reachable()
        assert ncbi_reachable()
    assert not ncbi_reachable()


def test_a_cached_file_appears_elsewhere(tmp_path, monkeypatch):
    cached = tmp_path / "cache.fa"
    cached.write_text(">a\nACGT\n")
    place(cached, tmp_path / "x" / "linked.fa")
    assert (tmp_path / "x" / "linked.fa").samefile(cached)

    def refuse(*_):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr("os.link", refuse)
    place(cached, tmp_path / "x" / "copied.fa")
    assert (tmp_path / "x" / "copied.fa").read_text() == ">a\nACGT\n"
    assert not (tmp_path / "x" / "copied.fa").samefile(cached)


def test_the_table_describes_inputs_and_what_was_left_out(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    reads = READS["mason-lambda-125"]
    row = reads_row(reads, reads.file)
    assert row.size == "1000 reads of 125 to 125 letters, 125000 in all"
    write_table(tmp_path / "t.tsv", [row, left_out_row(LeftOut("pair", "p", "no network"))])
    table = pd.read_csv(tmp_path / "t.tsv", sep="\t", keep_default_na=False)
    assert list(table.columns) == ["kind", "name", "size", "sha256", "origin", "terms", "left_out"]
    assert table.loc[1].tolist() == ["pair", "p", "", "", "", "", "no network"]
    assert table.loc[0, "origin"] == f"{reads.file}: {reads.note}"


def test_the_digest_is_that_of_the_letters(tmp_path):
    def digest(letters: str) -> str:
        write_fasta(tmp_path / "r.fa", [sequence("a", letters), sequence("b", "GG")])
        return reads_row(READS["lambda-250"], tmp_path / "r.fa").sha256

    assert digest("ACGT") == digest("acgt")
    assert len({digest("ACGT"), digest("ACG"), digest("ACGTG")}) == 3

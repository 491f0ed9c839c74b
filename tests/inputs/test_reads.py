import hashlib
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np
import pandas as pd
import pytest
from Bio import SeqIO
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.errors import InputError
from repro.inputs.fasta import read_fasta, sequence
from repro.inputs.reads import programs
from repro.inputs.reads.cigar import cigar_of, operations_of
from repro.inputs.reads.clr import Clr
from repro.inputs.reads.files import write_reads
from repro.inputs.reads.illumina import Illumina
from repro.inputs.reads.simulate import Genome, Read, simulate

from .read_statistics import DELETION, INSERTION, MISMATCH, operations_along_read

LAMBDA = Path(__file__).parents[2] / "resources/sequences/lambda_virus.fa.gz"
COMPLEMENT = bytes.maketrans(b"ACGTN", b"TGCAN")


def check_truth(read: Read, letters: dict[str, bytes]) -> None:
    """Replay the CIGAR: it must lead from the genome to the read, with = for equal letters and X for others."""
    template = letters[read.record][read.start : read.end]
    if read.strand == "-":
        template = template.translate(COMPLEMENT)[::-1]
    assert 0 <= read.start < read.end <= len(letters[read.record])
    assert len(read.letters) == len(read.qualities)
    assert set(read.letters) <= set(b"ACGTN")
    i = j = 0
    for operation in operations_along_read(read):
        if operation == DELETION:
            i += 1
        elif operation == INSERTION:
            j += 1
        else:
            assert (template[i] != read.letters[j]) == (operation == MISMATCH)
            i, j = i + 1, j + 1
    assert (i, j) == (len(template), len(read.letters))


genomes = st.lists(st.text("ACGTNRY", min_size=1, max_size=800), min_size=1, max_size=4)


@settings(max_examples=40)
@given(genomes, st.sampled_from(["illumina", "clr"]), st.integers(0, 2**32))
def test_the_truth_leads_from_the_genome_to_the_read(texts, platform, seed):
    texts.append("ACGGTCATTN" * 60)
    records = [sequence(f"r{i}", text) for i, text in enumerate(texts)]
    letters = {record.name: record.letters.tobytes().translate(bytes.maketrans(b"RY", b"NN")) for record in records}
    model = Illumina(50) if platform == "illumina" else Clr(150, 30)
    reads = list(simulate(Genome(records), model, 30, seed))
    assert len(reads) == 30
    for read in reads:
        check_truth(read, letters)
        if platform == "illumina":
            assert len(read.letters) == 50


def test_every_place_at_which_a_read_fits_is_equally_likely():
    """Two records, 91 and 11 places, on 40,000 reads; the limit is 5 standard deviations."""
    records = [sequence("long", "ACGT" * 35), sequence("short", "A" * 10), sequence("middle", "ACGT" * 15)]
    reads = list(simulate(Genome(records), Illumina(50), 40_000, seed=1))
    places = np.array(
        [(["long", "short", "middle"].index(read.record), read.start) for read in reads if read.end - read.start == 50]
    )
    for record, count in ((0, 91), (1, 0), (2, 11)):
        seen = np.bincount(places[places[:, 0] == record, 1], minlength=count)
        assert seen.size == count
        assert np.all(abs(seen - len(places) / 102) < 5 * np.sqrt(len(places) / 102))


def digest(model, reads: int, seed: int) -> str:
    text = b"".join(
        b"%s %s %d %s\n" % (read.letters, read.qualities, read.start, read.cigar)
        for read in simulate(Genome(read_fasta(LAMBDA)), model, reads, seed)
    )
    return hashlib.sha256(text).hexdigest()[:16]


def test_a_seed_keeps_its_meaning():
    assert digest(Illumina(125), 200, 1) == "9edf6e1aea602ed0"
    assert digest(Clr(), 20, 1) == "cf4624eec3719ef0"
    assert digest(Illumina(125), 200, 2) != digest(Illumina(125), 200, 1)


def test_reads_do_not_depend_on_the_number_of_threads():
    before = numba.get_num_threads()
    digests = set()
    for threads in {1, before}:
        numba.set_num_threads(threads)
        digests.add((digest(Illumina(125), 200, 1), digest(Clr(), 20, 1)))
    assert len(digests) == 1


@pytest.mark.parametrize("suffix", ["fa", "fasta", "fq", "FASTQ"])
def test_files_hold_what_was_simulated(tmp_path, suffix):
    genome = Genome(read_fasta(LAMBDA))
    reads = list(simulate(genome, Illumina(70), 600, seed=3))
    path, truth = tmp_path / f"reads.{suffix}", tmp_path / "truth.tsv"
    reported: list[int] = []
    write_reads(path, truth, simulate(genome, Illumina(70), 600, seed=3), "phage", reported.append)
    kind = "fasta" if suffix in ("fa", "fasta") else "fastq"
    records = list(SeqIO.parse(path, kind))
    table = pd.read_csv(truth, sep="\t")
    assert sum(reported) == 600
    assert list(table.columns) == ["read", "record", "start", "end", "strand", "cigar"]
    assert [r.id for r in records] == list(table.read) == [f"phage-{i}" for i in range(600)]
    assert [bytes(r.seq) for r in records] == [read.letters for read in reads]
    assert list(table.start) == [read.start for read in reads]
    assert list(table.cigar) == [read.cigar.decode() for read in reads]
    if kind == "fastq":
        found = [bytes(q + 33 for q in r.letter_annotations["phred_quality"]) for r in records]
        assert found == [read.qualities for read in reads]


def test_a_failed_simulation_leaves_no_file(tmp_path):
    genome = Genome([sequence("tiny", "ACGT" * 10)])
    message = r"a read covers 5\d letters, but the longest record of the genome, tiny, has 40"
    with pytest.raises(InputError, match=message):
        write_reads(tmp_path / "a.fa", tmp_path / "a.tsv", simulate(genome, Illumina(50), 10, 1), "x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: list(simulate(Genome(read_fasta(LAMBDA)), Illumina(50), 0, 1)), "0 reads; give at least 1"),
        (lambda: list(simulate(Genome(read_fasta(LAMBDA)), Illumina(50), 1, -1)), "seed -1; give 0 or more"),
        (lambda: Illumina(1), "Illumina reads of length 1; give 2 or more"),
        (lambda: Clr(50), "CLR reads of mean length 50; give 100 to 10000000"),
        (lambda: Clr(float("nan")), "CLR reads of mean length nan"),
        (lambda: Clr(3000, 0), "CLR reads with standard deviation 0 of the length"),
        (lambda: write_reads("a.txt", None, [], "x"), r"a\.txt: reads are written as \.fa, \.fasta, \.fq, \.fastq"),
        (lambda: write_reads("a.fa", "./a.fa", [], "x"), r"a\.fa: reads and truth go to the same file"),
        (lambda: list(programs.mason([], 100, 10, 2**31)), "seed 2147483648; the program takes 0 to 2147483647"),
        (lambda: list(programs.pbsim([], 3000, None, 10, -1)), "seed -1; the program takes 0 to 2147483647"),
    ],
)
def test_impossible_wishes(make, message):
    with pytest.raises(InputError, match=message) as caught:
        make()
    if "not installed" in str(caught.value):
        pytest.skip(str(caught.value))


operation_codes = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 1200)), min_size=1, max_size=6)


@given(operation_codes)
def test_cigars(runs):
    codes = np.concatenate([np.full(count, code, dtype=np.uint8) for code, count in runs])
    merged: list[list[int]] = []
    for code, count in runs:
        if merged and merged[-1][0] == code:
            merged[-1][1] += count
        else:
            merged.append([code, count])
    assert cigar_of(codes).decode() == "".join(f"{count}{'=XID'[code]}" for code, count in merged)


def test_operations_of_an_alignment():
    rows = (np.frombuffer(row, dtype=np.uint8) for row in (b"AC-GTN", b"ATGG-N"))
    assert cigar_of(operations_of(*rows)) == b"1=1X1I1=1D1="


def fake(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def only(tmp_path, monkeypatch):
    """A PATH on which there is nothing but the given fake program."""

    def install(name: str, script: str) -> None:
        fake(tmp_path, name, script)

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(programs.PROGRAMS, "mason", (*programs.PROGRAMS["mason"][:2], str(tmp_path / "none")))
    return install


def mason():
    return list(programs.mason(read_fasta(LAMBDA), 100, 10, 1))


def pbsim():
    return list(programs.pbsim(read_fasta(LAMBDA), 3000, None, 10, 1))


def test_a_missing_program_is_named_with_its_package(only):
    with pytest.raises(InputError, match=r"mason_simulator is not installed \(Debian: seqan-apps.*use builtin"):
        mason()
    with pytest.raises(InputError, match=r"pbsim is not installed \(Debian: pbsim"):
        pbsim()


def test_another_version_is_refused(only):
    only("mason_simulator", "echo 'mason_simulator version: 3.1.0'")
    with pytest.raises(InputError, match=r"mason_simulator: is 3\.1\.0; version 2\.0\.x is needed"):
        mason()
    only("pbsim", "echo 'USAGE: pbsim [options]'; exit 255")
    with pytest.raises(InputError, match=r"pbsim: is an unknown version; version 1\.0\.x is needed"):
        pbsim()


def test_a_failing_program_is_one_line(only):
    script = 'if [ "$1" = --version ]; then echo "mason_simulator version: 2.0.9"; else echo start; '
    only("mason_simulator", script + "echo 'runtime_error: Illumina read is too long' >&2; exit 134; fi")
    with pytest.raises(InputError, match="failed with exit status 134: runtime_error: Illumina read is too long"):
        mason()


def test_a_record_too_short_for_masons_fragments_is_named(only):
    only("mason_simulator", "echo 'mason_simulator version: 2.0.9'")
    with pytest.raises(InputError, match="record b has 400 letters, but Mason cuts fragments of about 300"):
        list(programs.mason([sequence("a", "ACGT" * 500), sequence("b", "ACGT" * 100)], 100, 10, 1))


def installed(make):
    try:
        return make()
    except InputError as error:
        if "is not installed" in str(error):
            pytest.skip(str(error))
        raise


@pytest.mark.parametrize("length", [125, 1024])
def test_masons_truth_and_seed(length):
    records = read_fasta(LAMBDA)
    letters = {record.name: record.letters.tobytes() for record in records}
    reads = installed(lambda: list(programs.mason(records, length, 300, 5)))
    assert [len(read.letters) for read in reads] == [length] * 300
    for read in reads:
        check_truth(read, letters)
    assert list(programs.mason(records, length, 300, 5)) == reads
    assert list(programs.mason(records, length, 300, 6)) != reads


def test_pbsims_truth_and_seed_over_several_records():
    whole = read_fasta(LAMBDA)[0].letters.tobytes()
    records = [sequence("a", whole[:30_000]), sequence("b", whole[30_000:])]
    letters = {record.name: record.letters.tobytes() for record in records}
    reads = installed(lambda: list(programs.pbsim(records, 2000, 800, 100, 5)))
    for read in reads:
        check_truth(read, letters)
    assert [read.record for read in reads].count("a") == round(100 * 30_000 / 48_502)
    assert len(reads) == 100
    assert list(programs.pbsim(records, 2000, 800, 100, 5)) == reads


@pytest.mark.slow
def test_speed_on_one_core_and_flat_memory(tmp_path):
    """3,536 reads of 4,096 and 200 Mb of CLR, each written with its truth in less than a minute."""
    code = """
import resource, sys
from pathlib import Path
from repro.inputs.fasta import read_fasta
from repro.inputs.reads.clr import Clr
from repro.inputs.reads.files import write_reads
from repro.inputs.reads.illumina import Illumina
from repro.inputs.reads.simulate import Genome, simulate
genome = Genome(read_fasta(sys.argv[1]))
model = Illumina(4096) if sys.argv[3] == "illumina" else Clr()
write_reads(sys.argv[2] + ".fq", sys.argv[2] + ".tsv", simulate(genome, model, int(sys.argv[4]), 1), "x")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""

    def run(platform: str, reads: int) -> tuple[float, int]:
        started = time.perf_counter()
        command = [sys.executable, "-c", code, LAMBDA, tmp_path / "out", platform, str(reads)]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
        return time.perf_counter() - started, int(done.stdout)

    assert run("illumina", 3536)[0] < 60
    few, many = run("clr", 7_000), run("clr", 66_800)
    assert many[0] < 60
    assert many[1] < 1.1 * few[1]

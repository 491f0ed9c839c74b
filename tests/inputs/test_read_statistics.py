"""The built-in reads against statistics measured on the real programs, and against the programs where installed.

Confidence: all comparisons of one test together fail by chance once in 1,000 (Bonferroni). Sample sizes are chosen so
that a rate which is 10 % off fails; that is planted and tested for every rate.
"""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from repro.errors import InputError
from repro.inputs.fasta import read_fasta
from repro.inputs.reads import clr, illumina, programs
from repro.inputs.reads.clr import Clr
from repro.inputs.reads.illumina import Illumina
from repro.inputs.reads.simulate import Genome, simulate

from .read_statistics import (
    DELETION,
    INSERTION,
    MISMATCH,
    Estimate,
    Observed,
    deviation,
    deviation_of_counts,
    disagreements,
    mean,
    mean_of_counts,
    observe,
    observe_reads,
    of_size,
    operations_along_read,
    rate,
    share,
)

DATA = Path(__file__).parents[1] / "data/reads"
MASON = pd.read_csv(DATA / "mason2_stats.tsv", sep="\t").set_index("L")
PBSIM = {stats["set"]: stats for stats in map(json.loads, (DATA / "pbsim1_clr_stats.json").read_text().splitlines())}
EVENTS = {"mismatch": MISMATCH, "insertion": INSERTION, "deletion": DELETION}

FACTORS = [1.1, pytest.param(0.9, marks=pytest.mark.slow)]


def model_reads(model, reads: int, seed: int) -> Observed:
    errors = model.errors(np.random.default_rng(seed), reads)
    return observe(errors.lengths, errors.operations, errors.counts, errors.qualities)


def illumina_statistics(seen: Observed) -> dict[str, Estimate]:
    found = {name: rate(seen.events[:, code - 1].sum(axis=1), seen.lengths) for name, code in EVENTS.items()}
    for decile in range(10):
        found[f"mismatch in decile {decile}"] = rate(seen.events[:, 0, decile], seen.bases[:, decile])
    found["error-free"] = share(np.count_nonzero(seen.edits == 0), seen.edits.size)
    found["edits"] = mean(seen.edits)
    found["sd of edits"] = deviation(seen.edits)
    for name, kind in (("match", 0), ("mismatch", 1)):
        for decile in (0, 1, 2, 4, 6, 8, 9):
            found[f"{name} quality in decile {decile}"] = mean_of_counts(seen.qualities[kind, decile])
            found[f"sd of {name} quality in decile {decile}"] = deviation_of_counts(seen.qualities[kind, decile])
    return found


def mason_statistics(length: int, ours: dict[str, Estimate], bases: int) -> dict[str, Estimate]:
    row = MASON.loc[length]
    values = {
        "mismatch": (row.mismatch, 0),
        "insertion": (row.ins_per_base, 0),
        "deletion": (row.del_per_base, 0),
        "error-free": (row.zero_edit_frac, 0),
        "edits": (row.edits_mean, 0),
        "sd of edits": (row.edits_sd, 0),
    }
    values |= {f"mismatch in decile {i}": (v, 5e-6) for i, v in enumerate(json.loads(row.mismatch_by_decile))}
    for name in ("match", "mismatch"):
        for decile, value, sd in json.loads(row[f"q_{name}_(decile,mean,sd)"]):
            values[f"{name} quality in decile {decile}"] = (value, 0.005)
            values[f"sd of {name} quality in decile {decile}"] = (sd, 0.005 if sd < 10 else 0.05)
    return {name: of_size(value, ours[name], bases, row.bases, r) for name, (value, r) in values.items()}


@pytest.mark.parametrize(
    "length", [125, 512, 4096, *(pytest.param(n, marks=pytest.mark.slow) for n in (250, 1024, 2048))]
)
def test_illumina_reads_have_the_statistics_of_mason(length):
    reads = 20_000_000 // length
    ours = illumina_statistics(model_reads(Illumina(length), reads, seed=length))
    theirs = mason_statistics(length, ours, reads * length)
    assert disagreements(ours, theirs) == []


def pooled_statistics() -> tuple[dict[str, Estimate], dict[str, Estimate]]:
    """Rates over all lengths together, 240 Mb there and 160 Mb here: a 10 % error in any of them must show.

    Indels are too rare for that in the reads of one length.
    """
    seen = model_reads(Illumina(512), 160_000_000 // 512, seed=2)
    ours = {name: rate(seen.events[:, code - 1].sum(axis=1), seen.lengths) for name, code in EVENTS.items()}
    columns = {"mismatch": "mismatch", "insertion": "ins_per_base", "deletion": "del_per_base"}
    pooled = {name: (MASON[column] * MASON.bases).sum() / MASON.bases.sum() for name, column in columns.items()}
    deciles = np.average([json.loads(row) for row in MASON.mismatch_by_decile], axis=0, weights=MASON.bases)
    for decile, value in enumerate(deciles):
        ours[f"mismatch in decile {decile}"] = rate(seen.events[:, 0, decile], seen.bases[:, decile])
        pooled[f"mismatch in decile {decile}"] = value
    bases, theirs = seen.lengths.sum(), MASON.bases.sum()
    rounding = {name: 5e-6 if "decile" in name else 0.0 for name in pooled}
    return ours, {name: of_size(value, ours[name], bases, theirs, rounding[name]) for name, value in pooled.items()}


def test_illumina_reads_of_all_lengths_have_the_rates_of_mason():
    assert disagreements(*pooled_statistics()) == []


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("constant", ["AVERAGE", "BEGIN", "END", "KNEE", "INSERTIONS", "DELETIONS"])
def test_a_planted_error_in_an_illumina_rate_is_found(monkeypatch, constant, factor):
    monkeypatch.setattr(illumina, constant, factor * getattr(illumina, constant))
    assert disagreements(*pooled_statistics())


def clr_statistics(seen: Observed) -> dict[str, Estimate]:
    found = {name: rate(seen.events[:, code - 1].sum(axis=1), seen.lengths) for name, code in EVENTS.items()}
    for name, code in EVENTS.items():
        for decile in range(10):
            found[f"{name} in decile {decile}"] = rate(seen.events[:, code - 1, decile], seen.bases[:, decile])
    by_quality = seen.qualities.sum(axis=1)
    for quality in range(15):
        bases = int(by_quality[:, quality].sum())
        found[f"mismatch at quality {quality}"] = share(int(by_quality[1, quality]), bases)
        found[f"insertion at quality {quality}"] = share(int(by_quality[2, quality]), bases)
        found[f"quality {quality}"] = rate(seen.read_qualities[:, quality], seen.lengths)
    accuracy = 1 - seen.edits / seen.lengths
    found["accuracy"], found["sd of accuracy"] = mean(accuracy), deviation(accuracy)
    found["length"], found["sd of length"] = mean(seen.lengths), deviation(seen.lengths)
    return found


def pbsim_statistics(stats: dict, ours: dict[str, Estimate], reads: int) -> dict[str, Estimate]:
    values = {
        "accuracy": (stats["acc_mean"], 0),
        "sd of accuracy": (stats["acc_sd"], 0),
        "length": (stats["len_mean"], 0),
        "sd of length": (stats["len_sd"], 0),
    }
    for name, key in (("mismatch", "sub"), ("insertion", "ins"), ("deletion", "del")):
        values[name] = (stats[f"{key}_per_readbase"], 0)
        values |= {f"{name} in decile {i}": (value, 5e-5) for i, value in enumerate(stats[f"{key}_dec"])}
    bases = sum(count for count, *_ in stats["q_table"].values())
    for quality, (count, mismatch, insertion, _) in stats["q_table"].items():
        values[f"quality {quality}"] = (count / bases, 0)
        values[f"mismatch at quality {quality}"] = (mismatch, 5e-5)
        values[f"insertion at quality {quality}"] = (insertion, 5e-5)
    return {name: of_size(value, ours[name], reads, stats["reads"], r) for name, (value, r) in values.items()}


def clr_comparison(name: str) -> list[str]:
    model = Clr() if name == "def" else Clr(21_223, 6_482)
    reads = 3 * PBSIM[name]["reads"]
    ours = clr_statistics(model_reads(model, reads, seed=1))
    return disagreements(ours, pbsim_statistics(PBSIM[name], ours, reads))


@pytest.mark.parametrize("name", PBSIM)
def test_clr_reads_have_the_statistics_of_pbsim(name):
    assert clr_comparison(name) == []


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("constant", ["SUBSTITUTION_SHARE", "INSERTION_SHARE", "DELETION_SHARE"])
def test_a_planted_error_in_a_clr_rate_is_found(monkeypatch, constant, factor):
    monkeypatch.setattr(clr, constant, factor * getattr(clr, constant))
    assert clr_comparison("def")


def test_clr_insertions_come_in_runs_and_deletions_do_not():
    """Shares of runs of 1, 2, 3 insertions and of 1 deletion, over the operations of 2,000 reads."""
    errors = Clr().errors(np.random.default_rng(1), 2000)
    first = 2 * (np.cumsum(errors.lengths) - errors.lengths)
    runs = {INSERTION: np.zeros(9), DELETION: np.zeros(9)}
    for start, count in zip(first, errors.counts, strict=True):
        codes = errors.operations[start : start + count]
        for code, seen in runs.items():
            edges = np.flatnonzero(np.diff(np.concatenate([[0], codes == code, [0]]).astype(np.int8)))
            seen += np.bincount(np.minimum(edges[1::2] - edges[::2], 8), minlength=9)
    total = int(runs[INSERTION].sum())
    ours = {str(n): share(int(runs[INSERTION][n]), total) for n in (1, 2, 3)}
    theirs = {n: of_size(PBSIM["def"]["ins_run"][n], ours[n], total, 1.6e6, 5e-5) for n in ours}
    assert disagreements(ours, theirs) == []
    assert runs[DELETION][1] == runs[DELETION].sum()


# Comparisons on one genome: letters, strands and places matter too.


@pytest.fixture(scope="module")
def genome():
    return read_fasta(Path(__file__).parents[2] / "resources/sequences/lambda_virus.fa.gz")


def letter_statistics(reads, genome) -> dict[str, Estimate]:
    """Strand, place, substitutes by original letter, and inserted letters that equal the genome's next one."""
    letters = {record.name: record.letters for record in genome}
    complement = np.arange(256, dtype=np.uint8)
    complement[list(b"ACGT")] = list(b"TGCA")
    substitutes, minus, places = np.zeros((256, 256), dtype=int), [], []
    copied = inserted = 0
    for read in reads:
        template = letters[read.record][read.start : read.end]
        if read.strand == "-":
            template = complement[template[::-1]]
        codes = operations_along_read(read)
        sequenced = np.frombuffer(read.letters, dtype=np.uint8)
        on_genome, on_read = np.cumsum(codes != INSERTION), np.cumsum(codes != DELETION) - 1
        mismatch = codes == MISMATCH
        np.add.at(substitutes, (template[on_genome[mismatch] - 1], sequenced[on_read[mismatch]]), 1)
        # A run of insertions at the end has no next letter of the genome within the read.
        insertion = (codes == INSERTION) & (on_genome < template.size)
        inserted += np.count_nonzero(insertion)
        copied += np.count_nonzero(template[on_genome[insertion]] == sequenced[on_read[insertion]])
        minus.append(read.strand == "-")
        places.append((read.start + read.end) / 2)
    found = {"reverse strand": share(sum(minus), len(minus)), "copied insertions": share(copied, max(inserted, 1))}
    found["place"], found["spread of places"] = mean(np.array(places)), deviation(np.array(places))
    for original in b"ACGT":
        total = substitutes[original].sum()
        for substitute in b"ACGTN":
            found[f"{chr(original)} to {chr(substitute)}"] = share(substitutes[original, substitute], total)
    return found


def test_illumina_substitutes_have_masons_quirk(genome):
    found = letter_statistics(simulate(Genome(genome), Illumina(125), 100_000, seed=1), genome)
    for original, shares in {"A": "0211", "C": "1021", "G": "1102", "T": "1110"}.items():
        for substitute, quarters in zip("ACGT", shares, strict=True):
            expected = Estimate(int(quarters) / 4, 0)
            assert disagreements({"": found[f"{original} to {substitute}"]}, {"": expected}, confidence=0.9999) == []
    assert found["T to N"].value == pytest.approx(0.25, abs=0.02)
    assert disagreements({"": found["reverse strand"]}, {"": Estimate(0.5, 0)}) == []


def test_half_of_clr_insertions_copy_the_next_letter(genome):
    """The other half is uniform, so 5 of 8 equal it; on the forward strand of a genome that is 44 %."""
    found = letter_statistics(simulate(Genome(genome), Clr(), 3000, seed=1), genome)
    expected = {"copied insertions": Estimate(0.625, 0), "reverse strand": Estimate(0.5, 0)}
    expected |= {f"{a} to {b}": Estimate(1 / 3 if a != b else 0, 0) for a in "ACGT" for b in "ACGT"}
    assert disagreements({name: found[name] for name in expected}, expected) == []


def program_reads(name: str, *arguments):
    try:
        return list(getattr(programs, name)(*arguments))
    except InputError as error:
        # Where the programs are promised, a skip must not be mistaken for a pass.
        if "is not installed" not in str(error) or os.environ.get("REPRO_SIMULATORS") == "installed":
            raise
        pytest.skip(str(error))


@pytest.mark.parametrize(("length", "reads"), [(125, 30_000), (1024, 4_000)])
def test_mason_itself_on_the_same_genome(genome, length, reads):
    theirs = program_reads("mason", genome, length, reads, 7)
    ours = list(simulate(Genome(genome), Illumina(length), reads, 7))
    assert len(theirs) == reads
    assert disagreements(*(illumina_statistics(observe_reads(x)) for x in (ours, theirs))) == []
    names = [f"{a} to {b}" for a in "ACGT" for b in "ACGT"] + ["reverse strand"]
    found = [letter_statistics(x, genome) for x in (ours, theirs)]
    assert disagreements(*({name: x[name] for name in names} for x in found)) == []


def test_pbsim_itself_on_the_same_genome(genome):
    theirs = program_reads("pbsim", genome, clr.MEAN_LENGTH, clr.SD_LENGTH, 3000, 7)
    ours = list(simulate(Genome(genome), Clr(), 3000, 7))
    assert len(theirs) == 3000
    assert disagreements(*(clr_statistics(observe_reads(x)) for x in (ours, theirs))) == []
    assert disagreements(*(letter_statistics(x, genome) for x in (ours, theirs))) == []

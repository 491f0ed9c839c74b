"""The read simulators of the AnySeq/GPU paper themselves, where they are installed: Mason 2 and PBSIM 1."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from Bio.SeqIO.QualityIO import FastqGeneralIterator

from repro.errors import InputError
from repro.inputs.fasta import Sequence, write_fasta
from repro.inputs.reads.cigar import DELETION, INSERTION, cigar_of, operations_of
from repro.inputs.reads.clr import LONGEST, MEAN_LENGTH, SD_LENGTH
from repro.inputs.reads.simulate import Read

# Debian installs Mason outside PATH.
_DEBIAN_MASON = "/usr/lib/seqan/bin/mason_simulator"
_MASON_FRAGMENT, _MASON_FRAGMENT_SD = 300, 30
_LARGEST_SEED = 2**31 - 1
_COMPLEMENT = bytes.maketrans(b"ACGT", b"TGCA")


PROGRAMS = {"mason": ("mason_simulator", "seqan-apps", _DEBIAN_MASON), "pbsim": ("pbsim", "pbsim")}


def why_missing(simulator: str) -> str | None:
    """Why a simulator cannot run here; None where it can, or where it is no program."""
    try:
        _find(*PROGRAMS[simulator])
    except KeyError:
        return None
    except InputError as error:
        return str(error)
    return None


def mason(records: list[Sequence], length: int, reads: int, seed: int) -> Iterator[Read]:
    """Yield single-end Illumina reads of Mason 2 with its default error model.

    One thread, because Mason's reads depend on their number. Fragments are normal(300, 30) as by default, or twice the
    read where that is more: Mason stops at a read that is longer than its fragment.
    Raises InputError when Mason 2.0 is not installed or fails, and for a record too short for a fragment.
    """
    _check_seed(seed)
    program = _find(*PROGRAMS["mason"])
    _check_version(program, r"mason_simulator version: (\d\S*)", "2.0")
    fragment = max(_MASON_FRAGMENT, 2 * length)
    for record in records:
        if len(record) < fragment + 5 * _MASON_FRAGMENT_SD:
            raise InputError(
                f"record {record.name} has {len(record)} letters, but Mason cuts fragments of about {fragment}; "
                "leave it out, or use builtin"
            )
    with tempfile.TemporaryDirectory() as folder:
        genome, sam = Path(folder, "genome.fa"), Path(folder, "reads.sam")
        write_fasta(genome, records)
        options = {
            "--seed": seed,
            "--num-threads": 1,
            "--num-fragments": reads,
            "--input-reference": genome,
            "--out": Path(folder, "reads.fq"),
            "--out-alignment": sam,
            "--illumina-read-length": length,
            "--fragment-mean-size": fragment,
        }
        _run(program, options)
        yield from _read_sam(sam, {record.name: record.letters for record in records})


def pbsim(records: list[Sequence], mean: float, sd: float | None, reads: int, seed: int) -> Iterator[Read]:
    """Yield CLR reads of PBSIM 1 with its default error model; `sd` defaults to the same part of the mean as PBSIM's.

    PBSIM makes a depth rather than a number of reads, for each record of the genome: as many of its reads are taken
    as correspond to the record's length.
    Raises InputError when PBSIM 1 is not installed or fails.
    """
    _check_seed(seed)
    program = _find(*PROGRAMS["pbsim"])
    _check_version(program, r"pbsim (\d\S*)", "1.0")
    sd = mean * SD_LENGTH / MEAN_LENGTH if sd is None else sd
    lengths = np.array([len(record) for record in records])
    shares = np.diff(np.round(np.cumsum(lengths) * reads / lengths.sum()).astype(int), prepend=0)
    # A record's own share of reads may need more bases than the average; five standard deviations are enough.
    bases = mean * (shares + 10) + 5 * sd * np.sqrt(shares + 10)
    with tempfile.TemporaryDirectory() as folder:
        genome = Path(folder, "genome.fa")
        write_fasta(genome, records)
        options = {
            "--prefix": Path(folder, "reads"),
            "--data-type": "CLR",
            "--seed": seed,
            "--model_qc": _pbsim_model(program),
            "--depth": max(bases / lengths),
            "--length-mean": mean,
            "--length-sd": sd,
            "--length-max": int(max(LONGEST, mean + 8 * sd)),
        }
        _run(program, options, str(genome))
        for number, share in enumerate(shares.tolist(), start=1):
            found = list(islice(_read_maf(Path(folder, f"reads_{number:04}")), share))
            if len(found) < share:
                raise InputError(
                    f"{program}: made {len(found)} of {share} reads of record {number}; use longer records"
                )
            yield from found


def _find(name: str, package: str, *places: str) -> str:
    for place in (name, *places):
        if found := shutil.which(place):
            return found
    raise InputError(f"{name} is not installed (Debian: {package}, conda: envs/simulators.yaml); or use builtin")


def _check_version(program: str, pattern: str, wanted: str) -> None:
    done = subprocess.run([program, "--version"], capture_output=True, text=True, errors="replace")
    version = re.search(pattern, done.stdout + done.stderr)
    if not version or not version[1].startswith(f"{wanted}."):
        found = version[1] if version else "an unknown version"
        raise InputError(f"{program}: is {found}; version {wanted}.x is needed, or use builtin")


def _pbsim_model(program: str) -> Path:
    prefix = Path(program).resolve().parents[1]
    for model in [*prefix.glob("share/pbsim*/**/model_qc_clr"), *prefix.glob("data/model_qc_clr")]:
        return model
    raise InputError(f"{program}: its model_qc_clr is not under {prefix}/share; install pbsim again")


def _check_seed(seed: int) -> None:
    if not 0 <= seed <= _LARGEST_SEED:
        raise InputError(f"seed {seed}; the program takes 0 to {_LARGEST_SEED}")


def _run(program: str, options: dict[str, Any], *files: str) -> None:
    command = [program, *(str(word) for option in options.items() for word in option), *files]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if re.search("error|exception", line, re.I)]
        reason = f": {lines[0].strip()}" if lines else ""
        raise InputError(f"{program}: failed with exit status {done.returncode}{reason}")


def _read_sam(path: Path, genome: dict[str, npt.NDArray[np.uint8]]) -> Iterator[Read]:
    """Yield the reads of a SAM file; its M is told apart into = and X."""
    with path.open("rb") as stream:
        for line in stream:
            if line.startswith(b"@"):
                continue
            _, flag, record, place, _, cigar, _, _, _, letters, qualities = line.split(b"\t", 11)[:11]
            start, name = int(place) - 1, record.decode()
            codes = np.concatenate(
                [np.full(int(n), b"MXID".index(op), np.uint8) for n, op in re.findall(rb"(\d+)([MID])", cigar)]
            )
            on_genome, on_read = codes != INSERTION, codes != DELETION
            end = start + int(on_genome.sum())
            rows = np.full((2, codes.size), ord("-"), dtype=np.uint8)
            rows[0, on_genome] = genome[name][start:end]
            rows[1, on_read] = np.frombuffer(letters, np.uint8)
            if reverse := bool(int(flag) & 16):
                letters, qualities = letters.translate(_COMPLEMENT)[::-1], qualities[::-1]
            yield Read(letters, qualities, name, start, end, "-" if reverse else "+", cigar_of(operations_of(*rows)))


def _read_maf(prefix: Path) -> Iterator[Read]:
    """Yield PBSIM's reads: letters and qualities from its FASTQ, truth from its MAF, which has the same order."""
    with prefix.with_suffix(".fastq").open() as fastq, prefix.with_suffix(".maf").open() as maf:
        rows = (line.split() for line in maf if line.startswith("s"))
        alignments = zip(rows, rows, strict=True)
        for (_, letters, qualities), (genome, read) in zip(FastqGeneralIterator(fastq), alignments, strict=True):
            aligned = (np.frombuffer(row[-1].encode(), np.uint8) for row in (genome, read))
            start, span = int(genome[2]), int(genome[3])
            cigar = cigar_of(operations_of(*aligned))
            yield Read(letters.encode(), qualities.encode(), genome[1], start, start + span, read[4], cigar)

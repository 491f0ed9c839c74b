"""Distances of real sequences: the bundled mitochondria, and larger ones where they are at hand."""

import csv
from pathlib import Path

import pytest

from repro.device import open_device
from repro.inputs.fasta import Sequence, read_sequence
from repro.inputs.pair_sheet import read_pairs
from repro.inputs.pairs import make_pair
from repro.wfa import bidirectional
from repro.wfa.bidirectional import Bidirectional
from repro.wfa.packing import PackedPair
from repro.wfa.variants import VARIANTS
from tests.conftest import NO_GPU

ROOT = Path(__file__).parents[2]
BUNDLED = ROOT / "resources" / "sequences"
DATA = ROOT.parent / "shared" / "data"
TWINS = [pair for pair in read_pairs(ROOT / "config" / "pairs.tsv") if pair.name.startswith("twin-") and pair.distance]


def pairs(largest: int) -> list[dict[str, str]]:
    if not (DATA / "pairs.tsv").exists():
        return []
    with (DATA / "pairs.tsv").open() as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return [row for row in rows if max(int(row["len_a"]), int(row["len_b"])) <= largest]


def sequence(name: str) -> Sequence:
    return read_sequence(next((DATA / "sequences").glob(f"{name}.fa*")))


def test_human_and_mouse_mitochondria(device):
    human, mouse = (read_sequence(BUNDLED / f"{name}Mito.fa") for name in ("human", "mouse"))
    outcome = VARIANTS["baseline"].run(device, human.letters, mouse.letters, workgroup_size=128)
    assert outcome.distance == 5200
    assert device.counters.launches == 5201


@pytest.mark.slow
@pytest.mark.parametrize("row", pairs(20_000), ids=lambda row: f"{row['a']}-{row['b']}")
def test_pairs_up_to_20_kilobases(device, row):
    a, b = sequence(row["a"]), sequence(row["b"])
    outcome = VARIANTS["baseline"].run(device, a.letters, b.letters, workgroup_size=128)
    assert (len(a), len(b), outcome.distance) == (int(row["len_a"]), int(row["len_b"]), int(row["distance"]))
    assert device.counters.launches == outcome.distance + 1


@pytest.mark.slow
@pytest.mark.cuda
@pytest.mark.skipif(bool(NO_GPU), reason=NO_GPU)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("row", pairs(5_000_000), ids=lambda row: f"{row['a']}-{row['b']}")
def test_every_variant_on_a_gpu(row, variant):
    """Seconds each; those with less than a block to a tile take up to a minute for a million edits."""
    if int(row["distance"]) > 200_000 and variant not in ("parallel-workgroup", "dynamic-diamond", "hybrid"):
        pytest.skip("config/paper.yaml has it, test-case")
    run, settings = VARIANTS[variant].run, VARIANTS[variant].complete({})
    outcome = run(open_device("cuda"), sequence(row["a"]).letters, sequence(row["b"]).letters, **settings)
    assert outcome.distance == int(row["distance"])


@pytest.mark.slow
@pytest.mark.parametrize("row", pairs(200_000), ids=lambda row: f"{row['a']}-{row['b']}")
def test_hybrid_on_pairs_up_to_200_kilobases(row):
    a, b = sequence(row["a"]), sequence(row["b"])
    assert VARIANTS["hybrid"].run(open_device("emulator"), a.letters, b.letters).distance == int(row["distance"])


@pytest.mark.slow
@pytest.mark.cuda
@pytest.mark.skipif(bool(NO_GPU), reason=NO_GPU)
@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_wavefronts_from_both_ends_find_the_distance_of_a_twin(twin, monkeypatch):
    """For which edlib would take days: the other engine of `hybrid`, another algorithm with kernels of its own, has it.

    Two minutes on an NVIDIA H200 for chromosome 20, with launches that lose fewer diagonals where wavefronts are
    millions wide.
    """
    for name, value in {"EXCHANGE": 2, "SHORT": 48, "WARPS": 32, "MOST_OF_LONG": 0}.items():
        monkeypatch.setattr(bidirectional, name, value)
    made = make_pair(twin.length_a, twin.similarity, twin.seed, twin.name)
    pair = PackedPair(open_device("cuda"), made.a.letters, made.b.letters)
    wavefronts = Bidirectional(pair, twin.distance // 2 + 1000)
    assert wavefronts.advance(twin.distance // 2 + 500, int(0.54 * twin.distance)) == twin.distance

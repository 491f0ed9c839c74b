import json
from pathlib import Path

import pytest

from repro.cli import main
from repro.reorder.variants import VARIANTS


@pytest.fixture
def fasta(tmp_path: Path) -> Path:
    path = tmp_path / "pair.fa"
    path.write_text(">a\nactga\n>b\nACGA\n>n\nNCTGA\n>empty\n\n")
    return path


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_alignment_is_printed(fasta: Path, capsys: pytest.CaptureFixture[str], variant: str) -> None:
    arguments = ["nw", f"{fasta}#a", f"{fasta}#b", "--device", "emulator", "--variant", variant]
    assert main([*arguments, "--match", "2", "--mismatch", "-1", "--gap", "2"]) == 0
    assert capsys.readouterr().out == "score 6\ncigar 2=1I2=\n\nACTGA\n|| ||\nAC-GA\n"


def test_an_unknown_base_is_shown_but_equal_to_nothing(fasta: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nw", f"{fasta}#n", f"{fasta}#n", "--device", "emulator"]) == 0
    assert capsys.readouterr().out == "score 4\ncigar 1X4=\n\nNCTGA\n.||||\nNCTGA\n"


def test_an_empty_sequence_is_one_gap(fasta: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nw", f"{fasta}#empty", f"{fasta}#b", "--device", "emulator", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["score"], found["cigar"], found["len_a"], found["len_b"]) == (-4, "4D", 0, 4)
    assert found["counters"]["launches"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--gap", "-1"], "repro: variant compact: gap = -1 is not within 0 to 1000000"),
        (["--variant", "fast"], f"repro: no variant 'fast'; choose one of: {', '.join(VARIANTS)}"),
    ],
)
def test_an_error_is_one_line(
    fasta: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["nw", f"{fasta}#a", f"{fasta}#b", "--device", "emulator", *arguments]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", message + "\n")

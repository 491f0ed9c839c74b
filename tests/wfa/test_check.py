from pathlib import Path
from typing import Any

import pytest

from repro.errors import InputError, ReproError
from repro.wfa.check import Reference, check
from repro.wfa.experiment import PairFiles
from tests.bench.example import example_row

REFERENCE = Reference("a" * 64, "b" * 64, edlib=1100, wagner_fischer=None, sheet=None)


@pytest.fixture
def files(tmp_path: Path) -> PairFiles:
    (tmp_path / "pair.fa").write_text(">p\nCACCTGACTTA\n>t\nACCATGGACTG\n")
    return PairFiles(f"{tmp_path / 'pair.fa'}#p", f"{tmp_path / 'pair.fa'}#t", 11, None, 5)


def test_reference_of_the_papers_example(files: PairFiles) -> None:
    assert Reference.of(files).answers() == {"edlib": 5, "wagner_fischer": 5, "sheet": 5}


def test_references_that_differ_are_an_error(files: PairFiles) -> None:
    wrong = PairFiles(files.a, files.b, None, None, 6)
    with pytest.raises(ReproError, match=r"the references differ: {'edlib': 5, 'wagner_fischer': 5, 'sheet': 6}"):
        Reference.of(wrong)


def test_the_sheets_distance_stands_for_edlibs_where_that_takes_long(
    files: PairFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repro.wfa.check.MOST_EDLIB_CELLS", 100)
    known = Reference.of(files)
    assert (known.edlib, known.distance) == (None, 5)
    assert known.answers() == {"wagner_fischer": 5, "sheet": 5}
    assert Reference.of(PairFiles(files.a, files.b, None, None, None)).edlib == 5  # nothing else says it


def test_a_sequence_of_another_length_than_the_sheets_is_refused(files: PairFiles) -> None:
    with pytest.raises(InputError, match=r"pair\.fa#t: 11 letters, but the sheet of pairs says 12"):
        PairFiles(files.a, files.b, 11, 12, None).read()


def test_a_right_row_says_what_it_was_compared_with() -> None:
    (row,) = check([example_row(result=1100)], {"tiny": REFERENCE})
    assert row["check"] == {"passed": True, "against": {"edlib": 1100}}


def test_a_wrong_distance_is_an_error_that_names_the_row() -> None:
    with pytest.raises(ReproError) as raised:
        check([example_row(), example_row(result=1099)], {"tiny": REFERENCE})
    where = "baseline: baseline {'workgroup_size': 128} on tiny, NVIDIA H200"
    assert str(raised.value) == f"{where}: distance 1099 is wrong, the CPU gives 1100"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ({"cost": 1101, "replayed": True}, "a path of cost 1101 is not optimal, the distance is 1100"),
        ({"cost": 1100, "replayed": False}, "the path does not turn one string into the other"),
    ],
)
def test_a_wrong_path_is_an_error(path: dict[str, Any], message: str) -> None:
    right = example_row(result=1100, path={"cost": 1100, "replayed": True})
    assert check([right], {"tiny": REFERENCE})[0]["check"]["passed"]
    with pytest.raises(ReproError, match=f"on tiny, NVIDIA H200: {message}"):
        check([{**right, "path": path}], {"tiny": REFERENCE})


def test_a_reference_of_other_sequences_is_refused() -> None:
    other = Reference("c" * 64, "b" * 64, edlib=1100, wagner_fischer=None, sheet=None)
    with pytest.raises(ReproError, match="the reference was computed for other sequences"):
        check([example_row()], {"tiny": other})

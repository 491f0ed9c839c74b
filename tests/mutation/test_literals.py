"""Which integers of kernels have mutants."""

from pathlib import Path

import pytest

from tests.mutation.literals import literals

KERNELS = sorted((Path(__file__).parents[2] / "src/repro").glob("*/kernels"))


@pytest.mark.parametrize("kernels", KERNELS, ids=lambda kernels: kernels.parent.name)
def test_what_is_left_out_is_in_the_kernels(kernels):
    assert len(literals(kernels)) > 100, "raises ValueError for a part of equivalent.toml that no line has"


def test_integers_that_mean_something(tmp_path):
    lines = [
        "#define A 1",
        "constexpr int B = 0x10, C = 32;  // 5",
        "__launch_bounds__(32)",
        "float x = 1.5f + y2 * 3u;",
        "#ifdef REPRO_WARP_SIZE",
        "a = 7;",
        "#else",
        "a = 8;",
        "#endif",
    ]
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "some.cu").write_text("\n".join(lines))
    found = literals(tmp_path / "kernels")
    assert [str(literal) for literal in found] == ["some.cu:2:19", "some.cu:2:29", "some.cu:4:23", "some.cu:6:5"]
    assert [literal.text[literal.start : literal.end] for literal in found] == ["0x10", "32", "3", "7"]

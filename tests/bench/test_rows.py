import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from repro.bench.measure import Measurement, Seconds
from repro.bench.rows import digest_of, make_row, read_rows, validate, write_rows
from repro.bench.variant import Variant
from repro.device import open_device
from repro.errors import InputError
from tests.bench.example import example_row


def made(matrix_cells: int | None) -> dict[str, Any]:
    return make_row(
        system="wfa",
        experiment="baseline",
        variant=Variant("baseline", "4.1.1", "", lambda: None),
        parameters={"workgroup_size": 64},
        input={"name": "pair"},
        device=open_device("emulator"),
        measurement=Measurement(5, 2, Seconds(1.0, 2.0, 3.0), Seconds(0.5, 0.5, 0.5), 0.25, {"launches": 6}),
        work=36,
        work_unit="cells",
        matrix_cells=matrix_cells,
        result=5,
        digest=digest_of(5),
    )


def test_gcups_are_matrix_cells_by_the_median_of_total_time() -> None:
    row = made(8_000_000_000)
    assert row["gcups"] == 4.0
    assert row["total_seconds"] == {"min": 1.0, "median": 2.0, "max": 3.0}
    assert row["device_kind"] == "emulator"


def test_there_are_no_gcups_without_a_matrix() -> None:
    assert made(None)["gcups"] is None


def test_a_made_row_lacks_only_its_provenance() -> None:
    with pytest.raises(InputError, match="'provenance' is a required property"):
        validate(made(1), "row")
    validate({**made(1), "provenance": example_row()["provenance"]}, "row")


def test_rows_survive_writing_and_reading(tmp_path: Path) -> None:
    rows = [example_row(), example_row(variant="other")]
    write_rows(tmp_path / "rows.jsonl", rows)
    assert read_rows(tmp_path / "rows.jsonl") == rows


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "rows.jsonl: line 2, column 2: not JSON"),
        (json.dumps(example_row(device_kind="gpu")), "rows.jsonl: line 2: device_kind: 'gpu' is not one of"),
        (json.dumps(example_row(gpcus=1)), "rows.jsonl: line 2: the row: .*'gpcus' was unexpected"),
        (json.dumps(example_row(counters={"reads": -1})), "rows.jsonl: line 2: counters.reads: -1 is less than"),
    ],
)
def test_what_is_no_row_is_named_by_line_and_column(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(example_row()) + "\n" + line + "\n")
    with pytest.raises(InputError, match=message):
        read_rows(path)


def test_digest_of_a_number_is_that_of_its_json_text() -> None:
    assert digest_of(5200) == hashlib.sha256(b"5200").hexdigest()


def test_digest_of_an_array_tells_shapes_and_types_apart() -> None:
    values = np.arange(6, dtype=np.int32)
    digests = {digest_of(values), digest_of(values.reshape(2, 3)), digest_of(values.astype(np.uint32))}
    assert len(digests) == 3

import pytest

from repro.report.claims import (
    FAILS,
    HOLDS,
    NOT_MEASURED,
    judged,
    reached,
    told_apart,
)


def test_a_claim_about_no_row_is_not_measured() -> None:
    assert judged(0, 0) == ("-", NOT_MEASURED)


def test_a_claim_holds_only_when_it_does_for_every_row() -> None:
    assert judged(3, 3) == ("3 of 3 runs", HOLDS)
    assert judged(2, 3) == ("2 of 3 runs", FAILS)


@pytest.mark.parametrize(
    ("value", "bound", "shown", "verdict"),
    [
        (13.4567, 13.5, "13.46", FAILS),
        (13.4999, 13.5, "13.4999", FAILS),
        (13.5001, 13.5, "13.5001", HOLDS),
        (13.5, 13.5, "13.5", HOLDS),
        (24.17, 20, "24.2", HOLDS),
        (0.001234, 5, "0.00123", FAILS),
    ],
)
def test_a_value_is_shown_apart_from_what_it_was_to_reach(value, bound, shown, verdict) -> None:
    assert told_apart(value, bound) == shown
    assert reached(value, bound) == (shown, verdict)

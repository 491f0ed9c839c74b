"""A plugin that mutation.py gives to pytest: tests in the order it wants, and which of them began and took how long.

The file $MUTATION_ORDER has the names of tests, those to come first in front. A line of $MUTATION_LOG is the name of a
test that began, or of one that took so many seconds, which follow a tab.
"""

import os
from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the tests that the file names to the front."""
    names = Path(os.environ["MUTATION_ORDER"]).read_text().splitlines()
    places = {name: place for place, name in enumerate(names)}
    items.sort(key=lambda item: places.get(item.nodeid, len(places)))


def pytest_runtest_logstart(nodeid: str) -> None:
    """Note a test that begins: if the process dies, it is the last one."""
    _note(nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note how long a part of a test took."""
    _note(f"{report.nodeid}\t{report.duration}")


def _note(line: str) -> None:
    with Path(os.environ["MUTATION_LOG"]).open("a") as log:
        log.write(f"{line}\n")

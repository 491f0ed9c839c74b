"""What every script of the workflow is wrapped in: its log, and errors as one line."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from repro.errors import ReproError

logger = logging.getLogger("repro")


@contextmanager
def job(log: str) -> Iterator[None]:
    """Write what the job says to the file `log` too; end the process with one line where a ReproError is raised."""
    handler = logging.FileHandler(log, mode="w")
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    except ReproError as error:
        logger.error("error: %s", error)
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)

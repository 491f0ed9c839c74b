"""Progress of long jobs: a bar on a terminal, a line per step where there is none."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from repro.job import logger


class Steps:
    """How far a job is; made by `progress`."""

    def __init__(self, title: str, total: int, bar: Progress) -> None:
        self._title = title
        self._total = total
        self._finished = 0
        self._bar = bar
        self._task = bar.add_task(title, total=total)

    def begin(self, label: str) -> None:
        """Say what is being worked on."""
        self._bar.update(self._task, description=f"{self._title}  {label}")

    def done(self, label: str) -> None:
        """Say what has been finished."""
        self._finished += 1
        self._bar.advance(self._task)
        line = f"{self._title}  {self._finished}/{self._total}  {label}"
        self._bar.console.print(line, highlight=False)
        logger.info(line)


@contextmanager
def progress(title: str, total: int) -> Iterator[Steps]:
    """Show the progress of `total` steps on standard error."""
    console = Console(stderr=True, soft_wrap=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        yield Steps(title, total, bar)

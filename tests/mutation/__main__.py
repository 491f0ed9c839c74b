"""`make mutation SYSTEM=wfa`: try all mutants of a system, or a random sample of them.

pytest collects the system's fast tests once; each mutant is tried in a fork of that process, by the tests that load its
file, those that found mutants near it first. The checkout is never touched; the exit status is 1 if a mutant survives.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import hypothesis
import pytest
from _pytest.runner import runtestprotocol

from tests.mutation.literals import Literal, literals
from tests.mutation.switches import Switches

ROOT = Path(__file__).parents[2]
LEAST, SLOWER = 10, 5  # seconds that a test may take, and times its own: after both, something no longer ends
MOST = 300  # seconds with those of compilers


class Trials:
    """A plugin of pytest that runs the collected tests for each mutant."""

    def __init__(self, system: str, sample: int | None, seed: int, folder: Path) -> None:
        """folder: an empty one for what the trials share."""
        self._literals = literals(ROOT / "src" / "repro" / system / "kernels")
        chosen = range(len(self._literals))
        self._chosen = chosen if sample is None else random.Random(seed).sample(chosen, min(sample, len(chosen)))
        known = folder / "known"
        known.touch()
        self._output = folder / "output"
        self._switches = Switches(self._literals, known)
        self._switches.install()
        self._items: dict[str, pytest.Item] = {}
        self._seconds: dict[str, float] = {}  # of each test without a mutant, compilers left out
        self._files: dict[str, set[str]] = {}  # kernel files that each test loads
        self._finds: list[tuple[Literal, str]] = []  # mutants and the tests that found them

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Instead of pytest's own: the tests without a mutant, then those of each mutant."""
        self._items = {item.nodeid: item for item in session.items}
        if failed := self._first_that_fails(list(self._items)):
            session.testsfailed = 1
            print(self._output.read_text(), f"{failed} fails without a mutant", sep="\n")
            return True
        for number, index in enumerate(self._chosen, 1):
            literal = self._literals[index]
            self._switches.choose(index)
            if failed := self._first_that_fails(self._tests_of(literal)):
                self._finds.append((literal, failed))
            else:
                session.testsfailed += 1
            verdict = "found" if failed else "SURVIVES"
            print(f"{number}/{len(self._chosen)} {verdict} {literal} {literal.text.strip()}", flush=True)
        print(f"{len(self._finds)} of {len(self._chosen)} mutants found")
        return True

    def _tests_of(self, literal: Literal) -> list[str]:
        finds: Counter[str] = Counter()
        for other, test in self._finds:
            if other.path == literal.path:
                finds[test] += 1 / (1 + abs(other.line - literal.line))
        tests = [test for test, files in self._files.items() if literal.path.name in files]
        return sorted(tests, key=lambda test: -(finds[test] + 0.02) / (self._seconds[test] + 0.3))

    def _first_that_fails(self, tests: list[str]) -> str | None:
        """Run tests in a fork up to the first that fails, ends the process or does not end."""
        receiver, sender = Pipe(duplex=False)
        process = os.fork()
        if process == 0:
            output = os.open(self._output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(output, 1)
            os.dup2(output, 2)
            self._run_here(tests, sender)
            os._exit(0)  # without what pytest does at its end
        sender.close()
        failed = None
        for test in tests:
            try:
                passed, seconds, files = receiver.recv()
            except EOFError:
                passed, seconds, files = False, 0.0, set()
            self._seconds.setdefault(test, seconds)
            self._files.setdefault(test, files)
            if not passed:
                failed = test
                break
        os.waitpid(process, 0)
        return failed

    def _run_here(self, tests: list[str], sender: Connection) -> None:
        """Send for each test whether it passed, its seconds without those of compilers, and its kernel files."""
        for test, following in zip(tests, [*tests[1:], None], strict=True):
            begun = time.process_time()
            if test in self._seconds:
                signal.setitimer(signal.ITIMER_PROF, LEAST + SLOWER * self._seconds[test])
                signal.setitimer(signal.ITIMER_REAL, MOST)
            self._switches.used.clear()
            reports = runtestprotocol(self._items[test], nextitem=self._items.get(following), log=False)
            passed = not any(report.failed for report in reports)
            if not passed:
                print(*(report.longrepr for report in reports if report.failed))
                sys.stdout.flush()
            sender.send((passed, time.process_time() - begun, self._switches.used))
            if not passed:
                return


def main() -> int:
    """Try the mutants that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("system")
    parser.add_argument("--sample", type=int, help="how many mutants to try; all without it")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    arguments = parser.parse_args()
    # A test that fails has done its work: no smaller example is looked for.
    phases = hypothesis.Phase.explicit, hypothesis.Phase.generate
    hypothesis.settings.register_profile("mutation", phases=phases, database=None, derandomize=True)
    hypothesis.settings.load_profile("mutation")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["REPRO_CACHE"] = folder
        trials = Trials(arguments.system, arguments.sample, arguments.seed, Path(folder))
        options = ["-q", "-s", "--disable-warnings", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
        options += ["-m", "not slow and not cuda"]
        return int(pytest.main([*options, f"tests/{arguments.system}"], plugins=[trials]))


if __name__ == "__main__":
    sys.exit(main())

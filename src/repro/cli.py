"""The command line: `repro COMMAND`. An error is one line on standard error, with exit code 2 (input) or 3 (device)."""

import argparse
import io
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import version

import repro
from repro.commands import align, apsp, devices, distance, fetch, nw, similarity, simulate, variants
from repro.errors import ReproError
from repro.launcher import ranks_started, speaks_for_all

COMMANDS = (distance, nw, align, apsp, similarity, fetch, simulate, variants, devices)
GRACE_SECONDS = 1.0  # launchers kill the other ranks once one has ended, which are to leave nothing either


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(prog="repro", description=repro.__doc__)
    parser.add_argument("--version", action="version", version=f"repro {version('repro')}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(subparsers)
    return parser


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command; help and wrong usage are shown once, however many ranks were started."""
    if speaks_for_all():
        return build_parser().parse_args(arguments)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        return build_parser().parse_args(arguments)


def _stop(number: int, _: object) -> None:
    """End at once and leave no half-written file; an exception would be lost where compiled code calls Python."""
    from repro.inputs.files import UNFINISHED

    for path in list(UNFINISHED):
        path.unlink(missing_ok=True)
    if ranks_started() > 1:
        time.sleep(GRACE_SECONDS)
    os._exit(128 + number)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status: 0, or that of the error that was shown."""
    args = _parsed(arguments)
    if arguments is None:
        # Where Python is told not to buffer (PYTHONUNBUFFERED), it takes a full disk's cut write for a whole one.
        sys.stdout = open(sys.stdout.fileno(), "w", encoding=sys.stdout.encoding, closefd=False)  # noqa: SIM115
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, _stop)
    try:
        status: int = args.run(args)
        sys.stdout.flush()
        return status
    except ReproError as error:
        print(f"repro: {error}", file=sys.stderr)
        return error.exit_code
    except MemoryError as error:
        print(f"repro: the input is too large for this machine's memory ({error})", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has gone; what is still buffered must not be written when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        print(f"repro: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        if error.filename is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2

"""Errors that are shown as one line: what is wrong, where, and what to do about it."""


class ReproError(Exception):
    """An error the command line prints as one line; `exit_code` is the process's exit status."""

    exit_code = 1


class InputError(ReproError):
    """Something the user gave is wrong: the message says what, where (file, record, position) and what to do."""

    exit_code = 2


class DeviceError(ReproError):
    """A device is missing, full or failed: the message names the kernel or size and what to try."""

    exit_code = 3

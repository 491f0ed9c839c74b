"""Sequences from NCBI by accession and version, through Biopython's Entrez.

Around Entrez stands what it lacks: a timeout, back-off with jitter that honours Retry-After, and a check of every
answer, because NCBI also sends error texts, web pages, empty and truncated bodies with status 200.
"""

import contextlib
import datetime
import email.utils
import http.client
import io
import os
import random
import re
import socket
import string
import time
import urllib.error
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from Bio import Entrez
from Bio.Entrez.Parser import CorruptedXMLError, NotXMLError

from repro.errors import InputError

# A GenBank or RefSeq accession with its version: CP000051.1, NC_000898.1, NZ_CP012345.2.
ACCESSION = re.compile(r"(?:[A-Z]{2}_[A-Z]{0,6}|[A-Z]{1,6})\d{5,}\.\d+")
_NUCLEOTIDES = (string.ascii_letters + "*-").encode()
_CHUNK = 1 << 16
_LONGEST_WAIT_S = 600.0
_GONE = ("suppressed", "withdrawn", "dead")

Answer = TypeVar("Answer")
Progress = Callable[[int], None]


def no_progress(count: int) -> None:
    """Report nothing."""


class FetchError(InputError):
    """NCBI did not deliver what was asked for; the message says the accession and which way it failed."""


class OfflineError(FetchError):
    """NCBI cannot be reached at all."""


class _Transient(Exception):
    """An answer that may be right the next time; `wait_s` is what the server asked for, if it did."""

    def __init__(self, problem: str, wait_s: float | None = None) -> None:
        super().__init__(problem)
        self.wait_s = wait_s


@dataclass(frozen=True)
class Client:
    """How NCBI is asked.

    email, api_key: NCBI asks for the first and allows more requests with the second.
    timeout_s: longest silence on a connection; attempts: requests made before giving up; first_wait_s: doubled after
    each failed attempt and multiplied by a random factor between 1 and 2.
    """

    email: str | None = None
    api_key: str | None = None
    timeout_s: float = 60.0
    attempts: int = 6
    first_wait_s: float = 1.0

    @classmethod
    def from_environment(cls, email: str | None = None, api_key: str | None = None) -> "Client":
        """Return a client with NCBI_EMAIL and NCBI_API_KEY of the environment, or else the values given."""
        return cls(os.environ.get("NCBI_EMAIL") or email or None, os.environ.get("NCBI_API_KEY") or api_key or None)

    def length(self, accession: str) -> int:
        """Return the number of letters of a record by ESummary.

        Raises FetchError when NCBI does not have it, has suppressed or withdrawn it, or has another accession in its
        place. An older version of a record is no such case: it is still delivered under its own version.
        """

        def attempt() -> int:
            return _check_summary(accession, _read_body(self._open(Entrez.esummary, accession), no_progress))

        return self._ask(accession, attempt)

    def letters(self, accession: str, start: int, stop: int, total: int, progress: Progress) -> bytes:
        """Return the letters of a record from `start` to `stop` (0-based, half-open), upper case, by EFetch.

        total: length of the record; progress: called with the number of bytes of each part that arrives.
        Raises FetchError saying in which way the answer was not that piece of that record.
        """
        fetch: dict[str, Any] = {"rettype": "fasta", "retmode": "text"}
        if (start, stop) != (0, total):
            fetch |= {"seq_start": start + 1, "seq_stop": stop}

        def attempt() -> bytes:
            body = _read_body(self._open(Entrez.efetch, accession, **fetch), progress)
            return _check_fasta(accession, body, stop - start)

        return self._ask(accession, attempt)

    def _open(self, utility: Callable[..., Any], accession: str, **fetch: Any) -> Any:
        """Open one request; Entrez has neither a timeout nor a quiet way to go without an e-mail address."""
        Entrez.max_tries = 1
        Entrez.tool = "repro"
        with warnings.catch_warnings(), _default_timeout(self.timeout_s):
            warnings.simplefilter("ignore", UserWarning)
            return utility(db="nuccore", id=accession, email=self.email, api_key=self.api_key, **fetch)

    def _ask(self, accession: str, attempt: Callable[[], Answer]) -> Answer:
        problem: _Transient
        for number in range(self.attempts):
            try:
                with _translated(accession):
                    return attempt()
            except _Transient as transient:
                problem = transient
            if (problem.wait_s or 0) > _LONGEST_WAIT_S:
                raise FetchError(f"{accession}: NCBI asks to wait {problem.wait_s:.0f} s; try again later")
            if number + 1 < self.attempts:
                wait = self.first_wait_s * 2**number * random.uniform(1, 2)
                time.sleep(max(wait, (problem.wait_s or 0) * random.uniform(1, 1.1)))
        raise FetchError(f"{accession}: {problem} ({self.attempts} attempts); try again later")


def check_accession(accession: str) -> None:
    """Raise InputError unless this is an accession with its version."""
    if ACCESSION.fullmatch(accession):
        return
    if ACCESSION.fullmatch(f"{accession}.1"):
        raise InputError(f"{accession}: has no version; write which one is meant, such as {accession}.1")
    raise InputError(f"{accession}: is no GenBank or RefSeq accession with version, such as NC_000898.1")


@contextlib.contextmanager
def _default_timeout(seconds: float) -> Iterator[None]:
    previous = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(previous)


@contextlib.contextmanager
def _translated(accession: str) -> Iterator[None]:
    """Turn the many ways a request fails into _Transient, or FetchError where asking again cannot help."""
    try:
        yield
    except urllib.error.HTTPError as error:
        if error.code == 429:
            raise _Transient(
                "NCBI had too many requests (status 429; NCBI_API_KEY allows more)", _retry_after(error)
            ) from None
        if error.code >= 500:
            raise _Transient(f"NCBI's server failed (status {error.code})", _retry_after(error)) from None
        raise FetchError(f"{accession}: NCBI refused the request (status {error.code}: {_first_line(error)})") from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, TimeoutError):
            raise _Transient("no answer in time") from None
        if isinstance(error.reason, (ConnectionResetError, BrokenPipeError)):
            raise _Transient("the connection was closed") from None
        raise OfflineError(f"{accession}: NCBI cannot be reached ({error.reason}); check the network") from None
    except TimeoutError:
        raise _Transient("no answer in time") from None
    except http.client.IncompleteRead:
        raise _Transient("the connection was closed before the end") from None
    except (ConnectionError, http.client.HTTPException) as error:
        raise _Transient(f"the connection was closed ({type(error).__name__})") from None


def _retry_after(error: urllib.error.HTTPError) -> float | None:
    """Return the seconds of a Retry-After header, which may be a number or a date."""
    value = error.headers.get("Retry-After", "").strip()
    if value.isdigit():
        return float(value)
    try:
        date = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (date - datetime.datetime.now(datetime.UTC)).total_seconds())


def _check_summary(accession: str, body: bytes) -> int:
    """Return the length in an ESummary answer (XML, version 1.0), which must be about that accession."""
    text = _check_format(body, expected=b"<?xml")
    try:
        (record,) = Entrez.read(io.BytesIO(text))  # type: ignore[no-untyped-call]
    except RuntimeError as error:  # Entrez raises it for an <ERROR> element
        if re.search("cannot get document summary|invalid uid", str(error), re.IGNORECASE):
            raise FetchError(f"{accession}: NCBI has no such record; check the accession and version") from None
        raise _Transient(f"NCBI answered with an error: {_shorten(str(error))}") from None
    except (CorruptedXMLError, NotXMLError, ValueError):
        raise _Transient("NCBI's summary is truncated or not the XML asked for") from None
    delivered, status = str(record.get("AccessionVersion", "")), str(record.get("Status", "live")).lower()
    successor = str(record.get("ReplacedBy", "")).strip()
    if status in _GONE:
        comment = " ".join(str(record.get("Comment", "")).split())
        raise FetchError(f"{accession}: is {status} at NCBI{': ' + _shorten(comment) if comment else ''}")
    if successor and successor.split(".")[0] != accession.split(".")[0]:
        raise FetchError(f"{accession}: is retired; NCBI has {successor} in its place, which was not asked for")
    if delivered != accession:
        raise FetchError(
            f"{accession}: NCBI has {delivered or 'no accession'} under this name, which was not asked for"
        )
    return int(record["Length"])


def _read_body(handle: Any, progress: Progress) -> bytes:
    """Read an answer; Entrez wraps plain text, and a short read of a known length raises nothing by itself."""
    response = getattr(handle, "buffer", handle)
    parts = []
    with contextlib.closing(handle):
        while part := response.read(_CHUNK):
            parts.append(part)
            progress(len(part))
        if response.length:
            raise _Transient(f"the connection was closed {response.length} bytes before the end")
    return b"".join(parts)


def _check_format(body: bytes, expected: bytes) -> bytes:
    """Return an answer that begins as expected; NCBI sends pages and error texts with status 200, too."""
    text = body.strip()
    page = b"<html" in text[:_CHUNK].lower() and not text.startswith(b">")
    if text.startswith(expected) and not page:
        return text
    if not text:
        raise _Transient("NCBI's answer was empty")
    if page or text.startswith(b"<"):
        raise _Transient("NCBI answered with a web page instead of the record")
    raise _Transient(f"NCBI answered with a text instead of the record: {_shorten(text.decode('latin-1'))}")


def _check_fasta(accession: str, body: bytes, length: int) -> bytes:
    """Return the letters of an EFetch answer, which must be one FASTA record of that accession and length."""
    text = _check_format(body, expected=b">")
    header, _, sequence = text.partition(b"\n")
    # The first word is ACC.V, ACC.V:START-STOP, or several names between bars.
    names = re.split(r"[|:\s]", header[1:].decode("latin-1"))
    if accession not in names:
        raise FetchError(f"{accession}: NCBI delivered {_shorten(names[0])}, which was not asked for")
    letters = b"".join(sequence.split())
    if bad := letters.translate(None, _NUCLEOTIDES):
        position = letters.index(bad[:1])
        raise _Transient(f"the record has {chr(bad[0])!r} at letter {position + 1}, which is no sequence letter")
    if len(letters) < length:
        raise _Transient(f"the record is truncated: {len(letters)} of {length} letters")
    if len(letters) > length:
        raise FetchError(f"{accession}: the record has {len(letters)} letters where NCBI lists {length}")
    return letters.upper()


def _first_line(error: urllib.error.HTTPError) -> str:
    try:
        return _shorten(error.read(1000).decode("latin-1")) or str(error.reason)
    except OSError:
        return str(error.reason)


def _shorten(text: str) -> str:
    """Return a text as one short line; NCBI repeats the API key in some answers, and it belongs in no log."""
    line = re.sub(r"(api[-_]key\W+)\w+", r"\1...", " ".join(text.split()), flags=re.IGNORECASE)
    return line if len(line) <= 100 else line[:97] + "..."

import datetime
import email.utils
import hashlib
import multiprocessing
import os
import socket
import time
import types
import urllib.request
from dataclasses import replace
from pathlib import Path

import Bio.Entrez
import pytest

from repro.errors import InputError
from repro.inputs import ncbi, ncbi_cache
from repro.inputs.fasta import read_sequence
from repro.inputs.ncbi import Client, FetchError, OfflineError, check_accession
from repro.inputs.ncbi_cache import Expected, fetch

from .loopback import Entrez, close_at_once, close_early, send, silent, summary, summary_document

ACCESSION = "NC_000898.3"
LETTERS = "ACGTRNacgt" * 100
FASTA = f">{ACCESSION} A virus\n{LETTERS}\n".encode()
SHA256 = hashlib.sha256(LETTERS.upper().encode()).hexdigest()
CLIENT = Client(email="a@example.org", api_key="secret", timeout_s=10, attempts=4)
XHTML = (
    b'<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" '
    b'"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"><html><body>Down</body></html>'
)
KEY_REPEATED = b'{"error":"API key invalid","api-key":"secret","type":"client"}'
PAGE = b"<!DOCTYPE html>\n<html><body>Maintenance</body></html>"


@pytest.fixture
def server(monkeypatch):
    with Entrez() as server:
        server.records[ACCESSION] = LETTERS
        monkeypatch.setattr(urllib.request, "_opener", server.opener())
        monkeypatch.setattr(Bio.Entrez, "time", types.SimpleNamespace(sleep=lambda seconds: None, time=time.time))
        yield server


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr(ncbi, "time", types.SimpleNamespace(sleep=waits.append))
    monkeypatch.setattr(Bio.Entrez._open, "previous", 0)
    return waits


def files(folder):
    return sorted(path.name for path in folder.rglob("*") if path.name != ".lock")


def test_a_record_arrives_checked_and_stays_in_the_cache(server, tmp_path):
    received: list[int] = []
    path = fetch(ACCESSION, tmp_path, CLIENT, Expected(len(LETTERS), SHA256), received.append)
    record = read_sequence(path)
    assert (record.name, record.letters.tobytes().decode()) == (ACCESSION, LETTERS.upper())
    assert sum(received) >= len(LETTERS)
    assert files(tmp_path) == [f"{ACCESSION}.fa"]
    assert fetch(ACCESSION, tmp_path, CLIENT, Expected(len(LETTERS), SHA256)) == path
    assert len(server.requests) == 2
    assert socket.getdefaulttimeout() is None


def test_ncbi_is_told_who_asks(server, tmp_path):
    fetch(ACCESSION, tmp_path, CLIENT)
    for _, query in server.requests:
        assert (query["db"], query["tool"]) == ("nuccore", "repro")
        assert (query["email"], query["api_key"]) == ("a@example.org", "secret")


def test_settings_come_from_the_environment_before_the_configuration(monkeypatch):
    monkeypatch.setenv("NCBI_EMAIL", "env@example.org")
    monkeypatch.delenv("NCBI_API_KEY", raising=False)
    client = Client.from_environment(email="config@example.org", api_key="k")
    assert (client.email, client.api_key) == ("env@example.org", "k")
    monkeypatch.delenv("NCBI_EMAIL")
    assert Client.from_environment(email="", api_key="") == Client(None, None)


def test_progress_is_said_now_and_then(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(ncbi_cache, "time", types.SimpleNamespace(monotonic=lambda: now[0]))
    said: list[str] = []
    progress = ncbi_cache.said_now_and_then(said.append, every_s=5)
    for now[0] in (1.0, 4.9, 5.0, 6.0, 10.1):
        progress(1_000_000)
    assert said == ["3.0 MB received", "5.0 MB received"]


@pytest.mark.parametrize(
    ("accession", "message"),
    [
        ("NC_000898", r"NC_000898: has no version; .* such as NC_000898\.1"),
        ("CP000051", r"has no version"),
        ("gbgss201", r"is no GenBank or RefSeq accession"),
        ("../NC_000898.1", r"is no GenBank or RefSeq accession"),
        ("", r"is no GenBank or RefSeq accession"),
    ],
)
def test_an_accession_needs_its_version(server, tmp_path, accession, message):
    with pytest.raises(InputError, match=message):
        fetch(accession, tmp_path, CLIENT)
    assert server.requests == []
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    "accession",
    ["NC_000898.1", "CP000051.1", "NT_033779.4", "AE017225.12", "NZ_CP012345.2", "U00096.2", "AABR07000000.1"],
)
def test_accessions_of_every_shape(accession):
    check_accession(accession)


# One behaviour on every attempt: the message says which, and nothing is left behind.
FAULTS = {
    "html page": (send(PAGE, kind="text/html"), r"a web page instead of the record"),
    "xhtml page": (send(XHTML, kind="text/xml"), r"a web page instead of the record"),
    "key repeated": (send(KEY_REPEATED), r"a text instead .*API key invalid"),
    "html as text": (send(PAGE), r"a web page instead of the record"),
    "error text": (send(b"Error: F a i l e d to retrieve sequence"), r"a text instead .*: Error: F a i l e d"),
    "empty": (send(b""), r"answer was empty"),
    "blank": (send(b"\n\n"), r"answer was empty"),
    "closed at once": (close_at_once, r"the connection was closed"),
    "closed early": (close_early(FASTA[:300], chunked=False), r"the connection was closed \d+ bytes before the end"),
    "chunks cut off": (close_early(FASTA[:300], chunked=True), r"the connection was closed before the end"),
    "silence": (silent, r"no answer in time"),
    "storm": (send(b"slow down", 429), r"too many requests \(status 429"),
    "server failure": (send(b"oops", 502), r"NCBI's server failed \(status 502\)"),
}
FETCH_FAULTS = {
    "truncated": (send(FASTA[:300]), r"record is truncated: 279 of 1000 letters"),
    "header only": (send(f">{ACCESSION}\n".encode()), r"record is truncated: 0 of 1000 letters"),
    "bad letters": (send(FASTA.replace(b"R", b"5")), r"has '5' at letter 5"),
    "page within": (send(FASTA[:300] + PAGE), r"has '<' at letter 280"),
}


@pytest.mark.parametrize(
    ("utility", "fault"),
    [(utility, fault) for utility in ("esummary", "efetch") for fault in FAULTS]
    + [("efetch", fault) for fault in FETCH_FAULTS],
)
def test_a_lasting_fault_is_named_and_a_passing_one_is_survived(server, tmp_path, waits, utility, fault):
    behave, message = (FAULTS | FETCH_FAULTS)[fault]
    client = replace(CLIENT, timeout_s=0.5) if fault == "silence" else CLIENT
    server.next[utility].extend([behave] * CLIENT.attempts)
    with pytest.raises(FetchError, match=message) as caught:
        fetch(ACCESSION, tmp_path, client)
    assert str(caught.value).startswith(f"{ACCESSION}: ")
    assert str(caught.value).endswith("(4 attempts); try again later")
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)
    assert server.count(utility) == CLIENT.attempts
    assert len(waits) == CLIENT.attempts - 1
    assert files(tmp_path) == []

    server.next[utility].extend([behave] * (CLIENT.attempts - 1))
    assert len(read_sequence(fetch(ACCESSION, tmp_path, client))) == len(LETTERS)


def other(name: bytes) -> bytes:
    return FASTA.replace(ACCESSION.encode(), name)


def state(status: str, **items: str):
    return send(summary(ACCESSION, len(LETTERS), Status=status, **items))


@pytest.mark.parametrize(
    ("utility", "behave", "message"),
    [
        ("efetch", send(other(b"NC_000898.4")), r"NCBI delivered NC_000898\.4, which was not asked for"),
        ("efetch", send(other(b"NC_000898.30")), r"NCBI delivered NC_000898\.30, which was not asked for"),
        ("efetch", send(FASTA + b"ACGT"), r"the record has 1004 letters where NCBI lists 1000"),
        ("efetch", send(b"bad request\nmore", 400), r"refused the request \(status 400: bad request more\)"),
        ("efetch", send(KEY_REPEATED, 400), r"status 400: .*API key invalid.*api-key.*\.\.\."),
        ("efetch", send(b"", 404), r"refused the request \(status 404"),
        (
            "esummary",
            send(summary(ACCESSION, 1000, Status="suppressed", Comment="on\nrequest")),
            r"is suppressed at NCBI: on request",
        ),
        ("esummary", state("withdrawn"), r"is withdrawn at NCBI$"),
        ("esummary", state("dead"), r"is dead at NCBI$"),
        (
            "esummary",
            state("replaced", ReplacedBy="NC_7.1"),
            r"is retired; NCBI has NC_7\.1 in its place",
        ),
        ("esummary", send(summary("NC_000899.1", 1000)), r"NCBI has NC_000899\.1 under this name"),
        ("esummary", send(summary("NC_000898.4", 1000)), r"NCBI has NC_000898\.4 under this name"),
        ("esummary", send(summary_document("<ERROR>Invalid uid NC at position=0</ERROR>")), r"NCBI has no such record"),
        ("esummary", send(summary(ACCESSION, 999)), r"1000 letters where NCBI lists 999"),
    ],
)
def test_a_final_answer_is_not_asked_for_again(server, tmp_path, waits, utility, behave, message):
    server.next[utility].append(behave)
    with pytest.raises(FetchError, match=message) as caught:
        fetch(ACCESSION, tmp_path, CLIENT)
    assert str(caught.value).startswith(f"{ACCESSION}: ")
    assert "secret" not in str(caught.value)
    assert server.count(utility) == 1
    assert waits == []
    assert files(tmp_path) == []


@pytest.mark.parametrize("body", [summary(ACCESSION, 1000)[:-40], b"<?xml version='1.0'?><other/>"])
def test_a_damaged_summary_is_asked_for_again(server, tmp_path, waits, body):
    server.next["esummary"].append(send(body, kind="text/xml"))
    fetch(ACCESSION, tmp_path, CLIENT)
    assert len(waits) == 1


def test_an_error_inside_a_summary_is_asked_for_again(server, tmp_path):
    document = summary_document("<ERROR>Unable to obtain query #1</ERROR>")
    server.next["esummary"].extend([send(document, kind="text/xml")] * CLIENT.attempts)
    with pytest.raises(FetchError, match="answered with an error: Unable to obtain query #1"):
        fetch(ACCESSION, tmp_path, CLIENT)


def test_an_older_version_is_delivered_as_itself(server, tmp_path):
    server.next["esummary"].append(state("replaced", ReplacedBy="NC_000898.4"))
    assert read_sequence(fetch(ACCESSION, tmp_path, CLIENT)).name == ACCESSION


@pytest.mark.parametrize("name", [b"gi|9633069|ref|NC_000898.3|", b"NC_000898.3:1-1000", b"ref|NC_000898.3|"])
def test_headers_that_name_the_accession(server, tmp_path, name):
    server.next["efetch"].append(send(other(name)))
    assert len(read_sequence(fetch(ACCESSION, tmp_path, CLIENT))) == 1000


def test_waits_grow_and_vary(server, tmp_path, waits):
    server.next["efetch"].extend([send(b"", 503)] * 3)
    fetch(ACCESSION, tmp_path, CLIENT)
    assert all(2**n <= wait <= 2 ** (n + 1) for n, wait in enumerate(waits))
    assert len(set(waits)) == 3


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_is_honoured(server, tmp_path, waits, form):
    when = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=100)
    value = "100" if form == "seconds" else email.utils.format_datetime(when, usegmt=True)
    server.next["efetch"].append(send(b"", 429, Retry_After=value))
    fetch(ACCESSION, tmp_path, CLIENT)
    (wait,) = waits
    assert 95 <= wait <= 111


def test_an_absurd_retry_after_is_reported_instead(server, tmp_path, waits):
    server.next["efetch"].append(send(b"", 503, Retry_After="86400"))
    with pytest.raises(FetchError, match="NCBI asks to wait 86400 s; try again later"):
        fetch(ACCESSION, tmp_path, CLIENT)
    assert waits == []


def test_what_is_expected_is_checked_before_and_after(server, tmp_path):
    with pytest.raises(FetchError, match="NCBI lists 1000 letters where 999 are expected"):
        fetch(ACCESSION, tmp_path, CLIENT, Expected(length=999))
    assert server.count("efetch") == 0
    with pytest.raises(FetchError, match=f"delivered has SHA-256 {SHA256}, not the expected 00"):
        fetch(ACCESSION, tmp_path, CLIENT, Expected(sha256="00"))
    assert files(tmp_path) == []
    path = fetch(ACCESSION, tmp_path, CLIENT)
    with pytest.raises(FetchError, match="cached record has 1000 letters where 999 are expected; delete the file"):
        fetch(ACCESSION, tmp_path, CLIENT, Expected(length=999))
    path.write_text(">NC_000898.4\nACGT\n")
    with pytest.raises(FetchError, match=r"holds NC_000898\.4; delete the file"):
        fetch(ACCESSION, tmp_path, CLIENT)


def behave_well(handler, query):
    handler.efetch(handler, query)


def test_known_records_are_checked_without_asking(server, tmp_path):
    server.records["NC_000898.1"] = LETTERS
    with pytest.raises(FetchError, match=r"NC_000898\.1: NCBI lists 1000 letters where 162114 are expected"):
        fetch("NC_000898.1", tmp_path, CLIENT)
    assert Expected.of("NC_001416.1") == Expected(
        48_502, read_sequence(Path(__file__).parents[2] / "resources/sequences/lambda_virus.fa.gz").sha256
    )
    assert Expected.of(ACCESSION) == Expected(None, None)


def test_long_records_come_in_ranges_that_resume(server, tmp_path, monkeypatch):
    monkeypatch.setattr(ncbi_cache, "RANGE_LETTERS", 300)
    server.next["efetch"].extend([behave_well, behave_well, *[send(b"", 503)] * CLIENT.attempts])
    with pytest.raises(FetchError, match="server failed"):
        fetch(ACCESSION, tmp_path, CLIENT)
    assert not (tmp_path / f"{ACCESSION}.fa").exists()
    before = server.count("efetch")
    received: list[int] = []
    path = fetch(ACCESSION, tmp_path, CLIENT, Expected(1000, SHA256), received.append)
    assert read_sequence(path).sha256 == SHA256
    assert server.count("efetch") == before + 2
    ranges = [(q["seq_start"], q["seq_stop"]) for name, q in server.requests if name == "efetch"]
    assert ranges[-2:] == [("601", "900"), ("901", "1000")]
    assert sum(received) >= 1000
    assert files(tmp_path) == [f"{ACCESSION}.fa"]


def test_a_range_of_another_length_is_truncated(server, tmp_path, monkeypatch):
    monkeypatch.setattr(ncbi_cache, "RANGE_LETTERS", 300)
    server.next["efetch"].extend([send(f">{ACCESSION}:1-300\nACGT\n".encode())] * CLIENT.attempts)
    with pytest.raises(FetchError, match="truncated: 4 of 300 letters"):
        fetch(ACCESSION, tmp_path, CLIENT)
    assert files(tmp_path) == []


def test_an_interrupted_download_leaves_no_file_under_its_name(server, tmp_path):
    def interrupt(count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(ACCESSION, tmp_path, CLIENT, progress=interrupt)
    assert files(tmp_path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_cache_that_cannot_be_written(server, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="cannot be written"):
        fetch(ACCESSION, tmp_path / "cache", CLIENT)


def test_a_cache_below_a_file(server, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"file/cache: cannot be written \(Not a directory\)"):
        fetch(ACCESSION, tmp_path / "file" / "cache", CLIENT)


def test_no_network_is_said_at_once(tmp_path, monkeypatch, waits):
    def refuse(*_, **__):
        raise urllib.request.URLError(socket.gaierror(-3, "Temporary failure in name resolution"))

    monkeypatch.setattr(Bio.Entrez, "urlopen", refuse)
    with pytest.raises(OfflineError, match=r"NC_000898\.3: NCBI cannot be reached .*; check the network"):
        fetch(ACCESSION, tmp_path, CLIENT)
    assert waits == []


def test_one_download_at_a_time(server, tmp_path):
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=fetch, args=(ACCESSION, tmp_path, CLIENT)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(20)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert server.count("efetch") == 1

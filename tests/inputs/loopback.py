"""A server on the loopback interface that speaks efetch and esummary, and misbehaves when told to."""

import http.client
import http.server
import threading
import urllib.parse
import urllib.request
from collections import deque
from collections.abc import Callable
from typing import Any

Handler = http.server.BaseHTTPRequestHandler
Behaviour = Callable[[Handler, dict[str, str]], None]


def send(body: bytes, status: int = 200, kind: str = "text/plain", **headers: str) -> Behaviour:
    def behave(handler: Handler, query: dict[str, str]) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return behave


def close_at_once(handler: Handler, query: dict[str, str]) -> None:
    handler.close_connection = True


def close_early(body: bytes, *, chunked: bool) -> Behaviour:
    """Announce more than is sent, by Content-Length or by chunks without the final one."""

    def behave(handler: Handler, query: dict[str, str]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/plain")
        if chunked:
            handler.send_header("Transfer-Encoding", "chunked")
            body_ = b"%x\r\n%s\r\n" % (len(body), body)
        else:
            handler.send_header("Content-Length", str(len(body) + 1000))
            body_ = body
        handler.end_headers()
        handler.wfile.write(body_)
        handler.close_connection = True

    return behave


def silent(handler: Handler, query: dict[str, str]) -> None:
    handler.server.released.wait(5)
    handler.close_connection = True


def summary(accession: str, length: int, **items: str) -> bytes:
    fields = {"Length": str(length), "Status": "live", "ReplacedBy": "", "Comment": "", "AccessionVersion": accession}
    lines = "".join(
        f'<Item Name="{name}" Type="{"Integer" if name == "Length" else "String"}">{value}</Item>'
        for name, value in (fields | items).items()
    )
    return summary_document(f"<DocSum><Id>1</Id>{lines}</DocSum>")


def summary_document(content: str) -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8" ?><!DOCTYPE eSummaryResult PUBLIC "-//NLM//DTD esummary v1 20041029//EN" '
        '"https://eutils.ncbi.nlm.nih.gov/eutils/dtd/20041029/esummary-v1.dtd">'
        f"<eSummaryResult>{content}</eSummaryResult>"
    ).encode()


class Entrez(http.server.ThreadingHTTPServer):
    """`records` are served as NCBI does; behaviours put into `next["efetch"]` or `next["esummary"]` come first."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Requests)
        self.records: dict[str, str] = {}
        self.next: dict[str, deque[Behaviour]] = {"efetch": deque(), "esummary": deque()}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.released = threading.Event()

    def __enter__(self) -> "Entrez":
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.released.set()
        self.shutdown()
        self.server_close()

    def opener(self) -> urllib.request.OpenerDirector:
        """Return an opener that brings every https request to this server."""

        def connect(host: str, **settings: Any) -> http.client.HTTPConnection:
            return http.client.HTTPConnection("127.0.0.1", self.server_port, **settings)

        class Loopback(urllib.request.HTTPSHandler):
            def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
                return self.do_open(connect, request)

        return urllib.request.build_opener(urllib.request.ProxyHandler({}), Loopback())

    def count(self, utility: str) -> int:
        return sum(name == utility for name, _ in self.requests)


class _Requests(Handler):
    server: Entrez
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        url = urllib.parse.urlsplit(self.path)
        utility = url.path.rsplit("/", 1)[-1].removesuffix(".fcgi")
        query = dict(urllib.parse.parse_qsl(url.query))
        self.server.requests.append((utility, query))
        scripted = self.server.next[utility]
        behave = scripted.popleft() if scripted else getattr(self, utility)
        behave(self, query)

    @staticmethod
    def esummary(handler: "_Requests", query: dict[str, str]) -> None:
        accession = query["id"]
        if accession in handler.server.records:
            body = summary(accession, len(handler.server.records[accession]))
        else:
            body = summary_document("<ERROR>Invalid uid in query: cannot get document summary</ERROR>")
        send(body, kind="text/xml")(handler, query)

    @staticmethod
    def efetch(handler: "_Requests", query: dict[str, str]) -> None:
        accession, letters = query["id"], handler.server.records[query["id"]]
        name = accession
        if "seq_start" in query:
            start, stop = int(query["seq_start"]), int(query["seq_stop"])
            letters, name = letters[start - 1 : stop], f"{accession}:{start}-{stop}"
        lines = [letters[i : i + 70] for i in range(0, len(letters), 70)]
        send("\n".join([f">{name} A virus, complete genome", *lines, "", ""]).encode())(handler, query)

    def log_message(self, *_: Any) -> None:
        pass

"""A small S3 server: what the store of files asks of one, and ways to let it fail.

It checks no signatures. Lists come in pages of two, so that whoever reads only the first page is found out.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Iterator

BUCKET = "portal-files"
PER_PAGE = 2


@dataclass
class S3Server:
    """What the server holds, what it was asked, and how it is to fail."""

    address: str = ""
    objects: dict[str, tuple[bytes, datetime]] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    signed_by: set[str] = field(default_factory=set)
    failure: tuple[int, str] | None = None  # status and code of every answer
    fails_once: bool = False
    may_answer: Event | None = None  # for which every answer waits
    lock: Lock = field(default_factory=Lock)

    def fail(self, status: int, code: str, *, once: bool = False) -> None:
        """Answer every request, or the next one, with a failure."""
        self.failure, self.fails_once = (status, code), once


class _Listening(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, held: S3Server, listen: str) -> None:
        super().__init__((listen, 0), _Handler)
        self.held = held


class _Handler(BaseHTTPRequestHandler):
    server: _Listening
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer in one piece

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if (key := self._key()) is None:
            return
        with self.server.held.lock:
            taken = key in self.server.held.objects
            if not (taken and self.headers.get("If-None-Match") == "*"):
                self.server.held.objects[key] = (body, datetime.now(UTC))
                taken = False
        if taken:
            self._refuse(412, "PreconditionFailed")
        else:
            self._answer(200, headers={"ETag": '"1"'})

    def do_GET(self) -> None:
        if (key := self._key()) is None:
            return
        if not key:
            self._list(parse_qs(urlsplit(self.path).query))
        elif (found := self.server.held.objects.get(key)) is None:
            self._refuse(404, "NoSuchKey")
        else:
            self._answer(200, found[0], {"ETag": '"1"', "Last-Modified": format_datetime(found[1], usegmt=True)})

    def do_DELETE(self) -> None:
        if (key := self._key()) is None:
            return
        self.server.held.objects.pop(key, None)
        self._answer(204)

    def _key(self) -> str | None:
        """The key that is asked about; None where the server was told to fail, or the bucket is another one."""
        path = unquote(urlsplit(self.path).path)
        self.server.held.asked.append((self.command, path))
        self.server.held.signed_by.add(
            self.headers.get("Authorization", "").partition("Credential=")[2].partition("/")[0]
        )
        if self.server.held.may_answer is not None:
            self.server.held.may_answer.wait()
        failure = self.server.held.failure
        if self.server.held.fails_once:
            self.server.held.failure, self.server.held.fails_once = None, False
        bucket, _, key = path.lstrip("/").partition("/")
        if failure is not None:
            self._refuse(*failure)
        elif bucket != BUCKET:
            self._refuse(404, "NoSuchBucket")
        else:
            return key
        return None

    def _list(self, query: dict[str, list[str]]) -> None:
        prefix, after = query.get("prefix", [""])[0], query.get("continuation-token", [""])[0]
        keys = sorted(key for key in self.server.held.objects if key.startswith(prefix) and key > after)
        page, more = keys[:PER_PAGE], len(keys) > PER_PAGE
        rows = "".join(
            f"<Contents><Key>{quote(key) if 'encoding-type' in query else escape(key)}</Key>"
            f"<LastModified>{self.server.held.objects[key][1]:%Y-%m-%dT%H:%M:%S.000Z}</LastModified>"
            f'<ETag>"1"</ETag><Size>{len(self.server.held.objects[key][0])}</Size></Contents>'
            for key in page
        )
        token = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if more else ""
        text = (
            f"<ListBucketResult><IsTruncated>{str(more).lower()}</IsTruncated>"
            f"<KeyCount>{len(page)}</KeyCount>{token}{rows}</ListBucketResult>"
        )
        self._answer(200, text.encode())

    def _refuse(self, status: int, code: str) -> None:
        key_id = self.headers.get("Authorization", "")
        self._answer(status, f"<Error><Code>{code}</Code><Message>{escape(key_id)}</Message></Error>".encode())

    def _answer(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        try:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()
        except ConnectionError:  # whoever asked did not wait
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name that the class above has)
        """Nothing: tests look at `asked`."""


@contextmanager
def s3_server(listen: str = "127.0.0.1") -> Iterator[S3Server]:
    """Run the server in a thread, at an address of this machine."""
    server = S3Server()
    with _Listening(server, listen) as serving:
        server.address = f"http://{listen}:{serving.server_port}"
        thread = Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            serving.shutdown()
            thread.join()

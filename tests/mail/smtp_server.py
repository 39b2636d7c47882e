"""A small mail server for tests: takes mails, refuses some addresses, breaks off when told to, offers STARTTLS."""

from __future__ import annotations

import socketserver
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ssl import SSLContext

ANSWERS = {"nobody@x.example": "550 5.1.1 no such user", "busy@x.example": "450 4.2.1 try again"}


class SmtpServer(socketserver.ThreadingTCPServer):
    """Keeps the mails it took, and counts connections. It breaks the connection off after `breaks_off` mails."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Talk)
        self.mails: list[str] = []
        self.connections = 0
        self.breaks_off = -1
        self.tls: SSLContext | None = None
        self.heard: list[str] = []


class _Talk(socketserver.StreamRequestHandler):
    server: SmtpServer

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())
        self.wfile.flush()

    def encrypt(self, tls: SSLContext) -> None:
        with suppress(OSError), tls.wrap_socket(self.connection, server_side=True) as encrypted:
            self.connection = encrypted
            self.rfile, self.wfile = encrypted.makefile("rb"), encrypted.makefile("wb")
            self.talk()

    def handle(self) -> None:
        self.server.connections += 1
        self.say("220 test")
        self.talk()

    def talk(self) -> None:
        for line in self.rfile:
            command = line.decode().strip()
            verb = command[:4].upper()
            self.server.heard.append(verb)
            if verb == "DATA":
                self.say("354 go on")
                lines = list(iter(lambda: self.rfile.readline().decode().rstrip("\r\n"), "."))
                self.server.mails.append("\n".join(lines))
                if len(self.server.mails) == self.server.breaks_off:
                    # It has taken the mail, and its answer is lost.
                    return
                self.say("250 taken")
            elif verb == "RCPT":
                self.say(ANSWERS.get(command.partition("<")[2].partition(">")[0], "250 ok"))
            elif verb == "EHLO" and self.server.tls is not None:
                self.say("250-test\r\n250-AUTH PLAIN\r\n250 STARTTLS")
            elif verb == "STAR" and self.server.tls is not None:
                self.say("220 go on")
                self.encrypt(self.server.tls)
                return
            elif verb == "AUTH":
                self.say("235 welcome")
            elif verb == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 ok")


@contextmanager
def smtp_server() -> Iterator[SmtpServer]:
    """Run one on a free port for as long as the block lasts."""
    with SmtpServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()

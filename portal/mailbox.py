"""A mailbox that is a folder: every mail becomes one .eml file, for trying out the portal and for tests."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import current_app
from flask_mailman.backends.base import BaseEmailBackend

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask_mailman import EmailMessage


class EmailBackend(BaseEmailBackend):  # type: ignore[misc]  # the library has no types
    """Writes each mail to its own file in MAIL_FILE_PATH; file names begin with the time and sort by it.

    A mail whose Message-ID is already there is not written again. Files are written atomically.

    Side effect: with MAIL_ECHO set, the mail is also printed, so that a demo shows the links to follow.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  (the library's own arguments)
        super().__init__(*args, **kwargs)
        self._folder = Path(self.mailman.file_path)

    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        """Write the mails; returns how many were accepted."""
        for message in messages:
            path = self._write(message)
            if path is not None and current_app.config["MAIL_ECHO"]:
                _print_mail(message, path)
        return len(messages)

    def _write(self, message: EmailMessage) -> Path | None:
        mime_message = message.message()
        identity = hashlib.sha256(str(mime_message["Message-ID"]).encode()).hexdigest()[:32]
        if any(name.endswith(f"-{identity}.eml") for name in os.listdir(self._folder)):  # noqa: PTH208  (names are all it needs)
            return None
        nanoseconds = time.time_ns()
        seconds, fraction = divmod(nanoseconds, 1_000_000_000)
        name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(seconds))}-{fraction:09d}-{identity}.eml"
        path, draft = self._folder / name, self._folder / f".{name}"
        try:
            draft.write_bytes(mime_message.as_bytes())
            draft.replace(path)
        except OSError:  # the disk is full: the next try has another name
            draft.unlink(missing_ok=True)
            raise
        return path


def _print_mail(message: EmailMessage, path: Path) -> None:
    lines = (f"Mail in {path}", f"To: {', '.join(message.to)}", f"Subject: {message.subject}", "", message.body)
    sys.stdout.write("\n" + "\n".join(f"  | {line}" for text in lines for line in text.splitlines() or [""]) + "\n")
    sys.stdout.flush()

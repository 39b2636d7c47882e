"""Keeps the log of a database's outage short: lines with the reason instead of tracebacks.

In half a minute without a database, a busy portal would otherwise log many megabytes, which may fill the disk.
"""

from __future__ import annotations

import logging

from portal.outages import is_disconnected
from portal.web.log_filters import add_filter

# Flask's logger for errors, and ours that repeat what failed once for each request, piece of work or process.
LOGGERS = (
    "portal",
    "portal.app",
    "portal.web.errors",
    "portal.web.work_command",
    "portal.applications.commit_each",
    "portal.labs.live_index.thread",
)


class ShortenOutages(logging.Filter):
    """Replaces the traceback of a lost or refused connection to the database by its reason."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten a log record; no record is dropped."""
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and is_disconnected(error):
            record.msg, record.args = "%s: %s", (record.getMessage(), str(error).partition("\n")[0])
            record.exc_info = None
        return True


def shorten_outages() -> None:
    """Keep the log of this process short while the database is away. May be called more than once."""
    add_filter(ShortenOutages(), LOGGERS)

"""Log lines of a server and of `portal work`, and what they leave out: tokens in secret URLs, and the tracebacks of a
database that is away or a disk that is full.
"""

from __future__ import annotations

import logging
import re
from copy import copy
from typing import Any

from portal.outages import is_disconnected, lacks_room

# Flask's logger for errors and ours.
PORTAL_LOGGERS = ("portal", "portal.web.errors")
# Those that log the path of a request: also the servers'.
PATH_LOGGERS = (*PORTAL_LOGGERS, "werkzeug", "gunicorn.access", "gunicorn.error")
# Those that repeat what failed once for each request, piece of work or process.
OUTAGE_LOGGERS = (
    *PORTAL_LOGGERS,
    "portal.app",
    "portal.web.work",
    "portal.applications.locks",
    "portal.labs.live_index.thread",
)
# Letters and invitations; password resets, address confirmations and changes, two-step set-up.
_SECRET = re.compile(
    r"(/(?:letters|join|accounts/(?:reset|confirm|change-email|tf-setup))/)[^\s/\"'\]?]+",
)


class HideTokens(logging.Filter):
    """Replaces the token in paths that it opens, such as "/letters/…"."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Remove tokens from a log record; no record is dropped."""
        record.msg = _without_token(record.msg)
        if isinstance(record.args, tuple):
            record.args = tuple(_without_token(value) for value in record.args)
        elif isinstance(record.args, dict):
            # A copy of its own kind: gunicorn's looks up headers in any case, and has "-" for one that is not there.
            values = copy(record.args)
            values.update((name, _without_token(value)) for name, value in record.args.items())
            record.args = values
        return True


class ShortenOutages(logging.Filter):
    """Replaces the traceback of a database that is away, or of a full disk, by its reason: each failed request would
    otherwise log a hundred lines, which may fill the disk.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten a log record; no record is dropped."""
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and (is_disconnected(error) or lacks_room(error)):
            record.msg, record.args = "%s: %s", (record.getMessage(), str(error).partition("\n")[0])
            record.exc_info = None
        return True


def add_log_filters() -> None:
    """Add the filters to the loggers of this process; those that have them already, of another application, stay as
    they are. A logger's filter does not apply to its children, hence the lists.
    """
    for log_filter, names in ((HideTokens(), PATH_LOGGERS), (ShortenOutages(), OUTAGE_LOGGERS)):
        for logger in map(logging.getLogger, names):
            if not any(isinstance(present, type(log_filter)) for present in logger.filters):
                logger.addFilter(log_filter)


def _without_token(value: Any) -> Any:  # noqa: ANN401  (any logged value)
    return _SECRET.sub(r"\1…", value) if isinstance(value, str) else value


LINE = "[%(asctime)s] [%(process)d] [%(levelname)s] %(message)s"
TIME = "%Y-%m-%d %H:%M:%S %z"


def write_log_lines() -> None:
    """Write what the portal's packages log to the error output. Does nothing where logging is set up already, as by
    gunicorn's `--log-config`. May be called more than once.
    """
    portal = logging.getLogger("portal")
    if portal.handlers or logging.getLogger().handlers:
        return
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter(LINE, TIME))
    handler.addFilter(HideTokens())
    portal.addHandler(handler)
    # Those of the libraries, such as the queue's, go the same way from warnings on.
    logging.getLogger().addHandler(handler)
    portal.propagate = False

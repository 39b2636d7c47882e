"""Keeps the tokens in secret URLs out of all logs that hold the path of a request."""

from __future__ import annotations

import logging
import re
from typing import Any

from portal.web.log_filters import add_filter

# Letters, calendars and invitations; password resets, address confirmations and changes, two-step set-up.
_SECRET = re.compile(
    r"(/(?:letters|calendar|join|accounts/(?:reset|confirm|change-email|tf-setup))/)[^\s/\"'\]?]+",
)
# Flask's logger for errors, ours, and the servers'.
LOGGERS = ("portal", "portal.web.errors", "werkzeug", "gunicorn.access", "gunicorn.error")


class HideTokens(logging.Filter):
    """Replaces the token in paths that it opens, such as "/letters/…"."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Remove tokens from a log record; no record is dropped."""
        record.msg = _hidden(record.msg)
        if isinstance(record.args, tuple):
            record.args = tuple(_hidden(value) for value in record.args)
        elif isinstance(record.args, dict):
            record.args = {name: _hidden(value) for name, value in record.args.items()}
        return True


def hide_tokens() -> None:
    """Keep tokens out of the logs of this process. May be called more than once."""
    add_filter(HideTokens(), LOGGERS)


def _hidden(value: Any) -> Any:  # noqa: ANN401  (any logged value)
    return _SECRET.sub(r"\1…", value) if isinstance(value, str) else value

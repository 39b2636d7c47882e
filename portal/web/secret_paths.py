"""Keeps the tokens of addresses that a secret opens out of logs, whoever writes the path of a request there."""

from __future__ import annotations

import logging
import re
from typing import Any

# Letters, calendars and invitations; passwords set anew, addresses confirmed or changed, second steps set up.
_SECRET = re.compile(
    r"(/(?:letters|calendar|join|accounts/(?:reset|confirm|change-email|tf-setup))/)[^\s/\"'\]?]+",
)
# Flask's own for errors, ours, those of the servers; a filter of a logger is not asked for those below it.
LOGGERS = ("portal", "portal.web.errors", "werkzeug", "gunicorn.access", "gunicorn.error")


class HideTokens(logging.Filter):
    """Writes "/letters/…" for the path of a letter, and the same for all paths that a secret opens."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Take tokens out of what is logged; nothing is held back."""
        record.msg = _hidden(record.msg)
        if isinstance(record.args, tuple):
            record.args = tuple(_hidden(value) for value in record.args)
        elif isinstance(record.args, dict):
            record.args = {name: _hidden(value) for name, value in record.args.items()}
        return True


def hide_tokens() -> None:
    """Keep tokens out of the logs of this process. Done twice, it is done once."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(one, HideTokens) for one in logger.filters):
            logger.addFilter(HideTokens())


def _hidden(value: Any) -> Any:  # noqa: ANN401  (whatever is logged)
    return _SECRET.sub(r"\1…", value) if isinstance(value, str) else value

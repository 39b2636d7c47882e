"""Log lines of a server and of `portal work`: with time, process and level, as gunicorn's have."""

from __future__ import annotations

import logging

from portal.web.log_filters import HideTokens

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

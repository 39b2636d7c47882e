"""Filters of this process's loggers."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def add_filter(log_filter: logging.Filter, names: Iterable[str]) -> None:
    """Add a filter to the loggers with these names, unless they have one of its kind: there may be several applications
    in a process. A logger's filter does not apply to its children.
    """
    for name in names:
        logger = logging.getLogger(name)
        if not any(isinstance(present, type(log_filter)) for present in logger.filters):
            logger.addFilter(log_filter)

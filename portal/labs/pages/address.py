"""Text from the query string, made safe to show and to search for."""

from __future__ import annotations

import re

from flask import request

# HTML, XML and PostgreSQL refuse these. Tabs and line ends stay, since they separate words.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def printable(text: str) -> str:
    """`text` without characters that cannot be shown."""
    return _UNPRINTABLE.sub("", text)


def asked_text(name: str) -> str:
    """The value of the parameter `name`, empty if there is none."""
    return printable(request.args.get(name, "")).strip()


def asked_values(name: str, most: int) -> tuple[str, ...]:
    """The distinct values of the parameter `name`, at most `most`."""
    values = (printable(value).strip() for value in request.args.getlist(name))
    return tuple(dict.fromkeys(value for value in values if value))[:most]

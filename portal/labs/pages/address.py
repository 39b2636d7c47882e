"""What an address asks for, as text that can be shown and looked up."""

from __future__ import annotations

import re

from flask import request

# No page, no XML and no PostgreSQL text can hold these; a tab or a line end parts words.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def printable(text: str) -> str:
    """`text` without the characters that cannot be shown."""
    return _UNPRINTABLE.sub("", text)


def asked_text(name: str) -> str:
    """The value of the address under `name`, empty where there is none."""
    return printable(request.args.get(name, "")).strip()


def asked_values(name: str, most: int) -> tuple[str, ...]:
    """All values under `name`, each once, at most so many."""
    values = (printable(value).strip() for value in request.args.getlist(name))
    return tuple(dict.fromkeys(value for value in values if value))[:most]

"""Addresses that may become links on a page."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

SCHEMES = ("http", "https", "mailto")
# Browsers drop these from addresses, so "java\nscript:" would run.
_DROPPED_BY_BROWSERS = re.compile(r"[\x00-\x20\x7f]")


def web_address(address: str) -> str:
    """`address` if it leads to the web or to a mailbox, else an empty text (script, data, relative, broken)."""
    stripped = address.strip()
    if _DROPPED_BY_BROWSERS.search(stripped):
        return ""
    try:
        parts = urlsplit(stripped)
    except ValueError:  # a broken IPv6 host
        return ""
    if parts.scheme not in SCHEMES or not (parts.path if parts.scheme == "mailto" else parts.netloc):
        return ""
    return stripped

"""Addresses that are safe as links on a page."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

SCHEMES = ("http", "https", "mailto")
_NEVER_IN_ADDRESSES = re.compile(r'["<>\\^`{|}]')
# Browsers drop these from addresses, so "java\nscript:" would run.
_DROPPED_BY_BROWSERS = re.compile(r"[\x00-\x20\x7f]")


def web_address(address: str) -> str:
    """`address` if it is a web or mail address, otherwise empty (script, data, relative, broken).

    Characters that are not allowed in addresses, such as quotes, are percent-encoded as browsers do: %22.
    """
    stripped = address.strip()
    if _DROPPED_BY_BROWSERS.search(stripped):
        return ""
    try:
        parts = urlsplit(stripped)
    except ValueError:  # a broken IPv6 host
        return ""
    if parts.scheme not in SCHEMES or not (parts.path if parts.scheme == "mailto" else parts.netloc):
        return ""
    return _NEVER_IN_ADDRESSES.sub(lambda character: quote(character[0]), stripped)

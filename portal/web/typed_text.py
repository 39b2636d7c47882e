"""Gives back, on the error page, what somebody typed into a form that was refused before its view saw it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from werkzeug.exceptions import HTTPException

if TYPE_CHECKING:
    from flask import Request

MOST_TEXTS = 40
# The values of these fields are never shown, in case somebody looks over a shoulder.
_SECRET = re.compile(r"password|token|code|secret", re.IGNORECASE)

# Hidden fields in which a page notes what it showed; nobody typed them. The last part of a name counts, since rows of a
# form have names such as "answers-0-asked".
PAGE_NOTES = frozenset(
    {"agreed", "asked", "base", "form_key", "key", "lab", "opened_with", "pending", "query", "reviewed", "version"}
)
_SEEN = re.compile(r"(?:^|-)seen(?:_|$)")


@dataclass(frozen=True, slots=True)
class Typed:
    """The texts of a form, in its order, and the path of the page it was on, or empty if that is unknown.

    `fields` are all names and values that were sent, to be sent again; empty if a file or a secret was among them,
    since a page gives neither back.
    """

    texts: tuple[str, ...]
    page: str
    fields: tuple[tuple[str, str], ...] = ()


NOTHING = Typed((), "")
TOKEN = "csrf_token"  # noqa: S105  (the name of a field)


def typed_in(request: Request) -> Typed:
    """The texts of more than one word that one of our pages sent with a form.

    Nothing if the browser does not say that the form was ours: no other site puts its words on our pages. A single word
    is often an address, a number or an internal name, and quickly retyped.
    """
    if request.method != "POST" or request.headers.get("Sec-Fetch-Site") != "same-origin":
        return NOTHING
    try:
        fields = list(request.form.items(multi=True))
    except HTTPException:  # too large to be read, or not a form at all
        return NOTHING
    texts = (value.strip() for name, value in fields if not _SECRET.search(name) and not is_page_note(name))
    several_words = dict.fromkeys(text for text in texts if len(text.split()) > 1)
    resendable = [(name, value) for name, value in fields if name != TOKEN]
    can_resend = not any(_SECRET.search(name) for name, _ in resendable) and not any(
        file for file in request.files.values()
    )
    return Typed(tuple(several_words)[:MOST_TEXTS], _page_of(request), tuple(resendable) if can_resend else ())


def is_page_note(name: str) -> bool:
    """Whether a field of this name holds a note of the page rather than typed text."""
    return name.rpartition("-")[2] in PAGE_NOTES or _SEEN.search(name) is not None


def _page_of(request: Request) -> str:
    """Path and query of the page that sent the form."""
    parts = urlsplit(request.referrer or "")
    if parts.netloc != request.host or not parts.path.startswith("/") or parts.path.startswith("//"):
        return ""
    return f"{parts.path}?{parts.query}" if parts.query else parts.path

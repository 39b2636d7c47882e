"""Messages on the next page that offer an undo: "Removed Relaxed System Lab. [Undo]".

They travel in the session cookie, of which browsers keep about four kilobytes or nothing at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from flask import current_app, flash, g, message_flashed, session

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask
    from flask.sessions import SecureCookieSessionInterface

Tone = Literal["good", "info", "warn", "bad"]

FLASHED = "_flashes"  # where Flask keeps them in the session
LONGEST_COOKIE = 3_800  # bytes, without the cookie's name and attributes
CUT = 300  # characters that are kept of a message that is too long


def say(text: str, tone: Tone = "good") -> None:
    """Show `text` on the next page."""
    flash(text, tone)


def say_with_undo(
    text: str, action: str, values: Mapping[str, str] | None = None, *, label: str = "Undo", tone: Tone = "good"
) -> None:
    """Show `text` on the next page with a button that posts `values` (and the form token) to `action`.

    Side effects: writes the message into the session; it is shown once. If it is too long, it has no button.
    """
    flash({"text": text, "action": action, "values": dict(values or {}), "label": label}, tone)  # type: ignore[arg-type]


def say_with_link(text: str, href: str, label: str, tone: Tone = "good") -> None:
    """Show `text` on the next page, followed by a link."""
    flash({"text": text, "href": href, "label": label}, tone)  # type: ignore[arg-type]


def unsay() -> None:
    """Take back the messages of this request, which failed in the end: what they say was done was not saved.

    Messages of earlier requests that nobody has read yet stay.
    """
    said_here = g.pop("said_here", 0)
    if said_here:
        session[FLASHED] = session.get(FLASHED, [])[:-said_here]


def init_messages(app: Flask) -> None:
    """Keep messages short enough for browsers, and count them, whatever part of `app` writes them."""
    message_flashed.connect(_count, app)
    message_flashed.connect(_fit, app)


def _count(_app: Flask, **_said: object) -> None:
    g.said_here = g.get("said_here", 0) + 1


def _fit(_app: Flask, **_said: object) -> None:
    """Shorten messages, the longest first, until the cookie fits: browsers drop one that is too long, and nobody
    would read what became of their act.
    """
    if cookie_size() <= LONGEST_COOKIE:
        return
    messages = list(session[FLASHED])
    for place in sorted(range(len(messages)), key=lambda place: len(str(messages[place][1])), reverse=True):
        tone, message = messages[place]
        text = message["text"] if isinstance(message, dict) else message
        messages[place] = (tone, text if len(text) <= CUT else f"{text[:CUT].rstrip()}…")
        session[FLASHED] = messages
        if cookie_size() <= LONGEST_COOKIE:
            return


def cookie_size() -> int:
    """The current size of the session cookie in bytes."""
    interface = cast("SecureCookieSessionInterface", current_app.session_interface)
    serializer = interface.get_signing_serializer(current_app)
    return len(serializer.dumps(dict(session))) if serializer is not None else 0

"""Messages on the next page that offer an undo: "Removed Relaxed System Lab. [Undo]".

They are stored in the session cookie. Browsers drop cookies of more than about four kilobytes.
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


def flash_message(text: str, tone: Tone = "good") -> None:
    """Show `text` on the next page."""
    flash(text, tone)


def flash_with_undo(
    text: str, action: str, values: Mapping[str, str] | None = None, *, label: str = "Undo", tone: Tone = "good"
) -> None:
    """Show `text` on the next page with a button that posts `values` (and the form token) to `action`.

    Side effects: writes the message into the session; it is shown once. If it is too long, it has no button.
    """
    flash({"text": text, "action": action, "values": dict(values or {}), "label": label}, tone)  # type: ignore[arg-type]


def flash_with_link(text: str, href: str, label: str, tone: Tone = "good") -> None:
    """Show `text` on the next page, followed by a link."""
    flash({"text": text, "href": href, "label": label}, tone)  # type: ignore[arg-type]


def drop_flashed() -> None:
    """Remove the messages of this request, which failed: they claim that something was done which was not saved.

    Messages of earlier requests that nobody has read yet stay.
    """
    message_count = g.pop("message_count", 0)
    if message_count:
        session[FLASHED] = session.get(FLASHED, [])[:-message_count]


def init_messages(app: Flask) -> None:
    """Count all messages that `app` flashes, and shorten them so that the session cookie fits into browsers' limits."""
    message_flashed.connect(_count, app)
    message_flashed.connect(_fit, app)


def _count(_app: Flask, **_message: object) -> None:
    g.message_count = g.get("message_count", 0) + 1


def _fit(_app: Flask, **_message: object) -> None:
    """Shorten messages, the longest first, until the cookie fits: browsers drop a cookie that is too long, and with it
    the messages.
    """
    if cookie_size() <= LONGEST_COOKIE:
        return
    messages = list(session[FLASHED])
    for index in sorted(range(len(messages)), key=lambda index: len(str(messages[index][1])), reverse=True):
        tone, message = messages[index]
        text = message["text"] if isinstance(message, dict) else message
        messages[index] = (tone, text if len(text) <= CUT else f"{text[:CUT].rstrip()}…")
        session[FLASHED] = messages
        if cookie_size() <= LONGEST_COOKIE:
            return


def cookie_size() -> int:
    """The current size of the session cookie in bytes."""
    interface = cast("SecureCookieSessionInterface", current_app.session_interface)
    serializer = interface.get_signing_serializer(current_app)
    return len(serializer.dumps(dict(session))) if serializer is not None else 0

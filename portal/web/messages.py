"""What waits in the session cookie: messages for the next page, some with an undo, and a text from the home page.

The text waits while its owner registers, confirms and signs in. Since others may use the same browser, it is for one
account only:

- A number for it is in the URL of “Register with this text”. Whoever continues from there binds it to the e-mail
  address that they type (`bind`); it is put into the form of that account's interests and of no other.
- It is discarded when somebody else signs in, when anybody signs out, once interests are saved, and after a while.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, cast

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


def flash_with_undo(text: str, action: str, values: Mapping[str, str] | None = None, *, tone: Tone = "good") -> None:
    """Show `text` on the next page with a button that posts `values` to `action`; if it is too long, without one."""
    flash({"text": text, "action": action, "values": dict(values or {}), "label": "Undo"}, tone)  # type: ignore[arg-type]


def flash_with_link(text: str, href: str, label: str, tone: Tone = "good") -> None:
    """Show `text` on the next page, followed by a link."""
    flash({"text": text, "href": href, "label": label}, tone)  # type: ignore[arg-type]


def drop_flashed() -> None:
    """Remove the messages of this request, which failed: they claim that something was done which was not saved."""
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
    """Shorten the longest messages until the cookie fits: browsers drop one that is too long, and the messages too."""
    lengths = sorted((len(str(message)) for _tone, message in session[FLASHED]), reverse=True)
    for longest in lengths:
        if cookie_size() > LONGEST_COOKIE:
            session[FLASHED] = [
                (tone, _cut(each) if len(str(each)) == longest else each) for tone, each in session[FLASHED]
            ]


def _cut(message: str | dict[str, Any]) -> str:
    text = str(message["text"] if isinstance(message, dict) else message)
    return text if len(text) <= CUT else f"{text[:CUT].rstrip()}…"


def cookie_size() -> int:
    """The current size of the session cookie in bytes."""
    interface = cast("SecureCookieSessionInterface", current_app.session_interface)
    serializer = interface.get_signing_serializer(current_app)
    return len(serializer.dumps(dict(session))) if serializer is not None else 0


KEY = "pending_text"
FIELD = "text"
"""The name of the number in addresses and forms."""
UNBOUND = timedelta(minutes=30)
"""Time to register or sign in."""
BOUND = timedelta(hours=2)
"""Time to open the mail, to sign in and to add it."""
LARGEST_COOKIE = 3_000  # bytes; the rest of what a browser keeps is for messages and for being signed in


def hold_text(text: str, now: datetime, *, account: str = "") -> str:
    """Hold `text` in place of an earlier one; returns its number, or an empty string if the browser would not keep it.
    `account` is its owner, if they are signed in.
    """
    number = secrets.token_urlsafe(9)
    session[KEY] = {"text": text, "number": number, "account": account, "at": now.isoformat()}
    if cookie_size() <= LARGEST_COOKIE:
        return number
    discard()
    return ""


def is_pending(number: str, now: datetime) -> bool:
    """Whether the text with this number is held: the person came from its own “Register with this text”."""
    held = _held(now)
    return held is not None and bool(number) and held["number"] == number


def bind(account: str, now: datetime) -> None:
    """From now on, offer the text to this account and to no other."""
    held = _held(now)
    if held is not None:
        session[KEY] = {**held, "account": account, "at": now.isoformat()}


def text_for(account: str, now: datetime) -> str | None:
    """The text held for an account, or None."""
    held = _held(now)
    return None if held is None or held["account"] != account else str(held["text"])


def discard() -> None:
    """Discard the text."""
    session.pop(KEY, None)


def _held(now: datetime) -> dict[str, Any] | None:
    """The text that is held, or None. Side effect: discards it if its time is up or an older version wrote it."""
    held = session.get(KEY)
    if held is None:
        return None
    if not {"text", "number", "account", "at"} <= set(held):
        discard()
        return None
    lifetime = BOUND if held["account"] else UNBOUND
    if abs(now - datetime.fromisoformat(held["at"])) > lifetime:
        discard()
        return None
    held_text: dict[str, Any] = held
    return held_text
